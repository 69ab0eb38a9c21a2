//! Rules for what a check passes over: one pattern of function names a line.

use anyhow::{Context, Result};
use std::path::Path;

#[derive(Debug, Clone, Default)]
pub struct Rules(Vec<String>);

impl Rules {
    pub fn read(path: &Path) -> Result<Rules> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Rules::parse(&text))
    }

    fn parse(text: &str) -> Rules {
        let lines = text.lines().map(|line| match line.split_once('#') {
            Some((rule, _)) => rule.trim(),
            None => line.trim(),
        });
        let rules = lines.filter(|rule| !rule.is_empty());
        Rules(rules.map(str::to_string).collect())
    }

    /// Whether a function is named by a rule.
    pub fn holds(&self, name: &str) -> bool {
        self.0
            .iter()
            .any(|rule| matches(rule.as_bytes(), name.as_bytes()))
    }
}

/// `*` stands for any text, `?` for one character.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut name_at) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while name_at < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                retry = Some((at + 1, name_at));
                at += 1;
            }
            Some(&byte) if byte == b'?' || byte == name[name_at] => {
                at += 1;
                name_at += 1;
            }
            _ => match retry {
                Some((after, taken)) => {
                    retry = Some((after, taken + 1));
                    (at, name_at) = (after, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|&byte| byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_lines_with_patterns() {
        let rules = Rules::parse("# known\n\nTClass::*  # the dictionary\nleak_?ere\n");
        assert!(rules.holds("TClass::GetStreamerInfo"));
        assert!(rules.holds("leak_here"));
        assert!(!rules.holds("leak_there"));
        assert!(!rules.holds("my_TClass::x"));
        assert!(!rules.holds(""));
    }
}
