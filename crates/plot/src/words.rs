//! Text that has to fit: how wide it is, where it breaks, what is left of it.

use skrifa::instance::{LocationRef, Size};
use skrifa::metrics::GlyphMetrics;
use skrifa::{FontRef, MetadataProvider};
use std::sync::LazyLock;

/// Of a letter that the font lacks, in parts of the size.
const USUAL_WIDTH: f64 = 0.65;
/// Names of templates can have thousands of letters.
const LONGEST_TEXT: usize = 400;

/// Widths of the letters that are common, in parts of the size.
struct Widths {
    ascii: [f64; 128],
    font: Option<FontRef<'static>>,
}

static REGULAR: LazyLock<Widths> = LazyLock::new(|| Widths::of(dejavu::sans::regular()));
static BOLD: LazyLock<Widths> = LazyLock::new(|| Widths::of(dejavu::sans::bold()));

impl Widths {
    fn of(font: &'static [u8]) -> Widths {
        let mut widths = Widths {
            ascii: [USUAL_WIDTH; 128],
            font: FontRef::new(font).ok(),
        };
        for code in 0..128_u8 {
            widths.ascii[usize::from(code)] = widths.read(char::from(code));
        }
        widths
    }

    fn read(&self, letter: char) -> f64 {
        let width = self.font.as_ref().and_then(|font| {
            let glyph = font.charmap().map(letter)?;
            let metrics = GlyphMetrics::new(font, Size::new(1.0), LocationRef::default());
            metrics.advance_width(glyph)
        });
        width.map_or(USUAL_WIDTH, f64::from)
    }

    fn letter(&self, letter: char) -> f64 {
        match self.ascii.get(letter as usize) {
            Some(width) => *width,
            None => self.read(letter),
        }
    }
}

pub fn width_px(text: &str, size_px: f64, is_bold: bool) -> f64 {
    let widths = if is_bold { &BOLD } else { &REGULAR };
    text.chars()
        .map(|letter| widths.letter(letter))
        .sum::<f64>()
        * size_px
}

/// Lines of at most `room_px`, as far as words allow; a longer word is broken.
pub fn wrapped(text: &str, size_px: f64, room_px: f64) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in words(text) {
        let is_full = width_px(&format!("{line}{}", word.trim_end()), size_px, false) > room_px;
        if is_full && !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for letter in word.chars() {
            let with_it = width_px(&line, size_px, false)
                + width_px(letter.encode_utf8(&mut [0; 4]), size_px, false);
            if with_it > room_px && !line.is_empty() && letter != ' ' {
                lines.push(std::mem::take(&mut line));
            }
            line.push(letter);
        }
    }
    lines.push(line);
    let lines = lines.into_iter().map(|line| line.trim().to_string());
    lines.filter(|line| !line.is_empty()).collect()
}

/// The same in at most so many lines, of which the last ones are kept: the end of a
/// path says most.
pub fn wrapped_end(text: &str, size_px: f64, room_px: f64, most_lines: usize) -> Vec<String> {
    let text = end_of(text, LONGEST_TEXT);
    let mut lines = wrapped(&text, size_px, room_px);
    if lines.len() <= most_lines {
        return lines;
    }
    let pieces: Vec<&str> = words(&text);
    for from in 1..pieces.len() {
        lines = wrapped(&format!("…{}", pieces[from..].concat()), size_px, room_px);
        if lines.len() <= most_lines {
            return lines;
        }
    }
    lines.split_off(lines.len().saturating_sub(most_lines))
}

/// At most `room_px`, by leaving out letters in the middle.
pub fn cut_middle(text: &str, size_px: f64, room_px: f64) -> String {
    if width_px(text, size_px, false) <= room_px {
        return text.to_string();
    }
    let letters: Vec<char> = text.chars().collect();
    let cut = |kept: usize| -> String {
        let (start, end) = (kept.div_ceil(2), kept / 2);
        let ends = letters[..start]
            .iter()
            .chain(&['…'])
            .chain(&letters[letters.len() - end..]);
        ends.collect()
    };
    // Wider with every letter, so the widest that fits can be searched for.
    let (mut fits, mut too_many) = (0, letters.len());
    while too_many - fits > 1 {
        let middle = (fits + too_many) / 2;
        match width_px(&cut(middle), size_px, false) <= room_px {
            true => fits = middle,
            false => too_many = middle,
        }
    }
    cut(fits)
}

fn end_of(text: &str, most: usize) -> String {
    let letters = text.chars().count();
    if letters <= most {
        return text.to_string();
    }
    let end: String = text.chars().skip(letters - most).collect();
    format!("…{end}")
}

/// Pieces between which a line may end: after blanks, `/`, `,` and `::`.
fn words(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut start, mut before) = (0, ' ');
    for (at, letter) in text.char_indices() {
        let is_end = matches!(letter, ' ' | '/' | ',') || (letter == ':' && before == ':');
        if is_end {
            pieces.push(&text[start..at + 1]);
            start = at + 1;
        }
        before = letter;
    }
    pieces.push(&text[start..]);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_font() {
        // DejaVu Sans: 2048 units an em, 1303 for every digit, 651 for a blank.
        assert_eq!(width_px("0123456789", 2048.0, false), 13030.0);
        assert_eq!(width_px(" ", 2048.0, false), 651.0);
        assert!(width_px("memory", 11.0, true) > width_px("memory", 11.0, false));
        assert!(width_px("\u{1F600}\u{10FFFF}", 100.0, false) > 0.0);
    }

    #[test]
    fn lines_end_between_words_and_inside_of_those_that_are_too_long() {
        let lines = wrapped("one two std::vector<int>::push_back", 11.0, 80.0);
        assert_eq!(lines, ["one two std::", "vector<int>::", "push_back"]);
        for line in wrapped(&"x".repeat(100), 11.0, 80.0) {
            assert!(width_px(&line, 11.0, false) <= 80.0);
        }
        assert!(wrapped("", 11.0, 80.0).is_empty());
    }

    #[test]
    fn the_end_of_a_path_is_kept() {
        let lines = wrapped_end("main > simulate > SEvt::add  sevt.cpp:75", 11.0, 110.0, 2);
        assert_eq!(lines, ["…simulate > SEvt::", "add  sevt.cpp:75"]);
        assert_eq!(wrapped_end(&"ab".repeat(5000), 11.0, 110.0, 3).len(), 3);
    }

    #[test]
    fn a_name_is_cut_in_its_middle() {
        assert_eq!(cut_middle("short", 11.0, 100.0), "short");
        let cut = cut_middle("a_very_long_name_of_a_stamp", 11.0, 100.0);
        assert_eq!(cut, "a_very_…a_stamp");
        assert!(width_px(&cut, 11.0, false) <= 100.0);
        assert_eq!(cut_middle("long", 11.0, 0.0), "…");
    }
}
