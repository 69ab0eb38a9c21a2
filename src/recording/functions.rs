//! Answers the recorder's question which functions begin events: it names the
//! modules that were loaded, and waits until they have been searched.

use super::sighting::Process;
use anyhow::Result;
use residue_arena::header;
use residue_arena::moments::{MOST_TARGETS, TARGET_BYTES};
use residue_arena::region::{self, Region};
use residue_finish::ArenaFile;
use residue_symbols::find_functions;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::Ordering;

/// Searches what was loaded since the last answer.
pub fn answer(process: &Process, patterns: &[String]) {
    let window = &process.window;
    let asked = window.get(header::MODULES_ASKED);
    let answered = window.get(header::MODULES_ANSWERED);
    if asked <= answered {
        return;
    }
    // A file that cannot be read holds no function that could be found; the program
    // must not be kept waiting for it.
    let _ = search(process, patterns, answered, asked);
    window
        .word(header::MODULES_ANSWERED)
        .store(asked, Ordering::Release);
}

fn search(process: &Process, patterns: &[String], first: u64, end: u64) -> Result<()> {
    let arena = ArenaFile::open(&process.arena)?;
    let mut loads = Vec::new();
    arena.each_chunk(Region::Loads, end, |_, bytes| {
        for item in bytes.chunks_exact(Region::Loads.item_bytes() as usize) {
            let (words, _) = item.as_chunks::<8>();
            loads.push((u64::from_le_bytes(words[0]), u64::from_le_bytes(words[1])));
        }
    })?;
    let file = File::options().write(true).open(&process.arena)?;
    for &(path, bias) in loads.get(first as usize..).unwrap_or(&[]) {
        let path = arena.text(path)?;
        for pattern in patterns {
            for found in find_functions(Path::new(&path), pattern).unwrap_or_default() {
                add_target(process, &file, bias.wrapping_add(found.address), found.size)?;
            }
        }
    }
    Ok(())
}

fn add_target(process: &Process, file: &File, address: u64, bytes: u64) -> Result<()> {
    let found = process.window.word(header::FUNCTIONS_FOUND);
    let index = found.load(Ordering::Relaxed);
    if index >= MOST_TARGETS {
        return Ok(());
    }
    let offset = process.window.get(Region::Targets.word(region::OFFSET)) + index * TARGET_BYTES;
    let item = [address.to_le_bytes(), bytes.to_le_bytes()].concat();
    file.write_all_at(&item, offset)?;
    found.store(index + 1, Ordering::Release);
    Ok(())
}
