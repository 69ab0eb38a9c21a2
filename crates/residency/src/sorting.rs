//! Whose an area is, by what stands around it and by who mapped it.

use crate::kind::{ResidentKind, default_kind};
use crate::vma::Vma;

/// A thread's stack lies directly above a guard of at most this many bytes.
const MOST_GUARD_BYTES: u64 = 1 << 20;

/// Sorts the areas of one process, which come in the order of their addresses.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sorting {
    /// Where the guard that came last ends; zero when the last area was none.
    guard_end: u64,
}

impl Sorting {
    /// The kind of the next area. `mapped_bytes` says how much of it the program
    /// mapped itself, and is asked only where that decides.
    pub fn kind(
        &mut self,
        vma: &Vma,
        is_recorder: bool,
        mapped_bytes: impl FnOnce() -> u64,
    ) -> ResidentKind {
        let bytes = vma.end.saturating_sub(vma.start);
        let is_guard = vma.is_anonymous() && vma.perms == *b"---p" && bytes <= MOST_GUARD_BYTES;
        let is_guarded = vma.start == self.guard_end;
        self.guard_end = if is_guard { vma.end } else { 0 };
        if is_recorder {
            return ResidentKind::Recorder;
        }
        if !vma.is_anonymous() {
            return default_kind(vma);
        }
        if is_guarded {
            return ResidentKind::Stacks;
        }
        // The kernel joins neighbours into one area: the larger part decides.
        match mapped_bytes().saturating_mul(2) >= bytes {
            true => ResidentKind::Mapped,
            false => default_kind(vma),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vma::Name;

    fn area(start: u64, end: u64, perms: &[u8; 4]) -> Vma<'static> {
        Vma {
            start,
            end,
            perms: *perms,
            inode: 0,
            name: Name::Unnamed,
        }
    }

    #[test]
    fn a_stack_is_what_stands_above_a_small_guard() {
        let mut sorting = Sorting::default();
        let mut kind = |vma: &Vma| sorting.kind(vma, false, || 0);
        assert_eq!(kind(&area(0x1000, 0x2000, b"---p")), ResidentKind::Heap);
        assert_eq!(kind(&area(0x2000, 0x9000, b"rw-p")), ResidentKind::Stacks);
        assert_eq!(kind(&area(0x9000, 0xa000, b"rw-p")), ResidentKind::Heap);
        // The reserve of an arena is no guard, nor is one with a gap above it.
        assert_eq!(
            kind(&area(0x10_0000, 0x400_0000, b"---p")),
            ResidentKind::Heap
        );
        assert_eq!(
            kind(&area(0x400_0000, 0x400_1000, b"rw-p")),
            ResidentKind::Heap
        );
        assert_eq!(
            kind(&area(0x500_0000, 0x500_1000, b"---p")),
            ResidentKind::Heap
        );
        assert_eq!(
            kind(&area(0x500_2000, 0x500_3000, b"rw-p")),
            ResidentKind::Heap
        );
    }

    #[test]
    fn the_larger_part_of_a_joined_area_decides() {
        let whole = area(0x1000, 0x5000, b"rw-p");
        let kind = |mapped| Sorting::default().kind(&whole, false, || mapped);
        assert_eq!(kind(0x1fff), ResidentKind::Heap);
        assert_eq!(kind(0x2000), ResidentKind::Mapped);
        let own = Sorting::default().kind(&whole, true, || 0x4000);
        assert_eq!(own, ResidentKind::Recorder);
    }
}
