//! The parameters of a question, read into what they mean. Whatever is wrong with one is
//! said in the answer.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use regex::Regex;
use residue_analysis::history::EventRange;
use residue_calltree::smart_case;
use residue_profile::{Counter, MemoryKind};

use super::boxes::Window;

#[derive(Debug, Default)]
pub struct Question {
    parameters: BTreeMap<String, String>,
}

impl Question {
    /// Of the text after `?`, `name=value` with `&` between them.
    pub fn parse(query: &str) -> Question {
        let pairs = form_urlencoded::parse(query.as_bytes());
        Question {
            parameters: pairs.into_owned().collect(),
        }
    }

    /// A parameter that is given and not empty.
    pub fn text(&self, name: &str) -> Option<&str> {
        let text = self.parameters.get(name).map(String::as_str);
        text.filter(|text| !text.is_empty())
    }

    pub fn is_set(&self, name: &str) -> bool {
        self.text(name) == Some("1")
    }

    pub fn number(&self, name: &str) -> Result<Option<u64>> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        let number = text
            .parse()
            .with_context(|| format!("{name}: `{text}` is not a number"))?;
        Ok(Some(number))
    }

    /// A number of rows or points within bounds.
    pub fn limit(&self, name: &str, usual: usize, most: usize) -> Result<usize> {
        let given = self.number(name)?;
        let given = given.map_or(usual, |given| usize::try_from(given).unwrap_or(most));
        Ok(given.min(most))
    }

    /// `51..100`, both included; `None` for the whole recording.
    pub fn events(&self, name: &str) -> Result<Option<EventRange>> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        let range = text.split_once("..").and_then(|(from, to)| {
            Some(EventRange {
                from: from.parse().ok()?,
                to: to.parse().ok()?,
            })
        });
        match range {
            Some(range) if range.from <= range.to => Ok(Some(range)),
            _ => bail!("{name}: `{text}` is not a range of events such as 51..100"),
        }
    }

    /// `0..4096`, a part of a width.
    pub fn span(&self, name: &str) -> Result<Option<Window>> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        let window = text.split_once("..").and_then(|(left, right)| {
            Some(Window {
                left: left.parse().ok()?,
                right: right.parse().ok()?,
            })
        });
        match window {
            Some(window) if window.left < window.right => Ok(Some(window)),
            _ => bail!("{name}: `{text}` is not a part of a width such as 0..4096"),
        }
    }

    pub fn kind(&self) -> Result<MemoryKind> {
        let Some(text) = self.text("kind") else {
            return Ok(MemoryKind::Heap);
        };
        let kind = MemoryKind::ALL.into_iter().find(|kind| kind.name() == text);
        kind.with_context(|| format!("kind: there is no `{text}`"))
    }

    pub fn counter(&self) -> Result<Counter> {
        let Some(text) = self.text("counter") else {
            return Ok(Counter::Live);
        };
        let counter = Counter::ALL
            .into_iter()
            .find(|counter| counter.name() == text);
        counter.with_context(|| format!("counter: there is no `{text}`"))
    }

    /// A regular expression, case ignored.
    pub fn pattern(&self, name: &str) -> Result<Option<Regex>> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        let regex = smart_case(text);
        let regex =
            regex.with_context(|| format!("{name}: `{text}` is not a regular expression"))?;
        Ok(Some(regex))
    }

    /// One of some words; the first where none is given.
    pub fn word<'w>(&self, name: &str, words: &[&'w str]) -> Result<&'w str> {
        let Some(text) = self.text(name) else {
            return Ok(words.first().copied().unwrap_or_default());
        };
        let word = words.iter().find(|word| **word == text);
        word.copied()
            .with_context(|| format!("{name}: `{text}` is not one of {}", words.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_and_what_is_wrong_is_said() {
        let question = Question::parse(
            "events=51..100&kind=mapping&counter=live-blocks&limit=900&focus=a%26b%20c&x=&inverted=1",
        );
        let range = EventRange { from: 51, to: 100 };
        assert_eq!(question.events("events").unwrap(), Some(range));
        assert_eq!(question.kind().unwrap(), MemoryKind::Mapping);
        assert_eq!(question.counter().unwrap(), Counter::LiveBlocks);
        assert_eq!(question.limit("limit", 50, 200).unwrap(), 200);
        assert_eq!(question.limit("other", 50, 200).unwrap(), 50);
        assert_eq!(question.text("focus"), Some("a&b c"));
        assert_eq!(question.text("x"), None);
        assert!(question.is_set("inverted"));
        assert!(
            question
                .pattern("focus")
                .unwrap()
                .unwrap()
                .is_match("A&B C")
        );
        // A capital makes case matter, as on the command line.
        let exact = Question::parse("focus=SEvt");
        assert!(!exact.pattern("focus").unwrap().unwrap().is_match("sevt"));

        let wrong = Question::parse("events=9..3&kind=x&counter=y&limit=z&focus=(&by=q");
        let said = |error: anyhow::Error| format!("{error:#}");
        assert_eq!(
            said(wrong.events("events").unwrap_err()),
            "events: `9..3` is not a range of events such as 51..100"
        );
        assert_eq!(said(wrong.kind().unwrap_err()), "kind: there is no `x`");
        assert_eq!(
            said(wrong.counter().unwrap_err()),
            "counter: there is no `y`"
        );
        assert!(
            said(wrong.limit("limit", 1, 2).unwrap_err()).starts_with("limit: `z` is not a number")
        );
        assert!(
            said(wrong.pattern("focus").unwrap_err()).starts_with("focus: `(` is not a regular")
        );
        assert_eq!(
            said(wrong.word("by", &["function", "module"]).unwrap_err()),
            "by: `q` is not one of function, module"
        );
        let window = Question::parse("span=3..9").span("span").unwrap();
        assert_eq!(window, Some(Window { left: 3, right: 9 }));
        assert_eq!(
            said(Question::parse("span=9..9").span("span").unwrap_err()),
            "span: `9..9` is not a part of a width such as 0..4096"
        );
    }
}
