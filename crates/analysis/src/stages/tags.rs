//! Event numbers inside stamps' names: `A007_simulate`, `setIndex_A007`,
//! `007simulate`, `[7]simulate`.

/// Fewer digits are part of a name: `pass2_begin`.
const LEAST_DIGITS: usize = 3;

/// The number in the name and the name without it.
pub fn split(name: &str) -> Option<(u64, &str)> {
    bracketed(name)
        .or_else(|| leading(name))
        .or_else(|| trailing(name))
}

/// The name without its number, or all of it.
pub fn stem(name: &str) -> &str {
    split(name).map_or(name, |(_, stem)| stem)
}

fn bracketed(name: &str) -> Option<(u64, &str)> {
    let (tag, stem) = name.strip_prefix('[')?.split_once(']')?;
    let digits = tag.trim_start_matches(|char: char| char.is_ascii_alphabetic());
    number(digits, stem, 1)
}

fn leading(name: &str) -> Option<(u64, &str)> {
    let rest = name.strip_prefix(|char: char| char.is_ascii_uppercase());
    let rest = rest.unwrap_or(name);
    let stem = rest.trim_start_matches(|char: char| char.is_ascii_digit());
    let digits = &rest[..rest.len() - stem.len()];
    number(digits, stem.strip_prefix('_').unwrap_or(stem), LEAST_DIGITS)
}

fn trailing(name: &str) -> Option<(u64, &str)> {
    let (stem, tag) = name.rsplit_once('_')?;
    let digits = tag.strip_prefix(|char: char| char.is_ascii_uppercase());
    number(digits.unwrap_or(tag), stem, LEAST_DIGITS)
}

fn number<'a>(digits: &str, stem: &'a str, least_digits: usize) -> Option<(u64, &'a str)> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    if !plain || digits.len() < least_digits || stem.is_empty() {
        return None;
    }
    Some((digits.parse().ok()?, stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_on_both_sides() {
        let simulate = |number| Some((number, "simulate"));
        assert_eq!(split("A007_simulate"), simulate(7));
        assert_eq!(split("012simulate"), simulate(12));
        assert_eq!(split("simulate_A1000"), simulate(1000));
        assert_eq!(split("simulate_000"), simulate(0));
        assert_eq!(split("[A7]simulate"), simulate(7));
        assert_eq!(split("[7]simulate"), simulate(7));
    }

    #[test]
    fn names_with_digits_of_their_own_stay_whole() {
        for name in [
            "pass2_begin",
            "simulate",
            "A12_x",
            "x_64",
            "1234",
            "[A]x",
            "",
            "_",
            "é_1234567890123456789012345",
        ] {
            assert_eq!(split(name), None, "{name}");
            assert_eq!(stem(name), name);
        }
    }
}
