//! Puts the tables together, and something harmless in place of each that was
//! lost, so that whatever refers to it still holds.

use crate::decode::MetaTable;
use crate::decode_timeline::TimelineTables;
use crate::error::{Damage, Reason};
use crate::layout::Tag;
use crate::model::*;

/// The content of every section that could be read.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub meta: Option<MetaTable>,
    pub modules: Option<Vec<Module>>,
    pub functions: Option<Vec<String>>,
    pub frames: Option<Vec<Frame>>,
    pub nodes: Option<Vec<Node>>,
    pub stacks: Option<Vec<(NodeId, StackKind)>>,
    pub counters: Option<Vec<Counters>>,
    pub sizes_total: Option<Ragged<SizeBin>>,
    pub sizes_live: Option<Ragged<SizeBin>>,
    pub births: Option<Ragged<BirthBin>>,
    pub timeline: TimelineTables,
    /// Sections that only a newer version knows.
    pub unknown: Vec<Tag>,
}

impl Tables {
    /// Adds a damage for each table that is not there and not yet reported.
    /// Those of the timeline may be missing.
    pub fn into_profile(mut self, damages: &mut Vec<Damage>) -> Profile {
        for tag in self.lost() {
            if !damages.iter().any(|damage| damage.section == tag) {
                damages.push(Reason::Missing.of(tag));
            }
        }
        self.replace_lost();
        let stacks = join_stacks(
            self.stacks.unwrap_or_default(),
            self.counters.unwrap_or_default(),
            damages,
        );
        let totals_known = self.meta.is_some();
        let meta = self.meta.unwrap_or_default();
        let mut profile = Profile {
            meta: meta.meta,
            heap: meta.heap,
            mappings: meta.mappings,
            recorder: meta.recorder,
            modules: self.modules.unwrap_or_default(),
            functions: self.functions.unwrap_or_default(),
            frames: self.frames.unwrap_or_default(),
            nodes: self.nodes.unwrap_or_default(),
            sizes_total: self.sizes_total.unwrap_or_else(|| no_bins(&stacks)),
            sizes_live: self.sizes_live.unwrap_or_else(|| no_bins(&stacks)),
            births: self.births.unwrap_or_else(|| no_bins(&stacks)),
            timeline: self.timeline.into_timeline(damages),
            stacks,
        };
        if !totals_known {
            add_up(&mut profile);
        }
        note_unknown(&mut profile.meta.notes, &self.unknown);
        profile
    }

    fn lost(&self) -> Vec<Tag> {
        let held = [
            (Tag::META, self.meta.is_some()),
            (Tag::MODS, self.modules.is_some()),
            (Tag::FUNC, self.functions.is_some()),
            (Tag::FRAM, self.frames.is_some()),
            (Tag::NODE, self.nodes.is_some()),
            (Tag::STAK, self.stacks.is_some()),
            (Tag::CNTR, self.counters.is_some()),
            (Tag::HTOT, self.sizes_total.is_some()),
            (Tag::HLIV, self.sizes_live.is_some()),
            (Tag::BRTH, self.births.is_some()),
        ];
        held.into_iter()
            .filter(|(_, held)| !held)
            .map(|(tag, _)| tag)
            .collect()
    }

    /// Takes back every reference into a lost table.
    fn replace_lost(&mut self) {
        for frame in self.frames.iter_mut().flatten() {
            if self.modules.is_none() {
                frame.module = NONE;
            }
            if self.functions.is_none() {
                frame.function = NONE;
            }
        }
        if self.frames.is_none() {
            for node in self.nodes.iter_mut().flatten() {
                if node.frame != CUT {
                    node.frame = NONE;
                }
            }
        }
        if self.nodes.is_none() {
            for (node, _) in self.stacks.iter_mut().flatten() {
                *node = ROOT;
            }
            self.nodes = Some(vec![Node {
                parent: ROOT,
                frame: NONE,
            }]);
        }
        match (&self.stacks, &self.counters) {
            // Counted, but nobody knows where: just what `Overflow` means.
            (None, Some(counters)) => {
                self.stacks = Some(vec![(ROOT, StackKind::Overflow); counters.len()]);
            }
            (Some(stacks), None) => {
                self.counters = Some(vec![Counters::default(); stacks.len()]);
            }
            (None, None) => {
                // Rows of stacks that are not there.
                self.sizes_total = None;
                self.sizes_live = None;
                self.births = None;
            }
            (Some(_), Some(_)) => {}
        }
    }
}

fn join_stacks(
    places: Vec<(NodeId, StackKind)>,
    mut counters: Vec<Counters>,
    damages: &mut Vec<Damage>,
) -> Vec<Stack> {
    if counters.len() != places.len() {
        let what = format!("{} rows for {} stacks", counters.len(), places.len());
        damages.push(Reason::bad(what).of(Tag::CNTR));
        counters.resize(places.len(), Counters::default());
    }
    places
        .into_iter()
        .zip(counters)
        .map(|((node, kind), counters)| Stack {
            node,
            kind,
            counters,
        })
        .collect()
}

fn no_bins<T>(stacks: &[Stack]) -> Ragged<T> {
    let mut rows = Ragged::default();
    for _ in stacks {
        rows.push_row([]);
    }
    rows
}

/// Fills in the totals from the stacks. The peak is the one thing they do not
/// say: what they held at the heap's peak is the closest to it.
fn add_up(profile: &mut Profile) {
    for stack in &profile.stacks {
        let totals = match stack.kind {
            StackKind::Mapping => &mut profile.mappings,
            StackKind::Heap | StackKind::Pooled | StackKind::Overflow => &mut profile.heap,
            // Lies inside the memory of the others.
            StackKind::Reported => continue,
        };
        let counters = &stack.counters;
        for (sum, value) in [
            (&mut totals.calls, counters.calls),
            (&mut totals.frees, counters.frees),
            (&mut totals.total_bytes, counters.total_bytes),
            (&mut totals.live_bytes, counters.live_bytes),
            (&mut totals.live_blocks, counters.live_blocks),
            (&mut totals.peak_bytes, counters.at_peak_bytes),
            (&mut totals.reallocs_in_place, counters.reallocs_in_place),
            (&mut totals.reallocs_moved, counters.reallocs_moved),
            (&mut totals.temporaries, counters.temporaries),
        ] {
            *sum = sum.saturating_add(value);
        }
    }
    for totals in [&mut profile.heap, &mut profile.mappings] {
        totals.peak_bytes = totals.peak_bytes.max(totals.live_bytes);
    }
    let note = "the description of this recording was lost; its totals are sums over the stacks";
    profile.meta.notes.push(note.to_owned());
}

fn note_unknown(notes: &mut Vec<String>, unknown: &[Tag]) {
    if !unknown.is_empty() {
        let tags: Vec<String> = unknown.iter().map(Tag::to_string).collect();
        notes.push(format!(
            "{} sections of a newer residue were skipped: {}",
            unknown.len(),
            tags.join(", ")
        ));
    }
}
