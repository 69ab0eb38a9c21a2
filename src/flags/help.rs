//! How help is laid out, and what it is made of. `--help`, manual pages and docs/COMMANDS.md
//! are three forms of the same text.

use anyhow::{Context, Result};
use clap::Command;

/// Examples come first: most readers look for a command line to copy.
pub const TEMPLATE: &str = "\
{about-with-newline}
{before-help}{usage-heading} {usage}

{all-args}{after-help}";

/// `residue` itself and all its commands that help shows.
pub fn shown(root: &Command) -> impl Iterator<Item = &Command> {
    let commands = root.get_subcommands();
    std::iter::once(root).chain(commands.filter(|it| !it.is_hide_set() && it.get_name() != "help"))
}

/// A command by its name; `residue` itself for an empty one.
pub fn find<'a>(root: &'a Command, name: &str) -> Result<&'a Command> {
    match name {
        "" => Ok(root),
        name => root
            .find_subcommand(name)
            .with_context(|| format!("`{name}` is not a command of residue")),
    }
}

/// What a text of help is made of.
#[derive(Debug, PartialEq, Eq)]
pub enum Block {
    /// To be wrapped.
    Paragraph(String),
    /// To be left as it is: examples and tables.
    Lines(Vec<String>),
}

/// Indented lines are left as they are; other lines are paragraphs. A head of examples that
/// says no more than that is left out.
pub fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    for line in text
        .lines()
        .filter(|line| !line.is_empty() && *line != "Examples:")
    {
        match (line.strip_prefix("  "), blocks.last_mut()) {
            (Some(line), Some(Block::Lines(lines))) => lines.push(line.to_string()),
            (Some(line), _) => blocks.push(Block::Lines(vec![line.to_string()])),
            (None, _) => blocks.push(Block::Paragraph(line.to_string())),
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use clap::error::ErrorKind;

    use super::{Block, blocks, shown};
    use crate::CommandLine;

    const MOST_LINES: usize = 60;
    const WIDTHS: [usize; 2] = [80, 100];

    /// Names of the commands that help shows; the empty one is `residue` itself.
    fn commands() -> Vec<String> {
        let root = CommandLine::command();
        let names = shown(&root).skip(1).map(|it| it.get_name().to_string());
        std::iter::once(String::new()).chain(names).collect()
    }

    /// What `residue NAME FLAG` prints.
    fn help(name: &str, flag: &str, width: usize) -> String {
        let words = ["residue", name, flag]
            .into_iter()
            .filter(|it| !it.is_empty());
        let command = CommandLine::command().term_width(width);
        let told = command.try_get_matches_from(words).unwrap_err();
        assert_eq!(told.kind(), ErrorKind::DisplayHelp, "{name}");
        told.to_string()
    }

    #[test]
    fn short_help_fits_on_a_page() {
        for name in commands() {
            for width in WIDTHS {
                let help = help(&name, "-h", width);
                let lines = help.lines().count();
                assert!(
                    lines <= MOST_LINES,
                    "{name}, {width} columns: {lines}\n{help}"
                );
            }
        }
    }

    #[test]
    fn examples_stand_before_options_and_are_not_wrapped() {
        for name in commands() {
            for flag in ["-h", "--help"] {
                let help = help(&name, flag, WIDTHS[0]);
                let place =
                    |text: &str| help.find(text).unwrap_or_else(|| panic!("{name}: {text}"));
                assert!(place("\nExamples:\n") < place("\nUsage:"), "{name} {flag}");
                assert!(place("\nUsage:") < place("\nOptions:\n"), "{name} {flag}");
                let examples = &help[place("\nExamples:\n") + 1..place("\nUsage:")];
                let examples: Vec<&str> = examples.trim_end().lines().skip(1).collect();
                assert!(!examples.is_empty(), "{name}");
                for line in examples {
                    assert!(line.starts_with("  residue "), "{name}: {line}");
                }
            }
        }
    }

    #[test]
    fn indented_lines_are_kept_and_others_are_paragraphs() {
        let expected = [
            Block::Paragraph("Status:".to_string()),
            Block::Lines(vec!["0  fine".to_string(), "1  not".to_string()]),
            Block::Paragraph("That is all.".to_string()),
        ];
        let text = "Examples:\nStatus:\n  0  fine\n  1  not\n\nThat is all.";
        assert_eq!(blocks(text), expected);
    }

    #[test]
    fn every_example_parses() {
        for name in commands() {
            let help = help(&name, "-h", 1000);
            let mut is_shown = name.is_empty();
            for line in help.lines().filter(|line| line.starts_with("  residue ")) {
                let words = crate::flags::shell::commands(line).remove(0);
                is_shown |= words[1] == name;
                crate::flags::shell::expect_parsed(&words, line);
            }
            assert!(is_shown, "no example of {name}");
        }
    }
}
