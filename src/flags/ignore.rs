//! Rules for what a check passes over: one pattern of function names a line.

use anyhow::{Context, Result};
use residue_names::glob;
use std::path::Path;

#[derive(Debug, Clone, Default)]
pub struct IgnoreRules(Vec<String>);

impl IgnoreRules {
    pub fn read(path: &Path) -> Result<IgnoreRules> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        Ok(IgnoreRules::parse(&text))
    }

    pub fn parse(text: &str) -> IgnoreRules {
        let rules = text
            .lines()
            .map(without_comment)
            .filter(|rule| !rule.is_empty());
        IgnoreRules(rules.map(str::to_string).collect())
    }

    /// Whether a function is named by a rule.
    pub fn holds(&self, name: &str) -> bool {
        self.0.iter().any(|rule| glob(rule, name))
    }
}

/// A comment stands at the start or after a space: `{lambda()#1}` has none.
fn without_comment(line: &str) -> &str {
    let is_comment = |place: &usize| {
        let before = line[..*place].chars().next_back();
        before.is_none_or(char::is_whitespace)
    };
    let mut hashes = line.match_indices('#').map(|(place, _)| place);
    let end = hashes.find(is_comment).unwrap_or(line.len());
    line[..end].trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_lines_with_patterns() {
        let rules = IgnoreRules::parse("# known\n\nTClass::*  # the dictionary\nleak_?ere\n");
        assert!(rules.holds("TClass::GetStreamerInfo"));
        assert!(rules.holds("leak_here"));
        assert!(!rules.holds("leak_there"));
        assert!(!rules.holds("my_TClass::x"));
        assert!(!rules.holds(""));
    }

    #[test]
    fn names_of_lambdas_are_no_comments() {
        let rules = IgnoreRules::parse("run::{lambda()#1}::* # known\n  # alone\n");
        assert!(rules.holds("run::{lambda()#1}::operator()"));
        assert!(!rules.holds("run::{lambda()#2}::operator()"));
        assert!(!rules.holds("alone"));
    }
}
