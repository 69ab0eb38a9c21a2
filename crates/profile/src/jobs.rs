//! Sections are independent of each other, so each is unpacked and read by
//! whichever thread is free. What comes out, and what is said to be wrong, does
//! not depend on how many there are.

use std::cmp::Reverse;

use rayon::prelude::*;

use crate::columns::Cursor;
use crate::error::Reason;
use crate::layout::Tag;
use crate::parts::{Part, Parts};
use crate::scan::Section;
use crate::unpack::Unpacker;

/// Less than this is read before another thread has begun.
pub(crate) const THREADS_PAY_BYTES: u64 = 1 << 20;

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

    /// All threads share the work where it is at least `threads_pay_bytes` when
    /// unpacked. The unpacker is for this thread; others make their own. What is wrong
    /// comes in any order.
    pub fn run(mut self, threads_pay_bytes: u64, unpacker: &mut Unpacker) -> Vec<Wrong> {
        let raw_bytes = self.jobs.iter().map(|job| job.raw_bytes);
        if raw_bytes.fold(0, u64::saturating_add) < threads_pay_bytes {
            let jobs = self.jobs.into_iter();
            return jobs.flat_map(|job| (job.run)(unpacker)).collect();
        }
        // A thread that is free takes the largest that is left.
        self.jobs.sort_by_key(|job| Reverse(job.raw_bytes));
        let jobs = self.jobs.into_iter().par_bridge();
        jobs.map_init(Unpacker::default, |unpacker, job| (job.run)(unpacker))
            .flatten_iter()
            .collect()
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
        let place = SourcePlace {
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
        let pools = [1, 2, 16].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().unwrap()
        });
        for file in files {
            let alone = decode_on(&file, Needs::ALL, u64::MAX).unwrap();
            assert!(alone.1.len() >= 8, "{:?}", alone.1);
            for pool in &pools {
                for _ in 0..20 {
                    let shared = pool.install(|| decode_on(&file, Needs::ALL, 0));
                    assert_eq!(shared.unwrap(), alone);
                }
            }
        }
    }
}
