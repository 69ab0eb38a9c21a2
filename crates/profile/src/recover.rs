//! Puts the tables together, and something harmless in place of each that was
//! lost, so that whatever refers to it still holds.

use crate::counter::MemoryKind;
use crate::decode::{CounterTable, MetaTable};
use crate::decode_timeline::TimelineTables;
use crate::error::{Damage, Reason};
use crate::holders::Picture;
use crate::layout::Tag;
use crate::model::*;
use crate::needs::Needs;
use crate::scan::Section;

/// The content of every section that is needed and could be read.
#[derive(Debug)]
pub(crate) struct Tables {
    pub needs: Needs,
    pub meta: Option<MetaTable>,
    pub modules: Option<Vec<Module>>,
    pub functions: Option<Vec<String>>,
    pub files: Option<Vec<String>>,
    pub frames: Option<Vec<Frame>>,
    pub without_table: Option<Vec<FrameId>>,
    pub places: Option<Ragged<SourcePlace>>,
    pub nodes: Option<Vec<Node>>,
    pub paths: Option<Vec<(NodeId, StackKind)>>,
    /// Without a path until they are joined.
    pub counters: Option<CounterTable>,
    pub sizes_total: Option<Ragged<SizeBin>>,
    pub sizes_live: Option<Ragged<SizeBin>>,
    pub births: Option<Ragged<BirthBin>>,
    pub threads: Option<Vec<Thread>>,
    pub by_thread: Option<Ragged<ThreadCounters>>,
    pub timeline: TimelineTables,
    pub picture: Option<Picture>,
    /// The tag of each section that is whole.
    whole: Vec<Tag>,
}

impl Tables {
    pub fn new(needs: Needs, sections: &[Section<'_>]) -> Self {
        Tables {
            needs,
            meta: None,
            modules: None,
            functions: None,
            files: None,
            frames: None,
            without_table: None,
            places: None,
            nodes: None,
            paths: None,
            counters: None,
            sizes_total: None,
            sizes_live: None,
            births: None,
            threads: None,
            by_thread: None,
            timeline: TimelineTables::default(),
            picture: None,
            whole: sections.iter().map(|section| section.tag).collect(),
        }
    }

    /// Adds a damage for each table that is not there and not yet reported, save
    /// those that may be missing.
    pub fn into_profile(mut self, damages: &mut Vec<Damage>) -> Profile {
        for tag in self.lost() {
            if !damages.iter().any(|damage| damage.section == tag) {
                damages.push(Reason::Missing.of(tag));
            }
        }
        self.replace_lost();
        let has_largest = (self.counters.as_ref()).is_some_and(|table| table.has_largest);
        let stacks = join_stacks(
            self.paths.unwrap_or_default(),
            self.counters.map_or(Vec::new(), |table| table.stacks),
            damages,
        );
        let no_bins = stacks.len();
        let totals_known = self.meta.is_some();
        let meta = self.meta.unwrap_or_default();
        let mut profile = Profile {
            meta: meta.meta,
            heap: meta.heap,
            mappings: meta.mappings,
            recorder: meta.recorder,
            modules: self.modules.unwrap_or_default(),
            functions: self.functions.unwrap_or_default(),
            files: self.files.unwrap_or_default(),
            frames: self.frames.unwrap_or_default(),
            without_table: self.without_table.unwrap_or_default(),
            places: self.places.unwrap_or_default(),
            nodes: self.nodes.unwrap_or_default(),
            stacks,
            sizes_total: (self.sizes_total).unwrap_or_else(|| Ragged::empty_rows(no_bins)),
            sizes_live: (self.sizes_live).unwrap_or_else(|| Ragged::empty_rows(no_bins)),
            births: self.births.unwrap_or_else(|| Ragged::empty_rows(no_bins)),
            threads: self.threads.unwrap_or_default(),
            by_thread: self.by_thread.unwrap_or_default(),
            timeline: self.timeline.into_timeline(damages),
            has_largest,
            picture: self.picture,
        };
        if !has_largest {
            profile.forget_largest();
        }
        if !totals_known {
            add_up(&mut profile);
        }
        note_unknown(&mut profile.meta.notes, &self.whole);
        profile
    }

    fn lost(&self) -> Vec<Tag> {
        // What is not needed has not been read.
        let left_out = |tag, is_needed: bool| !is_needed && self.whole.contains(&tag);
        let held = [
            (Tag::META, self.meta.is_some()),
            (Tag::MODS, self.modules.is_some()),
            (Tag::FUNC, self.functions.is_some()),
            (Tag::FRAM, self.frames.is_some()),
            (Tag::NODE, self.nodes.is_some()),
            (Tag::STAK, self.paths.is_some()),
            (Tag::CNTR, self.counters.is_some()),
            (
                Tag::HTOT,
                self.sizes_total.is_some() || left_out(Tag::HTOT, self.needs.sizes),
            ),
            (
                Tag::HLIV,
                self.sizes_live.is_some() || left_out(Tag::HLIV, self.needs.sizes),
            ),
            (
                Tag::BRTH,
                self.births.is_some() || left_out(Tag::BRTH, self.needs.births),
            ),
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
        if let Some(places) = &mut self.places
            && self.functions.is_none()
        {
            for place in places.items_mut() {
                place.function = NONE;
            }
        }
        if self.frames.is_none() {
            self.places = None;
            self.without_table = None;
            for node in self.nodes.iter_mut().flatten() {
                if node.frame != CUT {
                    node.frame = NONE;
                }
            }
        }
        if self.nodes.is_none() {
            for (node, _) in self.paths.iter_mut().flatten() {
                *node = ROOT;
            }
            self.nodes = Some(vec![Node {
                parent: ROOT,
                frame: NONE,
            }]);
        }
        match (&self.paths, &self.counters) {
            (None, Some(table)) => {
                self.paths = Some(vec![(ROOT, StackKind::Overflow); table.stacks.len()]);
            }
            (Some(paths), None) => {
                self.counters = Some(CounterTable {
                    stacks: vec![without_path(Counters::default()); paths.len()],
                    has_largest: false,
                });
            }
            (None, None) => {
                // Rows of stacks that are not there.
                self.sizes_total = None;
                self.sizes_live = None;
                self.births = None;
                self.by_thread = None;
            }
            (Some(_), Some(_)) => {}
        }
    }
}

/// A stack that is counted while nobody knows where: just what `Overflow` means.
pub(crate) fn without_path(counters: Counters) -> Stack {
    Stack {
        node: ROOT,
        kind: StackKind::Overflow,
        counters,
    }
}

/// Gives each stack its path, in place: the stacks are the largest table of all.
fn join_stacks(
    paths: Vec<(NodeId, StackKind)>,
    mut stacks: Vec<Stack>,
    damages: &mut Vec<Damage>,
) -> Vec<Stack> {
    if stacks.len() != paths.len() {
        let what = format!("{} rows for {} stacks", stacks.len(), paths.len());
        damages.push(Reason::bad(what).of(Tag::CNTR));
        stacks.resize(paths.len(), without_path(Counters::default()));
    }
    for (stack, (node, kind)) in stacks.iter_mut().zip(paths) {
        stack.node = node;
        stack.kind = kind;
    }
    stacks
}

/// Fills in the totals from the stacks.
fn add_up(profile: &mut Profile) {
    profile.heap = Totals::of(&profile.stacks, MemoryKind::Heap);
    profile.mappings = Totals::of(&profile.stacks, MemoryKind::Mapping);
    for totals in [&mut profile.heap, &mut profile.mappings] {
        totals.peak_bytes = totals.peak_bytes.max(totals.live_bytes);
    }
    let note = "the description of this recording was lost; its totals are sums over the stacks";
    profile.meta.notes.push(note.to_owned());
}

/// Sections that only a newer version knows.
fn note_unknown(notes: &mut Vec<String>, tags: &[Tag]) {
    let unknown: Vec<String> = tags
        .iter()
        .filter(|tag| !Tag::ALL.contains(tag))
        .map(Tag::to_string)
        .collect();
    if !unknown.is_empty() {
        notes.push(format!(
            "{} sections of a newer residue were skipped: {}",
            unknown.len(),
            unknown.join(", ")
        ));
    }
}
