//! Which memory outside of modules holds code: that of just-in-time compilers.
//!
//! The kernel's list of mappings says so; it is read when an address is met in a block of
//! memory that is not known to hold code. Blocks are large, because compilers change the
//! protection of their pages again and again; an address in one of them is taken for code
//! only where a frame pointer says so too.

use crate::modules;
use crate::sys;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

const BLOCK_SHIFT: u32 = 21;
const PLACES: usize = 1024;

/// Numbers of blocks that hold code, by open addressing; zero is a free place. They outlive a
/// fork, as the code does.
static BLOCKS: [AtomicUsize; PLACES] = [const { AtomicUsize::new(0) }; PLACES];

/// Readings of the list that may still find nothing: what looks like an address and is none
/// must not be paid for without end.
static VAIN_READINGS_LEFT: AtomicU32 = AtomicU32::new(64);

/// Whether the address may be one of generated code.
pub fn is_code(address: usize) -> bool {
    let block = address >> BLOCK_SHIFT;
    if is_known(block) {
        return true;
    }
    let left = VAIN_READINGS_LEFT.load(Ordering::Relaxed);
    if block == 0 || left == 0 {
        return false;
    }
    read_mappings();
    let is_found = is_known(block);
    if !is_found {
        VAIN_READINGS_LEFT.store(left - 1, Ordering::Relaxed);
    }
    is_found
}

/// The places that a block may have, in order.
fn places_of(block: usize) -> impl Iterator<Item = &'static AtomicUsize> {
    let first = block.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    (0..PLACES).filter_map(move |step| BLOCKS.get((first + step) % PLACES))
}

fn is_known(block: usize) -> bool {
    places_of(block)
        .map(|place| place.load(Ordering::Relaxed))
        .take_while(|&known| known != 0)
        .any(|known| known == block)
}

fn note(block: usize) {
    for place in places_of(block) {
        match place.compare_exchange(0, block, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return,
            Err(known) if known == block => return,
            Err(_) => {}
        }
    }
}

#[cold]
fn read_mappings() {
    let Ok(file) = sys::open(b"/proc/self/maps\0", sys::O_RDONLY | sys::O_CLOEXEC, 0) else {
        return;
    };
    let mut line = Line::default();
    let mut chunk = [0_u8; 512];
    while let Ok(bytes @ 1..) = sys::read(file, &mut chunk) {
        for &byte in chunk.iter().take(bytes) {
            let Some((start, end)) = line.feed(byte) else {
                continue;
            };
            if modules::link_map_of(start).is_null() {
                // A reservation of gigabytes is no code yet, whatever its protection.
                for block in (start >> BLOCK_SHIFT..=(end - 1) >> BLOCK_SHIFT).take(PLACES / 2) {
                    note(block);
                }
            }
        }
    }
    sys::close(file);
}

/// A line of the list, `start-end rwxp ...`, read byte by byte.
#[derive(Default)]
struct Line {
    start: usize,
    end: usize,
    /// Fields begun, and the place in the present one.
    field: usize,
    column: usize,
}

impl Line {
    /// The range of an executable mapping, when its line has told so.
    fn feed(&mut self, byte: u8) -> Option<(usize, usize)> {
        const EXECUTE: usize = 2;
        let digit = || (byte as char).to_digit(16).unwrap_or(0) as usize;
        match (byte, self.field) {
            (b'\n', _) => {
                *self = Line::default();
                return None;
            }
            (b'-', 0) | (b' ', 1..) => {
                self.field += 1;
                self.column = 0;
                return None;
            }
            (_, 0) => self.start = self.start << 4 | digit(),
            (_, 1) => self.end = self.end << 4 | digit(),
            (b'x', 2) if self.column == EXECUTE && self.start < self.end => {
                return Some((self.start, self.end));
            }
            _ => {}
        }
        self.column += 1;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executable_lines_and_no_others_are_ranges() {
        let text = b"1000-3000 r-xp 00000000 08:01 1 /a-x b\n\
            4000-5000 rw-p 0 00:00 0\n7f0000000000-7f0000200000 rwxp 0 00:00 0\n";
        let mut line = Line::default();
        let found: Vec<_> = text.iter().filter_map(|&byte| line.feed(byte)).collect();
        assert_eq!(
            found,
            [(0x1000, 0x3000), (0x7f00_0000_0000, 0x7f00_0020_0000)]
        );
    }

    #[test]
    fn mapped_code_is_code_and_nothing_is_not() {
        let how = [
            sys::PROT_READ | sys::PROT_EXEC,
            sys::MAP_PRIVATE | sys::MAP_ANONYMOUS,
            usize::MAX,
        ];
        // SAFETY: a new anonymous mapping disturbs nothing that exists.
        let code = unsafe { sys::map(core::ptr::null_mut(), 4096, how, 0) }.unwrap();
        assert!(is_code(code as usize + 100));
        assert!(!is_code(1 << 40));
    }
}
