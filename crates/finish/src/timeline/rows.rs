//! The rows that the recorder wrote: moments, stamps and counts.

use crate::arena_file::{ArenaFile, Error};
use residue_arena::moments::*;
use residue_arena::region::Region;
use residue_profile::timeline::{EventNumber, NameId};

pub struct Row {
    /// One of `KIND_*`.
    pub kind: u64,
    /// Of the moment; zero in rows that are none.
    pub number: u32,
    pub name: Option<NameId>,
    words: [u64; ROW_WORDS],
}

impl Row {
    pub fn word(&self, index: usize) -> u64 {
        self.words[index]
    }

    /// A size of the process, where it was read.
    pub fn size(&self, index: usize) -> Option<u64> {
        read_size(self.words[index])
    }

    pub fn event(&self) -> EventNumber {
        self.words[ROW_EVENT_AND_STREAM] as u32
    }

    pub fn stream(&self) -> u32 {
        (self.words[ROW_EVENT_AND_STREAM] >> 32) as u32
    }

    pub fn value(&self) -> f64 {
        f64::from_bits(self.words[ROW_ID])
    }
}

pub fn read_size(word: u64) -> Option<u64> {
    (word != 0).then_some(word)
}

/// All whole rows, kept ones and those of the ring, in the order of time.
pub fn read(arena: &ArenaFile) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for region in [Region::Moments, Region::LatestMoments] {
        arena.each_item(region, |item| {
            let (kind, number, name) = row_of_head(item.word(ROW_HEAD));
            if kind != 0 {
                rows.push(Row {
                    kind,
                    number,
                    name,
                    words: item.words(),
                });
            }
        })?;
    }
    rows.sort_by_key(|row| (row.word(ROW_TIME_NS), row.event(), row.number));
    Ok(rows)
}
