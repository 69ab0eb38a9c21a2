//! An event loop that leaves a known number of bytes behind in every event, beside
//! noise: blocks of random sizes that live for random times, in bounded number.

use std::hint::black_box;

/// The stamp at the end of every event, and how many each has.
pub const LAST_STAMP: &str = "left";
pub const STAMPS_PER_EVENT: u64 = 2;

/// Runs the events. Leaves nothing behind where `bytes_per_event` is zero.
pub fn run_events(events: u64, bytes_per_event: u64, is_touched: bool) {
    let mut noise = Noise::new();
    // All places are taken before the first event.
    noise.replace(20 * PLACES);
    for event in 1..=events {
        let _event = residue_marks::event(event);
        noise.replace(PLACES / 4);
        residue_marks::stamp("noise");
        if bytes_per_event > 0 {
            leak(bytes_per_event as usize, is_touched);
        }
        residue_marks::stamp(LAST_STAMP);
        residue_marks::count("replaced", (PLACES / 4) as f64);
    }
}

#[inline(never)]
fn leak(bytes: usize, is_touched: bool) {
    const FILLING: u8 = 0xA5;
    let mut block = Vec::with_capacity(bytes);
    if is_touched {
        block.resize(bytes, FILLING);
    }
    std::mem::forget(black_box(block));
}

const PLACES: usize = 256;
const MOST_BYTES: u64 = 8000;

struct Noise {
    places: Vec<Vec<u8>>,
    random: u64,
}

impl Noise {
    fn new() -> Noise {
        Noise {
            places: vec![Vec::new(); PLACES],
            random: 0x9E37_79B9_7F4A_7C15,
        }
    }

    fn replace(&mut self, blocks: usize) {
        for _ in 0..blocks {
            let place = self.below(PLACES as u64) as usize;
            let bytes = 1 + self.below(MOST_BYTES);
            self.places[place] = black_box(vec![1; bytes as usize]);
        }
    }

    /// A number below `end`, the same in every run (xorshift).
    fn below(&mut self, end: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % end
    }
}
