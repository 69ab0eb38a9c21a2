//! `.eh_frame`: finding the entry (FDE) that covers an address.

use super::reader::{ENCODING_OMIT, Reader};

/// What a common entry (CIE) says to all entries that share it.
#[derive(Debug, Clone, Copy)]
pub struct Common {
    pub code_alignment: u64,
    pub data_alignment: i64,
    pub return_register: u64,
    pub is_signal_frame: bool,
    pub initial: Reader,
    pointer_encoding: u8,
    has_augmentation: bool,
}

/// The entry of one function.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub common: Common,
    pub start: usize,
    pub end: usize,
    pub instructions: Reader,
}

/// The sorted table that linkers make: data relative, four bytes each.
const TABLE_ENCODING: u8 = 0x3b;

/// Finds the entry for `address` through `.eh_frame_hdr` at `header`; the tables
/// lie in `memory_start..memory_end`.
///
/// # Safety
/// That range must be readable.
pub unsafe fn find(
    header: usize,
    memory_start: usize,
    memory_end: usize,
    address: usize,
) -> Option<Entry> {
    // SAFETY: handed on to the caller.
    let mut reader = unsafe { Reader::new(header, memory_end) };
    if reader.u8()? != 1 {
        return None;
    }
    let (section_encoding, count_encoding, table_encoding) =
        (reader.u8()?, reader.u8()?, reader.u8()?);
    let section = reader.pointer(section_encoding, header)?;
    let memory = |start: usize| {
        // SAFETY: handed on to the caller.
        let reader = unsafe { Reader::new(start, memory_end) };
        (memory_start..memory_end)
            .contains(&start)
            .then_some(reader)
    };
    if count_encoding == ENCODING_OMIT || table_encoding != TABLE_ENCODING {
        return scan(memory(section)?, |entry| {
            (entry.start..entry.end).contains(&address)
        });
    }
    let count = reader.pointer(count_encoding, header)?;
    let table = reader.at();
    let row = |index: usize| -> Option<(usize, usize)> {
        let mut at = memory(table.checked_add(index.checked_mul(8)?)?)?;
        let start = header.wrapping_add(at.i32()? as usize);
        let entry = header.wrapping_add(at.i32()? as usize);
        Some((start, entry))
    };
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if row(middle)?.0 <= address {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let (_, at) = row(low.checked_sub(1)?)?;
    let entry = match parse(&mut memory(at)?)? {
        Record::Entry(entry) => entry,
        Record::Common | Record::End => return None,
    };
    (entry.start..entry.end).contains(&address).then_some(entry)
}

/// Walks a section from its first record and returns the first entry wanted.
pub fn scan(mut section: Reader, mut wanted: impl FnMut(&Entry) -> bool) -> Option<Entry> {
    loop {
        match parse(&mut section)? {
            Record::Entry(entry) if wanted(&entry) => return Some(entry),
            Record::Entry(_) | Record::Common => {}
            Record::End => return None,
        }
    }
}

pub enum Record {
    Entry(Entry),
    Common,
    /// The zero length that ends a section.
    End,
}

/// Parses one record and moves past it.
pub fn parse(section: &mut Reader) -> Option<Record> {
    let (mut body, id_place, id) = record(section)?;
    let Some(id) = id else {
        return Some(Record::End);
    };
    if id == 0 {
        return Some(Record::Common);
    }
    // The common entry stands before, so a reader of its own is needed; it lies
    // in the same section and therefore in the same readable memory.
    let common_at = id_place.checked_sub(id as usize)?;
    // SAFETY: the section is readable and the common entry is in it, before this one.
    let mut at = unsafe { Reader::new(common_at, id_place) };
    let (common_body, _, common_id) = record(&mut at)?;
    if common_id != Some(0) {
        return None;
    }
    let common = parse_common(common_body)?;
    let start = body.pointer(common.pointer_encoding, 0)?;
    let length = body.unapplied(common.pointer_encoding)?;
    if common.has_augmentation {
        let bytes = body.uleb()?;
        body.take(bytes as usize)?;
    }
    Some(Record::Entry(Entry {
        common,
        start,
        end: start.checked_add(length)?,
        instructions: body,
    }))
}

/// Length and id of a record: its body, the address of the id, the id (`None`
/// for the terminator).
fn record(section: &mut Reader) -> Option<(Reader, usize, Option<u32>)> {
    let mut length = u64::from(section.u32()?);
    if length == 0 {
        return Some((*section, 0, None));
    }
    if length == 0xffff_ffff {
        length = section.u64()?;
    }
    let mut body = section.take(usize::try_from(length).ok()?)?;
    let id_place = body.at();
    let id = body.u32()?;
    Some((body, id_place, Some(id)))
}

fn parse_common(mut body: Reader) -> Option<Common> {
    let version = body.u8()?;
    let mut augmentation = [0_u8; 8];
    let mut length = 0;
    loop {
        match body.u8()? {
            0 => break,
            letter => *augmentation.get_mut(length)? = letter,
        }
        length += 1;
    }
    let mut common = Common {
        code_alignment: body.uleb()?,
        data_alignment: body.sleb()?,
        return_register: 0,
        is_signal_frame: false,
        initial: body,
        pointer_encoding: 0,
        has_augmentation: false,
    };
    common.return_register = if version == 1 {
        u64::from(body.u8()?)
    } else {
        body.uleb()?
    };
    if augmentation[0] == b'z' {
        common.has_augmentation = true;
        let bytes = body.uleb()?;
        let mut data = body.take(bytes as usize)?;
        for letter in augmentation.into_iter().skip(1).take_while(|&l| l != 0) {
            match letter {
                b'R' => common.pointer_encoding = data.u8()?,
                b'P' => {
                    let encoding = data.u8()?;
                    data.skip_pointer(encoding)?;
                }
                b'L' => {
                    data.u8()?;
                }
                b'S' => common.is_signal_frame = true,
                b'B' => {}
                _ => break,
            }
        }
    } else if length != 0 {
        return None;
    }
    common.initial = body;
    Some(common)
}
