//! A function whose entries are events, though it marks none.

use std::hint::black_box;

/// How `--event-function` is told of it.
pub const NAME: &str = "residue_selftest_event";

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn residue_selftest_event(number: u64) -> u64 {
    let block = black_box(vec![1_u8; 100 + number as usize % 50]);
    block.len() as u64
}

pub fn enter(times: u64) {
    for number in 0..times {
        black_box(residue_selftest_event(black_box(number)));
    }
}
