//! The memory of a frozen child, and what lies where in it.

use residue_reach::Memory;
use residue_residency::{Name, Vma};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;

/// Memory of a process that does not change any more.
pub struct FrozenMemory {
    file: File,
    /// Where its areas begin, in order.
    starts: Vec<u64>,
}

impl FrozenMemory {
    pub fn of(pid: u32, areas: &[Area]) -> io::Result<FrozenMemory> {
        let file = File::open(format!("/proc/{pid}/mem"))?;
        let starts = areas.iter().map(|area| area.start).collect();
        Ok(FrozenMemory { file, starts })
    }

    pub fn word(&self, address: u64) -> Option<u64> {
        let mut bytes = [0; 8];
        self.file.read_exact_at(&mut bytes, address).ok()?;
        Some(u64::from_le_bytes(bytes))
    }
}

impl Memory for FrozenMemory {
    fn read(&self, address: u64, into: &mut [u8]) -> usize {
        let mut done = 0;
        while done < into.len() {
            let at = address.saturating_add(done as u64);
            match self.file.read_at(&mut into[done..], at) {
                Ok(bytes @ 1..) => done += bytes,
                _ => break,
            }
        }
        done
    }

    /// An area can be read as a whole, or not at all.
    fn next_readable(&self, address: u64) -> u64 {
        let next = self.starts.partition_point(|&start| start <= address);
        self.starts.get(next).copied().unwrap_or(u64::MAX)
    }
}

/// One area of the address space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Area {
    pub start: u64,
    pub end: u64,
    pub is_writable: bool,
    pub is_shared: bool,
    pub kind: AreaKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AreaKind {
    Heap,
    MainStack,
    Anonymous,
    Kernel,
    /// A file's, by its path.
    File(String),
}

/// The areas of a process, in the order of their addresses.
pub fn areas_of(pid: u32) -> io::Result<Vec<Area>> {
    let text = fs::read(format!("/proc/{pid}/maps"))?;
    let lines = text.split(|&byte| byte == b'\n');
    Ok(lines.filter_map(Vma::parse).map(|vma| area(&vma)).collect())
}

fn area(vma: &Vma<'_>) -> Area {
    let kind = match vma.name {
        Name::Heap => AreaKind::Heap,
        Name::Stack => AreaKind::MainStack,
        Name::Unnamed | Name::Anonymous(_) if vma.inode == 0 => AreaKind::Anonymous,
        Name::Kernel(_) => AreaKind::Kernel,
        Name::Path(path) => AreaKind::File(String::from_utf8_lossy(path).into_owned()),
        Name::Unnamed | Name::Anonymous(_) => AreaKind::File(String::new()),
    };
    Area {
        start: vma.start,
        end: vma.end,
        is_writable: vma.perms[1] == b'w',
        is_shared: vma.perms[3] == b's',
        kind,
    }
}
