//! What marks and allocations cost, here and now.

use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::time::Instant;

/// Nanoseconds each: the median of several batches.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Costs {
    pub event_ns: f64,
    pub stamp_ns: f64,
    pub count_ns: f64,
    /// A block of 64 bytes, made and freed.
    pub allocation_ns: f64,
}

const BATCHES: usize = 7;
const MARKS: u64 = 300;
const ALLOCATIONS: u64 = 20_000;

pub fn measure() -> Costs {
    Costs {
        event_ns: median_ns(MARKS, |number| drop(residue_marks::event(number))),
        stamp_ns: inside_event(|_| residue_marks::stamp(c"stamp")),
        count_ns: inside_event(|number| residue_marks::count(c"count", number as f64)),
        allocation_ns: median_ns(ALLOCATIONS, |_| {
            drop(black_box(Vec::<u8>::with_capacity(black_box(64))));
        }),
    }
}

fn inside_event(mark: impl Fn(u64)) -> f64 {
    let _event = residue_marks::event(0);
    median_ns(MARKS, mark)
}

/// Time of one turn. The first batch is for getting warm.
fn median_ns(turns: u64, work: impl Fn(u64)) -> f64 {
    let mut batches = [0.0; BATCHES];
    for batch in std::iter::once(&mut 0.0).chain(&mut batches) {
        let started = Instant::now();
        for turn in 0..turns {
            work(turn);
        }
        *batch = started.elapsed().as_nanos() as f64 / turns as f64;
    }
    batches.sort_by(f64::total_cmp);
    batches[BATCHES / 2]
}
