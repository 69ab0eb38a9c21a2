//! An arena as a file: its header and its regions, read with `pread`.

use residue_arena::region::{self, Region};
use residue_arena::{MAGIC, VERSION, header, tables};
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{path}: cannot read the arena: {reason}")]
    Read { path: PathBuf, reason: io::Error },
    #[error("{path}: not an arena of this version of residue: {reason}")]
    NotAnArena { path: PathBuf, reason: &'static str },
}

/// Who wrote an arena.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub pid: u32,
    pub executable: String,
    pub command: Vec<String>,
    /// `CLOCK_MONOTONIC` when it was made: orders the images of one process.
    pub started_monotonic_ns: u64,
}

impl Identity {
    /// File name of the executable.
    pub fn program(&self) -> String {
        self.executable
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_string()
    }
}

pub struct ArenaFile {
    path: PathBuf,
    file: File,
    words: Vec<u64>,
}

/// Bytes read at once from large regions.
const CHUNK_BYTES: u64 = 4 << 20;

impl ArenaFile {
    pub fn open(path: &Path) -> Result<ArenaFile, Error> {
        let read = |reason| Error::Read {
            path: path.to_path_buf(),
            reason,
        };
        let not = |reason| Error::NotAnArena {
            path: path.to_path_buf(),
            reason,
        };
        let file = File::open(path).map_err(read)?;
        let mut bytes = vec![0; header::WORDS * 8];
        file.read_exact_at(&mut bytes, 0).map_err(read)?;
        let words = to_words(&bytes);
        if words[header::MAGIC] != MAGIC {
            return Err(not("it does not begin as one"));
        }
        if words[header::VERSION] != VERSION {
            return Err(not("another version wrote it"));
        }
        if words[header::STATE] != header::READY {
            return Err(not("the program ended before recording began"));
        }
        Ok(ArenaFile {
            path: path.to_path_buf(),
            file,
            words,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
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

    fn committed(&self, region: Region) -> u64 {
        self.region_word(region, region::COMMITTED)
            .min(self.region_word(region, region::CAPACITY))
            .min(region.full_capacity())
    }

    /// Memory that the arena takes.
    pub fn committed_bytes(&self) -> u64 {
        let regions: u64 = region::ALL
            .into_iter()
            .map(|region| self.committed(region) * region.item_bytes())
            .sum();
        regions + (header::WORDS * 8) as u64
    }

    fn read_at(&self, offset: u64, bytes: u64) -> Result<Vec<u8>, Error> {
        let mut buffer = vec![0; bytes as usize];
        self.file
            .read_exact_at(&mut buffer, offset)
            .map_err(|reason| Error::Read {
                path: self.path.clone(),
                reason,
            })?;
        Ok(buffer)
    }

    /// Calls `take(number of the first item, their bytes)` for `count` items of a
    /// region, in pieces.
    pub fn each_chunk(
        &self,
        region: Region,
        count: u64,
        mut take: impl FnMut(u64, &[u8]),
    ) -> Result<(), Error> {
        let item_bytes = region.item_bytes();
        let per_chunk = (CHUNK_BYTES / item_bytes).max(1);
        let offset = self.region_word(region, region::OFFSET);
        let mut first = 0;
        while first < count {
            let items = per_chunk.min(count - first);
            let bytes = self.read_at(offset + first * item_bytes, items * item_bytes)?;
            take(first, &bytes);
            first += items;
        }
        Ok(())
    }

    /// The first `count` words of a region of words.
    pub fn keys(&self, region: Region, count: u64) -> Result<Vec<u64>, Error> {
        let count = count.min(self.committed(region));
        let mut keys = Vec::with_capacity(count as usize);
        self.each_chunk(region, count, |_, bytes| keys.extend(to_words(bytes)))?;
        Ok(keys)
    }

    /// Bytes of a region of bytes; empty where they lie outside.
    pub fn bytes(&self, region: Region, offset: u64, length: u64) -> Result<Vec<u8>, Error> {
        if offset.saturating_add(length) > self.used(region) {
            return Ok(Vec::new());
        }
        self.read_at(self.region_word(region, region::OFFSET) + offset, length)
    }

    pub fn text_bytes(&self, reference: u64) -> Result<Vec<u8>, Error> {
        let (offset, length) = tables::text::unpack(reference);
        self.bytes(Region::Strings, offset, length)
    }

    pub fn text(&self, reference: u64) -> Result<String, Error> {
        let bytes = self.text_bytes(reference)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    pub fn identity(&self) -> Result<Identity, Error> {
        let command = self.text_bytes(self.word(header::COMMAND))?;
        let command = command
            .strip_suffix(&[0])
            .unwrap_or(&command)
            .split(|&byte| byte == 0)
            .map(|word| String::from_utf8_lossy(word).into_owned())
            .collect();
        Ok(Identity {
            pid: self.word(header::PID) as u32,
            executable: self.text(self.word(header::EXECUTABLE))?,
            command,
            started_monotonic_ns: self.word(header::STARTED_MONOTONIC_NS),
        })
    }

    pub fn thread_records(&self) -> Result<Vec<[u64; tables::thread::WORDS]>, Error> {
        let mut records = Vec::new();
        let count = self.used(Region::Threads);
        self.each_chunk(Region::Threads, count, |_, bytes| {
            for record in bytes.chunks_exact(tables::THREAD_BYTES as usize) {
                let mut words = [0; tables::thread::WORDS];
                words.copy_from_slice(&to_words(record));
                records.push(words);
            }
        })?;
        Ok(records)
    }

    /// The user whose program wrote it.
    pub fn user(&self) -> Option<u32> {
        self.file.metadata().ok().map(|status| status.uid())
    }

    pub fn modified_unix_ns(&self) -> u64 {
        let Ok(status) = self.file.metadata() else {
            return 0;
        };
        let seconds = u64::try_from(status.mtime()).unwrap_or(0);
        seconds * 1_000_000_000 + u64::try_from(status.mtime_nsec()).unwrap_or(0)
    }
}

pub fn to_words(bytes: &[u8]) -> Vec<u64> {
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().map(|word| u64::from_le_bytes(*word)).collect()
}

/// The 32-bit field at `offset` of an item.
pub fn half(item: &[u8], offset: usize) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&item[offset..offset + 4]);
    u32::from_le_bytes(bytes)
}

pub fn word(item: &[u8], index: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&item[index * 8..index * 8 + 8]);
    u64::from_le_bytes(bytes)
}
