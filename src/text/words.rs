//! Facts of a recording in words.

use nix::sys::signal::Signal;
use residue_profile::End;

/// How a program ended, to follow its name.
pub fn ending(end: &End) -> String {
    match end {
        End::Running => "still running".to_string(),
        End::Exited { code } => format!("exited with status {code}"),
        End::Killed { signal } => match Signal::try_from(*signal) {
            Ok(known) => format!("killed by signal {signal} ({known})"),
            Err(_) => format!("killed by signal {signal}"),
        },
        End::Exec => "replaced itself by another program".to_string(),
        End::Unknown => "how it ended is not known".to_string(),
    }
}

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
    fn signals_have_names() {
        let killed = |signal| ending(&End::Killed { signal });
        assert_eq!(killed(9), "killed by signal 9 (SIGKILL)");
        assert_eq!(killed(50), "killed by signal 50");
        assert_eq!(ending(&End::Exited { code: 3 }), "exited with status 3");
    }

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
