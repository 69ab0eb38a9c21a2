//! The system's allocator, and large pages for large blocks.
//!
//! Profiles of a million stacks are a dozen tables of a hundred megabytes. In pages of 4 KiB, half of
//! the time in which such a profile is made or read is the kernel's, which clears them one by one; in a virtual
//! machine more. The advice makes no difference where large pages are off, or always on.

use std::alloc::{GlobalAlloc, Layout, System};

/// Blocks from this size on are sure to have a large page or more inside.
const LARGE_BYTES: usize = 4 << 20;
const PAGE_BYTES: usize = 4096;

pub struct LargePages;

// SAFETY: all is handed on to the system's allocator, and advice changes nothing that a program sees.
unsafe impl GlobalAlloc for LargePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: handed on.
        advised(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: handed on.
        advised(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_bytes: usize) -> *mut u8 {
        // SAFETY: handed on.
        advised(
            unsafe { System.realloc(block, layout, new_bytes) },
            new_bytes,
        )
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: handed on.
        unsafe { System.dealloc(block, layout) }
    }
}

/// The block, after the kernel was told that large pages would do.
fn advised(block: *mut u8, bytes: usize) -> *mut u8 {
    if bytes >= LARGE_BYTES && !block.is_null() {
        let before = block.addr().next_multiple_of(PAGE_BYTES) - block.addr();
        let whole = (bytes - before) / PAGE_BYTES * PAGE_BYTES;
        // SAFETY: whole pages inside the block, which keep what they hold.
        unsafe {
            let first = block.add(before).cast();
            let _ = libc::madvise(first, whole, libc::MADV_HUGEPAGE);
        }
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[global_allocator]
    static ALL: LargePages = LargePages;

    #[test]
    fn blocks_of_every_size_grow_and_shrink_and_keep_what_they_hold() {
        for bytes in [
            1,
            PAGE_BYTES,
            LARGE_BYTES - 1,
            LARGE_BYTES,
            9 * LARGE_BYTES + 1,
        ] {
            let mut block = vec![0_u8; bytes];
            assert!(block.iter().all(|&byte| byte == 0));
            block.fill(7);
            block.resize(5 * bytes, 8);
            block.truncate(bytes + 1);
            block.shrink_to_fit();
            assert!(block[..bytes].iter().all(|&byte| byte == 7));
            assert_eq!(block.get(bytes), Some(&8));
        }
    }
}
