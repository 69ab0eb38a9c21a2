//! Text that came from somebody else's program or file, made safe to show.

use residue_profile::harmless::harmless;

/// A command as it could be given to a shell.
pub fn command_line(arguments: &[String]) -> String {
    let quoted: Vec<String> = arguments.iter().map(|argument| quote(argument)).collect();
    visible(&quoted.join(" "))
}

fn quote(argument: &str) -> String {
    let is_plain = |char: char| char.is_alphanumeric() || "_@%+=:,./-".contains(char);
    if !argument.is_empty() && argument.chars().all(is_plain) {
        return argument.to_string();
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}

/// The text on one line, with control characters and marks of writing direction written
/// out: `\n`, `\u{202e}`.
pub fn visible(text: &str) -> String {
    harmless(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_quoted_where_a_shell_needs_it() {
        let command = ["./größe", "--x=1", "a b", "", "it's", "two\nlines"];
        assert_eq!(
            command_line(&command.map(String::from)),
            r"./größe --x=1 'a b' '' 'it'\''s' 'two\nlines'"
        );
    }

    #[test]
    fn control_characters_are_written_out() {
        assert_eq!(visible("a\tb\u{1b}[1mé"), r"a\tb\u{1b}[1mé");
    }
}
