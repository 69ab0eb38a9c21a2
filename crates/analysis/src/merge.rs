//! Several profiles as one: the sum over the processes of a job, or over many jobs.
//!
//! ```text
//!   profile ──► tables: same module, function, file, frame, path? ──► numbers in the sum
//!                 │
//!                 └─► ledgers: counters, sizes, births, threads of each path, added
//! ```
//!
//! Addresses are no part of it: a module is the same by its file and build, a frame by
//! its place in the module, a path by its frames. So nothing depends on where a
//! process was loaded.

mod ledgers;
mod meta;
mod tables;

use residue_profile::{NONE, Profile, Ragged, RecorderStats, Timeline};

use ledgers::Ledgers;
use meta::{Facts, MetaSum};
use tables::Tables;

/// The sum of some profiles; one alone is returned as it is.
pub fn merge(profiles: Vec<Profile>) -> Profile {
    let mut sum = Sum::default();
    for profile in profiles {
        sum.add(profile);
    }
    sum.finish()
}

/// A sum that is being made, one profile at a time.
#[derive(Default)]
pub struct Sum {
    /// The first profile, as long as there is no second.
    only: Option<Profile>,
    parts: Parts,
}

impl Sum {
    pub fn add(&mut self, profile: Profile) {
        if self.parts.meta.profiles == 0 && self.only.is_none() {
            self.only = Some(profile);
            return;
        }
        if let Some(first) = self.only.take() {
            self.parts.add(first);
        }
        self.parts.add(profile);
    }

    pub fn finish(self) -> Profile {
        match self.only {
            Some(profile) => profile,
            None => self.parts.finish(),
        }
    }
}

#[derive(Default)]
struct Parts {
    tables: Tables,
    ledgers: Ledgers,
    meta: MetaSum,
    /// One of them does not know its largest blocks, so that those of all are not known.
    lacks_largest: bool,
}

impl Parts {
    fn add(&mut self, profile: Profile) {
        let nodes = self.tables.add(&profile);
        self.ledgers.add(&profile, &nodes);
        self.lacks_largest |= !profile.has_largest;
        self.meta.add(profile);
    }

    fn finish(self) -> Profile {
        let Tables {
            modules,
            functions,
            files,
            frames,
            nodes,
            ..
        } = self.tables;
        let mut places = Ragged::default();
        for row in &frames.places {
            places.push_row(self.tables.place_rows.items[*row as usize].iter().copied());
        }
        let (stacks, rows) = self.ledgers.finish();
        let has_births = self.meta.has_births();
        let Facts {
            meta,
            heap,
            mappings,
            recorder,
            about,
        } = self.meta.finish();
        // Frames that several profiles share are one.
        let nameless = frames.items.iter().filter(|frame| frame.function == NONE);
        let recorder = RecorderStats {
            frames_unresolved: nameless.count() as u64,
            ..recorder
        };
        let mut sum = Profile {
            meta,
            heap,
            mappings,
            recorder,
            modules: modules.items,
            functions: functions.items,
            files: files.items,
            frames: frames.items,
            without_table: frames.without_table.into_iter().collect(),
            places,
            nodes: nodes.items,
            sizes_total: rows.sizes_total.finish(stacks.len()),
            sizes_live: rows.sizes_live.finish(stacks.len()),
            by_thread: rows.by_thread.finish(stacks.len()),
            births: if has_births {
                rows.births.finish(stacks.len())
            } else {
                Ragged::default()
            },
            threads: rows.threads,
            stacks,
            has_largest: true,
            // Of several processes there are several, of different moments.
            picture: None,
            timeline: Timeline {
                about,
                ..Timeline::default()
            },
        };
        if self.lacks_largest {
            sum.forget_largest();
        }
        sum
    }
}

#[cfg(test)]
mod tests;
