//! Which file a module is: the same one may be loaded again at another address.

use crate::sys;
use crate::unwind::reader::Reader;

/// Names the file and the part of it that is mapped there: equal for the same code, whatever
/// its address. A file without a build id is known by its unwind table.
pub fn identity(object: &sys::FoundObject, path: &[u8]) -> u64 {
    const MOST_TABLE_BYTES: usize = 1 << 16;
    let bytes = object.map_end - object.map_start;
    // SAFETY: the dynamic linker keeps the record while the module is loaded.
    let bias = unsafe { (*object.link_map).bias };
    let place = object.map_start.wrapping_sub(bias);
    let mut hash = hash_of(0xcbf2_9ce4_8422_2325, path);
    hash = hash_of(hash, &(bytes as u64).to_le_bytes());
    hash = hash_of(hash, &(place as u64).to_le_bytes());
    let table = object.eh_frame_header;
    match build_id(object) {
        Some(build_id) => hash_of(hash, build_id),
        None if (object.map_start..object.map_end).contains(&(table as usize)) => {
            let bytes = (object.map_end - table as usize).min(MOST_TABLE_BYTES);
            // SAFETY: the table is part of the module's memory, and reading stays inside.
            hash_of(hash, unsafe { core::slice::from_raw_parts(table, bytes) })
        }
        None => hash,
    }
}

/// FNV-1a.
fn hash_of(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The build id of a loaded module, from its program headers and notes.
pub fn build_id(object: &sys::FoundObject) -> Option<&'static [u8]> {
    const NOTE: u32 = 4;
    const BUILD_ID: u32 = 3;
    let (start, end) = (object.map_start, object.map_end);
    let memory = |at: usize| {
        // SAFETY: the file's header is the first thing mapped, and reading stays inside.
        let reader = unsafe { Reader::new(at, end) };
        (start..end).contains(&at).then_some(reader)
    };
    if memory(start)?.u32()? != u32::from_le_bytes(*b"\x7fELF") {
        return None;
    }
    let headers = start.checked_add(memory(start + 32)?.u64()? as usize)?;
    let header_bytes = usize::from(memory(start + 54)?.u16()?);
    let count = usize::from(memory(start + 56)?.u16()?);
    // SAFETY: the dynamic linker keeps the record while the module is loaded.
    let bias = unsafe { (*object.link_map).bias };
    for index in 0..count {
        let mut at = memory(headers.checked_add(index * header_bytes)?)?;
        if at.u32()? != NOTE {
            continue;
        }
        let _flags = at.u32()?;
        let _file_offset = at.u64()?;
        let address = bias.wrapping_add(at.u64()? as usize);
        let _physical = at.u64()?;
        let bytes = at.u64()? as usize;
        let Some(mut notes) = memory(address).and_then(|mut at| at.take(bytes)) else {
            continue;
        };
        while !notes.is_empty() {
            let (name, data, kind) = (notes.u32()?, notes.u32()?, notes.u32()?);
            notes.take((name as usize).next_multiple_of(4))?;
            let place = notes.at();
            notes.take((data as usize).next_multiple_of(4))?;
            if kind == BUILD_ID && name == 4 {
                // SAFETY: `take` checked that the bytes lie inside the module.
                return Some(unsafe {
                    core::slice::from_raw_parts(place as *const u8, data as usize)
                });
            }
        }
    }
    None
}
