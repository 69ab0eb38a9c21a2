//! Writes a [`Profile`] as bytes; the twin of [`mod@crate::decode`], function by
//! function. The frame around the payloads is drawn in [`crate::layout`], the
//! two kinds of columns in [`crate::columns`].
//!
//! ```text
//!   META  JSON { meta, heap, mappings, recorder }
//!   MODS  JSON [ module, ... ]
//!   FUNC  rows | length ...              | UTF-8 of all names in a row
//!   FRAM  rows | module code ...         | delta address ...     | delta function code ...
//!   NODE  rows | index - parent ...      | delta frame code ...
//!   STAK  rows | delta node ...          | kind ...
//!   CNTR  rows | number of columns       | calls ... | calls - frees ... | nine more
//!   HTOT  rows | bins in row ...         | bits ...              | blocks ...
//!   HLIV  as HTOT
//!   BRTH  rows | bins in row ...         | birth - birth before ... | blocks ... | bytes ...
//!   NTAB  rows | delta frame ...
//!   FILE  as FUNC
//!   PLAC  drawn in crate::places
//!   THRD  JSON [ thread, ... ]
//!   THST  drawn in crate::threads
//!   then the timeline, drawn in crate::encode_timeline
//!   HOLD  JSON picture
//! ```
//!
//! A column lies together because its values resemble each other more than
//! they resemble their row; that is what zstd lives on.

use std::io::{self, Write};

use serde::Serialize;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};
use zstd::bulk::Compressor;

use crate::codes::{id_to_code, kind_to_code, swap_frees};
use crate::columns::Columns;
use crate::counters::{COUNTERS_WITHOUT_LARGEST, FIRST_COUNTERS};
use crate::encode_timeline::timeline;
use crate::error::Reason;
use crate::layout::{
    MAX_WINDOW_LOG, SECTION_HEADER_BYTES, SectionHeader, Tag, file_header, min_stored, version_of,
};
use crate::model::*;
use crate::{places, threads};

/// Fast enough for a million stacks in well under a second.
const ZSTD_LEVEL: i32 = 3;

/// The bytes of the file.
pub fn encode(profile: &Profile) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    encode_into(profile, &mut bytes)?;
    Ok(bytes)
}

/// Writes the bytes of the file one section at a time. Fails when the writer
/// does, or when a section is larger than any reader accepts (1 GiB).
pub fn encode_into(profile: &Profile, out: impl Write) -> io::Result<()> {
    let mut file = FileWriter::begin(out, version_of(profile))?;
    file.section(Tag::META, &meta(profile)?)?;
    file.section(Tag::MODS, &serde_json::to_vec(&profile.modules)?)?;
    file.section(Tag::FUNC, &texts(&profile.functions))?;
    file.section(Tag::FRAM, &frames(&profile.frames))?;
    file.section(Tag::NODE, &nodes(&profile.nodes))?;
    file.section(Tag::STAK, &stacks(&profile.stacks))?;
    file.section(Tag::CNTR, &counters(profile))?;
    file.section(Tag::HTOT, &sizes(&profile.sizes_total))?;
    file.section(Tag::HLIV, &sizes(&profile.sizes_live))?;
    file.section(Tag::BRTH, &births(&profile.births))?;
    if !profile.without_table.is_empty() {
        file.section(Tag::NTAB, &without_table(&profile.without_table))?;
    }
    source(&mut file, profile)?;
    by_thread(&mut file, profile)?;
    timeline(&mut file, &profile.timeline)?;
    if let Some(picture) = &profile.picture {
        file.section(Tag::HOLD, &serde_json::to_vec(picture)?)?;
    }
    file.end()
}

pub(crate) struct FileWriter<W> {
    out: W,
    /// To make one takes longer than to write a small section.
    compressor: Compressor<'static>,
    sections: u32,
    /// Over all headers so far; END carries it, so that no section can be
    /// lost, swapped or taken from another file unnoticed.
    headers: Xxh3,
}

impl<W: Write> FileWriter<W> {
    pub fn begin(mut out: W, version: u32) -> io::Result<Self> {
        let header = file_header(version);
        out.write_all(&header)?;
        let mut headers = Xxh3::new();
        headers.update(&header);
        Ok(FileWriter {
            out,
            compressor: Compressor::new(ZSTD_LEVEL)?,
            sections: 0,
            headers,
        })
    }

    pub fn section(&mut self, tag: Tag, raw: &[u8]) -> io::Result<()> {
        let header = self.put(tag, raw)?;
        self.headers.update(&header);
        self.sections += 1;
        Ok(())
    }

    fn end(mut self) -> io::Result<()> {
        let mut raw = self.sections.to_le_bytes().to_vec();
        raw.extend_from_slice(&self.headers.digest().to_le_bytes());
        self.put(Tag::END, &raw)?;
        self.out.flush()
    }

    fn put(&mut self, tag: Tag, raw: &[u8]) -> io::Result<[u8; SECTION_HEADER_BYTES]> {
        let stored = match tag {
            Tag::SNAP => pad(tag, raw, compress_far(raw)?)?,
            _ => pad(tag, raw, self.compressor.compress(raw)?)?,
        };
        let header = SectionHeader {
            tag,
            raw_bytes: raw.len() as u64,
            stored_bytes: stored.len() as u64,
            payload_checksum: xxh3_64(&stored),
        }
        .to_bytes();
        self.out.write_all(&header)?;
        self.out.write_all(&stored)?;
        Ok(header)
    }
}

/// One snapshot's maps are much like the last one's, far back.
fn compress_far(raw: &[u8]) -> io::Result<Vec<u8>> {
    let mut compressor = Compressor::new(ZSTD_LEVEL)?;
    compressor.long_distance_matching(true)?;
    compressor.window_log(MAX_WINDOW_LOG)?;
    compressor.compress(raw)
}

/// Pads what compressed better than a reader believes possible.
fn pad(tag: Tag, raw: &[u8], mut stored: Vec<u8>) -> io::Result<Vec<u8>> {
    let raw_bytes = raw.len() as u64;
    let stored_bytes = stored.len() as u64;
    let Some(min_bytes) = min_stored(raw_bytes) else {
        let reason = Reason::TooLarge {
            raw_bytes,
            stored_bytes,
        };
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason.of(tag)));
    };
    if stored_bytes < min_bytes {
        let padding_bytes = (min_bytes - stored_bytes) as u32;
        stored.extend_from_slice(&ZSTD_SKIPPABLE.to_le_bytes());
        stored.extend_from_slice(&padding_bytes.to_le_bytes());
        stored.resize(stored.len() + padding_bytes as usize, 0);
    }
    Ok(stored)
}

/// Starts a frame that every zstd decoder skips.
const ZSTD_SKIPPABLE: u32 = 0x184D_2A50;

/// What [`mod@crate::decode`] reads into its `MetaTable`.
#[derive(Serialize)]
struct MetaRef<'a> {
    meta: &'a Meta,
    heap: &'a Totals,
    mappings: &'a Totals,
    recorder: &'a RecorderStats,
}

fn meta(profile: &Profile) -> io::Result<Vec<u8>> {
    let meta = MetaRef {
        meta: &profile.meta,
        heap: &profile.heap,
        mappings: &profile.mappings,
        recorder: &profile.recorder,
    };
    Ok(serde_json::to_vec(&meta)?)
}

/// Where there is no debug information there are no sections.
fn source<W: Write>(file: &mut FileWriter<W>, profile: &Profile) -> io::Result<()> {
    if !profile.files.is_empty() {
        file.section(Tag::FILE, &texts(&profile.files))?;
    }
    if profile.places.rows() > 0 {
        file.section(Tag::PLAC, &places::encode(&profile.places))?;
    }
    Ok(())
}

fn by_thread<W: Write>(file: &mut FileWriter<W>, profile: &Profile) -> io::Result<()> {
    if !profile.threads.is_empty() {
        file.section(Tag::THRD, &serde_json::to_vec(&profile.threads)?)?;
    }
    if profile.by_thread.rows() > 0 {
        file.section(
            Tag::THST,
            &threads::encode(&profile.by_thread, profile.has_largest),
        )?;
    }
    Ok(())
}

fn texts(texts: &[String]) -> Vec<u8> {
    let mut out = table(texts.len());
    out.plain(texts.iter().map(|text| text.len() as u64));
    for text in texts {
        out.bytes(text.as_bytes());
    }
    out.finish()
}

fn frames(frames: &[Frame]) -> Vec<u8> {
    let mut out = table(frames.len());
    out.plain(frames.iter().map(|frame| id_to_code(frame.module)));
    out.deltas(frames.iter().map(|frame| frame.address));
    out.deltas(frames.iter().map(|frame| id_to_code(frame.function)));
    out.finish()
}

fn without_table(frames: &[FrameId]) -> Vec<u8> {
    let mut out = table(frames.len());
    out.deltas(frames.iter().map(|&frame| u64::from(frame)));
    out.finish()
}

fn nodes(nodes: &[Node]) -> Vec<u8> {
    let mut out = table(nodes.len());
    let steps_back = |(index, node): (u64, &Node)| index.wrapping_sub(u64::from(node.parent));
    out.plain((0..).zip(nodes).map(steps_back));
    out.deltas(nodes.iter().map(|node| id_to_code(node.frame)));
    out.finish()
}

fn stacks(stacks: &[Stack]) -> Vec<u8> {
    let mut out = table(stacks.len());
    out.deltas(stacks.iter().map(|stack| u64::from(stack.node)));
    out.plain(stacks.iter().map(|stack| kind_to_code(stack.kind)));
    out.finish()
}

fn counters(profile: &Profile) -> Vec<u8> {
    let stacks = &profile.stacks;
    let mut out = table(stacks.len());
    let has_cpu = stacks.iter().any(|stack| stack.counters.cpu_ns != 0);
    let columns = match (profile.has_largest, has_cpu) {
        (true, _) => Counters::COUNT,
        (false, true) => COUNTERS_WITHOUT_LARGEST,
        (false, false) => FIRST_COUNTERS,
    };
    out.put(columns as u64);
    for column in 0..columns {
        out.plain((stacks.iter()).map(|stack| swap_frees(stack.counters).values()[column]));
    }
    out.finish()
}

fn sizes(rows: &Ragged<SizeBin>) -> Vec<u8> {
    let mut out = ragged(rows);
    out.plain(rows.items().iter().map(|bin| u64::from(bin.bits)));
    out.plain(rows.items().iter().map(|bin| bin.blocks));
    out.finish()
}

fn births(rows: &Ragged<BirthBin>) -> Vec<u8> {
    let mut out = ragged(rows);
    for index in 0..rows.rows() {
        let mut last = 0;
        for bin in rows.row(index) {
            let birth = u64::from(bin.birth);
            out.put(birth.wrapping_sub(last));
            last = birth;
        }
    }
    out.plain(rows.items().iter().map(|bin| bin.blocks));
    out.plain(rows.items().iter().map(|bin| bin.bytes));
    out.finish()
}

pub(crate) fn table(rows: usize) -> Columns {
    let mut out = Columns::default();
    out.put(rows as u64);
    out
}

pub(crate) fn ragged<T>(rows: &Ragged<T>) -> Columns {
    let mut out = table(rows.rows());
    out.plain((0..rows.rows()).map(|index| rows.row(index).len() as u64));
    out
}
