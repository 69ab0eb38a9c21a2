//! The live table: from a block's address to what it is.
//!
//! A page covers 512 granules of address space. Its key says which:
//!
//! ```text
//!   key = address of the first granule | odd << 1 | 1      (0: page not in use)
//! ```
//!
//! Blocks of glibc are at least 32 bytes apart, so a granule of 32 bytes holds
//! one block, in its first or its second half. Other allocators go down to 8:
//! then a granule is 16 bytes and `odd` pages hold the blocks at odd multiples
//! of 8.
//!
//! ```text
//!   entry   63    62     61      42 41        24 23        0
//!         +----+------+----------+------------+-----------+
//!         | L  | half |  birth   |    size    |   stack   |
//!         +----+------+----------+------------+-----------+
//! ```
//!
//! An entry is present when its stack is not zero. A block too large or born
//! too late for the fields has L set and keeps the number of a large entry
//! in the bits of birth and size.
//!
//! While a picture of the process is read, a page is copied before its first change
//! (`KeptPages`), under the number of the page and of the picture:
//!
//! ```text
//!   key of a kept page   63         32 31         0
//!                       +-------------+------------+
//!                       |   picture   |    page    |
//!                       +-------------+------------+
//! ```

pub const PAGE_ENTRIES: usize = 512;
pub const PAGE_BYTES: u64 = (PAGE_ENTRIES * 8) as u64;

pub const SIZE_SHIFT: u32 = 24;
pub const SIZE_BITS: u32 = 18;
pub const BIRTH_SHIFT: u32 = 42;
pub const BIRTH_BITS: u32 = 20;
pub const HALF_BIT: u64 = 1 << 62;
pub const LARGE_BIT: u64 = 1 << 63;
pub const STACK_MASK: u64 = (1 << SIZE_SHIFT) - 1;

pub const KEY_IN_USE: u64 = 1;
pub const KEY_ODD: u64 = 2;
pub const KEY_FLAGS: u64 = 7;

/// Large entry: size (u64), birth (u32), zero (u32).
pub const LARGE_ENTRY_BYTES: u64 = 16;

/// The key of the copy of a page as it was when a picture was taken.
pub const fn kept_key(picture: u64, page: u64) -> u64 {
    picture << KEPT_PICTURE_SHIFT | page
}

pub const KEPT_PICTURE_SHIFT: u32 = 32;

/// What an entry says, without its large entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    Absent,
    Inline { stack: u32, bytes: u64, birth: u32 },
    Large { stack: u32, number: u32 },
}

/// Packs what fits; `None` sends the caller to a large entry.
pub const fn pack_inline(stack: u32, bytes: u64, birth: u32) -> Option<u64> {
    if bytes >> SIZE_BITS != 0 || birth >> BIRTH_BITS != 0 {
        return None;
    }
    Some(stack as u64 | bytes << SIZE_SHIFT | (birth as u64) << BIRTH_SHIFT)
}

pub const fn pack_large(stack: u32, number: u32) -> u64 {
    LARGE_BIT | (number as u64) << SIZE_SHIFT | stack as u64
}

pub const fn unpack(entry: u64) -> Entry {
    let stack = (entry & STACK_MASK) as u32;
    if stack == 0 {
        return Entry::Absent;
    }
    if entry & LARGE_BIT != 0 {
        let number = (entry >> SIZE_SHIFT) as u32;
        return Entry::Large { stack, number };
    }
    Entry::Inline {
        stack,
        bytes: entry >> SIZE_SHIFT & ((1 << SIZE_BITS) - 1),
        birth: (entry >> BIRTH_SHIFT & ((1 << BIRTH_BITS) - 1)) as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_as_they_went_in() {
        for stack in [1, 2, (1 << 24) - 1] {
            for bytes in [0, 1, 64, (1 << SIZE_BITS) - 1] {
                for birth in [0, 1, (1 << BIRTH_BITS) - 1] {
                    let packed = pack_inline(stack, bytes, birth).unwrap();
                    let entry = Entry::Inline {
                        stack,
                        bytes,
                        birth,
                    };
                    assert_eq!(unpack(packed), entry);
                    assert_eq!(unpack(packed | HALF_BIT), entry);
                }
            }
            for number in [0, 7, (1 << 26) - 1] {
                assert_eq!(
                    unpack(pack_large(stack, number)),
                    Entry::Large { stack, number }
                );
                assert_eq!(
                    unpack(pack_large(stack, number) | HALF_BIT),
                    Entry::Large { stack, number }
                );
            }
        }
        assert_eq!(unpack(0), Entry::Absent);
        assert_eq!(pack_inline(1, 1 << SIZE_BITS, 0), None);
        assert_eq!(pack_inline(1, 0, 1 << BIRTH_BITS), None);
    }
}
