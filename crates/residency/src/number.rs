//! Numbers as the kernel writes them, at the front of a text.

/// The decimal number that the text begins with, after spaces, and what follows it.
pub fn decimal(text: &[u8]) -> Option<(u64, &[u8])> {
    number(text, 10)
}

/// The hexadecimal number that the text begins with, after spaces, and what follows
/// it. Digits are those the kernel writes, in lower case.
pub fn hexadecimal(text: &[u8]) -> Option<(u64, &[u8])> {
    number(text, 16)
}

/// `None` without a digit, and for numbers that 64 bits cannot hold.
fn number(text: &[u8], base: u64) -> Option<(u64, &[u8])> {
    let mut rest = text.trim_ascii_start();
    let mut value = None;
    while let Some((&byte, after)) = rest.split_first() {
        let Some(digit) = digit(byte).filter(|&digit| digit < base) else {
            break;
        };
        let before: u64 = value.unwrap_or(0);
        value = Some(before.checked_mul(base)?.checked_add(digit)?);
        rest = after;
    }
    Some((value?, rest))
}

fn digit(byte: u8) -> Option<u64> {
    match byte {
        b'0'..=b'9' => Some(u64::from(byte.wrapping_sub(b'0'))),
        b'a'..=b'f' => Some(u64::from(byte.wrapping_sub(b'a').wrapping_add(10))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_where_their_digits_end() {
        assert_eq!(decimal(b"  1234 kB"), Some((1234, &b" kB"[..])));
        assert_eq!(decimal(b"12ab"), Some((12, &b"ab"[..])));
        assert_eq!(
            hexadecimal(b"7ffe21011000-7f"),
            Some((0x7ffe_2101_1000, &b"-7f"[..]))
        );
        assert_eq!(hexadecimal(b"0"), Some((0, &b""[..])));
    }

    #[test]
    fn what_is_no_number_is_none() {
        for text in [&b""[..], b"   ", b"kB", b"-1"] {
            assert_eq!(decimal(text), None);
        }
        assert_eq!(hexadecimal(b"Rss:"), None);
    }

    #[test]
    fn the_largest_number_fits_and_the_next_does_not() {
        assert_eq!(decimal(b"18446744073709551615"), Some((u64::MAX, &b""[..])));
        assert_eq!(decimal(b"18446744073709551616"), None);
        assert_eq!(hexadecimal(b"ffffffffffffffff"), Some((u64::MAX, &b""[..])));
        assert_eq!(hexadecimal(b"10000000000000000"), None);
    }
}
