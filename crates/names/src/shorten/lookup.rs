//! What is taken out of names, so that it is found quickly: names of kilobytes have
//! hundreds of parts.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::rules::pattern::{Glob, Head};

/// A set of words, most of which begin alike and unlike other words.
#[derive(Debug, Clone, Default)]
pub(crate) struct Words {
    words: FxHashSet<String>,
    /// The first bytes of all of them, one bit for each.
    first_bytes: [u64; 4],
}

impl Words {
    pub fn insert(&mut self, word: String) {
        if let Some(&first) = word.as_bytes().first() {
            self.first_bytes[usize::from(first) / 64] |= 1 << (first % 64);
            self.words.insert(word);
        }
    }

    pub fn extend(&mut self, others: Words) {
        others.words.into_iter().for_each(|word| self.insert(word));
    }

    pub fn contains(&self, word: &str) -> bool {
        let may_contain = |first: &u8| {
            let bits = self.first_bytes[usize::from(*first) / 64];
            bits & (1 << (first % 64)) != 0
        };
        word.as_bytes().first().is_some_and(may_contain) && self.words.contains(word)
    }
}

/// Which arguments of which templates are dropped. A rule that names its template
/// exactly is stronger than one with `*`; among equals the last one counts.
#[derive(Debug, Clone, Default)]
pub(crate) struct ArgumentRules {
    exact: FxHashMap<String, ArgumentRule>,
    /// The last one first.
    globs: Vec<(Glob, ArgumentRule)>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct ArgumentRule {
    /// So many arguments stay.
    pub kept: usize,
    pub which: Which,
}

impl ArgumentRules {
    pub fn add(&mut self, template: &str, rule: ArgumentRule) {
        match template.contains('*') {
            true => self.globs.insert(0, (Glob::new(template), rule)),
            false => drop(self.exact.insert(template.to_owned(), rule)),
        }
    }

    pub fn and_then(&mut self, later: ArgumentRules) {
        self.exact.extend(later.exact);
        self.globs.splice(0..0, later.globs);
    }

    pub fn find(&self, template: &str) -> Option<ArgumentRule> {
        if let Some(exact) = self.exact.get(template) {
            return Some(*exact);
        }
        let head = Head::of(template);
        let mut globs = self.globs.iter().filter(|(glob, _)| glob.may_match(head));
        let found = globs.find(|(glob, _)| glob.matches(template));
        found.map(|(_, rule)| *rule)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    All,
    /// Those that somebody who writes the type leaves out.
    Defaults,
}
