//! Everything in a profile as text: the rows of the JSON document, a line each, and the
//! stacks with their frames by name.

pub mod proc_maps;
mod stacks;

use std::io::{self, Write};

use residue_analysis::history::EventRange;
use residue_profile::Profile;
use residue_profile::units::{count, duration, exact_bytes};
use residue_query::dump::{DumpForm, write_facts, write_timeline};
use residue_query::visible::visible;
use serde::Serialize;
use serde_json::{Map, Value};

pub fn write(profile: &Profile, events: EventRange, out: &mut dyn Write) -> io::Result<()> {
    let mut form = Text { out };
    write_facts(profile, &mut form)?;
    writeln!(
        form.out,
        "[tables]\n  functions {}, frames {}, nodes {}\n",
        count(profile.functions.len() as u64),
        count(profile.frames.len() as u64),
        count(profile.nodes.len() as u64)
    )?;
    write_timeline(&profile.timeline, events, &mut form)?;
    stacks::write(profile, form.out)
}

struct Text<'a> {
    out: &'a mut dyn Write,
}

impl DumpForm for Text<'_> {
    /// A fact a line; what has parts takes a line for each.
    fn facts(&mut self, name: &str, facts: &impl Serialize) -> io::Result<()> {
        writeln!(self.out, "[{name}]")?;
        for (heading, text) in flat(facts)? {
            writeln!(self.out, "{}", format!("  {heading:<28} {text}").trim_end())?;
        }
        writeln!(self.out)
    }

    /// A row a line, without what it does not have.
    fn rows(&mut self, name: &str, rows: impl Iterator<Item = impl Serialize>) -> io::Result<()> {
        let mut lines = Vec::new();
        let mut number = 0;
        for row in rows {
            let facts = flat(&row)?.into_iter();
            let facts: Vec<String> = facts.map(|(name, text)| format!("{name} {text}")).collect();
            writeln!(lines, "  {number}  {}", facts.join(", "))?;
            number += 1;
        }
        writeln!(self.out, "[{name}] {}", count(number))?;
        self.out.write_all(&lines)?;
        writeln!(self.out)
    }
}

/// The members of something that serialises, with their units; none that is null.
fn flat(row: &impl Serialize) -> io::Result<Vec<(String, String)>> {
    let mut facts = Vec::new();
    if let Value::Object(members) = serde_json::to_value(row)? {
        add(&mut facts, "", &members);
    }
    Ok(facts)
}

fn add(facts: &mut Vec<(String, String)>, before: &str, members: &Map<String, Value>) {
    for (name, value) in members {
        let heading = format!("{before}{}", name.replace('_', " "));
        match value {
            Value::Null => {}
            Value::Object(parts) => add(facts, &format!("{heading}: "), parts),
            value => facts.push(fact(heading, value)),
        }
    }
}

/// Sizes and times by the unit that ends their name.
fn fact(heading: String, value: &Value) -> (String, String) {
    let number = value.as_u64();
    let text = match (number, value) {
        (Some(u64::MAX), _) => "no limit".to_string(),
        (Some(bytes), _) if heading.ends_with(" bytes") => exact_bytes(bytes),
        (Some(ns), _) if heading.ends_with(" ns") => format!("{} ({} ns)", duration(ns), count(ns)),
        (Some(number), _) => count(number),
        (None, Value::String(text)) => visible(text),
        (None, Value::Array(items)) => {
            let items: Vec<String> = items.iter().map(plain).collect();
            items.join(" ")
        }
        (None, value) => value.to_string(),
    };
    let unit = [" bytes", " ns"]
        .into_iter()
        .find(|unit| number.is_some() && heading.ends_with(unit));
    let heading = heading.strip_suffix(unit.unwrap_or("")).unwrap_or(&heading);
    (heading.to_string(), text)
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => visible(text),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_testkit::sample;

    fn dump(profile: &Profile) -> String {
        let mut out = Vec::new();
        write(profile, EventRange::ALL, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn expect_lines(text: &str, lines: &[&str]) {
        for line in lines {
            assert!(text.lines().any(|shown| shown == *line), "{line}\n{text}");
        }
    }

    #[test]
    fn every_section_is_there() {
        let expected = [
            "[meta]",
            "  duration                     1 min 30 s (90 000 000 000 ns)",
            "  end: signal                  9",
            "  notes                        a note",
            "  options: max size            no limit",
            "[heap]",
            "  total                        300 MiB (314 572 800 bytes)",
            "[mappings]",
            "[recorder]",
            "  time                         450 ms (450 000 000 ns)",
            "  rule misses                  0",
            "[modules] 2",
            "[tables]",
            "  functions 4, frames 7, nodes 10",
            "[about]",
            "[moments] 0",
            "[stacks] 6",
        ];
        expect_lines(&dump(&sample::profile()), &expected);
    }

    #[test]
    fn rows_have_all_that_was_recorded_and_nothing_else() {
        let profile = Profile {
            timeline: sample::timeline(),
            ..Profile::default()
        };
        let expected = [
            "  source                       marks",
            "  misuse: end of another       3",
            "[moments] 3",
            "  1  event 1, has changes false, has totals false, id 700, kind end, live 4.88 KiB (5 000 bytes), \
             mapped 0 B, recorder 293 KiB (300 000 bytes), stream 2, threads 1, \
             time 2.50 ms (2 500 000 ns)",
            "[stamps] 1",
            "  0  event 1, live 10 B, rss 4.00 KiB (4 096 bytes), time 1.60 ms (1 600 000 ns)",
            "[counts] 1",
            "  0  event 1, name hits, value 3.5",
            "[changes] 3",
            "  1  blocks -2, bytes -64, moment 0, stack 4",
            "[snapshots] 1",
            r"  0  maps 4 B, moment 2, name ha\nlf, numa maps 0 B, smaps 10 B",
            "[deferrals] 1",
            "  0  events 20, freed at 7, frees 10, longest events 3, stack 3",
        ];
        expect_lines(&dump(&profile), &expected);
    }

    #[test]
    fn an_empty_profile_is_dumped_too() {
        assert!(dump(&Profile::default()).ends_with("\n[stacks] 0\n"));
    }
}
