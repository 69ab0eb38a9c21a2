//! Regular expressions that people type: case is ignored unless the pattern has a capital, as in
//! ripgrep's smart case. The same rule on the command line and in the page.

use regex::{Regex, RegexBuilder};

/// Patterns of a hostile length must not take the memory of the reader.
const PATTERN_BYTES: usize = 1 << 22;

pub fn smart_case(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern)
        .case_insensitive(!has_capital(pattern))
        .size_limit(PATTERN_BYTES)
        .build()
}

/// Whether a letter that is meant as one is upper-case: `\W` and `\p{Lu}` are no letters.
fn has_capital(pattern: &str) -> bool {
    let mut chars = pattern.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => {
                let class = chars.next();
                let is_named = matches!(class, Some('p' | 'P'));
                if is_named && chars.as_str().starts_with('{') {
                    chars.by_ref().find(|char| *char == '}');
                }
            }
            char if char.is_uppercase() => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capital_makes_case_matter() {
        let matches = |pattern: &str, text: &str| smart_case(pattern).unwrap().is_match(text);
        assert!(matches("parse", "Parser::parse"));
        assert!(matches("sevt", "SEvt::keep"));
        assert!(!matches("SEVT", "SEvt::keep"));
        assert!(matches("SEvt", "SEvt::keep"));
        // Classes are not letters.
        assert!(matches(r"^\Wsevt", " SEvt"));
        assert!(matches(r"^\p{Lu}evt", "SEvt") == matches(r"^\p{lu}evt", "SEvt"));
        assert!(smart_case("(").is_err());
    }
}
