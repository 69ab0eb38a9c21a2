//! Reads a [`Profile`] from bytes; the twin of [`mod@crate::encode`], where the
//! tables are drawn. Every function here takes bytes from anywhere: nothing
//! panics, and no room is made for rows that the bytes cannot hold.

use serde::Deserialize;

use crate::codes::{id_from_code, kind_from_code, swap_frees};
use crate::columns::{Cursor, Delta, to_u32};
use crate::counters::{COUNTERS_WITHOUT_LARGEST, FIRST_COUNTERS};
use crate::error::{Damage, Reason};
use crate::jobs::{Jobs, THREADS_PAY_BYTES};
use crate::layout::Tag;
use crate::model::*;
use crate::needs::Needs;
use crate::recover::{Tables, without_path};
use crate::scan::scan;
use crate::unpack::Unpacker;
use crate::{places, threads};

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
    decode_needed(bytes, Needs::ALL)
}

/// The same without what is not needed.
pub fn decode_needed(bytes: &[u8], needs: Needs) -> Result<(Profile, Vec<Damage>), Damage> {
    decode_on(bytes, needs, THREADS_PAY_BYTES)
}

/// How many bytes there must be for several threads to share them makes no difference
/// to what comes out.
pub(crate) fn decode_on(
    bytes: &[u8],
    needs: Needs,
    threads_pay_bytes: u64,
) -> Result<(Profile, Vec<Damage>), Damage> {
    let mut unpacker = Unpacker::default();
    let scan = scan(bytes, &mut unpacker)?;
    let mut damages = scan.damages;
    let mut tables = Tables::new(needs, &scan.sections);
    let mut jobs = Jobs::new(&scan.sections);
    add_jobs(&mut jobs, &mut tables);
    let mut wrong = jobs.run(threads_pay_bytes, &mut unpacker);
    wrong.extend(tables.timeline.join_parts());
    wrong.sort_by_key(|(section, _)| *section);
    let of_section = |(index, reason): (usize, Reason)| reason.of(scan.sections[index].tag);
    damages.extend(wrong.into_iter().map(of_section));
    let mut profile = tables.into_profile(&mut damages);
    damages.extend(profile.repair());
    damages.extend(profile.bound_what_multiplies(bytes.len() as u64));
    Ok((profile, damages))
}

fn add_jobs<'a>(jobs: &mut Jobs<'a>, tables: &'a mut Tables) {
    let needs = tables.needs;
    jobs.table(Tag::META, &mut tables.meta, json);
    jobs.table(Tag::MODS, &mut tables.modules, json);
    jobs.table(Tag::FUNC, &mut tables.functions, texts);
    jobs.table(Tag::FRAM, &mut tables.frames, frames);
    jobs.table(Tag::NTAB, &mut tables.without_table, without_table);
    jobs.table(Tag::NODE, &mut tables.nodes, nodes);
    jobs.table(Tag::STAK, &mut tables.paths, paths);
    jobs.table(Tag::CNTR, &mut tables.counters, counters);
    if needs.sizes {
        jobs.table(Tag::HTOT, &mut tables.sizes_total, sizes);
        jobs.table(Tag::HLIV, &mut tables.sizes_live, sizes);
    }
    if needs.births {
        jobs.table(Tag::BRTH, &mut tables.births, births);
    }
    if needs.places {
        jobs.table(Tag::FILE, &mut tables.files, texts);
        jobs.table(Tag::PLAC, &mut tables.places, places::decode);
    }
    jobs.table(Tag::THRD, &mut tables.threads, json);
    if needs.by_thread {
        jobs.table(Tag::THST, &mut tables.by_thread, threads::decode);
    }
    if needs.picture {
        jobs.table(Tag::HOLD, &mut tables.picture, json);
    }
    tables.timeline.add_jobs(jobs, needs);
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

/// Names of functions, paths of files.
fn texts(raw: &[u8]) -> Result<Vec<String>, Reason> {
    let mut cursor = Cursor::new(raw);
    let rows = cursor.count(1)?;
    let mut lengths = cursor.column(rows)?;
    let mut texts = Vec::with_capacity(rows);
    for row in 0..rows {
        let length = usize::try_from(lengths.u64()?).unwrap_or(usize::MAX);
        let text = std::str::from_utf8(cursor.bytes(length)?)
            .map_err(|_| Reason::bad(format!("text {row} is not UTF-8")))?;
        texts.push(text.to_owned());
    }
    cursor.finish()?;
    Ok(texts)
}

fn frames(raw: &[u8]) -> Result<Vec<Frame>, Reason> {
    let mut cursor = Cursor::new(raw);
    let rows = cursor.count(3)?;
    let mut modules = cursor.column(rows)?;
    let mut addresses = Delta::new(cursor.column(rows)?);
    let mut functions = Delta::new(cursor.column(rows)?);
    cursor.finish()?;
    let mut frames = Vec::with_capacity(rows);
    for _ in 0..rows {
        frames.push(Frame {
            module: id_from_code(modules.u32()?),
            address: addresses.u64()?,
            function: id_from_code(functions.u32()?),
        });
    }
    Ok(frames)
}

/// Columns of a newer writer may follow.
fn without_table(raw: &[u8]) -> Result<Vec<FrameId>, Reason> {
    let mut cursor = Cursor::new(raw);
    let rows = cursor.count(1)?;
    let mut frames = Delta::new(cursor.column(rows)?);
    (0..rows).map(|_| frames.u32()).collect()
}

fn nodes(raw: &[u8]) -> Result<Vec<Node>, Reason> {
    let mut cursor = Cursor::new(raw);
    let rows = cursor.count(2)?;
    let mut steps_back = cursor.column(rows)?;
    let mut frames = Delta::new(cursor.column(rows)?);
    cursor.finish()?;
    let mut nodes = Vec::with_capacity(rows);
    for index in 0..rows as u64 {
        nodes.push(Node {
            parent: to_u32(index.wrapping_sub(steps_back.u64()?))?,
            frame: id_from_code(frames.u32()?),
        });
    }
    Ok(nodes)
}

fn paths(raw: &[u8]) -> Result<Vec<(NodeId, StackKind)>, Reason> {
    let mut cursor = Cursor::new(raw);
    let rows = cursor.count(2)?;
    let mut nodes = Delta::new(cursor.column(rows)?);
    let mut kinds = cursor.column(rows)?;
    cursor.finish()?;
    let mut paths = Vec::with_capacity(rows);
    for _ in 0..rows {
        let code = kinds.u64()?;
        let kind = kind_from_code(code)
            .ok_or_else(|| Reason::bad(format!("unknown stack kind {code}")))?;
        paths.push((nodes.u32()?, kind));
    }
    Ok(paths)
}

/// The content of CNTR.
#[derive(Debug)]
pub(crate) struct CounterTable {
    /// Stacks whose path is not known yet.
    pub stacks: Vec<Stack>,
    pub has_largest: bool,
}

fn counters(raw: &[u8]) -> Result<CounterTable, Reason> {
    let mut cursor = Cursor::new(raw);
    let rows = cursor.count(FIRST_COUNTERS)?;
    let columns = cursor.u64()?;
    if columns < FIRST_COUNTERS as u64 {
        return Err(Reason::bad(format!("only {columns} columns")));
    }
    let mut known = Vec::with_capacity(Counters::COUNT);
    for _ in 0..columns.min(Counters::COUNT as u64) {
        known.push(cursor.column(rows)?);
    }
    // Columns of a newer writer; what they count is not known here.
    if rows > 0 {
        for _ in Counters::COUNT as u64..columns {
            cursor.column(rows)?;
        }
    }
    cursor.finish()?;
    let mut stacks = Vec::with_capacity(rows);
    for _ in 0..rows {
        let mut values = [0; Counters::COUNT];
        for (value, column) in values.iter_mut().zip(&mut known) {
            *value = column.u64()?;
        }
        stacks.push(without_path(swap_frees(Counters::from_values(values))));
    }
    Ok(CounterTable {
        stacks,
        has_largest: columns > COUNTERS_WITHOUT_LARGEST as u64,
    })
}

fn sizes(raw: &[u8]) -> Result<Ragged<SizeBin>, Reason> {
    let mut cursor = Cursor::new(raw);
    let ends = row_ends(&mut cursor, 2)?;
    let items = items_before(&ends);
    let mut bits = cursor.column(items)?;
    let mut blocks = cursor.column(items)?;
    cursor.finish()?;
    let mut bins = Vec::with_capacity(items);
    for _ in 0..items {
        let bits = bits.u64()?;
        bins.push(SizeBin {
            bits: u8::try_from(bits).map_err(|_| Reason::bad(format!("{bits} bits")))?,
            blocks: blocks.u64()?,
        });
    }
    Ok(Ragged::from_ends(ends, bins))
}

fn births(raw: &[u8]) -> Result<Ragged<BirthBin>, Reason> {
    let mut cursor = Cursor::new(raw);
    let ends = row_ends(&mut cursor, 3)?;
    let items = items_before(&ends);
    let mut births = cursor.column(items)?;
    let mut blocks = cursor.column(items)?;
    let mut bytes = cursor.column(items)?;
    cursor.finish()?;
    let mut bins = Vec::with_capacity(items);
    for &end in &ends {
        let mut birth = 0u64;
        while bins.len() < end as usize {
            birth = birth.wrapping_add(births.u64()?);
            bins.push(BirthBin {
                birth: to_u32(birth)?,
                blocks: blocks.u64()?,
                bytes: bytes.u64()?,
            });
        }
    }
    Ok(Ragged::from_ends(ends, bins))
}

/// The number of rows and their lengths, as the end of each row among all
/// items. Items take at least `item_bytes` each, and all fit in the bytes that
/// follow.
pub(crate) fn row_ends(cursor: &mut Cursor<'_>, item_bytes: u64) -> Result<Vec<u32>, Reason> {
    let rows = cursor.count(1)?;
    let mut lengths = cursor.column(rows)?;
    let mut ends = Vec::with_capacity(rows);
    let mut items = 0u64;
    for _ in 0..rows {
        items = items.saturating_add(lengths.u64()?);
        // Cut off only where the check below refuses the whole.
        ends.push(items as u32);
    }
    if items.saturating_mul(item_bytes) > cursor.left() as u64 {
        return Err(Reason::bad(format!("{items} items do not fit in it")));
    }
    to_u32(items)?;
    Ok(ends)
}

pub(crate) fn items_before(ends: &[u32]) -> usize {
    ends.last().map_or(0, |&end| end as usize)
}
