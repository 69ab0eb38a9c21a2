//! Snapshots: a named moment, with what the kernel says about the memory then.

use crate::arena_map::{self, Arena};
use crate::hot::Hot;
use crate::jit_symbols::{self, Extent};
use crate::moments;
use crate::own_proc;
use crate::sys;
use core::sync::atomic::Ordering;
use residue_arena::header;
use residue_arena::moments::*;
use residue_arena::region::Region;

const PROC_MAPS: [&[u8]; PROC_MAPS_NAMES.len()] = [b"maps", b"smaps", b"numa_maps"];

/// They are read in pieces of this size.
const PIECE_BYTES: u64 = 64 << 10;

/// Takes a snapshot named by the name of this number.
pub fn take(hot: &Hot, arena: Arena, name: u32, event: u32) {
    let mut row = moments::whole_sample(hot, arena);
    row.kind = KIND_SNAPSHOT;
    row.name = Some(name);
    row.event = event;
    row.id = u64::from(event);
    row.has_totals = true;
    moments::end_interval(arena, &mut row);
    moments::write(arena, &row, true);
    jit_symbols::look(Extent::New);
    let Some(index) = arena.append(Region::Snapshots) else {
        arena.word(header::NO_ROOM).fetch_add(1, Ordering::Relaxed);
        return;
    };
    // SAFETY: the item was just appended.
    let words = unsafe { arena_map::words::<SNAPSHOT_WORDS>(arena.item(Region::Snapshots, index)) };
    words[SNAPSHOT_NAME].store(u64::from(name), Ordering::Relaxed);
    for (index, name) in PROC_MAPS.into_iter().enumerate() {
        let (offset, length) = copy(arena, name).unwrap_or((0, 0));
        let place = SNAPSHOT_PROC_MAPS + 2 * index;
        if let (Some(at), Some(bytes)) = (words.get(place), words.get(place + 1)) {
            at.store(offset, Ordering::Relaxed);
            bytes.store(length, Ordering::Relaxed);
        }
    }
    words[SNAPSHOT_MOMENT].store(u64::from(row.number), Ordering::Release);
}

/// Copies a file of `/proc` into the arena; returns where it begins and its length.
/// The lock for events is held, so pieces follow one another.
fn copy(arena: Arena, name: &[u8]) -> Option<(u64, u64)> {
    let file = own_proc::open(name).ok()?;
    let mut text: Option<(u64, u64)> = None;
    while let Some(piece) = arena.append_run(Region::ProcMaps, PIECE_BYTES) {
        let place = arena.item(Region::ProcMaps, piece);
        // SAFETY: the run was just handed out to this thread alone.
        let room = unsafe { core::slice::from_raw_parts_mut(place, PIECE_BYTES as usize) };
        let length = fill(file, room);
        let (start, before) = text.unwrap_or((piece, 0));
        text = Some((start, before + length as u64));
        if length < room.len() {
            break;
        }
    }
    sys::close(file);
    text
}

/// Reads until the room is full or the file ends.
fn fill(file: usize, room: &mut [u8]) -> usize {
    let mut length = 0;
    while let Some(rest @ [_, ..]) = room.get_mut(length..) {
        match sys::read(file, rest) {
            Ok(bytes @ 1..) => length += bytes,
            _ => break,
        }
    }
    length
}
