//! Sections are independent of each other, so each is unpacked and read by
//! whichever thread is free. What comes out, and what is said to be wrong, does
//! not depend on how many there are.

use std::sync::Mutex;
use std::thread::{self, Builder};

use crate::columns::Cursor;
use crate::error::Reason;
use crate::layout::Tag;
use crate::parts::{Part, Parts};
use crate::scan::Section;
use crate::unpack::Unpacker;

/// More threads than this would wait for the largest section.
const MAX_THREADS: usize = 8;
/// Less than this is read before a thread has started.
const THREADS_PAY_BYTES: u64 = 1 << 20;

/// How many threads to read so much with, when unpacked.
pub(crate) fn threads_for(raw_bytes: u64) -> usize {
    if raw_bytes < THREADS_PAY_BYTES {
        return 1;
    }
    thread::available_parallelism().map_or(1, |cores| cores.get().min(MAX_THREADS))
}

/// What is wrong with the section at an index.
pub(crate) type Wrong = (usize, Reason);

type Work<'a> = dyn FnOnce(&mut Unpacker) -> Vec<Wrong> + Send + 'a;

struct Job<'a> {
    raw_bytes: u64,
    run: Box<Work<'a>>,
}

/// The sections of a file, and what is to be made of them.
pub(crate) struct Jobs<'a> {
    sections: &'a [Section<'a>],
    jobs: Vec<Job<'a>>,
}

impl<'a> Jobs<'a> {
    pub fn new(sections: &'a [Section<'a>]) -> Self {
        Jobs {
            sections,
            jobs: Vec::new(),
        }
    }

    /// A table that stands in one section: the first of its tag that can be read.
    pub fn table<T: Send>(
        &mut self,
        tag: Tag,
        slot: &'a mut Option<T>,
        parse: fn(&[u8]) -> Result<T, Reason>,
    ) {
        let sections = self.tagged(tag);
        let raw_bytes = sections.iter().map(|(_, section)| section.raw_bytes);
        let raw_bytes = raw_bytes.fold(0, u64::saturating_add);
        let run = move |unpacker: &mut Unpacker| {
            let mut wrong = Vec::new();
            for (index, section) in sections {
                if slot.is_some() {
                    wrong.push((index, Reason::Duplicate));
                    continue;
                }
                match unpacker.unpack(section).and_then(parse) {
                    Ok(table) => *slot = Some(table),
                    Err(reason) => wrong.push((index, reason)),
                }
            }
            wrong
        };
        self.add(raw_bytes, run);
    }

    /// A table that may stand in several sections.
    pub fn parts<T: Send>(
        &mut self,
        tag: Tag,
        parts: &'a mut Parts<T>,
        parse: fn(&mut Cursor<'_>) -> Result<Vec<T>, Reason>,
    ) {
        let sections = self.tagged(tag);
        let slots = parts.slots(sections.len());
        for ((index, section), slot) in sections.into_iter().zip(slots) {
            let run = move |unpacker: &mut Unpacker| {
                *slot = Some(Part::read(index, section, unpacker, parse));
                Vec::new()
            };
            self.add(section.raw_bytes, run);
        }
    }

    fn tagged(&self, tag: Tag) -> Vec<(usize, &'a Section<'a>)> {
        let sections = self.sections.iter().enumerate();
        sections.filter(|(_, section)| section.tag == tag).collect()
    }

    fn add(&mut self, raw_bytes: u64, run: impl FnOnce(&mut Unpacker) -> Vec<Wrong> + Send + 'a) {
        let run = Box::new(run);
        self.jobs.push(Job { raw_bytes, run });
    }

    /// The unpacker is for this thread; others make their own.
    pub fn run(mut self, threads: fn(u64) -> usize, unpacker: &mut Unpacker) -> Vec<Wrong> {
        let raw_bytes = self.jobs.iter().map(|job| job.raw_bytes);
        let threads = threads(raw_bytes.fold(0, u64::saturating_add));
        // The largest last, which is where they are taken from.
        self.jobs.sort_by_key(|job| job.raw_bytes);
        let jobs = Mutex::new(self.jobs);
        let next = || jobs.lock().ok()?.pop();
        let wrong = Mutex::new(Vec::new());
        let work = |unpacker: &mut Unpacker| {
            while let Some(job) = next() {
                let found = (job.run)(unpacker);
                if let Ok(mut wrong) = wrong.lock() {
                    wrong.extend(found);
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..threads {
                // Where there is no thread to be had, the others do its work.
                let _ = Builder::new().spawn_scoped(scope, || work(&mut Unpacker::default()));
            }
            work(unpacker);
        });
        wrong.into_inner().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use crate::decode::decode_on;
    use crate::encode::encode;
    use crate::model::*;
    use crate::needs::Needs;
    use crate::timeline::Change;

    /// Every id of this points nowhere.
    fn wrong_everywhere() -> Profile {
        let mut profile = Profile {
            functions: vec!["f".into(); 100],
            files: vec!["f.cpp".into(); 10],
            frames: vec![
                Frame {
                    module: 7,
                    address: 1,
                    function: 1000,
                };
                300
            ],
            nodes: vec![
                Node {
                    parent: 900,
                    frame: 900,
                };
                500
            ],
            stacks: vec![
                Stack {
                    node: 900,
                    kind: StackKind::Heap,
                    counters: Counters::default(),
                };
                200
            ],
            ..Profile::default()
        };
        let place = Place {
            function: 1000,
            file: 1000,
            line: 1,
        };
        profile.places.push_row([place; 3]);
        profile.by_thread.push_row([ThreadCounters::default()]);
        profile.timeline.changes = vec![
            Change {
                moment: 9,
                stack: 9,
                bytes: 1,
                blocks: 1
            };
            50
        ];
        profile
    }

    #[test]
    fn the_number_of_threads_makes_no_difference() {
        let whole = encode(&wrong_everywhere()).unwrap();
        let mut files = vec![whole.clone()];
        for step in [97, 101, 211] {
            let mut damaged = whole.clone();
            damaged
                .iter_mut()
                .skip(30)
                .step_by(step)
                .for_each(|byte| *byte ^= 4);
            files.push(damaged);
        }
        for file in files {
            let alone = decode_on(&file, Needs::ALL, |_| 1).unwrap();
            assert!(alone.1.len() >= 8, "{:?}", alone.1);
            for _ in 0..20 {
                assert_eq!(decode_on(&file, Needs::ALL, |_| 2).unwrap(), alone);
                assert_eq!(decode_on(&file, Needs::ALL, |_| 16).unwrap(), alone);
            }
        }
    }
}
