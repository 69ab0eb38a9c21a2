//! What a picture of the process said: a file beside the arena, written by whoever read it, the
//! latest in place of those before. Stacks and births in it are the recorder's.

use crate::arena_file::ArenaFile;
use crate::births::Births;
use crate::ledger::StackIds;
use crate::pins;
use crate::plain_file;
use crate::timeline::line_events::LineEvents;
use residue_profile::holders::{Chain, HeldSum, Picture, Step};
use residue_profile::units::bytes;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

const MOST_BYTES: u64 = 1 << 28;
/// Sums beyond which those of births of one bin are put together before they are written.
const MOST_SUMS: usize = 1 << 18;

/// The file for an arena.
pub fn path_for(arena: &Path) -> PathBuf {
    let mut path = arena.as_os_str().to_owned();
    path.push(".picture");
    PathBuf::from(path)
}

/// What became of a request for a picture.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Answer {
    /// Its number, in the header of the arena.
    pub request: u64,
    /// Why there is none; empty where there is.
    pub trouble: String,
}

/// The file for the answer to the latest request.
pub fn answer_path_for(arena: &Path) -> PathBuf {
    let mut path = arena.as_os_str().to_owned();
    path.push(".picture-asked");
    PathBuf::from(path)
}

pub fn write_answer(arena: &Path, answer: &Answer) -> io::Result<()> {
    write_whole(&answer_path_for(arena), &serde_json::to_vec(answer)?)
}

pub fn read_answer(arena: &Path) -> Option<Answer> {
    read_json(&answer_path_for(arena))
}

/// Puts a picture in place of the one before. One that says nothing leaves what an earlier one said;
/// what earlier ones said of pages is remembered.
pub fn write(arena: &Path, mut picture: Picture) -> io::Result<()> {
    let path = path_for(arena);
    if let Some(before) = read_raw(arena) {
        if !picture.trouble.is_empty() {
            return Ok(());
        }
        if let (Some(pins), Some(earlier)) = (&mut picture.pins, before.pins) {
            pins.remember(before.event, earlier);
        }
    }
    if picture.sums.len() > MOST_SUMS
        && let Ok(arena) = ArenaFile::open(arena)
    {
        let births = Births::of(&arena, LineEvents::default());
        for sum in &mut picture.sums {
            sum.birth = births.first_of_bin(sum.birth);
        }
        picture.sums = merged(picture.sums);
    }
    let text = serde_json::to_vec(&picture)?;
    if text.len() as u64 <= MOST_BYTES {
        return write_whole(&path, &text);
    }
    let told = Picture {
        trouble: format!("it takes more than {}", bytes(MOST_BYTES)),
        event: picture.event,
        at_exit: picture.at_exit,
        is_asked: picture.is_asked,
        ..Picture::default()
    };
    write_whole(&path, &serde_json::to_vec(&told)?)
}

/// Whoever reads meanwhile finds the one of before.
fn write_whole(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    let mut options = File::options();
    let mut file = plain_file::open(
        Path::new(&new),
        options.write(true).create(true).truncate(true),
    )?;
    file.write_all(text)?;
    std::fs::rename(new, path)
}

fn read_raw(arena: &Path) -> Option<Picture> {
    read_json(&path_for(arena))
}

fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Option<T> {
    let mut bytes = Vec::new();
    let file = plain_file::open(path, File::options().read(true)).ok()?;
    file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// The picture of an arena, with the profile's stacks and births.
pub(crate) fn read(arena: &Path, ids: &StackIds, births: &Births) -> Option<Picture> {
    let raw = read_raw(arena)?;
    Some(numbered(raw, ids, births))
}

/// One sum for each stack, birth and state.
fn merged(mut sums: Vec<HeldSum>) -> Vec<HeldSum> {
    sums.sort_by_key(|sum| (sum.stack, sum.birth, sum.state));
    sums.dedup_by(|next, sum| {
        let is_same = (next.stack, next.birth, next.state) == (sum.stack, sum.birth, sum.state);
        if is_same {
            sum.blocks = sum.blocks.saturating_add(next.blocks);
            sum.bytes = sum.bytes.saturating_add(next.bytes);
        }
        is_same
    });
    sums
}

fn numbered(raw: Picture, ids: &StackIds, births: &Births) -> Picture {
    let sums = raw.sums.into_iter().filter_map(|sum| {
        let stack = ids.stack(sum.stack)?;
        let birth = births.bin(sum.birth);
        Some(HeldSum {
            stack,
            birth,
            ..sum
        })
    });
    let sums = merged(sums.collect());
    let chains = raw.chains.into_iter().filter_map(|chain| {
        let stack = ids.stack(chain.stack)?;
        let steps = chain.steps.into_iter().map(|step| {
            let stack = ids.stack(step.stack)?;
            Some(Step { stack, ..step })
        });
        let steps = steps.collect::<Option<Vec<_>>>()?;
        Some(Chain {
            stack,
            steps,
            ..chain
        })
    });
    let mut chains: Vec<_> = chains.collect();
    chains.sort_by_key(|chain| (chain.stack, std::cmp::Reverse(chain.bytes)));
    let retained = raw.retained.into_iter().filter_map(|retained| {
        let stack = ids.stack(retained.stack)?;
        Some(residue_profile::holders::Retained { stack, ..retained })
    });
    Picture {
        event: births.bin(raw.event),
        sums,
        chains,
        retained: retained.collect(),
        pins: raw.pins.map(|pins| pins::numbered(pins, ids, births)),
        ..raw
    }
}
