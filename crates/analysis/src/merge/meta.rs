//! Who was recorded, and what a reader of the sum should know.

use residue_profile::timeline::{About, Source};
use residue_profile::{End, Meta, Options, Profile, RecorderStats, Totals};

/// Names of profiles that are listed in a note.
const NAMES_SHOWN: usize = 8;
/// Different notes of the profiles that are kept.
const NOTES_KEPT: usize = 16;

/// What the sum has beside its tables.
pub struct Facts {
    pub meta: Meta,
    pub heap: Totals,
    pub mappings: Totals,
    pub recorder: RecorderStats,
    pub about: About,
}

#[derive(Default)]
pub struct MetaSum {
    pub profiles: u64,
    meta: Meta,
    ended_unix_ns: u64,
    heap: Totals,
    mappings: Totals,
    recorder: RecorderStats,
    names: Vec<String>,
    /// What profiles say, each once, and how many say it.
    notes: Vec<(String, u64)>,
    notes_left_out: u64,
    events: u64,
    source: Source,
    have_timeline: bool,
    /// Unit of the births, and how long it is where it is a time.
    births: Option<(String, u64)>,
    births_differ: bool,
    options_differ: bool,
}

impl MetaSum {
    pub fn add(&mut self, profile: Profile) {
        let is_first = self.profiles == 0;
        self.profiles += 1;
        self.heap.add(&profile.heap);
        self.mappings.add(&profile.mappings);
        self.recorder.add(&profile.recorder);
        let about = &profile.timeline.about;
        self.events = self.events.saturating_add(about.events);
        self.have_timeline |= !profile.timeline.moments.is_empty();
        let meta = profile.meta;
        if !profile.births.items().is_empty() {
            let counted_by = (meta.birth_unit.clone(), about.tick_ns);
            let known = self.births.get_or_insert_with(|| counted_by.clone());
            self.births_differ |= *known != counted_by || about.birth_bin_events > 1;
        }
        if self.names.len() < NAMES_SHOWN {
            self.names
                .push(format!("{} (pid {})", meta.program, meta.pid));
        }
        for note in &meta.notes {
            self.add_note(note);
        }
        let ended = meta.started_unix_ns.saturating_add(meta.duration_ns);
        self.ended_unix_ns = self.ended_unix_ns.max(ended);
        if is_first {
            self.source = about.source;
            self.meta = meta;
            return;
        }
        if self.source != about.source {
            self.source = Source::None;
        }
        self.options_differ |= self.meta.options != meta.options;
        self.add_meta(meta);
    }

    fn add_meta(&mut self, meta: Meta) {
        let sum = &mut self.meta;
        for (sum, more, several) in [
            (&mut sum.program, &meta.program, "several programs"),
            (&mut sum.executable, &meta.executable, ""),
            (&mut sum.host, &meta.host, "several hosts"),
            (&mut sum.kernel, &meta.kernel, "several kernels"),
            (&mut sum.allocator, &meta.allocator, "several allocators"),
        ] {
            if sum != more {
                *sum = several.to_string();
            }
        }
        if sum.command != meta.command {
            sum.command = Vec::new();
        }
        if sum.end != meta.end {
            sum.end = End::Unknown;
        }
        if sum.page_bytes != meta.page_bytes {
            sum.page_bytes = 0;
        }
        if sum.options != meta.options {
            sum.options = Options::default();
        }
        sum.started_unix_ns = sum.started_unix_ns.min(meta.started_unix_ns);
        let peaks = sum.max_rss_bytes.zip(meta.max_rss_bytes);
        sum.max_rss_bytes = peaks.map(|(sum, more)| sum.saturating_add(more));
    }

    fn add_note(&mut self, note: &str) {
        if let Some((_, profiles)) = self.notes.iter_mut().find(|(known, _)| known == note) {
            *profiles += 1;
        } else if self.notes.len() < NOTES_KEPT {
            self.notes.push((note.to_string(), 1));
        } else {
            self.notes_left_out += 1;
        }
    }

    /// Births are numbers of events, or spans of time, of each process by itself. They
    /// can be added where they count the same.
    pub fn has_births(&self) -> bool {
        self.births.is_some() && !self.births_differ
    }

    pub fn finish(mut self) -> Facts {
        let notes = self.notes();
        let meta = &mut self.meta;
        if let Some((unit, _)) = self.births {
            meta.birth_unit = unit;
        }
        meta.pid = 0;
        meta.parent_pid = 0;
        meta.duration_ns = self.ended_unix_ns.saturating_sub(meta.started_unix_ns);
        meta.merged_profiles = self.profiles;
        meta.notes = notes;
        Facts {
            meta: self.meta,
            heap: self.heap,
            mappings: self.mappings,
            recorder: self.recorder,
            about: About {
                source: self.source,
                events: match self.source {
                    Source::None => 0,
                    _ => self.events,
                },
                ..About::default()
            },
        }
    }

    fn notes(&self) -> Vec<String> {
        let mut names = self.names.join(", ");
        let more = self.profiles.saturating_sub(self.names.len() as u64);
        if more > 0 {
            names = format!("{names} and {more} more");
        }
        let mut notes = vec![format!("the sum of {} profiles: {names}", self.profiles)];
        notes.push("peaks are sums of peaks that need not have been at the same time".to_string());
        if self.have_timeline {
            notes
                .push("a sum has no timeline: moments of different runs do not add up".to_string());
        }
        match &self.births {
            Some(_) if self.births_differ => notes
                .push("births are left out: the profiles count them in different ways".to_string()),
            Some((unit, _)) => notes.push(format!(
                "births are counted by the {unit} of each run by itself"
            )),
            None => {}
        }
        if self.options_differ {
            notes.push("the profiles were recorded with different options".to_string());
        }
        for (note, profiles) in &self.notes {
            notes.push(format!("{profiles} of {}: {note}", self.profiles));
        }
        if self.notes_left_out > 0 {
            notes.push(format!("{} more notes are left out", self.notes_left_out));
        }
        notes
    }
}
