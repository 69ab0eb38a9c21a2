//! Every entry of a function that `--event-function` names is an event.

use super::check::{Check, unequal};
use super::recorded::{Laboratory, THIS_EXECUTABLE};
use crate::target::{EVENT_FUNCTION, Told, Work};
use anyhow::{Result, bail};
use residue_profile::timeline::Source;
use residue_profile::units::count;
use residue_symbols::find_functions;
use std::path::Path;

const NAME: &str = "event function";

pub fn named_check(laboratory: &Laboratory, events: u64) -> Check {
    check(laboratory, events).unwrap_or_else(|error| Check::impossible(NAME, &error))
}

fn check(laboratory: &Laboratory, events: u64) -> Result<Check> {
    if !has_symbol() {
        let text = "not checked: this executable has been stripped of its symbols";
        return Ok(Check::new(NAME, text.to_string(), Vec::new()));
    }
    let options = ["--event-function", EVENT_FUNCTION];
    let (told, profile) = laboratory.record(Work::EventFunction { events }, &options)?;
    let Told::EventFunction { events: entries } = told else {
        bail!("the recorded program did something else");
    };
    let about = &profile.timeline.about;
    let mut wrong: Vec<String> = unequal("events", entries, about.events)
        .into_iter()
        .collect();
    if about.source != Source::Function {
        wrong.push(format!(
            "events: expected from the function, seen from {:?}",
            about.source
        ));
    }
    let text = format!(
        "{} entries of {EVENT_FUNCTION}, {} events",
        count(entries),
        count(about.events)
    );
    Ok(Check::new(NAME, text, wrong))
}

/// Whether the function can be found by its name.
fn has_symbol() -> bool {
    find_functions(Path::new(THIS_EXECUTABLE), EVENT_FUNCTION).is_ok_and(|found| !found.is_empty())
}
