//! A window on the header of a running program's arena.
//!
//! Everything else is read with `pread`. These words are changed by the recorder
//! and by the command at the same time, so they are mapped and changed atomically.
//!
//! Touching a page that is not there would be a fatal signal. It is read first, which makes
//! none; and where a file was cut short meanwhile, the window is no longer to be used.

use memmap2::MmapRaw;
use residue_arena::header::{self, Word};
use residue_arena::{MAGIC, VERSION};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};

pub struct Window {
    map: MmapRaw,
    file: File,
}

const BYTES: usize = header::WORDS * 8;

impl Window {
    /// Maps the header of an arena once its program records.
    pub fn on(file: File) -> io::Result<Window> {
        let mut bytes = [0; BYTES];
        file.read_exact_at(&mut bytes, 0)?;
        let (words, _) = bytes.as_chunks::<8>();
        let word = |index: Word| u64::from_le_bytes(words[index]);
        let is_ready = word(header::MAGIC) == MAGIC
            && word(header::VERSION) == VERSION
            && word(header::STATE) == header::READY;
        if !is_ready {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let map = memmap2::MmapOptions::new().len(BYTES).map_raw(&file)?;
        Ok(Window { map, file })
    }

    /// Whether the file still is as long as the window.
    pub fn is_whole(&self) -> bool {
        let status = self.file.metadata();
        status.is_ok_and(|status| status.len() >= BYTES as u64)
    }

    pub fn word(&self, index: Word) -> &AtomicU64 {
        assert!(index < header::WORDS, "a word of the header");
        // SAFETY: the mapping is this long, aligned to a page, and lives as long as
        // the window; the words are only ever used as atomics.
        unsafe { &*self.map.as_ptr().cast::<AtomicU64>().add(index) }
    }

    pub fn get(&self, index: Word) -> u64 {
        self.word(index).load(Ordering::Acquire)
    }
}
