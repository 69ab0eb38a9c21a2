//! One of the stacks to look at first.

use residue_analysis::sentences;
use residue_analysis::shape::Shape;
use residue_analysis::verdict::StackVerdict;
use residue_calltree::PathReader;
use residue_profile::pins::{Pins, StackPins};
use residue_profile::timeline::StackId;
use residue_profile::units::{bytes, counted};
use residue_profile::{Counter, Profile};
use serde::Serialize;

use super::words;
use crate::holders::of_stack;
use crate::leaks::words::{counter, why};
use crate::leaks::{ShownPath, own_function, place, shown_path, shown_path_of_stack};

/// Functions of a path, and characters of each.
const MOST_STEPS: usize = 32;
const MOST_NAME: usize = 200;

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Suspect {
    /// The largest of those through the same functions, and how many there are.
    pub stack: StackId,
    pub lines: usize,
    /// Kind of memory: `heap`, `mapping` or `reported`.
    pub kind: &'static str,
    /// The innermost function of the program's own, where it is, as short as it is told, and in full.
    pub function: String,
    pub at: Option<String>,
    pub file: Option<String>,
    pub line: Option<u32>,
    #[serde(flatten)]
    pub path: ShownPath,
    /// Growth; null of a stack that is not shown for its growth.
    pub rate_bytes_per_event: Option<f64>,
    /// What it is shown for instead, and what these bytes are: `free on its pages`.
    pub bytes: Option<u64>,
    pub bytes_are: &'static str,
    /// Part of all that it is a part of, from 0 to 1, and what that is: `of the growth`.
    pub share: Option<f64>,
    pub share_of: &'static str,
    /// Null where there are no events.
    pub shape: Option<Shape>,
    /// The numbers that decided, in a sentence.
    pub why: String,
    /// Where its survivors disagree with its readings.
    pub doubt: Option<String>,
    /// The counter of the program that its growth follows.
    pub follows: Option<String>,
    /// Who holds what it left, or that it is lost; null where no picture was taken.
    pub held: Option<String>,
    /// The path that frees its blocks in a later event.
    pub freed_by: Option<String>,
    /// Live bytes at the begins of events, at most 60 of them.
    pub live: Vec<f64>,
}

impl Suspect {
    fn of(profile: &Profile, paths: &mut PathReader<'_>, stack: StackId, lines: usize) -> Suspect {
        let own = own_function(paths, profile, stack);
        Suspect {
            stack,
            lines,
            kind: profile.stacks[stack as usize].kind.name(),
            function: residue_names::cut_middle(&own.name, MOST_NAME).to_string(),
            at: place(&own),
            file: Some(own.file.to_string()).filter(|file| !file.is_empty()),
            line: Some(own.line).filter(|line| *line > 0),
            path: shown_path_of_stack(profile, paths, stack).cut(MOST_STEPS, MOST_NAME),
            rate_bytes_per_event: None,
            bytes: None,
            bytes_are: "",
            share: None,
            share_of: "",
            shape: None,
            why: String::new(),
            doubt: None,
            follows: None,
            held: of_stack(profile, paths, stack),
            freed_by: None,
            live: Vec::new(),
        }
    }

    /// One that a verdict speaks of.
    pub(super) fn judged(
        profile: &Profile,
        paths: &mut PathReader<'_>,
        of: &StackVerdict,
        unit: &str,
    ) -> Suspect {
        let is_guilty = of.share.is_some();
        let highest = of.sparkline.iter().copied().fold(0.0, f64::max);
        let freed_at = of.freed_at.filter(|_| of.verdict.shape == Shape::Deferred);
        Suspect {
            rate_bytes_per_event: is_guilty.then_some(of.verdict.growth.rate),
            bytes: (!is_guilty).then_some(highest as u64),
            bytes_are: "at most",
            share: of.share,
            share_of: "of the growth",
            shape: Some(of.verdict.shape),
            why: match is_guilty {
                true => why(of, unit),
                false => sentences::of_shape(&of.verdict, unit),
            },
            doubt: sentences::of_disagreement(&of.verdict, unit),
            follows: of.counter.as_ref().map(|one| counter(profile, one, unit)),
            freed_by: freed_at.map(|node| shown_path(paths, node).line()),
            live: of.sparkline.clone(),
            ..Suspect::of(profile, paths, of.stack, of.lines)
        }
    }

    /// One whose blocks keep pages resident.
    pub(super) fn keeping(
        profile: &Profile,
        paths: &mut PathReader<'_>,
        of: &StackPins,
        pins: &Pins,
    ) -> Suspect {
        let all = pins.heap.free_bytes;
        Suspect {
            bytes: Some(of.free_bytes),
            bytes_are: "free on its pages",
            share: (all > 0).then(|| of.free_bytes as f64 / all as f64),
            share_of: "of what is free on pages that live blocks keep",
            why: format!(
                "{} in {} on {}",
                bytes(of.used_bytes),
                counted(of.blocks, "block", "blocks"),
                counted(of.pages, "page", "pages")
            ),
            ..Suspect::of(profile, paths, of.stack, 1)
        }
    }

    /// One that held much: stacks through the same functions, the largest first; `held` are their
    /// bytes, those of all, and of which counter.
    pub(super) fn largest(
        profile: &Profile,
        paths: &mut PathReader<'_>,
        members: &[StackId],
        held: (u64, u64, Counter),
    ) -> Suspect {
        let (own, all, counter) = held;
        let sum = |counter: Counter| -> u64 {
            let of = |&stack: &StackId| counter.of(&profile.stacks[stack as usize].counters);
            members.iter().map(of).sum()
        };
        Suspect {
            bytes: Some(own),
            bytes_are: words::state(counter),
            share: (all > 0).then(|| own as f64 / all as f64),
            share_of: "of it all",
            why: format!(
                "{} in all, {}",
                counted(sum(Counter::Calls), "allocation", "allocations"),
                bytes(sum(Counter::Total))
            ),
            ..Suspect::of(profile, paths, members[0], members.len())
        }
    }
}
