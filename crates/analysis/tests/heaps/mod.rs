//! The history that the recorder would have made of a simulated program.

use residue_analysis::counters::Counters;
use residue_analysis::series::Series;
use residue_analysis::shape::{self, Birth, Deferral, ShapeVerdict, StackHistory};
use std::collections::BTreeMap;

/// The heap of one stack, with the event of birth of each block.
#[derive(Default)]
pub struct Heap {
    pub blocks: BTreeMap<u64, (u64, u64)>,
    next: u64,
    pub live: u64,
    event: u64,
    deferred: Vec<u64>,
}

impl Heap {
    pub fn allocate(&mut self, bytes: u64) -> u64 {
        self.next += 1;
        self.blocks.insert(self.next, (bytes, self.event));
        self.live += bytes;
        self.next
    }

    pub fn free(&mut self, block: u64) {
        let (bytes, born) = self.blocks.remove(&block).unwrap();
        self.live -= bytes;
        if born < self.event {
            self.deferred.push(self.event - born);
        }
    }
}

/// Runs `behaviour` once per event and returns the history.
pub fn run(events: u64, mut behaviour: impl FnMut(&mut Heap, u64)) -> StackHistory {
    let mut heap = Heap::default();
    let mut readings = Vec::new();
    for event in 0..events {
        heap.event = event;
        readings.push(heap.live as f64);
        behaviour(&mut heap, event);
    }
    let mut births: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for (bytes, born) in heap.blocks.values() {
        let entry = births.entry(*born).or_default();
        entry.0 += bytes;
        entry.1 += 1;
    }
    let frees = heap.deferred.len() as u64;
    StackHistory {
        live: Series::consecutive(0, readings),
        end_of_range_bytes: heap.live,
        end_of_run_bytes: heap.live,
        at_exit_bytes: heap.live,
        births: births
            .into_iter()
            .map(|(event, (bytes, blocks))| Birth {
                event,
                bytes,
                blocks,
            })
            .collect(),
        births_known: true,
        deferral: (frees > 0).then(|| Deferral {
            frees,
            mean_events: heap.deferred.iter().sum::<u64>() as f64 / frees as f64,
            longest_events: heap.deferred.iter().copied().max().unwrap() as f64,
        }),
        events: events as u32,
        blocks: heap.next,
        lost: None,
    }
}

/// What its shape is in a run without counters.
pub fn classify(history: &StackHistory) -> ShapeVerdict {
    shape::classify(history, &Counters::default())
}
