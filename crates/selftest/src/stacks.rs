//! Stacks are those that libgcc's unwinder gives.

use super::check::{Check, unequal};
use super::recorded::Laboratory;
use crate::target::{Told, Work};
use anyhow::{Result, bail};
use residue_profile::units::count;

const NAME: &str = "stacks";

pub fn named_check(laboratory: &Laboratory) -> Check {
    check(laboratory).unwrap_or_else(|error| Check::impossible(NAME, &error))
}

fn check(laboratory: &Laboratory) -> Result<Check> {
    let (told, profile) = laboratory.record(Work::Recursion, &["--verify-stacks"])?;
    let Told::Recursion {
        allocations,
        deepest_calls,
    } = told
    else {
        bail!("the recorded program did something else");
    };
    let compared = profile.recorder.verified_stacks;
    let differ = profile.recorder.verify_differences;
    let stacks = profile.stacks.iter();
    let deepest = stacks
        .map(|stack| profile.frames_leaf_first(stack.node).count() as u64)
        .max()
        .unwrap_or(0);
    let mut wrong = Vec::new();
    // The program's own allocations and those before them; what libgcc allocates
    // itself cannot be compared.
    if compared < allocations {
        wrong.push(format!(
            "compared: expected at least {}, seen {}",
            count(allocations),
            count(compared)
        ));
    }
    wrong.extend(unequal("stacks that differ", 0, differ));
    wrong.extend(unequal("stacks cut", 0, profile.recorder.cut_stacks));
    if deepest < deepest_calls {
        wrong.push(format!(
            "deepest stack: expected at least {deepest_calls} frames, seen {deepest}"
        ));
    }
    let text = format!(
        "{} compared with libgcc's, {} differ; the deepest has {deepest} frames",
        count(compared),
        count(differ)
    );
    Ok(Check::new(NAME, text, wrong))
}
