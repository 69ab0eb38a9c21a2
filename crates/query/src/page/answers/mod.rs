//! One file per question. Each turns parameters into a document of bounded size.

pub mod about;
pub mod callers;
pub mod compare;
pub mod flame;
mod frames;
pub mod functions;
mod members;
pub mod sizes;
pub mod source;
pub mod stack;
pub mod stack_row;
pub mod stacks;
pub mod stages;
mod thin;
mod thread_flame;
pub mod timeline;
pub mod verdict;

#[cfg(test)]
mod hostile_profiles;
#[cfg(test)]
mod same_as_report;
#[cfg(test)]
mod sample;

use anyhow::Result;
use serde::Serialize;

use super::question::Question;
use super::shelf::Shelf;

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
pub fn answer(shelf: &Shelf, name: &str, query: &str) -> Answer {
    let question = Question::parse(query);
    let document = match name {
        "about" => json(about::about(shelf)),
        "status" => json(about::status(shelf)),
        "verdict" => json(verdict::verdict(shelf, &question)),
        "timeline" => json(timeline::timeline(shelf, &question)),
        "stacks" => json(stacks::stacks(shelf, &question)),
        "stack" => json(stack::stack(shelf, &question)),
        "flame" => json(flame::flame(shelf, &question)),
        "functions" => json(functions::functions(shelf, &question)),
        "callers" => json(callers::callers(shelf, &question)),
        "source" => json(source::source(shelf, &question)),
        "stages" => json(stages::stages(shelf, &question)),
        "sizes" => json(sizes::sizes(shelf, &question)),
        "compare" => json(compare::compare(shelf, &question)),
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
