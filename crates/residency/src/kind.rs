//! Kinds of resident memory, and how much there is of each.

use crate::vma::{Name, Vma};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResidentKind {
    /// The allocator's.
    Heap,
    /// Anonymous memory that the program mapped itself.
    Mapped,
    /// Threads' stacks.
    Stacks,
    /// Files, deleted files and shared memory.
    Files,
    /// The recorder's own.
    Recorder,
    Other,
}

/// What can be told from the area alone. Anonymous memory that is not the
/// allocator's, other threads' stacks and the recorder's areas look like heap
/// or files; who knows their addresses asks for those first.
pub fn default_kind(vma: &Vma) -> ResidentKind {
    match vma.name {
        Name::Heap => ResidentKind::Heap,
        Name::Stack => ResidentKind::Stacks,
        Name::Kernel(_) => ResidentKind::Other,
        _ if vma.is_file() => ResidentKind::Files,
        _ => ResidentKind::Heap,
    }
}

/// Bytes by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sums {
    resident: [u64; ResidentKind::COUNT],
    proportional: [u64; ResidentKind::COUNT],
}

impl ResidentKind {
    const COUNT: usize = 6;
}

impl Sums {
    pub(crate) const NOTHING: Sums = Sums {
        resident: [0; ResidentKind::COUNT],
        proportional: [0; ResidentKind::COUNT],
    };

    /// Resident bytes (Rss) of one kind.
    pub fn resident_bytes(&self, kind: ResidentKind) -> u64 {
        self.resident.get(kind as usize).copied().unwrap_or(0)
    }

    /// Resident bytes, where a page shared by n processes counts as an n-th (Pss).
    pub fn proportional_bytes(&self, kind: ResidentKind) -> u64 {
        self.proportional.get(kind as usize).copied().unwrap_or(0)
    }

    pub fn total_resident_bytes(&self) -> u64 {
        total(&self.resident)
    }

    pub fn total_proportional_bytes(&self) -> u64 {
        total(&self.proportional)
    }

    pub(crate) fn add_resident(&mut self, kind: ResidentKind, bytes: u64) {
        add(&mut self.resident, kind, bytes);
    }

    pub(crate) fn add_proportional(&mut self, kind: ResidentKind, bytes: u64) {
        add(&mut self.proportional, kind, bytes);
    }
}

fn add(sums: &mut [u64; ResidentKind::COUNT], kind: ResidentKind, bytes: u64) {
    if let Some(sum) = sums.get_mut(kind as usize) {
        *sum = sum.saturating_add(bytes);
    }
}

fn total(sums: &[u64; ResidentKind::COUNT]) -> u64 {
    sums.iter()
        .fold(0, |sum, &of_kind| sum.saturating_add(of_kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [ResidentKind; ResidentKind::COUNT] = [
        ResidentKind::Heap,
        ResidentKind::Mapped,
        ResidentKind::Stacks,
        ResidentKind::Files,
        ResidentKind::Recorder,
        ResidentKind::Other,
    ];

    fn kind_of(inode: u64, name: &str) -> ResidentKind {
        let line = std::format!("7f00-7f10 rw-p 00000000 00:01 {inode}    {name}");
        default_kind(&Vma::parse(line.as_bytes()).unwrap())
    }

    #[test]
    fn kinds_by_name() {
        assert_eq!(kind_of(0, "[heap]"), ResidentKind::Heap);
        assert_eq!(kind_of(0, ""), ResidentKind::Heap);
        assert_eq!(kind_of(0, "[anon: glibc: malloc]"), ResidentKind::Heap);
        assert_eq!(kind_of(0, "[stack]"), ResidentKind::Stacks);
        for special in [
            "[vdso]",
            "[vvar]",
            "[vvar_vclock]",
            "[vsyscall]",
            "[uprobes]",
        ] {
            assert_eq!(kind_of(0, special), ResidentKind::Other);
        }
        for file in [
            "/usr/bin/head",
            "/tmp/gone (deleted)",
            "/memfd:cache (deleted)",
            "/dev/zero (deleted)",
            "/SYSV00000000 (deleted)",
            "[anon_shmem:queue]",
            "",
        ] {
            assert_eq!(kind_of(17, file), ResidentKind::Files);
        }
    }

    #[test]
    fn each_kind_has_its_own_sums() {
        let mut sums = Sums::NOTHING;
        for (index, kind) in ALL.into_iter().enumerate() {
            sums.add_resident(kind, 10 << index);
            sums.add_proportional(kind, 1 << index);
        }
        for (index, kind) in ALL.into_iter().enumerate() {
            assert_eq!(sums.resident_bytes(kind), 10 << index);
            assert_eq!(sums.proportional_bytes(kind), 1 << index);
        }
        assert_eq!(sums.total_resident_bytes(), 630);
        assert_eq!(sums.total_proportional_bytes(), 63);
    }

    #[test]
    fn sums_stop_at_the_top() {
        let mut sums = Sums::NOTHING;
        sums.add_resident(ResidentKind::Heap, u64::MAX);
        sums.add_resident(ResidentKind::Heap, 1);
        sums.add_resident(ResidentKind::Files, 1);
        assert_eq!(sums.total_resident_bytes(), u64::MAX);
    }
}
