//! Events found in what a program prints.
//!
//! A line that matches the user's pattern is an event. The group called `id` is its
//! number, every other named group is a counter; the first match of a line counts.
//! `event (?<id>\d+): (?<hits>\d+) hits` finds event 7 with 412 hits in
//! `event 7: 412 hits`.

use regex::bytes::{Captures, Regex};
use std::fmt;

/// Of longer lines only the head is matched.
const LONGEST_LINE_BYTES: usize = 64 * 1024;
const ID_GROUP: &str = "id";

#[derive(Debug, Clone, Default, PartialEq)]
pub struct LineEvent {
    pub id: Option<u64>,
    /// In the order of the groups in the pattern.
    pub counters: Vec<(String, f64)>,
    /// The line of the next event had come already when this one was read: what lies
    /// between the two cannot be told apart.
    pub is_late: bool,
}

/// One stream of text on its way through the pattern.
#[derive(Debug, Clone)]
pub struct LineEvents {
    pattern: Regex,
    /// The head of a line whose end has not come yet.
    line: Vec<u8>,
    /// The last event so far, where more had come with it.
    undecided: Option<LineEvent>,
    not_numbers: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub struct PatternError {
    pattern: String,
    reason: String,
}

impl fmt::Display for PatternError {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let PatternError { pattern, reason } = self;
        write!(out, "invalid regular expression '{pattern}': {reason}")
    }
}

impl std::error::Error for PatternError {}

impl LineEvents {
    pub fn new(pattern: &str) -> Result<LineEvents, PatternError> {
        let compiled = Regex::new(pattern).map_err(|error| PatternError {
            pattern: pattern.to_string(),
            reason: reason(&error),
        })?;
        Ok(LineEvents {
            pattern: compiled,
            line: Vec::new(),
            undecided: None,
            not_numbers: 0,
        })
    }

    /// Whether a line tells of an event when it is over: it counts what the event did.
    pub fn is_end(&self) -> bool {
        let mut groups = self.pattern.capture_names().flatten();
        groups.any(|name| name != ID_GROUP)
    }

    /// Takes the next bytes of the stream; `on_event` is called for each line that
    /// ends in them and matches. All that had come is handed over at once; where it is
    /// too much, `is_more` says that the rest follows.
    pub fn feed(&mut self, bytes: &[u8], is_more: bool, on_event: &mut dyn FnMut(LineEvent)) {
        let mut found: Vec<LineEvent> = self.undecided.take().into_iter().collect();
        let mut find = |event| found.push(event);
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            match piece.strip_suffix(b"\n") {
                // Most lines come whole and need not be copied.
                Some(whole) if self.line.is_empty() => self.match_line(whole, &mut find),
                Some(end) => {
                    self.keep(end);
                    self.end(&mut find);
                }
                None => self.keep(piece),
            }
        }
        let last = found.pop();
        for event in found {
            on_event(LineEvent {
                is_late: true,
                ..event
            });
        }
        match is_more {
            true => self.undecided = last,
            false => last.into_iter().for_each(on_event),
        }
    }

    /// The stream has ended, and with it the last line, if it had no end of its own.
    pub fn end(&mut self, on_event: &mut dyn FnMut(LineEvent)) {
        if let Some(event) = self.undecided.take() {
            on_event(event);
        }
        if !self.line.is_empty() {
            let line = std::mem::take(&mut self.line);
            self.match_line(&line, on_event);
        }
    }

    /// Groups that matched something that is not a number, so far.
    pub fn not_numbers(&self) -> u64 {
        self.not_numbers
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = LONGEST_LINE_BYTES.saturating_sub(self.line.len());
        self.line.extend(bytes.iter().take(room));
    }

    fn match_line(&mut self, line: &[u8], on_event: &mut dyn FnMut(LineEvent)) {
        let head = line.get(..LONGEST_LINE_BYTES).unwrap_or(line);
        let text = head.strip_suffix(b"\r").unwrap_or(head);
        let Some(groups) = self.pattern.captures(text) else {
            return;
        };
        let (event, not_numbers) = event_in(&self.pattern, &groups);
        self.not_numbers += not_numbers;
        on_event(event);
    }
}

/// The event that a matching line tells of, and how many of its groups are not numbers.
fn event_in(pattern: &Regex, groups: &Captures) -> (LineEvent, u64) {
    let mut event = LineEvent::default();
    let mut not_numbers = 0;
    for name in pattern.capture_names().flatten() {
        // A group in a part of the pattern that was not taken says nothing.
        let Some(group) = groups.name(name) else {
            continue;
        };
        let text = std::str::from_utf8(group.as_bytes()).unwrap_or_default();
        let is_number = if name == ID_GROUP {
            event.id = text.trim().parse().ok();
            event.id.is_some()
        } else {
            let value = text
                .trim()
                .parse()
                .ok()
                .filter(|value: &f64| value.is_finite());
            event
                .counters
                .extend(value.map(|value| (name.to_string(), value)));
            value.is_some()
        };
        not_numbers += u64::from(!is_number);
    }
    (event, not_numbers)
}

/// What is wrong, without the drawing of where.
fn reason(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(id: Option<u64>, counters: &[(&str, f64)]) -> LineEvent {
        let counters = counters
            .iter()
            .map(|&(name, value)| (name.to_string(), value))
            .collect();
        LineEvent {
            id,
            counters,
            is_late: false,
        }
    }

    /// The events in a text fed in chunks, and the groups that were not numbers.
    fn events(pattern: &str, text: &[u8], chunk_bytes: usize) -> (Vec<LineEvent>, u64) {
        let mut lines = LineEvents::new(pattern).unwrap();
        let mut found = Vec::new();
        for chunk in text.chunks(chunk_bytes) {
            lines.feed(chunk, false, &mut |event| {
                found.push(LineEvent {
                    is_late: false,
                    ..event
                })
            });
        }
        lines.end(&mut |event| found.push(event));
        (found, lines.not_numbers())
    }

    #[test]
    fn both_ways_to_name_groups() {
        let text = b"starting\nevent 7: 412 hits\r\nnothing\nevent 8: 1.5e3 hits\n";
        let expected = vec![
            event(Some(7), &[("hits", 412.0)]),
            event(Some(8), &[("hits", 1500.0)]),
        ];
        for pattern in [
            r"^event (?<id>\d+): (?<hits>\S+) hits$",
            r"^event (?P<id>\d+): (?P<hits>\S+) hits$",
        ] {
            for chunk_bytes in [1, 2, 7, text.len()] {
                assert_eq!(events(pattern, text, chunk_bytes), (expected.clone(), 0));
            }
        }
    }

    #[test]
    fn an_event_is_late_when_the_next_has_come_already() {
        let mut lines = LineEvents::new("^tick").unwrap();
        let mut late = Vec::new();
        let mut feed = |bytes: &[u8], is_more| {
            lines.feed(bytes, is_more, &mut |event| late.push(event.is_late));
            std::mem::take(&mut late)
        };
        assert_eq!(feed(b"tick\ntick\nother\n", false), [true, false]);
        assert_eq!(feed(b"tick\n", false), [false]);
        // What was too much for one piece came together all the same.
        assert_eq!(feed(b"tick\ntick\n", true), [true]);
        assert_eq!(feed(b"other\n", true), [false; 0]);
        assert_eq!(feed(b"tick\n", true), [true]);
        assert_eq!(feed(b"other\n", false), [false]);
    }

    #[test]
    fn a_pattern_needs_no_groups() {
        let (found, _) = events("^tick", b"tick\ntock\ntick tock\n", 64);
        assert_eq!(found, [event(None, &[]), event(None, &[])]);
    }

    #[test]
    fn what_is_not_a_number_is_counted() {
        let pattern = r"(?<id>\S+) (?<a>\S+) (?<b>\S+)( (?<c>\S+))?";
        let text = b"12 x 3\n-1 nan 1e999\n5 -2.5 +4 7\n";
        let (found, not_numbers) = events(pattern, text, 64);
        assert_eq!(
            found,
            [
                event(Some(12), &[("b", 3.0)]),
                event(None, &[]),
                event(Some(5), &[("a", -2.5), ("b", 4.0), ("c", 7.0)]),
            ]
        );
        assert_eq!(not_numbers, 4);
    }

    #[test]
    fn a_line_counts_when_it_ends() {
        let mut lines = LineEvents::new(r"event (?<id>\d+)").unwrap();
        let mut ids = Vec::new();
        lines.feed(b"event 1", false, &mut |event| ids.push(event.id));
        assert_eq!(ids, []);
        lines.feed(b"2\nevent 3", false, &mut |event| ids.push(event.id));
        assert_eq!(ids, [Some(12)]);
        lines.end(&mut |event| ids.push(event.id));
        assert_eq!(ids, [Some(12), Some(3)]);
        lines.end(&mut |event| ids.push(event.id));
        assert_eq!(ids.len(), 2);
    }

    #[test]
    fn of_long_lines_the_head_is_matched() {
        let mut text = b"event 1 ".to_vec();
        text.resize(3 * LONGEST_LINE_BYTES, b'x');
        text.extend(b" event 2\nevent 3\n");
        for chunk_bytes in [1000, LONGEST_LINE_BYTES, text.len()] {
            let (found, _) = events(r"event (?<id>[23])", &text, chunk_bytes);
            assert_eq!(found, [event(Some(3), &[])]);
            let (found, _) = events(r"event (?<id>1)", &text, chunk_bytes);
            assert_eq!(found, [event(Some(1), &[])]);
        }
    }

    #[test]
    fn bytes_that_are_no_text_do_no_harm() {
        let text = b"\xff\xfe event 4 \x80\n\0\n";
        assert_eq!(
            events(r"event (?<id>\d+)", text, 3).0,
            [event(Some(4), &[])]
        );
    }

    #[test]
    fn a_wrong_pattern_is_shown_with_the_reason() {
        let error = LineEvents::new("event (?<id>").unwrap_err();
        assert_eq!(
            error.to_string(),
            "invalid regular expression 'event (?<id>': unclosed group"
        );
        let error = LineEvents::new("(?<id>a)(?<id>b)").unwrap_err();
        assert!(error.to_string().contains("duplicate"), "{error}");
        let error = LineEvents::new(r"\d{99999}{99}").unwrap_err().to_string();
        assert!(error.contains("limit"), "{error}");
    }
}
