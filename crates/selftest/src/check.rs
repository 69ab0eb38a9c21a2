//! One thing that was checked: what came of it, in a line.

use serde::Serialize;

/// Differences printed of one check.
const MOST_SHOWN: usize = 8;

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Check {
    pub name: &'static str,
    pub ok: bool,
    pub text: String,
    /// What was expected and what was seen instead.
    pub wrong: Vec<String>,
}

impl Check {
    /// Right when nothing is wrong.
    pub fn new(name: &'static str, text: String, wrong: Vec<String>) -> Check {
        Check {
            name,
            ok: wrong.is_empty(),
            text,
            wrong,
        }
    }

    /// It could not even be tried.
    pub fn impossible(name: &'static str, error: &anyhow::Error) -> Check {
        let text = "could not be recorded".to_string();
        Check::new(name, text, vec![format!("{error:#}")])
    }

    pub fn lines(&self) -> Vec<String> {
        let word = if self.ok { "ok    " } else { "FAILED" };
        let mut lines = vec![format!("{word}  {}: {}", self.name, self.text)];
        let shown = self.wrong.iter().take(MOST_SHOWN);
        lines.extend(shown.map(|line| format!("          {line}")));
        if self.wrong.len() > MOST_SHOWN {
            let more = self.wrong.len() - MOST_SHOWN;
            lines.push(format!("          and {more} more; --json has them all"));
        }
        lines
    }
}

/// A sentence where two numbers differ.
pub fn unequal(what: &str, expected: u64, seen: u64) -> Option<String> {
    let count = residue_profile::units::count;
    (expected != seen)
        .then(|| format!("{what}: expected {}, seen {}", count(expected), count(seen)))
}
