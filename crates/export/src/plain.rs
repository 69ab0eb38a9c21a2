//! Names in formats in which some characters have a meaning.

use residue_profile::harmless::is_harmful;

/// The text on one line, with control characters and marks of writing direction written
/// out: `\n`. So are the two characters that XML has no way to write.
pub(crate) fn visible(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for char in text.chars() {
        if is_harmful(char) || matches!(char, '\u{fffe}' | '\u{ffff}') {
            line.extend(char.escape_default());
        } else {
            line.push(char);
        }
    }
    line
}

/// A name as one step of a folded path. Nothing in it can be taken for the end of the
/// step, for a value, or for a comment.
pub fn step(name: &str) -> String {
    let mut text = visible(name).replace(';', ":");
    if text.is_empty() {
        return "[no name]".to_string();
    }
    // `f 1 20` would be read as two values of `f`.
    if let Some((_, end)) = text.rsplit_once(' ')
        && end
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
    {
        let space = text.len() - end.len() - 1;
        text.replace_range(space..=space, "_");
    }
    if text.starts_with([' ', '#']) {
        text.replace_range(..1, "_");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out() {
        assert_eq!(visible("a\tb\u{1b}[1mé\u{ffff}"), r"a\tb\u{1b}[1mé\u{ffff}");
    }

    #[test]
    fn steps_are_read_back_as_one_name() {
        for (name, expected) in [
            ("operator new", "operator new"),
            ("odd;name\n", r"odd:name\n"),
            ("f 1", "f_1"),
            ("f 1.5", "f_1.5"),
            ("f 1x", "f 1x"),
            ("f ", "f_"),
            ("# f", "_ f"),
            (" f", "_f"),
            (" 7", "_7"),
            ("", "[no name]"),
        ] {
            assert_eq!(step(name), expected);
        }
    }
}
