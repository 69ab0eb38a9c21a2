//! Snapshots taken from outside: named moments of a program that runs, with what the kernel
//! says of its memory.

use super::sighting::{About, Process};
use anyhow::{Context, Result, bail};
use residue_finish::outside::{self, Seen};
use residue_profile::timeline::MomentKind;
use std::path::Path;

/// Takes the snapshot of an event, or any other that has a name.
pub fn take(process: &mut Process, event: u32, name: String) -> Result<()> {
    process.moment(
        MomentKind::Snapshot,
        About {
            event,
            id: u64::from(event),
            name: Some(name),
            with_proc_maps: true,
            ..About::default()
        },
    )
}

/// Takes one now, under the next free name where none is given; returns what was seen.
pub fn take_now(process: &mut Process, name: Option<String>) -> Result<(String, Seen)> {
    let before = all(&process.arena);
    let name = name.unwrap_or_else(|| next_name(&before));
    let event = process.event();
    take(process, event as u32, name.clone())?;
    let seen = all(&process.arena)
        .into_iter()
        .skip(before.len())
        .find(|seen| seen.name.as_ref() == Some(&name))
        .context("the recording has just ended")?;
    match &seen.proc_maps {
        Some([maps, ..]) if !maps.is_empty() => Ok((name, seen)),
        _ => bail!("the process has just ended; the snapshot has no maps"),
    }
}

/// Snapshots of a recording that were taken from outside.
fn all(arena: &Path) -> Vec<Seen> {
    let mut all = outside::read(arena);
    all.retain(|seen| seen.kind == MomentKind::Snapshot);
    all
}

fn next_name(taken: &[Seen]) -> String {
    let is_free = |name: &String| !taken.iter().any(|seen| seen.name.as_ref() == Some(name));
    (1..)
        .map(|number: u32| format!("outside-{number}"))
        .find(is_free)
        .unwrap_or_default()
}
