//! Reading unwind tables in memory, never beyond their module.

/// A position in a module's memory and the end it must not pass.
#[derive(Debug, Clone, Copy)]
pub struct Reader {
    at: usize,
    end: usize,
}

/// Pointer encodings of `.eh_frame`, by their DWARF names.
pub const ENCODING_OMIT: u8 = 0xff;
const FORMAT_MASK: u8 = 0x0f;
const APPLICATION_MASK: u8 = 0x70;
const APPLICATION_PCREL: u8 = 0x10;
const APPLICATION_DATAREL: u8 = 0x30;
const INDIRECT: u8 = 0x80;

impl Reader {
    /// # Safety
    /// `start..end` must be readable memory for as long as the reader is used.
    pub unsafe fn new(start: usize, end: usize) -> Reader {
        Reader { at: start, end }
    }

    pub fn at(&self) -> usize {
        self.at
    }

    pub fn is_empty(&self) -> bool {
        self.at >= self.end
    }

    /// A reader of the next `bytes` bytes, which this one skips.
    pub fn take(&mut self, bytes: usize) -> Option<Reader> {
        let end = self.at.checked_add(bytes).filter(|&end| end <= self.end)?;
        let part = Reader { at: self.at, end };
        self.at = end;
        Some(part)
    }

    fn read<T: Copy>(&mut self) -> Option<T> {
        let part = self.take(size_of::<T>())?;
        // SAFETY: `take` checked that the bytes lie inside the readable range.
        Some(unsafe { (part.at as *const T).read_unaligned() })
    }

    pub fn u8(&mut self) -> Option<u8> {
        self.read()
    }

    pub fn u16(&mut self) -> Option<u16> {
        self.read()
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.read()
    }

    pub fn i32(&mut self) -> Option<i32> {
        self.read()
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.read()
    }

    pub fn uleb(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        let mut shift = 0;
        loop {
            let byte = self.u8()?;
            if shift < 64 {
                value |= u64::from(byte & 0x7f) << shift;
            }
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
    }

    pub fn sleb(&mut self) -> Option<i64> {
        let mut value = 0_i64;
        let mut shift = 0;
        loop {
            let byte = self.u8()?;
            if shift < 64 {
                value |= i64::from(byte & 0x7f) << shift;
            }
            shift += 7;
            if byte & 0x80 == 0 {
                if shift < 64 && byte & 0x40 != 0 {
                    value |= -1 << shift;
                }
                return Some(value);
            }
        }
    }

    /// A pointer in one of the encodings of `.eh_frame`; `base` is what data
    /// relative ones start from.
    pub fn pointer(&mut self, encoding: u8, base: usize) -> Option<usize> {
        let place = self.at;
        let value = self.unapplied(encoding)?;
        let address = match encoding & APPLICATION_MASK {
            0 => value,
            APPLICATION_PCREL => place.wrapping_add(value),
            APPLICATION_DATAREL => base.wrapping_add(value),
            _ => return None,
        };
        if encoding & INDIRECT != 0 {
            return None;
        }
        Some(address)
    }

    /// The plain number of an encoding, as lengths are written.
    pub fn unapplied(&mut self, encoding: u8) -> Option<usize> {
        Some(match encoding & FORMAT_MASK {
            0x00 | 0x04 | 0x0c => self.u64()? as usize,
            0x01 => self.uleb()? as usize,
            0x02 => self.u16()? as usize,
            0x03 => self.u32()? as usize,
            0x09 => self.sleb()? as usize,
            0x0a => self.u16()? as i16 as usize,
            0x0b => self.i32()? as usize,
            _ => return None,
        })
    }

    /// Steps over a pointer without following it.
    pub fn skip_pointer(&mut self, encoding: u8) -> Option<()> {
        if encoding != ENCODING_OMIT {
            self.unapplied(encoding)?;
        }
        Some(())
    }
}
