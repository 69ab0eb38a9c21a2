//! Every function that gives or takes memory is recorded, to the byte.

use super::check::{Check, unequal};
use super::recorded::Laboratory;
use crate::target::{TalliedKind, Tally, Told, Work, scope_name};
use anyhow::{Result, bail};
use residue_names::{DemangleStyle, demangle};
use residue_profile::units::{count, counted};
use residue_profile::{Counters, Profile, ROOT, StackKind};

const NAME: &str = "hooks";

fn check(laboratory: &Laboratory) -> Result<Check> {
    let (told, profile) = laboratory.record(Work::Calls, &[])?;
    let Told::Calls { functions, missing } = told else {
        bail!("the recorded program did something else");
    };
    let mut wrong: Vec<String> = functions
        .iter()
        .flat_map(|tally| differences(tally, &profile))
        .collect();
    let recorder = &profile.recorder;
    wrong.extend(unequal("allocations dropped", 0, recorder.dropped));
    wrong.extend(unequal("frees missed", 0, recorder.missed_frees));
    if functions.is_empty() {
        wrong.push("no function was called".to_string());
    }
    let all_calls: u64 = functions.iter().map(|tally| tally.all_calls).sum();
    let bytes: u64 = functions.iter().map(|tally| tally.total_bytes).sum();
    let mut text = format!(
        "{} functions, {} calls, {} bytes",
        functions.len(),
        count(all_calls),
        count(bytes)
    );
    if wrong.is_empty() {
        text.push_str(", all exact");
    }
    if !missing.is_empty() {
        let number = counted(missing.len() as u64, "function", "functions");
        let names: Vec<String> = missing.iter().map(|name| readable(name)).collect();
        text.push_str(&format!("; {number} not here: {}", names.join(", ")));
    }
    Ok(Check::new(NAME, text, wrong))
}

pub fn named_check(laboratory: &Laboratory) -> Check {
    check(laboratory).unwrap_or_else(|error| Check::impossible(NAME, &error))
}

fn readable(function: &str) -> String {
    demangle(function, DemangleStyle::Full).into_owned()
}

fn differences(told: &Tally, profile: &Profile) -> Vec<String> {
    let kind = match told.kind {
        TalliedKind::Heap => StackKind::Heap,
        TalliedKind::Mapping => StackKind::Mapping,
    };
    let scope = format!("[{}]", scope_name(&told.function));
    let seen = sum_in_scope(profile, kind, &scope);
    [
        ("calls", told.calls, seen.calls),
        ("bytes", told.total_bytes, seen.total_bytes),
        ("frees", told.frees, seen.frees),
        ("live bytes", told.live_bytes, seen.live_bytes),
    ]
    .into_iter()
    .filter_map(|(what, expected, seen)| {
        let what = format!("{}: {what}", readable(&told.function));
        unequal(&what, expected, seen)
    })
    .collect()
}

/// The stacks of a kind in a scope, which is a frame in brackets, added up.
fn sum_in_scope(profile: &Profile, kind: StackKind, scope: &str) -> Counters {
    let is_scope = |frame: u32| {
        let frame = profile.frames.get(frame as usize);
        let name = frame.and_then(|frame| profile.functions.get(frame.function as usize));
        name.is_some_and(|name| name == scope)
    };
    let mut is_inside = vec![false; profile.nodes.len().max(1)];
    for (index, node) in profile.nodes.iter().enumerate() {
        // A parent stands before its children.
        let is_under = index != ROOT as usize && is_inside[node.parent as usize];
        is_inside[index] = is_under || is_scope(node.frame);
    }
    let mut sum = Counters::default();
    for stack in &profile.stacks {
        if stack.kind == kind && is_inside[stack.node as usize] {
            sum.calls += stack.counters.calls;
            sum.total_bytes += stack.counters.total_bytes;
            sum.frees += stack.counters.frees;
            sum.live_bytes += stack.counters.live_bytes;
        }
    }
    sum
}
