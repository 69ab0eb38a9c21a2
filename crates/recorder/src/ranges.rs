//! The ranges of address space that the program mapped, sorted, so that a program may have tens
//! of thousands of them: they lie in chunks, and whatever comes or goes moves what is in its
//! chunk and the numbers of those behind it, no more.
//!
//! ```text
//!   order   3 0 7 ...                 numbers of chunks, in the order of addresses
//!   chunk 3 [range range range    ]
//!   chunk 0 [range range range range]
//! ```

use crate::private;

/// A range and where it came from. A mapping that was cut in pieces has several
/// ranges of the same origin; it counts as freed when the last is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Range {
    pub start: usize,
    pub end: usize,
    pub record: u64,
    pub stack: u32,
    pub birth: u32,
    /// Number of the origin.
    pub origin: u32,
}

impl Range {
    const NONE: Range = Range {
        start: 0,
        end: 0,
        record: 0,
        stack: 0,
        birth: 0,
        origin: 0,
    };
}

const MOST_RANGES: usize = 1 << 16;
const CHUNK_RANGES: usize = 128;
/// What a full chunk is split into. Two neighbours that have no more together become one, so that on
/// average chunks have more than half of this.
const HALF: usize = CHUNK_RANGES / 2;
const CHUNKS: usize = 2 * MOST_RANGES / HALF;

/// Memory for so many chunks, and for what is known of so many origins.
#[repr(C)]
struct Group {
    /// How many ranges an origin has; of one without any, the next such, plus one.
    pieces: [u32; GROUP_ORIGINS],
    chunks: [[Range; CHUNK_RANGES]; GROUP_CHUNKS],
}

const GROUPS: usize = 64;
const GROUP_ORIGINS: usize = MOST_RANGES / GROUPS;
const GROUP_CHUNKS: usize = CHUNKS / GROUPS;

/// Zeros are an empty one. Only reached with the lock of mappings held.
#[repr(C)]
pub struct Ranges {
    count: usize,
    /// Chunks in use, by number in the order of addresses.
    used: usize,
    order: [u16; CHUNKS],
    lengths: [u16; CHUNKS],
    /// Chunks that were ever used, and numbers of those that are not any more.
    chunks: usize,
    free: usize,
    free_chunks: [u16; CHUNKS],
    origins: usize,
    free_origin: u32,
    /// Made when they are needed: a program may lock all memory, and be allowed little.
    groups: [*mut Group; GROUPS],
}

/// A place among the chunks in use, and one in its chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At {
    place: usize,
    index: usize,
}

impl Ranges {
    pub fn make() -> Option<*mut Ranges> {
        private::map_array::<Ranges>(1, size_of::<Ranges>())
    }

    fn group(&self, index: usize) -> Option<&Group> {
        // SAFETY: groups are never unmapped, and the lock is held.
        unsafe { self.groups.get(index)?.as_ref() }
    }

    fn group_mut(&mut self, index: usize) -> Option<&mut Group> {
        // SAFETY: as above.
        unsafe { self.groups.get(index)?.as_mut() }
    }

    /// False where there is no memory for it.
    fn has_group(&mut self, index: usize) -> bool {
        let Some(place) = self.groups.get_mut(index) else {
            return false;
        };
        if place.is_null()
            && let Some(made) = private::map_array::<Group>(1, 2 * 4096)
        {
            *place = made;
        }
        !place.is_null()
    }

    /// The number of the chunk at a place in the order.
    fn number(&self, place: usize) -> Option<usize> {
        let used = self.order.get(..self.used).unwrap_or(&[]);
        used.get(place).map(|number| usize::from(*number))
    }

    fn ranges(&mut self, number: usize) -> Option<&mut [Range; CHUNK_RANGES]> {
        let group = self.group_mut(number / GROUP_CHUNKS)?;
        group.chunks.get_mut(number % GROUP_CHUNKS)
    }

    fn pieces(&mut self, origin: u32) -> Option<&mut u32> {
        let group = self.group_mut(origin as usize / GROUP_ORIGINS)?;
        group.pieces.get_mut(origin as usize % GROUP_ORIGINS)
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// The ranges of the chunk at a place in the order.
    fn chunk(&self, place: usize) -> &[Range] {
        let number = self.number(place);
        number.map_or(&[], |number| self.chunk_numbered(number))
    }

    fn chunk_numbered(&self, number: usize) -> &[Range] {
        let length = self.lengths.get(number).map_or(0, |length| *length);
        let group = self.group(number / GROUP_CHUNKS);
        let chunk = group.and_then(|group| group.chunks.get(number % GROUP_CHUNKS));
        chunk.map_or(&[], |chunk| chunk.get(..length.into()).unwrap_or(&[]))
    }

    /// The first range that ends after `address`.
    pub fn first_after(&self, address: usize) -> At {
        let ends_before = |number: &u16| {
            let last = self.chunk_numbered((*number).into()).last();
            last.is_none_or(|last| last.end <= address)
        };
        let used = self.order.get(..self.used).unwrap_or(&[]);
        let place = used.partition_point(ends_before);
        let chunk = self.chunk(place);
        let index = chunk.partition_point(|range| range.end <= address);
        At { place, index }
    }

    pub fn get(&self, at: At) -> Option<Range> {
        self.chunk(at.place).get(at.index).copied()
    }

    /// All from a place on.
    pub fn from(&self, at: At) -> impl Iterator<Item = Range> + '_ {
        let rest = (at.place + 1..self.used).flat_map(|place| self.chunk(place));
        let first = self.chunk(at.place).get(at.index..).unwrap_or(&[]);
        first.iter().chain(rest).copied()
    }

    /// Puts a range in the place of one that it is a part of.
    pub fn set(&mut self, at: At, range: Range) {
        let chunk = self.number(at.place).and_then(|number| self.ranges(number));
        if let Some(place) = chunk.and_then(|chunk| chunk.get_mut(at.index)) {
            *place = range;
        }
    }

    /// The range after this one.
    pub fn next(&self, at: At) -> At {
        self.in_a_chunk(At {
            index: at.index + 1,
            ..at
        })
    }

    fn in_a_chunk(&self, at: At) -> At {
        match at.index < self.chunk(at.place).len() {
            true => at,
            false => At {
                place: at.place + 1,
                index: 0,
            },
        }
    }

    /// Enters a range, which overlaps no other; false where there is no room.
    pub fn insert(&mut self, range: Range) -> bool {
        if self.count >= MOST_RANGES {
            return false;
        }
        let mut at = self.first_after(range.start);
        if at.place == self.used {
            // Behind all others.
            match self.used.checked_sub(1) {
                Some(last) => {
                    at = At {
                        place: last,
                        index: self.chunk(last).len(),
                    };
                }
                None if self.new_chunk(0) => at.index = 0,
                None => return false,
            }
        }
        if self.chunk(at.place).len() == CHUNK_RANGES {
            if !self.split(at.place) {
                return false;
            }
            if at.index > HALF {
                at = At {
                    place: at.place + 1,
                    index: at.index - HALF,
                };
            }
        }
        if !self.insert_at(at, range) {
            return false;
        }
        if let Some(pieces) = self.pieces(range.origin) {
            *pieces += 1;
        }
        self.count += 1;
        true
    }

    /// The chunk has room.
    fn insert_at(&mut self, at: At, range: Range) -> bool {
        let length = self.chunk(at.place).len();
        let Some(number) = self.number(at.place) else {
            return false;
        };
        let Some(chunk) = self.ranges(number) else {
            return false;
        };
        if length >= CHUNK_RANGES || at.index > length {
            return false;
        }
        chunk.copy_within(at.index..length, at.index + 1);
        chunk[at.index] = range;
        self.lengths[number] = length as u16 + 1;
        true
    }

    /// Puts an empty chunk into the order.
    fn new_chunk(&mut self, place: usize) -> bool {
        let number = match self.free.checked_sub(1) {
            Some(last) => {
                self.free = last;
                self.free_chunks[last % CHUNKS]
            }
            None if self.chunks < CHUNKS => {
                self.chunks += 1;
                (self.chunks - 1) as u16
            }
            None => return false,
        };
        if self.used >= CHUNKS || place > self.used {
            return false;
        }
        if !self.has_group(usize::from(number) / GROUP_CHUNKS) {
            self.give_back(number);
            return false;
        }
        self.order.copy_within(place..self.used, place + 1);
        self.order[place] = number;
        self.lengths[usize::from(number) % CHUNKS] = 0;
        self.used += 1;
        true
    }

    /// Moves the second half of a full chunk to one of its own behind it.
    fn split(&mut self, place: usize) -> bool {
        if !self.new_chunk(place + 1) {
            return false;
        }
        let mut moved = [Range::NONE; HALF];
        let (Some(from), Some(to)) = (self.number(place), self.number(place + 1)) else {
            return false;
        };
        if let Some(chunk) = self.ranges(from) {
            moved.copy_from_slice(&chunk[HALF..]);
        }
        if let Some(chunk) = self.ranges(to) {
            chunk[..HALF].copy_from_slice(&moved);
        }
        (self.lengths[from], self.lengths[to]) = (HALF as u16, HALF as u16);
        true
    }

    /// Takes a range out; returns where the next one is then.
    pub fn remove(&mut self, at: At) -> At {
        let length = self.chunk(at.place).len();
        let (Some(range), Some(number)) = (self.get(at), self.number(at.place)) else {
            return at;
        };
        if let Some(chunk) = self.ranges(number) {
            chunk.copy_within(at.index + 1..length, at.index);
        }
        self.lengths[number] = length as u16 - 1;
        self.count -= 1;
        if let Some(pieces) = self.pieces(range.origin) {
            *pieces = pieces.saturating_sub(1);
        }
        if length == 1 {
            self.drop_chunk(at.place);
            return At {
                place: at.place,
                index: 0,
            };
        }
        if self.joins_next(at.place) {
            return self.in_a_chunk(at);
        }
        let before = at.place.checked_sub(1);
        let before = before.map(|place| (place, self.chunk(place).len()));
        match before {
            Some((place, length)) if self.joins_next(place) => self.in_a_chunk(At {
                place,
                index: length + at.index,
            }),
            _ => self.in_a_chunk(at),
        }
    }

    /// Takes in what the chunk behind this one has, if that is little.
    fn joins_next(&mut self, place: usize) -> bool {
        let (own, next) = (self.chunk(place).len(), self.chunk(place + 1).len());
        let Some(to) = self.number(place) else {
            return false;
        };
        if next == 0 || own + next > HALF {
            return false;
        }
        let mut moved = [Range::NONE; HALF];
        moved[..next].copy_from_slice(self.chunk(place + 1));
        if let Some(chunk) = self.ranges(to) {
            chunk[own..own + next].copy_from_slice(&moved[..next]);
        }
        self.lengths[to] = (own + next) as u16;
        self.drop_chunk(place + 1);
        true
    }

    fn drop_chunk(&mut self, place: usize) {
        let number = self.order[place % CHUNKS];
        self.order.copy_within(place + 1..self.used, place);
        self.used -= 1;
        self.give_back(number);
    }

    fn give_back(&mut self, number: u16) {
        self.free_chunks[self.free % CHUNKS] = number;
        self.free += 1;
    }

    /// An origin without ranges; `None` where there are as many as ranges.
    pub fn new_origin(&mut self) -> Option<u32> {
        if let Some(free) = self.free_origin.checked_sub(1) {
            self.free_origin = core::mem::take(self.pieces(free)?);
            return Some(free);
        }
        let origin = self.origins;
        if !self.has_group(origin / GROUP_ORIGINS) {
            return None;
        }
        self.origins += 1;
        Some(origin as u32)
    }

    /// Whether an origin has no range any more; then another mapping may get its number.
    pub fn is_over(&mut self, origin: u32) -> bool {
        let next = self.free_origin;
        match self.pieces(origin) {
            Some(pieces) if *pieces == 0 => *pieces = next,
            Some(_) => return false,
            None => return true,
        }
        self.free_origin = origin + 1;
        true
    }
}

#[cfg(test)]
#[path = "ranges_tests.rs"]
mod tests;
