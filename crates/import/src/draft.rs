//! What readers gather, and the profile it becomes.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use residue_analysis::stages::find_turns;
use residue_profile::timeline::{
    About, Count, CounterTotal, EventNumber, Moment, MomentId, MomentKind, NameId, Source, Stamp,
};
use residue_profile::{Meta, NONE, Node, Profile, ROOT, Timeline};

use crate::detect::Format;
use crate::error::Wrong;

/// The process at one line of the file.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    pub time_ns: u64,
    pub vm_bytes: Option<u64>,
    pub rss_bytes: Option<u64>,
    pub live_bytes: Option<u64>,
    pub mapped_bytes: Option<u64>,
    pub threads: u32,
    /// Numbers that belong to the event.
    pub counts: Vec<(String, f64)>,
}

/// Rows or stamps, not both.
#[derive(Debug, Default)]
pub struct Draft {
    pub rows: Vec<SeriesRow>,
    pub stamps: Vec<NamedSample>,
    /// Times are since 1970.
    pub unix_time: bool,
    /// What the reader of the numbers should know.
    pub notes: Vec<String>,
}

/// One event.
#[derive(Debug)]
pub struct SeriesRow {
    /// What the program calls the event.
    pub id: Option<u64>,
    pub sample: Sample,
}

#[derive(Debug)]
pub struct NamedSample {
    pub name: String,
    /// The event's place among the events of the file, from one, and its id; `None`
    /// where the file does not say.
    pub event: Option<(EventNumber, u64)>,
    pub sample: Sample,
}

/// A moment before it has its number among the moments.
struct Begin {
    event: EventNumber,
    id: u64,
    sample: Sample,
}

impl Draft {
    /// The profile, and the period where events were found by names.
    pub fn finish(
        mut self,
        path: &Path,
        format: Format,
    ) -> Result<(Profile, Option<usize>), Wrong> {
        if self.rows.is_empty() && self.stamps.is_empty() {
            return Err(Wrong::whole("no data in it"));
        }
        self.forget_empty_columns();
        let start_ns = self
            .samples()
            .map(|sample| sample.time_ns)
            .min()
            .unwrap_or(0);
        let end_ns = self
            .samples()
            .map(|sample| sample.time_ns)
            .max()
            .unwrap_or(0);
        for sample in self.samples_mut() {
            sample.time_ns -= start_ns;
        }
        let mut names = Names::default();
        let mut timeline = Timeline::default();
        let mut period = None;
        let begins = if self.stamps.is_empty() {
            row_begins(std::mem::take(&mut self.rows))
        } else {
            let events;
            (events, period) = self.stamp_events(&mut names, &mut timeline);
            if events.is_empty() {
                self.notes
                    .push("no stamp name repeats, so the stamps make no events".to_string());
            }
            events
        };
        fill_moments(&mut timeline, &mut names, begins);
        timeline.about = About {
            source: Source::Imported,
            events: timeline.moments.len() as u64,
            streams: 1,
            stride: 1,
            ..About::default()
        };
        let rss = timeline.moments.iter().map(|moment| moment.rss_bytes);
        let rss = rss.chain(timeline.stamps.iter().map(|stamp| stamp.rss_bytes));
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let mut notes = vec![format!("imported from {file} ({})", format.name())];
        notes.append(&mut self.notes);
        let meta = Meta {
            residue_version: env!("CARGO_PKG_VERSION").to_string(),
            program: file.into_owned(),
            started_unix_ns: if self.unix_time { start_ns } else { 0 },
            duration_ns: end_ns - start_ns,
            max_rss_bytes: rss.flatten().max(),
            birth_unit: "event".to_string(),
            notes,
            ..Meta::default()
        };
        timeline.names = names.names;
        let profile = Profile {
            meta,
            nodes: vec![Node {
                parent: ROOT,
                frame: NONE,
            }],
            timeline,
            ..Profile::default()
        };
        Ok((profile, period))
    }

    fn samples(&self) -> impl Iterator<Item = &Sample> {
        let rows = self.rows.iter().map(|row| &row.sample);
        rows.chain(self.stamps.iter().map(|stamp| &stamp.sample))
    }

    fn samples_mut(&mut self) -> impl Iterator<Item = &mut Sample> {
        let rows = self.rows.iter_mut().map(|row| &mut row.sample);
        rows.chain(self.stamps.iter_mut().map(|stamp| &mut stamp.sample))
    }

    /// A size that is zero in every line was not read by the tool.
    fn forget_empty_columns(&mut self) {
        let is_zero = |size: Option<u64>| size.is_none_or(|size| size == 0);
        if self.samples().all(|sample| is_zero(sample.vm_bytes)) {
            self.samples_mut().for_each(|sample| sample.vm_bytes = None);
        }
        if self.samples().all(|sample| is_zero(sample.rss_bytes)) {
            self.samples_mut()
                .for_each(|sample| sample.rss_bytes = None);
        }
    }

    /// Fills the stamps and their events' counts; returns where events begin.
    fn stamp_events(
        &mut self,
        names: &mut Names,
        timeline: &mut Timeline,
    ) -> (Vec<Begin>, Option<usize>) {
        let mut stamps: Vec<Stamp> = self
            .stamps
            .iter()
            .map(|stamp| Stamp {
                spent: residue_profile::timeline::Spent::default(),
                name: names.id(&stamp.name),
                event: stamp.event.map_or(0, |(event, _)| event),
                time_ns: stamp.sample.time_ns,
                vm_bytes: stamp.sample.vm_bytes,
                rss_bytes: stamp.sample.rss_bytes,
                live_bytes: stamp.sample.live_bytes,
            })
            .collect();
        let turns = find_turns(&names.names, &stamps);
        let mut begins: Vec<Begin> = Vec::new();
        if let Some(turns) = &turns {
            let mut begin_of: HashMap<EventNumber, usize> = HashMap::new();
            for (index, (stamp, &event)) in stamps.iter_mut().zip(&turns.of_stamp).enumerate() {
                stamp.event = event;
                if event == 0 {
                    continue;
                }
                let named = &mut self.stamps[index];
                let told = turns
                    .ids
                    .as_ref()
                    .and_then(|ids| ids.get(event as usize - 1));
                let id = named.event.map(|(_, id)| id).or(told.copied());
                let begin = *begin_of.entry(event).or_insert_with(|| {
                    begins.push(Begin {
                        event,
                        id: id.unwrap_or(u64::from(event)),
                        sample: Sample {
                            counts: Vec::new(),
                            ..named.sample.clone()
                        },
                    });
                    begins.len() - 1
                });
                begins[begin].sample.counts.append(&mut named.sample.counts);
            }
        }
        timeline.stamps = stamps;
        (begins, turns.and_then(|turns| turns.period))
    }
}

fn row_begins(rows: Vec<SeriesRow>) -> Vec<Begin> {
    rows.into_iter()
        .zip(1..)
        .map(|(row, event)| Begin {
            event,
            id: row.id.unwrap_or(u64::from(event)),
            sample: row.sample,
        })
        .collect()
}

/// Moments go forward in time even where the file's clock was set back.
fn fill_moments(timeline: &mut Timeline, names: &mut Names, begins: Vec<Begin>) {
    let mut time_ns = 0;
    let mut totals: BTreeMap<NameId, f64> = BTreeMap::new();
    for begin in begins {
        let sample = begin.sample;
        time_ns = sample.time_ns.max(time_ns);
        let moment = timeline.moments.len() as MomentId;
        timeline.moments.push(Moment {
            id: begin.id,
            vm_bytes: sample.vm_bytes,
            rss_bytes: sample.rss_bytes,
            live_bytes: sample.live_bytes,
            mapped_bytes: sample.mapped_bytes,
            threads: sample.threads,
            has_changes: false,
            ..Moment::unread(MomentKind::Begin, begin.event, time_ns)
        });
        timeline
            .totals
            .extend(totals.iter().map(|(&name, &total)| CounterTotal {
                moment,
                name,
                total,
            }));
        let mut counts: BTreeMap<NameId, f64> = BTreeMap::new();
        for (name, value) in &sample.counts {
            *counts.entry(names.id(name)).or_default() += value;
        }
        for (name, value) in counts {
            *totals.entry(name).or_default() += value;
            timeline.counts.push(Count {
                event: begin.event,
                name,
                value,
            });
        }
    }
}

#[derive(Default)]
struct Names {
    names: Vec<String>,
    ids: HashMap<String, NameId>,
}

impl Names {
    fn id(&mut self, name: &str) -> NameId {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = self.names.len() as NameId;
        self.names.push(name.to_string());
        self.ids.insert(name.to_string(), id);
        id
    }
}
