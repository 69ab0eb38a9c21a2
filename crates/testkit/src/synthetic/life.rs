//! What one stack makes and frees, block by block as far as it matters: blocks
//! are of one of two sizes, and the latest are freed first.

use residue_profile::timeline::EventNumber;
use residue_profile::{BirthBin, Counters, SizeBin};

use crate::random::Random;

/// Bytes and blocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amount {
    pub bytes: u64,
    pub blocks: u64,
}

/// Blocks of one size that were made in one event and are not freed.
#[derive(Debug, Clone, Copy)]
struct Batch {
    born: EventNumber,
    size: usize,
    blocks: u64,
}

#[derive(Debug, Default)]
pub struct Life {
    /// It never frees what an event has made.
    pub leaks: bool,
    /// In bytes, ascending; most stacks use the first only.
    sizes: [u64; 2],
    calls: [u64; 2],
    /// In the order of birth.
    batches: Vec<Batch>,
    live: Amount,
    peak_bytes: u64,
    temporaries: u64,
    reallocs_in_place: u64,
    reallocs_moved: u64,
}

impl Life {
    pub fn new(random: &mut Random) -> Self {
        let size = 16 + 8 * random.skewed(10);
        let larger = match random.below(3) {
            0 => size + 8 + 8 * random.skewed(8),
            _ => size,
        };
        Life {
            sizes: [size, larger],
            ..Life::default()
        }
    }

    pub fn live(&self) -> Amount {
        self.live
    }

    pub fn make(&mut self, random: &mut Random, born: EventNumber, blocks: u64) {
        let is_larger = self.sizes[1] != self.sizes[0] && random.one_in(2);
        let size = usize::from(is_larger);
        self.calls[size] += blocks;
        self.live.blocks += blocks;
        self.live.bytes += blocks * self.sizes[size];
        self.peak_bytes = self.peak_bytes.max(self.live.bytes);
        match self.batches.last_mut() {
            Some(batch) if batch.born == born && batch.size == size => batch.blocks += blocks,
            _ => self.batches.push(Batch { born, size, blocks }),
        }
    }

    /// Frees the latest blocks, and tells how many of which event.
    pub fn free(&mut self, mut blocks: u64, mut freed: impl FnMut(EventNumber, u64)) {
        while blocks > 0
            && let Some(batch) = self.batches.last_mut()
        {
            let now = blocks.min(batch.blocks);
            batch.blocks -= now;
            blocks -= now;
            self.live.blocks -= now;
            self.live.bytes -= now * self.sizes[batch.size];
            freed(batch.born, now);
            if batch.blocks == 0 {
                self.batches.pop();
            }
        }
    }

    /// Makes blocks one after the other and frees each before the next.
    pub fn churn(&mut self, blocks: u64) {
        self.calls[0] += blocks;
        self.temporaries += blocks;
        self.reallocs_in_place += blocks / 8;
        self.reallocs_moved += blocks / 16;
        if blocks > 0 {
            self.peak_bytes = self.peak_bytes.max(self.live.bytes + self.sizes[0]);
        }
    }

    pub fn counters(&self, at_peak: Amount) -> Counters {
        let calls = self.calls[0] + self.calls[1];
        Counters {
            calls,
            frees: calls - self.live.blocks,
            total_bytes: self.calls[0] * self.sizes[0] + self.calls[1] * self.sizes[1],
            live_bytes: self.live.bytes,
            live_blocks: self.live.blocks,
            peak_bytes: self.peak_bytes,
            at_peak_bytes: at_peak.bytes,
            at_peak_blocks: at_peak.blocks,
            reallocs_in_place: self.reallocs_in_place,
            reallocs_moved: self.reallocs_moved,
            temporaries: self.temporaries,
            cpu_ns: 0,
            largest_bytes: self.largest_bytes(),
        }
    }

    fn largest_bytes(&self) -> u64 {
        let made = self.sizes.into_iter().zip(self.calls);
        let sizes = made.filter(|(_, calls)| *calls > 0);
        sizes.map(|(size, _)| size).max().unwrap_or(0)
    }

    pub fn sizes_total(&self) -> Vec<SizeBin> {
        self.bins(self.calls)
    }

    pub fn sizes_live(&self) -> Vec<SizeBin> {
        let mut blocks = [0; 2];
        for batch in &self.batches {
            blocks[batch.size] += batch.blocks;
        }
        self.bins(blocks)
    }

    fn bins(&self, blocks: [u64; 2]) -> Vec<SizeBin> {
        let mut bins: Vec<SizeBin> = Vec::new();
        for (size, blocks) in self.sizes.into_iter().zip(blocks) {
            let bits = (u64::BITS - size.leading_zeros()) as u8;
            match bins.last_mut() {
                _ if blocks == 0 => {}
                Some(bin) if bin.bits == bits => bin.blocks += blocks,
                _ => bins.push(SizeBin { bits, blocks }),
            }
        }
        bins
    }

    pub fn birth_bins(&self) -> Vec<BirthBin> {
        let mut bins: Vec<BirthBin> = Vec::new();
        for batch in &self.batches {
            let bytes = batch.blocks * self.sizes[batch.size];
            match bins.last_mut() {
                Some(bin) if bin.birth == batch.born => {
                    bin.blocks += batch.blocks;
                    bin.bytes += bytes;
                }
                _ => bins.push(BirthBin {
                    birth: batch.born,
                    blocks: batch.blocks,
                    bytes,
                }),
            }
        }
        bins
    }
}
