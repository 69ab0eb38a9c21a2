//! One file per question. Each turns parameters into a document of bounded size.

pub mod about;
pub mod callers;
pub mod churn;
pub mod compare;
pub mod flame;
mod flame_sides;
mod frames;
pub mod functions;
pub mod growers;
pub mod holder;
pub mod holders;
mod members;
pub mod pins;
pub mod sizes;
pub mod source;
pub mod stack;
pub mod stack_row;
pub mod stacks;
pub mod stages;
pub mod suspects;
mod thin;
mod thread_flame;
pub mod time;
pub mod timeline;
pub mod verdict;

#[cfg(test)]
mod flame_of_functions;
#[cfg(test)]
mod hostile_profiles;
#[cfg(test)]
mod same_as_report;
#[cfg(test)]
pub(crate) mod sample;

use anyhow::Result;
use serde::Serialize;

use super::open_profiles::OpenProfiles;
use super::question::Question;

/// What became of a question.
pub enum Answer {
    /// A document of JSON.
    Given(Vec<u8>),
    /// It cannot be answered, and why.
    Refused(String),
    /// There is no such question.
    Unknown,
}

/// Answers `api/NAME?query`.
pub fn answer(profiles: &OpenProfiles, name: &str, query: &str) -> Answer {
    let question = Question::parse(query);
    let document = match name {
        "about" => json(about::about(profiles)),
        "status" => json(about::status(profiles)),
        "verdict" => json(verdict::verdict(profiles, &question)),
        "suspects" => json(suspects::suspects(profiles, &question)),
        "time" => json(time::time(profiles, &question)),
        "churn" => json(churn::churn(profiles, &question)),
        "holders" => json(holders::holders(profiles, &question)),
        "holder" => json(holder::holder(profiles, &question)),
        "pins" => json(pins::pins(profiles, &question)),
        "timeline" => json(timeline::timeline(profiles, &question)),
        "growers" => json(growers::growers(profiles, &question)),
        "stacks" => json(stacks::stacks(profiles, &question)),
        "stack" => json(stack::stack(profiles, &question)),
        "flame" => json(flame::flame(profiles, &question)),
        "functions" => json(functions::functions(profiles, &question)),
        "callers" => json(callers::callers(profiles, &question)),
        "source" => json(source::source(profiles, &question)),
        "stages" => json(stages::stages(profiles, &question)),
        "sizes" => json(sizes::sizes(profiles, &question)),
        "compare" => json(compare::compare(profiles, &question)),
        _ => return Answer::Unknown,
    };
    match document {
        Ok(bytes) => Answer::Given(bytes),
        Err(error) => Answer::Refused(format!("{error:#}")),
    }
}

fn json(document: Result<impl Serialize>) -> Result<Vec<u8>> {
    Ok(serde_json::to_vec(&document?)?)
}
