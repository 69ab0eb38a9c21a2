//! How help is laid out.

/// Examples come first: most readers look for a command line to copy.
pub const TEMPLATE: &str = "\
{about-with-newline}
{before-help}{usage-heading} {usage}

{all-args}{after-help}";

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;
    use clap::{CommandFactory, Parser};

    use crate::CommandLine;

    const MOST_LINES: usize = 60;
    const WIDTHS: [usize; 2] = [80, 100];

    /// Names of the commands that help shows; the empty one is `residue` itself.
    fn commands() -> Vec<String> {
        let root = CommandLine::command();
        let shown = root.get_subcommands().filter(|it| !it.is_hide_set());
        let names = shown.map(|it| it.get_name().to_string());
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
    fn every_example_parses() {
        for name in commands() {
            let help = help(&name, "-h", 1000);
            for line in help.lines().filter(|line| line.starts_with("  residue ")) {
                let words = crate::flags::shell::commands(line).remove(0);
                assert_eq!(words[0], "residue");
                assert!(name.is_empty() || words[1] == name, "{name}: {line}");
                if let Err(error) = CommandLine::try_parse_from(&words) {
                    panic!("{line}: {error}");
                }
            }
        }
    }
}
