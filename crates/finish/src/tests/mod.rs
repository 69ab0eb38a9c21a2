//! From arenas that were laid out by hand to profiles.

mod changes;
mod counters;
mod hostile;
mod paths;
mod timeline;

use crate::arena_bytes::ArenaBytes;
use crate::outside::Seen;
use crate::{Ending, put_together};
use residue_arena::counters::*;
use residue_arena::header;
use residue_arena::moments::*;
use residue_arena::node::{self, ROOT};
use residue_arena::region::Region;
use residue_profile::timeline::MomentKind;
use residue_profile::*;
use std::collections::BTreeMap;

/// The profile, which must be consistent and survive being written.
fn profile(arena: ArenaBytes) -> Profile {
    profile_seen(arena, Vec::new())
}

fn profile_seen(arena: ArenaBytes, seen: Vec<Seen>) -> Profile {
    let profile = put_together(&arena.open(), seen, &Ending::default(), &|_, _, _| {}).unwrap();
    let mut again = profile.clone();
    assert_eq!(again.repair(), []);
    assert_eq!(decode(&encode(&profile).unwrap()).unwrap(), profile);
    profile
}

/// Addresses from the root to the leaf.
fn addresses(profile: &Profile, stack: usize) -> Vec<u64> {
    let frames = profile.frames_leaf_first(profile.stacks[stack].node);
    let mut addresses: Vec<u64> = frames
        .map(|frame| match frame {
            CUT => 0,
            frame => profile.frames[frame as usize].address,
        })
        .collect();
    addresses.reverse();
    addresses
}

fn moment(kind: u64, event: u32, time_ns: u64) -> MomentRow {
    MomentRow {
        kind,
        event,
        time_ns,
        ..MomentRow::default()
    }
}
