//! The numbers inside a payload: LEB128 varints, one column after the other.
//!
//! ```text
//!   varint    seven bits a byte, lowest first; the top bit says "more follow"
//!   plain     varint(v)
//!   delta     varint(zigzag(v - previous v)), the first against 0, modulo 2^64
//! ```
//!
//! Arithmetic wraps in both directions, so that every value survives, sensible
//! or not; whether it makes sense is decided in one place, by [`crate::check`].

use crate::error::Reason;

/// Builds a payload.
#[derive(Default)]
pub(crate) struct Columns {
    bytes: Vec<u8>,
}

impl Columns {
    pub fn put(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    pub fn plain(&mut self, values: impl IntoIterator<Item = u64>) {
        for value in values {
            self.put(value);
        }
    }

    pub fn deltas(&mut self, values: impl IntoIterator<Item = u64>) {
        let mut last = 0u64;
        for value in values {
            self.put(zigzag(value.wrapping_sub(last)));
            last = value;
        }
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// Reads a payload.
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Cursor { rest: bytes }
    }

    pub fn u64(&mut self) -> Result<u64, Reason> {
        // Most numbers are small, and most of the time of reading is spent here.
        match *self.rest {
            [low, ref rest @ ..] if low < 0x80 => {
                self.rest = rest;
                Ok(u64::from(low))
            }
            [low, high, ref rest @ ..] if high < 0x80 => {
                self.rest = rest;
                Ok(u64::from(low & 0x7f) | u64::from(high) << 7)
            }
            _ => self.long_u64(),
        }
    }

    fn long_u64(&mut self) -> Result<u64, Reason> {
        let mut value = 0u64;
        for (index, &byte) in self.rest.iter().take(10).enumerate() {
            // The tenth byte has room for one bit only.
            if index == 9 && byte > 1 {
                break;
            }
            value |= u64::from(byte & 0x7f) << (7 * index);
            if byte < 0x80 {
                self.rest = &self.rest[index + 1..];
                return Ok(value);
            }
        }
        Err(if self.rest.len() < 10 {
            ends_early()
        } else {
            Reason::bad("a number of more than 64 bits")
        })
    }

    /// The next `rows` numbers as a cursor of their own, so that a table can be
    /// read row by row although it is stored column by column. A number ends
    /// where the top bit of a byte is not set, so none has to be read for it.
    pub fn column(&mut self, rows: usize) -> Result<Cursor<'a>, Reason> {
        const STRIDE: usize = 256;
        let ends_a_number = |byte: &&u8| **byte < 0x80;
        let mut rows_left = rows;
        let mut length = 0;
        for stride in self.rest.chunks(STRIDE) {
            let ends = stride.iter().filter(ends_a_number).count();
            if ends >= rows_left {
                break;
            }
            rows_left -= ends;
            length += stride.len();
        }
        while rows_left > 0 {
            let byte = self.rest.get(length).ok_or_else(ends_early)?;
            rows_left -= usize::from(ends_a_number(&byte));
            length += 1;
        }
        Ok(Cursor::new(self.bytes(length)?))
    }

    pub fn u32(&mut self) -> Result<u32, Reason> {
        to_u32(self.u64()?)
    }

    /// The number of rows to come, of which each takes at least `row_bytes`;
    /// hence it is safe to make room for that many.
    pub fn count(&mut self, row_bytes: usize) -> Result<usize, Reason> {
        let count = self.u64()?;
        match usize::try_from(count) {
            Ok(count) if count <= self.rest.len() / row_bytes.max(1) => Ok(count),
            _ => Err(Reason::bad(format!("{count} rows do not fit in it"))),
        }
    }

    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], Reason> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(ends_early)?;
        self.rest = rest;
        Ok(taken)
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    pub fn finish(self) -> Result<(), Reason> {
        match self.rest.len() {
            0 => Ok(()),
            left => Err(Reason::bad(format!("{left} bytes too many"))),
        }
    }
}

/// Reads a delta column.
pub(crate) struct Delta<'a> {
    differences: Cursor<'a>,
    last: u64,
}

impl<'a> Delta<'a> {
    pub fn new(differences: Cursor<'a>) -> Self {
        Delta {
            differences,
            last: 0,
        }
    }

    pub fn u64(&mut self) -> Result<u64, Reason> {
        let difference = unzigzag(self.differences.u64()?);
        self.last = self.last.wrapping_add(difference);
        Ok(self.last)
    }

    pub fn u32(&mut self) -> Result<u32, Reason> {
        to_u32(self.u64()?)
    }
}

pub(crate) fn to_u32(value: u64) -> Result<u32, Reason> {
    u32::try_from(value).map_err(|_| Reason::bad(format!("{value} is more than 32 bits")))
}

fn ends_early() -> Reason {
    Reason::bad("it ends inside a column")
}

pub(crate) fn zigzag(difference: u64) -> u64 {
    let signed = difference as i64;
    ((signed << 1) ^ (signed >> 63)) as u64
}

pub(crate) fn unzigzag(code: u64) -> u64 {
    (code >> 1) ^ (code & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_without_reading_them() {
        // Lengths around the stride, and numbers of every length.
        for rows in [0, 1, 2, 255, 256, 257, 1000] {
            let value = |row: usize| 1u64.rotate_left((row % 64) as u32);
            let mut columns = Columns::default();
            columns.plain((0..rows).map(value));
            columns.plain((0..rows).map(|row| row as u64));
            let bytes = columns.finish();
            let mut cursor = Cursor::new(&bytes);
            let mut first = cursor.column(rows).unwrap();
            let mut second = cursor.column(rows).unwrap();
            for row in 0..rows {
                assert_eq!(first.u64(), Ok(value(row)));
                assert_eq!(second.u64(), Ok(row as u64));
            }
            assert_eq!((first.left(), second.left()), (0, 0));
            assert!(cursor.column(1).is_err());
            assert_eq!(cursor.finish(), Ok(()));
        }
        assert!(Cursor::new(&[0x80, 1, 0x80]).column(2).is_err());
    }

    const EDGES: [u64; 9] = [
        0,
        1,
        127,
        128,
        16_383,
        16_384,
        1 << 63,
        u64::MAX - 1,
        u64::MAX,
    ];

    #[test]
    fn every_edge_survives_plain_and_delta() {
        let mut columns = Columns::default();
        columns.plain(EDGES);
        columns.deltas(EDGES);
        let bytes = columns.finish();
        let mut cursor = Cursor::new(&bytes);
        for edge in EDGES {
            assert_eq!(cursor.u64(), Ok(edge));
        }
        let mut delta = Delta::new(cursor);
        for edge in EDGES {
            assert_eq!(delta.u64(), Ok(edge));
        }
        assert_eq!(delta.differences.finish(), Ok(()));
    }

    #[test]
    fn malformed_numbers_are_refused() {
        assert!(Cursor::new(&[]).u64().is_err());
        assert!(Cursor::new(&[0x80]).u64().is_err());
        assert!(Cursor::new(&[0xff; 11]).u64().is_err());
        let two_to_the_64 = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02];
        assert!(Cursor::new(&two_to_the_64).u64().is_err());
        assert!(Cursor::new(&[0x80, 0x80, 0x80, 0x80, 0x10]).u32().is_err());
    }

    #[test]
    fn a_count_must_fit_the_bytes_that_follow() {
        assert_eq!(Cursor::new(&[2, 0, 0, 0, 0]).count(2), Ok(2));
        assert!(Cursor::new(&[3, 0, 0, 0, 0]).count(2).is_err());
    }
}
