//! What the reader sees the text on: how wide it is, and whether it has colours.

use std::io::IsTerminal;

use residue_names::{columns, cut_end, cut_middle};

/// Narrower than this nothing can be read, so lines may be longer.
const FEWEST_COLUMNS: usize = 60;

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    pub const ALL: [Color; 3] = [Color::Auto, Color::Always, Color::Never];

    pub fn name(self) -> &'static str {
        match self {
            Color::Auto => "auto",
            Color::Always => "always",
            Color::Never => "never",
        }
    }

    /// Empty where the name says it.
    pub fn meaning(self) -> &'static str {
        match self {
            Color::Auto => "On a terminal, unless NO_COLOR is set",
            Color::Always | Color::Never => "",
        }
    }
}

/// What a colour says: look here, all is well, think about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hue {
    Red,
    Green,
    Yellow,
}

/// How text is laid out.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    /// Columns of a line; names are cut to fit. `usize::MAX` for no limit.
    pub width: usize,
    /// Whether that is what there is, and sentences must fit too.
    is_known: bool,
    has_color: bool,
}

impl Page {
    /// The page that standard output is. Names are never cut where they are wanted
    /// in full.
    pub fn of_stdout(color: Color, has_full_names: bool) -> Page {
        let columns = std::env::var("COLUMNS").ok();
        let columns = columns.and_then(|text| text.parse().ok());
        let width = columns.or_else(|| screen().map(|(columns, _)| columns));
        let is_known = width.is_some();
        // A file or a pipe has no width: nothing is cut there.
        let width = width.map_or(usize::MAX, |width| width.max(FEWEST_COLUMNS));
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Page {
            width: if has_full_names { usize::MAX } else { width },
            is_known,
            has_color: match color {
                Color::Always => true,
                Color::Never => false,
                Color::Auto => std::io::stdout().is_terminal() && !no_color,
            },
        }
    }

    /// No colours, and nothing is cut.
    pub fn unlimited() -> Page {
        Page {
            width: usize::MAX,
            is_known: false,
            has_color: false,
        }
    }

    /// So many columns, no colours; sentences may be longer.
    pub fn plain(width: usize) -> Page {
        Page {
            width,
            is_known: false,
            has_color: false,
        }
    }

    /// The text in at most so many columns, cut in the middle.
    pub fn fit(&self, text: &str, columns: usize) -> String {
        match self.width {
            usize::MAX => text.to_string(),
            _ => cut_middle(text, columns),
        }
    }

    /// The beginning of the text, in at most so many columns.
    pub fn fit_start(&self, text: &str, columns: usize) -> String {
        match self.width {
            usize::MAX => text.to_string(),
            _ => cut_end(text, columns),
        }
    }

    /// A sentence in lines that fit, broken behind commas, later ones further right. One
    /// line where nobody looks at how wide it is.
    pub fn wrap(&self, sentence: &str, indent: usize) -> Vec<String> {
        let is_short = columns(sentence) <= self.width;
        if is_short || !self.is_known || self.width == usize::MAX {
            return vec![sentence.to_string()];
        }
        let mut lines: Vec<String> = Vec::new();
        let phrases = sentence.split_inclusive([',', ';', ':']);
        for phrase in phrases {
            let is_begin = |line: &String| {
                let length = columns(line.trim_end()) + columns(phrase);
                length <= self.width
            };
            match lines.last_mut() {
                Some(line) if is_begin(line) || !phrase.starts_with(' ') => line.push_str(phrase),
                Some(_) => lines.push(format!("{:indent$}{}", "", phrase.trim_start())),
                None => lines.push(phrase.to_string()),
            }
        }
        lines
            .iter()
            .map(|line| cut_middle(line, self.width))
            .collect()
    }

    pub fn bold(&self, text: &str) -> String {
        self.paint("1", text)
    }

    pub fn bold_in(&self, hue: Hue, text: &str) -> String {
        self.paint(
            match hue {
                Hue::Red => "1;31",
                Hue::Green => "1;32",
                Hue::Yellow => "1;33",
            },
            text,
        )
    }

    pub fn dim(&self, text: &str) -> String {
        self.paint("2", text)
    }

    fn paint(&self, code: &str, text: &str) -> String {
        match self.has_color && !text.is_empty() {
            true => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            false => text.to_string(),
        }
    }
}

/// Columns and lines of the terminal that standard output is, if it is one.
pub fn screen() -> Option<(usize, usize)> {
    let stdout = std::io::stdout();
    let (width, height) = terminal_size::terminal_size_of(&stdout)?;
    (stdout.is_terminal() && width.0 > 0).then_some((width.0.into(), height.0.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_unless_they_are_wanted_in_full() {
        assert_eq!(Page::plain(80).fit("abcdefg", 5), "ab…fg");
        assert_eq!(Page::plain(usize::MAX).fit("abcdefg", 5), "abcdefg");
        assert_eq!(Page::plain(80).fit_start("abcdefg", 5), "abcd…");
        assert_eq!(Page::plain(80).fit_start("abcde", 5), "abcde");
    }

    #[test]
    fn sentences_are_broken_behind_commas() {
        let narrow = Page {
            width: 20,
            is_known: true,
            has_color: false,
        };
        let lines = narrow.wrap("one: 1 000 000 bytes, two; three, four", 4);
        assert_eq!(
            lines,
            ["one:", "    1 000 000 bytes,", "    two; three, four"]
        );
        assert_eq!(Page::plain(5).wrap("a, b, c", 2), ["a, b, c"]);
    }

    #[test]
    fn colour_is_a_frame_around_the_text() {
        let coloured = Page {
            width: 80,
            is_known: true,
            has_color: true,
        };
        assert_eq!(coloured.bold("a"), "\u{1b}[1ma\u{1b}[0m");
        assert_eq!(coloured.dim(""), "");
        assert_eq!(Page::plain(80).dim("a"), "a");
    }
}
