//! The frame of the file that [`mod@crate::encode`] and [`crate::scan`] share.
//! All fixed-width numbers are little-endian.
//!
//! ```text
//!   file     ┌────────────────────────────────────────────────┐
//!            │ file header                           24 bytes │
//!            ├────────────────────────────────────────────────┤
//!            │ section header 40 bytes │ payload (zstd)       │  META
//!            ├─────────────────────────┼──────────────────────┤
//!            │ section header 40 bytes │ payload (zstd)       │  MODS
//!            ├─────────────────────────┴──────────────────────┤
//!            │ ...   FUNC FRAM NODE STAK CNTR HTOT HLIV BRTH  │
//!            │ ...   NTAB FILE PLAC THRD THST, if not empty   │
//!            │ ...   the timeline, as far as there is one     │
//!            ├─────────────────────────┬──────────────────────┤
//!            │ section header 40 bytes │ payload (zstd)       │  END
//!            └─────────────────────────┴──────────────────────┘
//!
//!   file header       0        8          12       16         24
//!                     │ magic  │ version  │ flags  │ xxh3 of  │
//!                     │        │          │        │ 0..16    │
//!
//!   section header    0        4      8     16        24          32        40
//!                     │ marker │ tag  │ raw │ stored  │ xxh3 of   │ xxh3 of │
//!                     │        │      │ len │ len     │ payload   │ 0..32   │
//!
//!   END payload       0                     4                             12
//!   (decompressed)    │ sections before END │ xxh3 of the file header and │
//!                     │                     │ all section headers before  │
//! ```
//!
//! The header's own checksum makes a section recognisable wherever it stands,
//! which is how a reader finds its way again behind a damaged one.

use std::fmt;

use xxhash_rust::xxh3::xxh3_64;

use crate::model::{Profile, StackKind};

/// The first byte is no text, so that no text file is ever taken for a recording.
pub const MAGIC: [u8; 8] = *b"\x89RESIDUE";
/// The highest there is. Goes up only when an old reader would misread a new file.
pub const VERSION: u32 = 4;
/// The version of files with several profiles: see [`crate::processes`].
pub(crate) const SEVERAL_PROCESSES: u32 = 3;

pub(crate) const FILE_HEADER_BYTES: usize = 24;
pub(crate) const SECTION_HEADER_BYTES: usize = 40;
pub(crate) const MARKER: [u8; 4] = *b"\xF5SEC";

/// A reader looks at no more sections than this, so that a file made of
/// headers cannot keep it busy.
pub(crate) const MAX_SECTIONS: usize = 64;
/// How many sections the two tables that come in parts may take, which leaves
/// room for new ones below [`MAX_SECTIONS`]. A last part of snapshots without
/// maps may come on top.
pub(crate) const MAX_CHANGE_PARTS: usize = 32;
pub(crate) const MAX_SNAPSHOT_PARTS: usize = 8;
/// The largest zstd window a reader provides memory for.
pub(crate) const MAX_WINDOW_LOG: u32 = 23;

const MAX_RAW_BYTES: u64 = 1 << 30;
const MAX_RAW_PER_STORED: u64 = 64;
const FREE_RAW_BYTES: u64 = 1 << 20;

/// How large a payload may become when decompressed. The bound follows the
/// stored length, so that a small hostile file cannot fill the memory.
pub(crate) fn raw_limit(stored_bytes: u64) -> u64 {
    stored_bytes
        .saturating_mul(MAX_RAW_PER_STORED)
        .saturating_add(FREE_RAW_BYTES)
        .min(MAX_RAW_BYTES)
}

/// The shortest payload that may hold this much, or none if nothing may.
pub(crate) fn min_stored(raw_bytes: u64) -> Option<u64> {
    let beyond_free = raw_bytes.saturating_sub(FREE_RAW_BYTES);
    (raw_bytes <= MAX_RAW_BYTES).then(|| beyond_free.div_ceil(MAX_RAW_PER_STORED))
}

/// The lowest version whose readers understand this.
pub(crate) fn version_of(profile: &Profile) -> u32 {
    let has = |kind: StackKind| profile.stacks.iter().any(|stack| stack.kind == kind);
    match (has(StackKind::Cpu), has(StackKind::Reported)) {
        (true, _) => 4,
        (false, true) => 2,
        (false, false) => 1,
    }
}

/// The name of a section: four ASCII characters, padded with spaces.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tag(pub [u8; 4]);

impl Tag {
    /// Stands for the file header where a section is to be named.
    pub const HEAD: Tag = Tag(*b"HEAD");
    pub const END: Tag = Tag(*b"END ");
    /// The list of a file with several profiles.
    pub const PROC: Tag = Tag(*b"PROC");
    /// A section whose own tag cannot be read.
    pub const UNKNOWN: Tag = Tag(*b"????");

    const fn of(name: &str) -> Tag {
        match name.as_bytes().first_chunk() {
            Some(tag) => Tag(*tag),
            None => Tag::UNKNOWN,
        }
    }
}

/// The list of sections: those that are always there, and those that need not be.
macro_rules! sections {
    ($($tag:ident)*; $($optional:ident)*) => {
        impl Tag {
            $(pub const $tag: Tag = Tag::of(stringify!($tag));)*
            $(pub const $optional: Tag = Tag::of(stringify!($optional));)*

            /// Every section there is, in the order they are written.
            pub const ALL: [Tag; [$(Tag::$tag,)* $(Tag::$optional,)* Tag::END].len()] =
                [$(Tag::$tag,)* $(Tag::$optional,)* Tag::END];

            /// The sections that need not be there.
            pub const OPTIONAL: [Tag; [$(Tag::$optional),*].len()] = [$(Tag::$optional),*];
        }
    };
}

sections! {
    META MODS FUNC FRAM NODE STAK CNTR HTOT HLIV BRTH;
    NTAB FILE PLAC THRD THST TIME MOMT STMP CNTS CTOT CHNG CPUT ALOC ACCT SNAP DEFR HOLD
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.trim_ascii_end().escape_ascii())
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

pub(crate) fn file_header(version: u32) -> [u8; FILE_HEADER_BYTES] {
    let mut bytes = [0; FILE_HEADER_BYTES];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&version.to_le_bytes());
    let checksum = xxh3_64(&bytes[..16]);
    bytes[16..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SectionHeader {
    pub tag: Tag,
    pub raw_bytes: u64,
    pub stored_bytes: u64,
    pub payload_checksum: u64,
}

impl SectionHeader {
    pub fn to_bytes(self) -> [u8; SECTION_HEADER_BYTES] {
        let mut bytes = [0; SECTION_HEADER_BYTES];
        bytes[..4].copy_from_slice(&MARKER);
        bytes[4..8].copy_from_slice(&self.tag.0);
        bytes[8..16].copy_from_slice(&self.raw_bytes.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.stored_bytes.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.payload_checksum.to_le_bytes());
        let checksum = xxh3_64(&bytes[..32]);
        bytes[32..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// The header at the start of `bytes`, if there is one and it is whole.
    pub fn parse(bytes: &[u8]) -> Option<SectionHeader> {
        let bytes = bytes.first_chunk::<SECTION_HEADER_BYTES>()?;
        let whole = bytes[..4] == MARKER && u64_at(bytes, 32) == Some(xxh3_64(&bytes[..32]));
        if !whole {
            return None;
        }
        Some(SectionHeader {
            tag: Tag(array_at(bytes, 4)?),
            raw_bytes: u64_at(bytes, 8)?,
            stored_bytes: u64_at(bytes, 16)?,
            payload_checksum: u64_at(bytes, 24)?,
        })
    }
}

pub(crate) fn array_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk::<N>().copied()
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    array_at(bytes, at).map(u32::from_le_bytes)
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    array_at(bytes, at).map(u64::from_le_bytes)
}
