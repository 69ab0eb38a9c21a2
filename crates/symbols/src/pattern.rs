//! A name with wildcards: `*` for any text, `?` for any one character.

use residue_names::glob;

/// Words that linkage names may abbreviate or spell otherwise: those the C++ ABI has
/// short forms for, and operators.
const NOT_SPELT_OUT: [&str; 9] = [
    "std",
    "allocator",
    "basic_string",
    "string",
    "basic_istream",
    "basic_ostream",
    "basic_iostream",
    "istream",
    "ostream",
];

pub(crate) struct Pattern<'a> {
    text: &'a str,
    has_wildcards: bool,
    /// Text that every linkage name which may fit contains.
    needed: &'a str,
}

impl<'a> Pattern<'a> {
    pub(crate) fn new(text: &'a str) -> Pattern<'a> {
        Pattern {
            text,
            has_wildcards: text.contains(['*', '?']),
            needed: needed(text),
        }
    }

    pub(crate) fn equals(&self, name: &str) -> bool {
        self.text == name
    }

    pub(crate) fn fits(&self, name: &str) -> bool {
        self.has_wildcards && glob(self.text, name)
    }

    /// Cheaper than making a linkage name readable, of which files have a million:
    /// `false` only where none of its forms can fit.
    pub(crate) fn may_fit(&self, linkage_name: &str) -> bool {
        linkage_name.contains(self.needed)
    }
}

/// The last word of a pattern that is made of nothing but identifiers, which
/// linkage names spell out.
fn needed(text: &str) -> &str {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !text.chars().all(|c| is_word(c) || ":~*?".contains(c)) || text.contains("operator") {
        return "";
    }
    let mut words = text.split(|c| !is_word(c)).filter(|word| !word.is_empty());
    let last = words.next_back().unwrap_or_default();
    match NOT_SPELT_OUT.iter().any(|word| word.contains(last)) {
        true => "",
        false => last,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards() {
        let fits = |pattern: &str, name: &str| Pattern::new(pattern).fits(name);
        for (pattern, name) in [
            ("*", ""),
            ("*", "anything"),
            ("a*", "a"),
            ("a*c", "abcabc"),
            ("*ab?d*", "xxabxabcdyy"),
            ("??", "ab"),
            ("?", "é"),
            ("a**b", "ab"),
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("?", ""),
            ("a*c", "abcabcd"),
            ("*abc", "abcabx"),
            ("??", "a"),
            ("name", "name"),
            ("A*", "ab"),
        ] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn what_a_linkage_name_must_contain() {
        assert_eq!(needed("handle_*"), "handle_");
        assert_eq!(needed("Server::handle"), "handle");
        assert_eq!(needed("Server::~Server"), "Server");
        assert_eq!(needed("Server::*"), "Server");
        for pattern in [
            "std::*",
            "*",
            "A::operator*",
            "f(int)",
            "f<int>",
            "a::{b}",
            "é",
        ] {
            assert_eq!(needed(pattern), "", "{pattern}");
        }
        // An abbreviation may stand for a part of the word too.
        assert_eq!(needed("*alloc*"), "");
    }
}
