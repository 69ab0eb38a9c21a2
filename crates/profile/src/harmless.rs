//! Names come from files of anybody's making. A terminal obeys control characters, and
//! marks of writing direction let a text read as another; both are written out before
//! anything is shown.

use std::borrow::Cow;

use crate::holders::Picture;
use crate::model::Profile;

/// Whether a terminal or a reader would be told something other than the character.
pub fn is_harmful(char: char) -> bool {
    char.is_control()
        || matches!(
            char,
            // Marks, embeddings, overrides and isolates of writing direction, and two more
            // ends of line.
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// The text on one line, with what is harmful written out: `\n`, `\u{1b}`, `\u{202e}`.
pub fn harmless(text: &str) -> Cow<'_, str> {
    written_out(text, is_harmful)
}

/// The same for text of several lines.
pub fn harmless_lines(text: &str) -> Cow<'_, str> {
    written_out(text, |char| is_harmful(char) && char != '\n')
}

/// The text as a cell of a table: a spreadsheet takes what begins like this for a formula,
/// and an apostrophe before it for the sign of text. Numbers stay numbers.
pub fn cell(text: &str) -> Cow<'_, str> {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    match is_formula && text.len() > 1 && text.parse::<f64>().is_err() {
        true => Cow::Owned(format!("'{text}")),
        false => Cow::Borrowed(text),
    }
}

fn written_out(text: &str, is_meant: impl Fn(char) -> bool) -> Cow<'_, str> {
    // Nearly all text is this, and it is found out fast.
    let is_plain = text.bytes().all(|byte| (b' '..0x7f).contains(&byte));
    if is_plain || !text.contains(&is_meant) {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        match is_meant(char) {
            true => line.extend(char.escape_default()),
            false => line.push(char),
        }
    }
    Cow::Owned(line)
}

impl Profile {
    /// Writes out what is harmful in every text that is shown. For those who show the
    /// profile; who stores it again stores what was recorded.
    pub fn make_harmless(&mut self) {
        let meta = &mut self.meta;
        let search = &mut self.timeline.about.search;
        let of_meta = [
            &mut meta.residue_version,
            &mut meta.program,
            &mut meta.executable,
            &mut meta.process_name,
            &mut meta.host,
            &mut meta.kernel,
            &mut meta.allocator,
            &mut meta.birth_unit,
            &mut meta.imported_from,
        ];
        let modules = self.modules.iter_mut();
        let modules = modules.flat_map(|module| [&mut module.path, &mut module.build_id]);
        let texts = of_meta
            .into_iter()
            .chain(&mut meta.command)
            .chain(&mut meta.notes)
            .chain(modules)
            .chain(&mut self.functions)
            .chain(&mut self.files)
            .chain(self.threads.iter_mut().map(|thread| &mut thread.name))
            .chain(&mut self.timeline.names)
            .chain(self.picture.iter_mut().flat_map(Picture::texts))
            .chain(&mut search.functions)
            .chain(&mut search.line);
        for text in texts {
            if let Cow::Owned(shown) = harmless(text) {
                *text = shown;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_and_marks_of_direction_are_written_out() {
        assert_eq!(
            harmless("a\u{1b}[31m\u{9b}\u{7}\r\n\t\u{7f}b"),
            r"a\u{1b}[31m\u{9b}\u{7}\r\n\t\u{7f}b"
        );
        let marks = [
            '\u{61c}', '\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}', '\u{202a}', '\u{202b}',
            '\u{202c}', '\u{202d}', '\u{202e}', '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}',
        ];
        for mark in marks {
            assert_eq!(
                harmless(&mark.to_string()),
                mark.escape_unicode().to_string()
            );
        }
        assert_eq!(harmless_lines("two\nlines\u{1b}c"), "two\nlines\\u{1b}c");
    }

    #[test]
    fn cells_are_no_formulas() {
        for formula in [
            "=1+1", "+cmd", "-[A b]", "@SUM(A1)", "\tx", "\rx", "=", "-1+1",
        ] {
            let shown = cell(formula);
            match formula.len() {
                1 => assert_eq!(shown, formula),
                _ => assert_eq!(shown, format!("'{formula}")),
            }
        }
        for plain in ["", "-", "-1", "+2.5e3", "12", "a=b", "'=1"] {
            assert_eq!(cell(plain), plain);
        }
    }

    #[test]
    fn other_text_stays_as_it_is() {
        for text in ["", "main", "größer", "日本語", "עברית", "a\u{200d}b", "🙂"] {
            assert!(matches!(harmless(text), Cow::Borrowed(same) if same == text));
        }
    }
}
