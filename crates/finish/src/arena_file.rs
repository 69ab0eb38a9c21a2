//! An arena as a file: its header and its regions, read with `pread`.
//!
//! What holds the bytes is behind a trait, so that a test can lay them out itself.

use crate::plain_file;
use residue_arena::region::{self, Region};
use residue_arena::{MAGIC, VERSION, header, tables};
use residue_profile::path_text;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{path}: cannot read the arena: {reason}")]
    Read { path: PathBuf, reason: io::Error },
    #[error("{path}: not a Residue recording: {reason}")]
    NotAnArena { path: PathBuf, reason: &'static str },
}

/// Who wrote an arena.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    pub pid: u32,
    /// Tell it from others of the same number: when it started, in the kernel's ticks, and the
    /// namespace that the number is of. Zero where that is not known.
    pub started_ticks: u64,
    pub pid_namespace: u64,
    pub executable: String,
    pub command: Vec<String>,
    /// `CLOCK_MONOTONIC` when it was made: orders the images of one process.
    pub started_monotonic_ns: u64,
    /// Events that this process had of its own. A line of output does not say who
    /// printed it, so lines are events of all processes and count as one.
    pub own_events: u64,
    /// The most it had on its heap. Mappings do not count: most of a large one is address
    /// space that is only reserved.
    pub peak_bytes: u64,
    /// The executable brings its own malloc, whose blocks are not seen.
    pub has_unseen_heap: bool,
}

impl Identity {
    /// Equal for all programs that one process was, and for no other process.
    pub fn process(&self) -> (u32, u64, u64) {
        (self.pid, self.started_ticks, self.pid_namespace)
    }

    /// File name of the executable.
    pub fn program(&self) -> String {
        self.executable
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_string()
    }
}

/// Holds the bytes of an arena.
pub(crate) trait Storage: Send {
    /// Fills the buffer from the bytes at `offset`.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;
    fn bytes(&self) -> u64;
    /// The user whose program wrote it.
    fn user(&self) -> Option<u32>;
    fn modified_unix_ns(&self) -> u64;
}

impl Storage for File {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        FileExt::read_exact_at(self, buffer, offset)
    }

    fn bytes(&self) -> u64 {
        self.metadata().map_or(0, |status| status.len())
    }

    fn user(&self) -> Option<u32> {
        self.metadata().ok().map(|status| status.uid())
    }

    fn modified_unix_ns(&self) -> u64 {
        let Ok(status) = self.metadata() else {
            return 0;
        };
        let seconds = u64::try_from(status.mtime()).unwrap_or(0);
        seconds * 1_000_000_000 + u64::try_from(status.mtime_nsec()).unwrap_or(0)
    }
}

pub struct ArenaFile {
    path: PathBuf,
    storage: Box<dyn Storage>,
    /// Less than the regions need where the file was cut short.
    file_bytes: u64,
    words: Vec<u64>,
    /// From regions of bytes, in all.
    bytes_taken: AtomicU64,
}

const HEADER_BYTES: u64 = (header::WORDS * 8) as u64;

/// Bytes read at once from large regions.
const CHUNK_BYTES: u64 = 4 << 20;
/// How often all bytes of a region may be read, beside some that are free.
const MOST_READINGS: u64 = 4;
const FREE_BYTES: u64 = 16 << 20;

impl ArenaFile {
    pub fn open(path: &Path) -> Result<ArenaFile, Error> {
        let file = plain_file::open(path, File::options().read(true));
        let file = file.map_err(|reason| Error::Read {
            path: path.to_path_buf(),
            reason,
        })?;
        ArenaFile::in_storage(path, Box::new(file))
    }

    /// `path` is what it is called in errors.
    pub(crate) fn in_storage(path: &Path, storage: Box<dyn Storage>) -> Result<ArenaFile, Error> {
        let mut arena = ArenaFile {
            path: path.to_path_buf(),
            file_bytes: storage.bytes(),
            storage,
            words: vec![0; header::WORDS],
            bytes_taken: AtomicU64::new(0),
        };
        if arena.file_bytes >= HEADER_BYTES {
            arena.words = to_words(&arena.read_at(0, HEADER_BYTES)?);
        }
        let reason = if arena.file_bytes < HEADER_BYTES {
            "shorter than its header"
        } else if arena.word(header::MAGIC) != MAGIC {
            "bad magic number"
        } else if arena.word(header::VERSION) != VERSION {
            "written by another version"
        } else if arena.word(header::STATE) != header::READY {
            "the program ended before recording began"
        } else {
            return Ok(arena);
        };
        let path = arena.path;
        Err(Error::NotAnArena { path, reason })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the header again, of a program that runs on.
    pub fn refresh(&mut self) -> Result<(), Error> {
        self.file_bytes = self.storage.bytes();
        if self.file_bytes >= HEADER_BYTES {
            self.words = to_words(&self.read_at(0, HEADER_BYTES)?);
        }
        Ok(())
    }

    pub fn word(&self, index: header::Word) -> u64 {
        self.words[index]
    }

    fn region_word(&self, region: Region, which: usize) -> u64 {
        self.words[region.word(which)]
    }

    /// Items of a region that hold something.
    pub fn used(&self, region: Region) -> u64 {
        self.region_word(region, region::USED)
            .min(self.committed(region))
    }

    /// Items that there is memory for.
    pub fn committed(&self, region: Region) -> u64 {
        let offset = self.region_word(region, region::OFFSET);
        let held_bytes = self.file_bytes.saturating_sub(offset);
        self.written(region).min(held_bytes / region.item_bytes())
    }

    /// What the recorder made room for, whether the file still has it or not.
    fn written(&self, region: Region) -> u64 {
        self.region_word(region, region::COMMITTED)
            .min(self.region_word(region, region::CAPACITY))
            .min(region.full_capacity())
    }

    /// What the recorder wrote and a file that was cut short no longer has.
    pub fn missing_bytes(&self) -> u64 {
        let missing = region::ALL.into_iter().map(|region| {
            let used = self
                .region_word(region, region::USED)
                .min(self.written(region));
            used.saturating_sub(self.committed(region)) * region.item_bytes()
        });
        missing.sum()
    }

    /// Memory that the arena takes.
    pub fn committed_bytes(&self) -> u64 {
        let regions: u64 = region::ALL
            .into_iter()
            .map(|region| self.committed(region) * region.item_bytes())
            .sum();
        regions + HEADER_BYTES
    }

    fn read_at(&self, offset: u64, bytes: u64) -> Result<Vec<u8>, Error> {
        let mut buffer = vec![0; bytes as usize];
        self.fill(&mut buffer, offset)?;
        Ok(buffer)
    }

    fn fill(&self, buffer: &mut [u8], offset: u64) -> Result<(), Error> {
        let filled = self.storage.read_exact_at(buffer, offset);
        filled.map_err(|reason| Error::Read {
            path: self.path.clone(),
            reason,
        })
    }

    /// Calls `take(number of the first item, their bytes)` for `count` items of a
    /// region, in pieces.
    pub fn each_chunk(
        &self,
        region: Region,
        count: u64,
        take: impl FnMut(u64, &[u8]),
    ) -> Result<(), Error> {
        self.each_chunk_from(region, 0, count, take)
    }

    fn each_chunk_from(
        &self,
        region: Region,
        mut first: u64,
        count: u64,
        mut take: impl FnMut(u64, &[u8]),
    ) -> Result<(), Error> {
        let count = count.min(self.committed(region));
        let item_bytes = region.item_bytes();
        let per_chunk = (CHUNK_BYTES / item_bytes).max(1);
        let offset = self.region_word(region, region::OFFSET);
        let longest = per_chunk.min(count.saturating_sub(first));
        let mut buffer = vec![0; (longest * item_bytes) as usize];
        while first < count {
            let items = per_chunk.min(count - first);
            let bytes = &mut buffer[..(items * item_bytes) as usize];
            self.fill(bytes, offset.saturating_add(first * item_bytes))?;
            take(first, bytes);
            first += items;
        }
        Ok(())
    }

    /// So many neighbouring items, or those of them that are there.
    pub fn items(&self, region: Region, first: u64, count: u64) -> Result<Vec<u8>, Error> {
        let item_bytes = region.item_bytes();
        let end = first.saturating_add(count).min(self.committed(region));
        let count = end.saturating_sub(first);
        let offset = self.region_word(region, region::OFFSET);
        let at = offset.saturating_add(first.saturating_mul(item_bytes));
        self.read_at(at, count * item_bytes)
    }

    /// Calls `take` for each item of a region.
    pub fn each_item(&self, region: Region, take: impl FnMut(Item<'_>)) -> Result<(), Error> {
        self.each_item_from(region, 0, take)
    }

    /// The same from an item on.
    pub fn each_item_from(
        &self,
        region: Region,
        first: u64,
        mut take: impl FnMut(Item<'_>),
    ) -> Result<(), Error> {
        self.each_chunk_from(region, first, self.used(region), |_, bytes| {
            let items = bytes.chunks_exact(region.item_bytes() as usize);
            items.for_each(|item| take(Item(item)));
        })
    }

    /// The first `count` words of a region of words.
    pub fn keys(&self, region: Region, count: u64) -> Result<Vec<u64>, Error> {
        let mut keys = Vec::new();
        self.each_chunk(region, count, |_, bytes| keys.extend(words_of(bytes)))?;
        Ok(keys)
    }

    /// Bytes of a region of bytes; empty where they lie outside, or where much has been
    /// read already: a program may refer to the same bytes from everywhere.
    pub fn bytes(&self, region: Region, offset: u64, length: u64) -> Result<Vec<u8>, Error> {
        let used = self.used(region);
        let is_inside = offset.saturating_add(length) <= used;
        let taken_before = self.bytes_taken.fetch_add(length, Ordering::Relaxed);
        let most = used
            .saturating_mul(MOST_READINGS)
            .saturating_add(FREE_BYTES);
        if !is_inside || taken_before.saturating_add(length) > most {
            return Ok(Vec::new());
        }
        let at = self
            .region_word(region, region::OFFSET)
            .saturating_add(offset);
        self.read_at(at, length)
    }

    pub fn text_bytes(&self, reference: u64) -> Result<Vec<u8>, Error> {
        let (offset, length) = tables::text::unpack(reference);
        self.bytes(Region::Strings, offset, length)
    }

    pub fn text(&self, reference: u64) -> Result<String, Error> {
        let bytes = self.text_bytes(reference)?;
        Ok(path_text::to_text(&bytes))
    }

    pub fn identity(&self) -> Result<Identity, Error> {
        let command = self.text_bytes(self.word(header::COMMAND))?;
        let command = command
            .strip_suffix(&[0])
            .unwrap_or(&command)
            .split(|&byte| byte == 0)
            .map(path_text::to_text)
            .collect();
        Ok(Identity {
            pid: self.word(header::PID) as u32,
            started_ticks: self.word(header::PROCESS_STARTED_TICKS),
            pid_namespace: self.word(header::PID_NAMESPACE),
            executable: self.text(self.word(header::EXECUTABLE))?,
            command,
            started_monotonic_ns: self.word(header::STARTED_MONOTONIC_NS),
            own_events: match self.word(header::SOURCE) {
                header::SOURCE_MARKS | header::SOURCE_FUNCTION => self.word(header::EVENTS),
                header::SOURCE_LINES => self.word(header::EVENTS).min(1),
                _ => 0,
            },
            peak_bytes: self.word(header::PEAK_BYTES),
            has_unseen_heap: self.word(header::NOTES) & header::NOTE_MALLOC_IN_EXECUTABLE != 0,
        })
    }

    pub fn thread_records(&self) -> Result<Vec<[u64; tables::thread::WORDS]>, Error> {
        let mut records = Vec::new();
        self.each_item(Region::Threads, |item| records.push(item.words()))?;
        Ok(records)
    }

    /// The user whose program wrote it.
    pub fn user(&self) -> Option<u32> {
        self.storage.user()
    }

    pub fn modified_unix_ns(&self) -> u64 {
        self.storage.modified_unix_ns()
    }
}

/// One item of a region, as the recorder wrote it.
#[derive(Clone, Copy)]
pub struct Item<'a>(&'a [u8]);

impl<'a> Item<'a> {
    pub fn new(bytes: &'a [u8]) -> Item<'a> {
        Item(bytes)
    }

    pub fn word(self, index: usize) -> u64 {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.0[index * 8..][..8]);
        u64::from_le_bytes(bytes)
    }

    /// The 32-bit number at an offset in bytes.
    pub fn half(self, offset: usize) -> u32 {
        let mut bytes = [0; 4];
        bytes.copy_from_slice(&self.0[offset..][..4]);
        u32::from_le_bytes(bytes)
    }

    /// The 16-bit number at an offset in bytes.
    pub fn quarter(self, offset: usize) -> u16 {
        u16::from_le_bytes([self.0[offset], self.0[offset + 1]])
    }

    /// Its first words.
    pub fn words<const N: usize>(self) -> [u64; N] {
        std::array::from_fn(|index| self.word(index))
    }
}

pub fn to_words(bytes: &[u8]) -> Vec<u64> {
    words_of(bytes).collect()
}

pub fn words_of(bytes: &[u8]) -> impl Iterator<Item = u64> {
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().map(|word| u64::from_le_bytes(*word))
}
