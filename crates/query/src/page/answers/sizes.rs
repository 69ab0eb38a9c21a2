//! Blocks by their size, of all stacks that are meant.

use std::collections::BTreeMap;

use anyhow::Result;
use residue_profile::{Counter, Ragged, SizeBin as Bin};
use serde::Serialize;

use crate::page::open_profiles::OpenProfiles;
use crate::page::question::Question;
use crate::page::selection::{Selection, StackFilter};
use crate::size_bins::size_bounds;

/// Answers `api/sizes`. Parameters: side, kind, focus, ignore.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Sizes {
    /// Null where sizes are not known.
    total: Option<Vec<SizeBin>>,
    live: Option<Vec<SizeBin>>,
}

/// Blocks from one size to another, both included.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SizeBin {
    from_bytes: u64,
    /// Highest where all larger blocks are counted here too.
    to_bytes: u64,
    blocks: u64,
}

pub fn sizes(profiles: &OpenProfiles, question: &Question) -> Result<Sizes> {
    let opened = profiles.side(question)?;
    let selection = Selection {
        opened,
        kind: question.kind()?,
        filter: StackFilter::of(question)?,
        counter: Counter::Calls,
        events: None,
        thread: None,
    };
    let admits = selection.admits();
    let profile = &opened.profile;
    let sum = |bins: &Ragged<Bin>| {
        let stacks = (0..profile.stacks.len()).filter(|&stack| admits(stack));
        (!bins.items().is_empty()).then(|| size_bins(stacks.flat_map(|stack| bins.row(stack))))
    };
    Ok(Sizes {
        total: sum(&profile.sizes_total),
        live: sum(&profile.sizes_live),
    })
}

/// Sums by size, ascending, without those that are empty.
pub fn size_bins<'a>(bins: impl Iterator<Item = &'a Bin>) -> Vec<SizeBin> {
    let mut blocks: BTreeMap<u8, u64> = BTreeMap::new();
    for bin in bins {
        let sum = blocks.entry(bin.bits).or_default();
        *sum = sum.saturating_add(bin.blocks);
    }
    let there = blocks.into_iter().filter(|(_, blocks)| *blocks > 0);
    there
        .map(|(bits, blocks)| {
            let (from_bytes, to_bytes) = size_bounds(bits);
            SizeBin {
                from_bytes,
                to_bytes: to_bytes.unwrap_or(u64::MAX),
                blocks,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample::{ask, open_profiles};
    use residue_profile::Profile;
    use residue_testkit::sample;
    use serde_json::{Value, json};

    fn bin(from_bytes: u64, to_bytes: u64, blocks: u64) -> Value {
        json!({"from_bytes": from_bytes, "to_bytes": to_bytes, "blocks": blocks})
    }

    #[test]
    fn sizes_are_summed_over_the_stacks_that_are_meant() {
        let profiles = open_profiles(sample::profile(), None);
        let heap = ask(&profiles, "sizes", "");
        let total = json!([bin(16, 31, 51), bin(64, 127, 110), bin(512, 1023, 1)]);
        assert_eq!(heap["total"], total);
        let live = json!([bin(16, 31, 1), bin(64, 127, 30), bin(512, 1023, 1)]);
        assert_eq!(heap["live"], live);
        let mapped = ask(&profiles, "sizes", "kind=mapping");
        assert_eq!(mapped["total"], json!([bin(8192, 16383, 2)]));
        let focused = ask(&profiles, "sizes", "focus=thing::foo");
        assert_eq!(focused["total"], json!([bin(64, 127, 110)]));
        let none = ask(&profiles, "sizes", "focus=nowhere");
        assert_eq!(none["total"], json!([]));
    }

    #[test]
    fn unknown_sizes_are_null() {
        let answer = ask(&open_profiles(Profile::default(), None), "sizes", "");
        assert_eq!(answer, json!({"total": null, "live": null}));
    }
}
