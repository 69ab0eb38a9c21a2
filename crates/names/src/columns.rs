//! Text in the columns of a terminal, where some letters take two.

use unicode_width::UnicodeWidthChar;

/// How many columns the text takes.
pub fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// A letter that takes no column of its own counts as one, so that text that fits has
/// no more characters than columns either.
fn columns_of(letter: char) -> usize {
    letter.width().unwrap_or(1).max(1)
}

/// At most `longest` columns: the two ends with `…` between them.
pub fn cut_middle(text: &str, longest: usize) -> String {
    if columns(text) <= longest {
        return text.to_string();
    }
    let tail = longest.saturating_sub(1) / 2;
    let head = longest.saturating_sub(1) - tail;
    let head = &text[..bytes_within(text.chars(), head)];
    let tail = &text[text.len() - bytes_within(text.chars().rev(), tail)..];
    format!("{head}…{tail}")
}

/// At most `longest` columns: the beginning with `…` after it.
pub fn cut_end(text: &str, longest: usize) -> String {
    if columns(text) <= longest {
        return text.to_string();
    }
    let head = bytes_within(text.chars(), longest.saturating_sub(1));
    format!("{}…", &text[..head])
}

/// The bytes of the first letters that fit in so many columns together.
fn bytes_within(letters: impl Iterator<Item = char>, mut room: usize) -> usize {
    letters
        .map_while(|letter| {
            room = room.checked_sub(columns_of(letter))?;
            Some(letter.len_utf8())
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(cut_middle("abcdef", 6), "abcdef");
        assert_eq!(cut_middle("abcdefg", 6), "abc…fg");
        assert_eq!(cut_middle("äbcdéfg", 4), "äb…g");
        assert_eq!(cut_middle("abc", 0), "…");
    }

    #[test]
    fn wide_letters_take_two_columns() {
        assert_eq!(columns("記憶"), 4);
        assert_eq!(cut_middle("記憶領域", 8), "記憶領域");
        assert_eq!(cut_middle("記憶領域", 7), "記…域");
        assert_eq!(cut_middle("記憶領域", 2), "…");
        assert_eq!(cut_end("記憶領域", 6), "記憶…");
        assert_eq!(cut_end("e\u{301}e\u{301}", 3), "e\u{301}…");
    }
}
