//! The pointers in each block, packed: most take two to five bytes.
//!
//! ```text
//!   row    count, then for each pointer, in the order of their words:
//!          (words since the one before, or since the start) << 2 | kind      varint
//!          target - (target before, or this block), zigzag                    varint
//! ```
//!
//! They are kept, instead of read again for each question, so that the program stands still
//! for one pass in the order of addresses and no longer. A row begins wherever it was
//! finished (an outer block is done after those inside it); blocks without pointers have
//! none. Of equal pointers in words that follow each other the first is kept.

use crate::block::{NONE, PointerKind};

/// A terabyte of pointers would not fit into memory.
const POSITION_BYTES: usize = 5;

#[derive(Debug)]
pub(crate) struct Rows {
    /// Where each row begins; 0 for none.
    positions: Vec<[u8; POSITION_BYTES]>,
    packed: Vec<u8>,
}

/// A pointer in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edge {
    /// The number of the word in the block.
    pub word: u64,
    pub target: u32,
    pub kind: PointerKind,
}

impl Rows {
    pub fn new(blocks: usize) -> Self {
        Rows {
            positions: vec![[0; POSITION_BYTES]; blocks],
            packed: vec![0],
        }
    }

    pub fn put(&mut self, block: u32, row: &OpenRow) {
        let [position @ .., _, _, _] = (self.packed.len() as u64).to_le_bytes();
        if row.count == 0 {
            return;
        }
        self.positions[block as usize] = position;
        put_varint(&mut self.packed, u64::from(row.count));
        self.packed.extend_from_slice(&row.packed);
    }

    pub fn edges(&self, block: u32) -> Edges<'_> {
        let [a, b, c, d, e] = self.positions[block as usize];
        let position = u64::from_le_bytes([a, b, c, d, e, 0, 0, 0]) as usize;
        let mut edges = Edges {
            packed: &self.packed,
            cursor: Cursor {
                position,
                left: 0,
                target: block,
            },
            word: 0,
        };
        if position != 0 {
            edges.cursor.left = take_varint(&self.packed, &mut edges.cursor.position) as u32;
        }
        edges
    }

    /// Goes on where a cursor stands. The words are not known then.
    pub fn next_target(&self, cursor: &mut Cursor) -> Option<u32> {
        cursor.next(&self.packed).map(|(_, target)| target)
    }

    pub fn shrink(&mut self) {
        self.packed.shrink_to_fit();
    }

    pub fn heap_bytes(&self) -> usize {
        self.positions.capacity() * POSITION_BYTES + self.packed.capacity()
    }
}

/// A row that is being written.
#[derive(Debug, Default)]
pub(crate) struct OpenRow {
    packed: Vec<u8>,
    count: u32,
    word: u64,
    target: u32,
    /// The last pointer that was seen, kept or not.
    last: Option<(u64, u32, PointerKind)>,
}

impl OpenRow {
    pub fn begin(&mut self, block: u32) {
        self.packed.clear();
        self.count = 0;
        self.word = 0;
        self.target = block;
        self.last = None;
    }

    pub fn add(&mut self, edge: Edge) {
        let before = self.last.replace((edge.word, edge.target, edge.kind));
        let is_repeated = before.is_some_and(|(word, target, kind)| {
            word + 1 == edge.word && target == edge.target && kind == edge.kind
        });
        if is_repeated || self.count == NONE {
            return;
        }
        let gap = edge.word - self.word;
        put_varint(&mut self.packed, gap << 2 | edge.kind as u64);
        let step = i64::from(edge.target) - i64::from(self.target);
        put_varint(&mut self.packed, (step << 1 ^ step >> 63) as u64);
        self.word = edge.word;
        self.target = edge.target;
        self.count += 1;
    }
}

/// A place in a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor {
    position: usize,
    left: u32,
    target: u32,
}

impl Cursor {
    fn next(&mut self, packed: &[u8]) -> Option<(u64, u32)> {
        self.left = self.left.checked_sub(1)?;
        let gap = take_varint(packed, &mut self.position);
        let zigzag = take_varint(packed, &mut self.position);
        let step = (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64);
        self.target = (i64::from(self.target) + step) as u32;
        Some((gap, self.target))
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Edges<'a> {
    packed: &'a [u8],
    cursor: Cursor,
    word: u64,
}

impl Edges<'_> {
    pub fn cursor(&self) -> Cursor {
        self.cursor
    }
}

impl Iterator for Edges<'_> {
    type Item = Edge;

    fn next(&mut self) -> Option<Edge> {
        let (gap, target) = self.cursor.next(self.packed)?;
        self.word += gap >> 2;
        let kind = match gap & 3 {
            0 => PointerKind::Start,
            1 => PointerKind::Tagged,
            _ => PointerKind::Interior,
        };
        Some(Edge {
            word: self.word,
            target,
            kind,
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.cursor.left as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Edges<'_> {}

fn put_varint(into: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        into.push(value as u8 | 0x80);
        value >>= 7;
    }
    into.push(value as u8);
}

fn take_varint(from: &[u8], position: &mut usize) -> u64 {
    let mut value = 0;
    let mut shift = 0;
    loop {
        let byte = from[*position];
        *position += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return value;
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_went_in() {
        let edges = [
            (0, 3, PointerKind::Start),
            (1, 900_000, PointerKind::Interior),
            (70, 0, PointerKind::Tagged),
            (1 << 50, u32::MAX - 1, PointerKind::Start),
        ];
        let edges = edges.map(|(word, target, kind)| Edge { word, target, kind });
        let mut rows = Rows::new(6);
        let mut row = OpenRow::default();
        for block in [5, 0, 3] {
            row.begin(block);
            for edge in edges {
                row.add(edge);
            }
            rows.put(block, &row);
        }
        for block in 0..6 {
            let found: Vec<_> = rows.edges(block).collect();
            let expected: &[_] = if [5, 0, 3].contains(&block) {
                &edges
            } else {
                &[]
            };
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn equal_pointers_in_a_row_are_kept_once() {
        let mut rows = Rows::new(1);
        let mut row = OpenRow::default();
        row.begin(0);
        for word in [0, 1, 2, 3, 7, 8] {
            row.add(Edge {
                word,
                target: 9,
                kind: PointerKind::Start,
            });
        }
        rows.put(0, &row);
        let words: Vec<_> = rows.edges(0).map(|edge| edge.word).collect();
        assert_eq!(words, [0, 7]);
    }
}
