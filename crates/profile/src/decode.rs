//! Reads a [`Profile`] from bytes; the twin of [`mod@crate::encode`], where the
//! tables are drawn. Every function here takes bytes from anywhere: nothing
//! panics, and no room is made for rows that the bytes cannot hold.

use std::io::Read;

use serde::Deserialize;

use crate::codes::{COUNTER_COLUMNS, id_from_code, kind_from_code};
use crate::columns::{Cursor, Delta, to_u32};
use crate::error::{Damage, Reason};
use crate::layout::{MAX_WINDOW_LOG, Tag, raw_limit};
use crate::model::*;
use crate::recover::Tables;
use crate::scan::{Section, scan};

/// The whole profile, or the first thing that is wrong with it.
pub fn decode(bytes: &[u8]) -> Result<Profile, Damage> {
    let (profile, damages) = decode_lossy(bytes)?;
    match damages.into_iter().next() {
        None => Ok(profile),
        Some(first) => Err(first),
    }
}

/// All that can still be read, made consistent, and what is wrong with the
/// rest. Fails only where the file is no recording or one of a newer version.
pub fn decode_lossy(bytes: &[u8]) -> Result<(Profile, Vec<Damage>), Damage> {
    let scan = scan(bytes)?;
    let mut damages = scan.damages;
    let mut tables = Tables::default();
    for section in &scan.sections {
        if let Err(reason) = read_section(&mut tables, section) {
            damages.push(reason.of(section.tag));
        }
    }
    let mut profile = tables.into_profile(&mut damages);
    damages.extend(profile.repair());
    Ok((profile, damages))
}

fn read_section(tables: &mut Tables, section: &Section<'_>) -> Result<(), Reason> {
    match section.tag {
        Tag::META => fill(&mut tables.meta, section, json),
        Tag::MODS => fill(&mut tables.modules, section, json),
        Tag::FUNC => fill(&mut tables.functions, section, functions),
        Tag::FRAM => fill(&mut tables.frames, section, frames),
        Tag::NODE => fill(&mut tables.nodes, section, nodes),
        Tag::STAK => fill(&mut tables.stacks, section, stacks),
        Tag::CNTR => fill(&mut tables.counters, section, counters),
        Tag::HTOT => fill(&mut tables.sizes_total, section, sizes),
        Tag::HLIV => fill(&mut tables.sizes_live, section, sizes),
        Tag::BRTH => fill(&mut tables.births, section, births),
        tag if Tag::TIMELINE.contains(&tag) => tables.timeline.read_section(section),
        unknown => {
            tables.unknown.push(unknown);
            Ok(())
        }
    }
}

pub(crate) fn fill<T>(
    slot: &mut Option<T>,
    section: &Section<'_>,
    parse: fn(&[u8]) -> Result<T, Reason>,
) -> Result<(), Reason> {
    if slot.is_some() {
        return Err(Reason::Duplicate);
    }
    *slot = Some(parse(&unpack(section)?)?);
    Ok(())
}

/// Decompresses. Memory grows with what really comes out, up to a limit that
/// depends on what went in.
pub(crate) fn unpack(section: &Section<'_>) -> Result<Vec<u8>, Reason> {
    let raw_bytes = section.raw_bytes;
    let stored_bytes = section.stored.len() as u64;
    if raw_bytes > raw_limit(stored_bytes) {
        return Err(Reason::TooLarge {
            raw_bytes,
            stored_bytes,
        });
    }
    let mut raw = Vec::new();
    zstd::stream::read::Decoder::with_buffer(section.stored)
        .and_then(|mut decoder| {
            decoder.window_log_max(MAX_WINDOW_LOG)?;
            // One more than promised, to see that there is no more.
            decoder.take(raw_bytes + 1).read_to_end(&mut raw)
        })
        .map_err(|error| Reason::Compression(error.to_string()))?;
    if raw.len() as u64 != raw_bytes {
        return Err(Reason::bad(format!("it does not hold {raw_bytes} bytes")));
    }
    Ok(raw)
}

/// The content of META; the twin of `MetaRef` in [`mod@crate::encode`].
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct MetaTable {
    pub meta: Meta,
    pub heap: Totals,
    pub mappings: Totals,
    pub recorder: RecorderStats,
}

pub(crate) fn json<T: for<'de> Deserialize<'de>>(raw: &[u8]) -> Result<T, Reason> {
    serde_json::from_slice(raw).map_err(|error| Reason::bad(error.to_string()))
}

fn functions(raw: &[u8]) -> Result<Vec<String>, Reason> {
    let mut cursor = Cursor::new(raw);
    let rows = cursor.count(1)?;
    let lengths = lengths(&mut cursor, rows, 1)?;
    let mut names = Vec::with_capacity(rows);
    for length in lengths {
        let name = std::str::from_utf8(cursor.bytes(length)?)
            .map_err(|_| Reason::bad(format!("name {} is not UTF-8", names.len())))?;
        names.push(name.to_owned());
    }
    cursor.finish()?;
    Ok(names)
}

fn frames(raw: &[u8]) -> Result<Vec<Frame>, Reason> {
    let mut cursor = Cursor::new(raw);
    let rows = cursor.count(3)?;
    let mut frames = Vec::with_capacity(rows);
    for _ in 0..rows {
        frames.push(Frame {
            module: id_from_code(cursor.u32()?),
            address: 0,
            function: NONE,
        });
    }
    let mut address = Delta::default();
    for frame in &mut frames {
        frame.address = address.u64(&mut cursor)?;
    }
    let mut function = Delta::default();
    for frame in &mut frames {
        frame.function = id_from_code(function.u32(&mut cursor)?);
    }
    cursor.finish()?;
    Ok(frames)
}

fn nodes(raw: &[u8]) -> Result<Vec<Node>, Reason> {
    let mut cursor = Cursor::new(raw);
    let rows = cursor.count(2)?;
    let mut nodes = Vec::with_capacity(rows);
    for index in 0..rows as u64 {
        nodes.push(Node {
            parent: to_u32(index.wrapping_sub(cursor.u64()?))?,
            frame: NONE,
        });
    }
    let mut frame = Delta::default();
    for node in &mut nodes {
        node.frame = id_from_code(frame.u32(&mut cursor)?);
    }
    cursor.finish()?;
    Ok(nodes)
}

fn stacks(raw: &[u8]) -> Result<Vec<(NodeId, StackKind)>, Reason> {
    let mut cursor = Cursor::new(raw);
    let rows = cursor.count(2)?;
    let mut stacks = Vec::with_capacity(rows);
    let mut node = Delta::default();
    for _ in 0..rows {
        stacks.push((node.u32(&mut cursor)?, StackKind::Heap));
    }
    for (_, kind) in &mut stacks {
        let code = cursor.u64()?;
        *kind = kind_from_code(code)
            .ok_or_else(|| Reason::bad(format!("{code} is no kind of stack")))?;
    }
    cursor.finish()?;
    Ok(stacks)
}

fn counters(raw: &[u8]) -> Result<Vec<Counters>, Reason> {
    const COLUMNS: [fn(&mut Counters, u64); COUNTER_COLUMNS] = [
        |c, value| c.calls = value,
        |c, value| c.frees = c.calls.wrapping_sub(value),
        |c, value| c.total_bytes = value,
        |c, value| c.live_bytes = value,
        |c, value| c.live_blocks = value,
        |c, value| c.peak_bytes = value,
        |c, value| c.at_peak_bytes = value,
        |c, value| c.at_peak_blocks = value,
        |c, value| c.reallocs_in_place = value,
        |c, value| c.reallocs_moved = value,
        |c, value| c.temporaries = value,
    ];
    let mut cursor = Cursor::new(raw);
    let rows = cursor.count(COLUMNS.len())?;
    let columns = cursor.u64()?;
    if columns < COLUMNS.len() as u64 {
        return Err(Reason::bad(format!("only {columns} columns")));
    }
    let mut counters = vec![Counters::default(); rows];
    for set in COLUMNS {
        for row in &mut counters {
            set(row, cursor.u64()?);
        }
    }
    // Columns of a newer writer; what they count is not known here.
    if rows > 0 {
        for _ in COLUMNS.len() as u64..columns {
            for _ in 0..rows {
                cursor.u64()?;
            }
        }
    }
    cursor.finish()?;
    Ok(counters)
}

fn sizes(raw: &[u8]) -> Result<Ragged<SizeBin>, Reason> {
    let mut cursor = Cursor::new(raw);
    let rows = cursor.count(1)?;
    let lengths = lengths(&mut cursor, rows, 2)?;
    let mut bins = Vec::with_capacity(lengths.iter().sum());
    for _ in 0..bins.capacity() {
        let bits = cursor.u64()?;
        let bits = u8::try_from(bits).map_err(|_| Reason::bad(format!("{bits} bits")))?;
        bins.push(SizeBin { bits, blocks: 0 });
    }
    for bin in &mut bins {
        bin.blocks = cursor.u64()?;
    }
    cursor.finish()?;
    Ok(ragged(lengths, bins))
}

fn births(raw: &[u8]) -> Result<Ragged<BirthBin>, Reason> {
    let mut cursor = Cursor::new(raw);
    let rows = cursor.count(1)?;
    let lengths = lengths(&mut cursor, rows, 3)?;
    let mut bins = Vec::with_capacity(lengths.iter().sum());
    for &length in &lengths {
        let mut birth = 0u64;
        for _ in 0..length {
            birth = birth.wrapping_add(cursor.u64()?);
            bins.push(BirthBin {
                birth: to_u32(birth)?,
                blocks: 0,
                bytes: 0,
            });
        }
    }
    for bin in &mut bins {
        bin.blocks = cursor.u64()?;
    }
    for bin in &mut bins {
        bin.bytes = cursor.u64()?;
    }
    cursor.finish()?;
    Ok(ragged(lengths, bins))
}

/// A column of lengths whose items, of at least `item_bytes` each, all fit in
/// the bytes that follow.
pub(crate) fn lengths(
    cursor: &mut Cursor<'_>,
    rows: usize,
    item_bytes: u64,
) -> Result<Vec<usize>, Reason> {
    let mut lengths = Vec::with_capacity(rows);
    let mut items = 0u64;
    for _ in 0..rows {
        let length = cursor.u64()?;
        items = items.saturating_add(length);
        lengths.push(length as usize);
    }
    if items.saturating_mul(item_bytes) > cursor.left() as u64 {
        return Err(Reason::bad(format!("{items} items do not fit in it")));
    }
    Ok(lengths)
}

fn ragged<T>(lengths: Vec<usize>, items: Vec<T>) -> Ragged<T> {
    let mut ragged = Ragged::default();
    let mut items = items.into_iter();
    for length in lengths {
        ragged.push_row(items.by_ref().take(length));
    }
    ragged
}
