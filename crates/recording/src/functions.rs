//! Answers the recorder's question which functions begin events: it names the
//! modules that were loaded, and waits until they have been searched.

mod mapped;

use super::sighting::Process;
use anyhow::Result;
use mapped::{FileAt, Maps};
use residue_arena::header;
use residue_arena::moments::{MOST_TARGETS, target};
use residue_arena::region::{self, Region};
use residue_finish::ArenaFile;
use residue_symbols::{Error, FoundFunction, find_functions};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::Ordering;

/// The two words of a target in the arena.
type Target = (u64, u64);

/// Searches what was loaded since the last answer.
pub fn answer(process: &Process, patterns: &[String]) {
    let window = &process.window;
    let asked = window.get(header::MODULES_ASKED);
    let answered = window.get(header::MODULES_ANSWERED);
    if asked <= answered {
        return;
    }
    let count = |word, more: u64| {
        window.word(word).fetch_add(more, Ordering::Relaxed);
    };
    // The program must not be kept waiting for what cannot be read.
    let (targets, unread) =
        search(process, patterns, asked - answered).unwrap_or((Vec::new(), asked - answered));
    let told = targets.len().min(MOST_TARGETS as usize);
    let told = match write(process, &targets[..told]) {
        Ok(()) => told,
        Err(_) => 0,
    };
    count(header::FUNCTIONS_UNTOLD, (targets.len() - told) as u64);
    count(header::MODULES_UNREAD, unread);
    let found = window.word(header::FUNCTIONS_FOUND);
    found.store(told as u64, Ordering::Release);
    window
        .word(header::MODULES_ANSWERED)
        .store(asked, Ordering::Release);
}

/// The functions in the modules of the question, and how many of the modules could
/// not be read.
fn search(process: &Process, patterns: &[String], modules: u64) -> Result<(Vec<Target>, u64)> {
    let arena = ArenaFile::open(&process.arena)?;
    let mut loads = Vec::new();
    arena.each_chunk(Region::Loads, modules, |_, bytes| {
        for item in bytes.chunks_exact(Region::Loads.item_bytes() as usize) {
            let (words, _) = item.as_chunks::<8>();
            loads.push((u64::from_le_bytes(words[0]), u64::from_le_bytes(words[1])));
        }
    })?;
    let maps = process
        .pid()
        .and_then(|pid| Maps::of_writer(&process.arena, pid));
    let Some(maps) = maps else {
        return Ok((Vec::new(), modules));
    };
    let (mut targets, mut unread) = (Vec::new(), 0);
    for (address, bias) in loads {
        let path = match maps.file_at(address) {
            FileAt::None => continue,
            FileAt::Unreadable => None,
            FileAt::Path(path) => Some(path),
        };
        // What was read is believed if it still is the file that is mapped.
        let found = path.and_then(|path| {
            let found = functions_in(&path, patterns)?;
            maps.is_at(address, &path).then_some(found)
        });
        match found {
            Some(found) => targets.extend(found.iter().map(|function| {
                (
                    bias.wrapping_add(function.address),
                    target::pack(function.size, function.next_symbol),
                )
            })),
            None => unread += 1,
        }
    }
    Ok((targets, unread))
}

/// `None` where the file cannot be read.
fn functions_in(path: &Path, patterns: &[String]) -> Option<Vec<FoundFunction>> {
    let mut functions = Vec::new();
    for pattern in patterns {
        match find_functions(path, pattern) {
            Ok(found) => functions.extend(found),
            Err(Error::NoSymbols { .. }) => {}
            Err(_) => return None,
        }
    }
    Some(functions)
}

fn write(process: &Process, targets: &[Target]) -> Result<()> {
    let file = File::options().write(true).open(&process.arena)?;
    let items: Vec<u8> = targets
        .iter()
        .flat_map(|(address, second)| [address.to_le_bytes(), second.to_le_bytes()].concat())
        .collect();
    let offset = process.window.get(Region::Targets.word(region::OFFSET));
    file.write_all_at(&items, offset)?;
    Ok(())
}
