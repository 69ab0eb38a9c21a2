//! docs/COMMANDS.md: the text of `--help` as Markdown.

use std::fmt::Write;

use clap::{Arg, Command};

use super::help::{Block, blocks, shown};

const HEAD: &str = "\
<!-- Written by `make reference` from the text of `residue --help`; not edited by hand. -->

# Commands

`residue COMMAND -h` prints examples and options, `residue COMMAND --help` everything below, `man residue-COMMAND`
the same. [CI.md](CI.md#exit-status) lists exit statuses, [REPORTS.md](REPORTS.md#moments) what can follow `FILE@`,
[schemas](schemas) the JSON documents.
";

pub fn document(root: &Command) -> String {
    let mut root = root.clone();
    root.build();
    let mut text = HEAD.to_string();
    text += "\n| command | |\n| --- | --- |\n";
    for command in shown(&root).skip(1) {
        let name = command.get_name();
        let about = told(command.get_about());
        writeln!(text, "| [`{name}`](#{name}) | {about} |").unwrap();
    }
    for command in shown(&root).skip(1) {
        text += &section(command);
    }
    text
}

fn section(command: &Command) -> String {
    let mut text = format!(
        "\n## {}\n\n{}.\n",
        command.get_name(),
        told(command.get_about())
    );
    text += &prose(&told(command.get_before_help()), "sh");
    let usage = command.clone().render_usage().to_string();
    write!(text, "\n`{}`\n", usage.trim_start_matches("Usage: ")).unwrap();
    let shown: Vec<&Arg> = command
        .get_arguments()
        .filter(|it| !it.is_hide_set() && it.get_id() != "help")
        .collect();
    let mut headings: Vec<Option<&str>> = Vec::new();
    for arg in &shown {
        let heading = heading(arg);
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    // Arguments first, then options without a heading, as in `--help`.
    headings.sort_by_key(|heading| match *heading {
        Some(ARGUMENTS) => 0,
        None => 1,
        Some(_) => 2,
    });
    for name in headings {
        let title = name.unwrap_or("Options");
        write!(text, "\n| {title} | |\n| --- | --- |\n").unwrap();
        for arg in shown.iter().filter(|arg| heading(arg) == name) {
            writeln!(text, "| {} | {} |", syntax(arg), meaning(arg)).unwrap();
        }
    }
    let after = command.get_after_long_help();
    text + &prose(&told(after.or_else(|| command.get_after_help())), "text")
}

const ARGUMENTS: &str = "Arguments";

fn heading(arg: &Arg) -> Option<&str> {
    match arg.is_positional() {
        true => Some(ARGUMENTS),
        false => arg.get_help_heading(),
    }
}

/// `-o`, `--output FILE`
fn syntax(arg: &Arg) -> String {
    if arg.is_positional() {
        return format!("`{arg}`");
    }
    let long = format!("`{arg}`").replace(['<', '>'], "");
    match arg.get_short() {
        Some(short) if arg.get_long().is_some() => format!("`-{short}`, {long}"),
        _ => long,
    }
}

/// All of the help in one cell of a table.
fn meaning(arg: &Arg) -> String {
    let help = told(arg.get_long_help().or_else(|| arg.get_help()));
    let paragraphs = help
        .split("\n\n")
        .map(|it| match it.ends_with(['.', ']', ':']) {
            true => it.to_string(),
            false => format!("{it}."),
        });
    let mut text = paragraphs
        .collect::<Vec<String>>()
        .join(" ")
        .replace('|', "\\|");
    let takes_value = arg.get_num_args().is_some_and(|it| it.takes_values());
    let values = arg.get_possible_values();
    if takes_value && !arg.is_hide_possible_values_set() && !values.is_empty() {
        for value in values.iter().filter(|it| !it.is_hide_set()) {
            let help = told(value.get_help());
            let help = if help.is_empty() {
                help
            } else {
                format!(": {help}")
            };
            write!(
                text,
                "<br>`{}`{}",
                value.get_name(),
                help.replace('|', "\\|")
            )
            .unwrap();
        }
    }
    let defaults = arg.get_default_values();
    if takes_value && !arg.is_hide_default_value_set() && !defaults.is_empty() {
        let defaults = defaults.iter().map(|it| it.to_string_lossy());
        let defaults = defaults.collect::<Vec<_>>().join(",");
        write!(text, "<br>default: `{defaults}`").unwrap();
    }
    text
}

fn prose(text: &str, language: &str) -> String {
    let blocks = blocks(text).into_iter().map(|block| match block {
        Block::Paragraph(text) => format!("\n{text}\n"),
        Block::Lines(lines) => format!("\n```{language}\n{}\n```\n", lines.join("\n")),
    });
    blocks.collect()
}

fn told(text: Option<&clap::builder::StyledStr>) -> String {
    text.map(ToString::to_string).unwrap_or_default()
}

mod tests {
    use clap::CommandFactory;

    use crate::CommandLine;

    #[test]
    fn commands_md_is_the_text_of_help() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/COMMANDS.md");
        let expected = super::document(&CommandLine::command());
        if std::env::var_os("RESIDUE_WRITE").is_some() {
            std::fs::write(file, &expected).unwrap();
        }
        let committed = std::fs::read_to_string(file).unwrap();
        let different = committed
            .lines()
            .zip(expected.lines())
            .find(|(a, b)| a != b);
        assert_eq!(different, None, "`make reference` writes docs/COMMANDS.md");
        assert_eq!(
            committed.len(),
            expected.len(),
            "`make reference` writes docs/COMMANDS.md"
        );
    }
}
