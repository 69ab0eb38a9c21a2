//! Command lines as documents show them, taken apart as a shell would.

use clap::Parser;

use crate::CommandLine;

/// The commands of a line, each as its words; where output goes is left out.
pub fn commands(line: &str) -> Vec<Vec<String>> {
    let words = shlex::split(line).unwrap_or_else(|| panic!("a quote is open: {line}"));
    let mut commands = vec![Vec::new()];
    let mut is_redirected = false;
    for word in words {
        let (word, ends) = match word.strip_suffix(';') {
            Some(word) => (word.to_string(), true),
            None => (word, false),
        };
        let is_between = ["|", "&&", "||", "&"].contains(&word.as_str());
        is_redirected |= word.starts_with(['>', '<']) || word.starts_with("2>");
        if !is_between && !is_redirected && !word.is_empty() {
            commands.last_mut().expect("one at least").push(word);
        }
        if is_between || ends {
            commands.push(Vec::new());
            is_redirected = false;
        }
    }
    commands
}

/// The command line is one of ours. Directories that it names need not be on this machine.
pub fn expect_parsed(words: &[String], place: &str) {
    if let Err(error) = CommandLine::try_parse_from(words) {
        let is_elsewhere = error.to_string().contains("No such file or directory");
        assert!(is_elsewhere, "{place}\n{error}");
    }
}

#[cfg(test)]
mod tests {
    use super::commands;

    #[test]
    fn lines_fall_apart_into_commands_and_words() {
        let line = "residue export a --format folded | 'my tool' > out.svg && echo x; date # why";
        let expected = [
            &["residue", "export", "a", "--format", "folded"][..],
            &["my tool"],
            &["echo", "x"],
            &["date"],
        ];
        assert_eq!(commands(line), expected);
    }
}

/// Blocks of documents show command lines that are typed or run elsewhere: all of them parse.
#[cfg(test)]
mod documents {
    use std::path::Path;

    /// Lines of code in a document, those that end in a backslash put together.
    fn lines(document: &str) -> Vec<String> {
        let mut is_code = false;
        let mut lines = Vec::new();
        for line in document.replace("\\\n", " ").lines() {
            if line.trim_start().starts_with("```") {
                is_code = !is_code;
            } else if is_code {
                lines.push(line.to_string());
            }
        }
        lines
    }

    /// The calls of `residue` in a line of shell, YAML or the like.
    fn calls(line: &str) -> Vec<Vec<String>> {
        let starts = line.match_indices("residue ").map(|(at, _)| at);
        let starts = starts.filter(|&at| {
            let before = line[..at].trim_end();
            let is_word = line[..at].is_empty() || line[..at].ends_with([' ', '(', '\'', '"']);
            is_word
                && (before.is_empty() || before.ends_with(['$', ';', '|', ':', '-']) || {
                    let last = before.rsplit([' ', '\'', '"']).next().unwrap_or("");
                    ["exec", "do", "&&", "then"].contains(&last)
                })
        });
        starts
            .map(|at| {
                // Inside quotes it ends with them.
                let quotes = line[..at].matches('\'').count();
                let end = match quotes % 2 {
                    0 => line.len(),
                    _ => line[at..].find('\'').map_or(line.len(), |end| at + end),
                };
                super::commands(&line[at..end]).remove(0)
            })
            .collect()
    }

    #[test]
    fn every_command_line_in_the_documents_parses() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut files = vec![root.join("README.md")];
        for file in std::fs::read_dir(root.join("docs")).unwrap() {
            files.push(file.unwrap().path());
        }
        let mut found = 0;
        for file in files
            .iter()
            .filter(|it| it.extension().is_some_and(|end| end == "md"))
        {
            for line in lines(&std::fs::read_to_string(file).unwrap()) {
                for words in calls(&line) {
                    found += 1;
                    super::expect_parsed(&words, &format!("{}: {line}", file.display()));
                }
            }
        }
        assert!(found > 100, "only {found} command lines were found");
    }
}
