//! Functions by a name that a person types: the name itself, a glob, or a regular
//! expression.

use regex::{Regex, RegexBuilder};
use residue_names::glob;

/// Patterns of a hostile length must not take the memory of the reader.
const PATTERN_BYTES: usize = 1 << 22;
const MOST_SUGGESTIONS: usize = 5;

/// A name that was typed. The first way that fits any name is how it was meant.
pub struct Wanted<'a> {
    text: &'a str,
    regex: Option<Regex>,
}

/// How a name can be meant, most literally first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Name,
    Glob,
    Regex,
}

impl<'a> Wanted<'a> {
    pub fn new(text: &'a str) -> Wanted<'a> {
        Wanted {
            text,
            regex: RegexBuilder::new(text)
                .size_limit(PATTERN_BYTES)
                .build()
                .ok(),
        }
    }

    pub const WAYS: [Way; 3] = [Way::Name, Way::Glob, Way::Regex];

    pub fn fits(&self, name: &str, way: Way) -> bool {
        match way {
            Way::Name => name == self.text || without_parameters(name) == self.text,
            Way::Glob => glob(self.text, name),
            Way::Regex => self
                .regex
                .as_ref()
                .is_some_and(|regex| regex.is_match(name)),
        }
    }

    /// Names that may have been meant, the nearest first.
    pub fn nearest<'n>(&self, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
        let wanted = self.text.to_lowercase();
        let last_part = last(&wanted);
        let mut ranked: Vec<(usize, &str)> = names
            .map(|name| {
                let lower = name.to_lowercase();
                let is_part = lower.contains(&wanted) || lower.contains(last_part);
                let distance = strsim::levenshtein(last_part, last(without_parameters(&lower)));
                (if is_part { 0 } else { distance }, name)
            })
            .filter(|(distance, _)| *distance <= last_part.chars().count() / 3 + 1)
            .collect();
        ranked.sort_unstable_by_key(|(distance, name)| (*distance, name.len(), *name));
        ranked.dedup_by_key(|(_, name)| *name);
        ranked.truncate(MOST_SUGGESTIONS);
        ranked.into_iter().map(|(_, name)| name).collect()
    }
}

fn without_parameters(name: &str) -> &str {
    match name.ends_with(')') {
        true => name.find('(').map_or(name, |at| &name[..at]),
        false => name,
    }
}

fn last(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_whole_or_as_patterns() {
        let fits = |text: &str, name: &str| {
            let wanted = Wanted::new(text);
            Wanted::WAYS.into_iter().find(|way| wanted.fits(name, *way))
        };
        assert_eq!(fits("a::f", "a::f"), Some(Way::Name));
        assert_eq!(fits("a::f", "a::f(int (*)())"), Some(Way::Name));
        assert_eq!(fits("a::*", "a::f"), Some(Way::Glob));
        assert_eq!(fits("^a::[fg]$", "a::g"), Some(Way::Regex));
        assert_eq!(fits("operator()", "a::operator()"), Some(Way::Regex));
        assert_eq!(fits("(", "f"), None);
        assert_eq!(fits("f", "a"), None);
    }

    #[test]
    fn the_nearest_names_are_known() {
        let names = [
            "Sim::simulate",
            "Sim::run",
            "main",
            "simulated",
            "stimulate",
        ];
        let nearest = |text| Wanted::new(text).nearest(names.into_iter());
        assert_eq!(
            nearest("simulat"),
            ["simulated", "Sim::simulate", "stimulate"]
        );
        assert_eq!(nearest("mian"), ["main"]);
        assert_eq!(nearest("completely_else"), [""; 0]);
    }
}
