//! Text that came from somebody else's program or file, made safe to show.

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

/// The text on one line, with control characters written out: `\n`.
pub fn visible(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_control() {
            line.extend(char.escape_default());
        } else {
            line.push(char);
        }
    }
    line
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
