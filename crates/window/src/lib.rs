//! A window on the header of a running program's arena.
//!
//! Everything else is read with `pread`. These words are changed by the recorder
//! and by the command at the same time, so they are mapped and changed atomically.

use memmap2::MmapRaw;
use residue_arena::header::{self, Word};
use residue_arena::{MAGIC, VERSION};
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

pub struct Window {
    map: MmapRaw,
}

impl Window {
    /// Maps the header of an arena once its program records.
    pub fn on(file: &File) -> io::Result<Window> {
        let bytes = header::WORDS * 8;
        if file.metadata()?.len() < bytes as u64 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let map = memmap2::MmapOptions::new().len(bytes).map_raw(file)?;
        let window = Window { map };
        let is_ready = window.get(header::MAGIC) == MAGIC
            && window.get(header::VERSION) == VERSION
            && window.get(header::STATE) == header::READY;
        match is_ready {
            true => Ok(window),
            false => Err(io::ErrorKind::InvalidData.into()),
        }
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
