//! Unwind tables that no program header tells of: `musl-gcc` links so, and linkers that are called
//! without `--eh-frame-hdr`. The tables are loaded all the same, but where they lie stands in the
//! sections of the file alone.
//!
//! The files that were there at the start are looked at, with a few small reads; their tables are
//! kept as those of generated code are.

use super::jit;
use crate::dynamic;
use crate::modules;
use crate::program_file::{File, ProgramPath, number};

/// Looks for such tables, before the program runs.
pub fn find() {
    for module in dynamic::at_start() {
        // SAFETY: what was there at the start stays.
        let Some(module) = (unsafe { module.as_ref() }) else {
            continue;
        };
        let place = module.dynamic as usize;
        if place == 0 || !modules::lacks_table(place) {
            continue;
        }
        let path = match modules::path_of(place) {
            [] => b"/proc/self/exe",
            path => path,
        };
        if let Some((address, bytes)) = section(path) {
            register(module.bias.wrapping_add(address), bytes);
        }
    }
}

/// Keeps the table, if it is one: it begins with what its entries have in common, and ends with
/// an empty entry.
fn register(start: usize, bytes: usize) {
    const LEAST_BYTES: usize = 16;
    let Some((_, module_end)) = modules::range_of(start) else {
        return;
    };
    let end = start.saturating_add(bytes);
    if bytes < LEAST_BYTES || end > module_end {
        return;
    }
    // SAFETY: all of it lies in the memory of one module, which stays.
    unsafe {
        let is_common = ((start + 4) as *const u32).read_unaligned() == 0;
        let is_ended = ((end - 4) as *const u32).read_unaligned() == 0;
        if is_common && is_ended {
            jit::register_until(start, end);
        }
    }
}

/// Address and size of the section with the unwind tables, by the file's own count.
fn section(path: &[u8]) -> Option<(usize, usize)> {
    const NAME: &[u8] = b".eh_frame\0";
    const ENTRY_BYTES: u64 = 64;
    const MOST: u64 = 1024;
    let path = ProgramPath::joined(&[path])?;
    let file = File::open(path.as_bytes())?;
    let mut head = [0; 64];
    let head = file.read_at(0, &mut head);
    let (offset, size) = (number(head, 40, 8)?, number(head, 58, 2)?);
    let (count, names) = (number(head, 60, 2)?, number(head, 62, 2)?);
    if !head.starts_with(b"\x7fELF") || size != ENTRY_BYTES {
        return None;
    }
    // Of a section: where its name is, its address, its place in the file and its size.
    let entry = |index: u64| {
        let mut entry = [0; ENTRY_BYTES as usize];
        let entry = file.read_at(offset.checked_add(index * ENTRY_BYTES)?, &mut entry);
        let field = |at| number(entry, at, 8);
        Some([number(entry, 0, 4)?, field(16)?, field(24)?, field(32)?])
    };
    let [_, _, names, _] = entry(names)?;
    (0..count.min(MOST)).find_map(|index| {
        let [name, address, _, bytes] = entry(index)?;
        let mut text = [0; NAME.len()];
        let is_it = file.read_at(names.wrapping_add(name), &mut text) == NAME;
        is_it.then_some((address as usize, bytes as usize))
    })
}
