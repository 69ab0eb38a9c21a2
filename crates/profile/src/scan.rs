//! Walks over the sections of a file and keeps those that are whole.
//!
//! ```text
//!   header whole? ──yes──► payload whole? ──yes──► keep, go on behind it
//!        │ no                    │ no
//!        └───────────┬───────────┘
//!                    ▼
//!     report; go on at the next place where a header's own checksum holds
//! ```

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::error::{Damage, Reason};
use crate::layout::{
    FILE_HEADER_BYTES, MAGIC, MARKER, MAX_SECTIONS, SECTION_HEADER_BYTES, SEVERAL_PROCESSES,
    SectionHeader, Tag, VERSION, array_at, u32_at, u64_at,
};
use crate::unpack::Unpacker;

/// A section whose stored bytes are what was written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Section<'a> {
    pub tag: Tag,
    pub raw_bytes: u64,
    pub stored: &'a [u8],
}

#[derive(Debug, Default)]
pub(crate) struct Scan<'a> {
    /// In the order of the file, without END.
    pub sections: Vec<Section<'a>>,
    pub damages: Vec<Damage>,
}

/// Says whether these first bytes can begin a recording at all. Damage that
/// leaves the rest readable is returned as `Some`.
pub(crate) fn check_file_header(bytes: &[u8]) -> Result<Option<Damage>, Damage> {
    let common = bytes.len().min(MAGIC.len());
    if bytes[..common] != MAGIC[..common] {
        return Err(Reason::NotResidue.of(Tag::HEAD));
    }
    let fields = (u32_at(bytes, 8), u32_at(bytes, 12), u64_at(bytes, 16));
    let (Some(version), Some(flags), Some(checksum)) = fields else {
        let file_bytes = bytes.len() as u64;
        return Err(Reason::Truncated { file_bytes }.of(Tag::HEAD));
    };
    // With a bad checksum the version means nothing; take it for ours.
    if checksum != xxh3_64(&bytes[..16]) {
        return Ok(Some(Reason::HeaderChecksum { offset: 0 }.of(Tag::HEAD)));
    }
    if version > VERSION {
        return Err(Reason::VersionTooNew { found: version }.of(Tag::HEAD));
    }
    if version == SEVERAL_PROCESSES {
        return Err(Reason::SeveralProcesses.of(Tag::HEAD));
    }
    if version == 0 || flags != 0 {
        let what = format!("version {version} with flags {flags:#x}");
        return Ok(Some(Reason::bad(what).of(Tag::HEAD)));
    }
    Ok(None)
}

/// Finds every whole section. Fails only where the file header does.
pub(crate) fn scan<'a>(bytes: &'a [u8], unpacker: &mut Unpacker) -> Result<Scan<'a>, Damage> {
    let mut scan = Scan::default();
    scan.damages.extend(check_file_header(bytes)?);

    let mut headers = Xxh3::new();
    headers.update(&bytes[..FILE_HEADER_BYTES]);
    let mut headers_seen = 0;
    let mut next = Some(FILE_HEADER_BYTES);
    while let Some(at) = next.filter(|&at| at < bytes.len()) {
        let Some(header) = SectionHeader::parse(&bytes[at..]) else {
            scan.damages.push(damaged_header(bytes, at));
            next = find_header(bytes, at + 1);
            continue;
        };
        if headers_seen == MAX_SECTIONS {
            let limit = MAX_SECTIONS;
            scan.damages
                .push(Reason::TooManySections { limit }.of(header.tag));
            break;
        }
        let payload_at = at + SECTION_HEADER_BYTES;
        match payload(bytes, payload_at, &header) {
            Ok(section) => {
                let payload_end = payload_at + section.stored.len();
                if section.tag == Tag::END {
                    let end = unpacker.unpack(&section);
                    scan.check_end(end, headers_seen, headers.digest());
                    scan.check_nothing_follows(bytes.len() - payload_end);
                    return Ok(scan);
                }
                scan.sections.push(section);
                next = Some(payload_end);
            }
            Err(reason) => {
                scan.damages.push(reason.of(header.tag));
                // Not behind the payload: bytes may be missing from it.
                next = find_header(bytes, payload_at);
            }
        }
        headers.update(&bytes[at..payload_at]);
        headers_seen += 1;
    }
    if !scan.damages.iter().any(|damage| damage.section == Tag::END) {
        scan.damages.push(Reason::Missing.of(Tag::END));
    }
    Ok(scan)
}

impl Scan<'_> {
    fn check_end(&mut self, end: Result<&[u8], Reason>, headers_seen: usize, headers_digest: u64) {
        let raw = match end {
            Ok(raw) => raw,
            Err(reason) => return self.damages.push(reason.of(Tag::END)),
        };
        let found = (u32::try_from(headers_seen).ok(), Some(headers_digest));
        let written = (u32_at(raw, 0), u64_at(raw, 4));
        // After other damage the two must differ, and nothing new is learnt.
        if self.damages.is_empty() && (written != found || raw.len() != 12) {
            let what = "these are not the sections the file was written with";
            self.damages.push(Reason::bad(what).of(Tag::END));
        }
    }

    fn check_nothing_follows(&mut self, bytes_left: usize) {
        if bytes_left > 0 {
            let bytes = bytes_left as u64;
            self.damages
                .push(Reason::TrailingBytes { bytes }.of(Tag::END));
        }
    }
}

fn payload<'a>(bytes: &'a [u8], at: usize, header: &SectionHeader) -> Result<Section<'a>, Reason> {
    let stored = usize::try_from(header.stored_bytes)
        .ok()
        .and_then(|length| bytes.get(at..at.checked_add(length)?))
        .ok_or(Reason::Truncated {
            file_bytes: bytes.len() as u64,
        })?;
    if xxh3_64(stored) != header.payload_checksum {
        return Err(Reason::Checksum);
    }
    Ok(Section {
        tag: header.tag,
        raw_bytes: header.raw_bytes,
        stored,
    })
}

/// Names the section by what is left of its header.
fn damaged_header(bytes: &[u8], at: usize) -> Damage {
    let tag = array_at(bytes, at + 4)
        .map(Tag)
        .filter(|tag| Tag::ALL.contains(tag));
    if bytes.len() - at < SECTION_HEADER_BYTES {
        let file_bytes = bytes.len() as u64;
        // Whichever it was to be, the file stops before its END.
        Reason::Truncated { file_bytes }.of(tag.unwrap_or(Tag::END))
    } else {
        let offset = at as u64;
        Reason::HeaderChecksum { offset }.of(tag.unwrap_or(Tag::UNKNOWN))
    }
}

fn find_header(bytes: &[u8], from: usize) -> Option<usize> {
    let tail = bytes.get(from..)?;
    tail.windows(MARKER.len())
        .enumerate()
        .filter(|(_, window)| *window == MARKER)
        .map(|(offset, _)| from + offset)
        .find(|&at| SectionHeader::parse(&bytes[at..]).is_some())
}
