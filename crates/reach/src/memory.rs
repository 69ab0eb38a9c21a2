//! The memory of the program, read in large pieces.

use crate::block::WORD_BYTES;
use std::ops::Range;

/// Memory that stands still.
pub trait Memory {
    /// How many bytes were copied from the address on: less than asked for where the rest is
    /// not there.
    fn read(&self, address: u64, into: &mut [u8]) -> usize;

    /// The first address behind one that is not there that may be. Whoever knows the mappings
    /// should answer from them: a mapping that reserves a terabyte has many pages to ask for.
    /// Pages that were never touched can be passed over too.
    fn next_readable(&self, address: u64) -> u64 {
        (address | (PAGE_BYTES - 1)).saturating_add(1)
    }
}

const PAGE_BYTES: u64 = 4096;
const PIECE_BYTES: usize = 1 << 20;
/// Readings in a row that found nothing; then what is left of the range is given up. So no
/// claim about a block's size can keep the scan busy for ever.
const MAX_FAILURES: u32 = 1 << 20;
/// What the next ranges have, until something is found again.
const MORE_FAILURES: u32 = 16;

/// A piece of memory that was read, and a hole behind it that was met.
#[derive(Debug)]
pub(crate) struct Window<'a, M: ?Sized> {
    memory: &'a M,
    piece: Vec<u8>,
    base: u64,
    /// A multiple of a word, like `base`.
    valid_bytes: usize,
    hole: Range<u64>,
    failures: u32,
}

impl<'a, M: Memory + ?Sized> Window<'a, M> {
    pub fn new(memory: &'a M) -> Self {
        Window {
            memory,
            piece: vec![0; PIECE_BYTES],
            base: 0,
            valid_bytes: 0,
            hole: 0..0,
            failures: 0,
        }
    }

    /// Hands on the aligned words of the range, piece by piece, and returns the bytes that
    /// were not there. `ahead` is asked how far it is worth to read.
    pub fn visit(
        &mut self,
        range: Range<u64>,
        ahead: impl Fn() -> u64,
        mut each: impl FnMut(u64, &[u8]),
    ) -> u64 {
        let end = range.end & !(WORD_BYTES - 1);
        let mut at = align_up(range.start);
        let mut unread_bytes = 0;
        while at < end {
            let inside = at.wrapping_sub(self.base);
            if inside < self.valid_bytes as u64 {
                let from = inside as usize;
                let to = self.valid_bytes.min(from + usize_of(end - at));
                each(at, &self.piece[from..to]);
                at += (to - from) as u64;
            } else if self.hole.contains(&at) {
                let to = self.hole.end.min(end);
                unread_bytes += to - at;
                at = to;
            } else if self.failures >= MAX_FAILURES {
                self.hole = at..end;
                self.failures = MAX_FAILURES - MORE_FAILURES;
            } else {
                self.fill(at, ahead().max(end));
            }
        }
        unread_bytes
    }

    fn fill(&mut self, at: u64, end: u64) {
        let bytes = usize_of(end - at).min(PIECE_BYTES);
        let read = self.memory.read(at, &mut self.piece[..bytes]).min(bytes);
        self.base = at;
        self.valid_bytes = read & !(WORD_BYTES as usize - 1);
        if self.valid_bytes > 0 {
            self.failures = 0;
            return;
        }
        self.failures += 1;
        let next = self.memory.next_readable(at).max(at.saturating_add(1));
        self.hole = at..align_up(next);
    }
}

/// The first address of a word from here on. There is none behind the last word.
fn align_up(address: u64) -> u64 {
    address
        .checked_add(WORD_BYTES - 1)
        .map_or(u64::MAX, |sum| sum & !(WORD_BYTES - 1))
}

fn usize_of(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Each readable byte is the low byte of its address.
    struct Ranges {
        there: Vec<Range<u64>>,
        readings: Cell<u32>,
    }

    impl Memory for Ranges {
        fn read(&self, address: u64, into: &mut [u8]) -> usize {
            self.readings.set(self.readings.get() + 1);
            let range = self.there.iter().find(|range| range.contains(&address));
            let bytes = range.map_or(0, |range| usize_of(range.end - address).min(into.len()));
            for (place, byte) in into[..bytes].iter_mut().enumerate() {
                *byte = (address as usize + place) as u8;
            }
            bytes
        }
    }

    fn seen(window: &mut Window<'_, Ranges>, range: Range<u64>, ahead: u64) -> (u64, u64) {
        let mut bytes = 0;
        let unread = window.visit(
            range,
            || ahead,
            |at, piece| {
                assert_eq!(at % 8, 0);
                let is_right = |(place, &byte): (usize, &u8)| byte == (at as usize + place) as u8;
                assert!(piece.iter().enumerate().all(is_right));
                bytes += piece.len() as u64;
            },
        );
        (bytes, unread)
    }

    #[test]
    fn what_is_not_there_is_counted_and_the_rest_is_read() {
        let memory = Ranges {
            there: vec![0x1000..0x3000, 0x5000..0x50_0000],
            readings: Cell::new(0),
        };
        let mut window = Window::new(&memory);
        assert_eq!(seen(&mut window, 0x1003..0x2ffd, 0), (0x1ff0, 0));
        assert_eq!(seen(&mut window, 0x1000..0x6000, 0), (0x3000, 0x2000));
        assert_eq!(seen(&mut window, 0..0x1000, 0), (0, 0x1000));
        let all = 0x50_0000 - 0x5000;
        assert_eq!(seen(&mut window, 0x5000..0x50_1000, 0), (all, 0x1000));
    }

    #[test]
    fn small_ranges_are_read_in_one_piece() {
        let memory = Ranges {
            there: std::iter::once(0x1000..0x20_0000).collect(),
            readings: Cell::new(0),
        };
        let mut window = Window::new(&memory);
        for start in (0x1000..0x10_0000).step_by(64) {
            seen(&mut window, start..start + 64, 0x10_0000);
        }
        assert_eq!(memory.readings.get(), 1);
    }

    #[test]
    fn a_claim_of_the_whole_address_space_comes_to_an_end() {
        let memory = Ranges {
            there: std::iter::once(0x1000..0x2000).collect(),
            readings: Cell::new(0),
        };
        let mut window = Window::new(&memory);
        let (bytes, unread) = seen(&mut window, 0..u64::MAX, 0);
        assert_eq!(bytes, 0x1000);
        assert_eq!(unread, u64::MAX - 7 - 0x1000);
    }
}
