//! What the tests share. The framing here is written from docs/FORMAT.md and
//! uses nothing of the crate, so that the two keep each other honest.
#![allow(dead_code)]

pub mod arbitrary;
pub mod arbitrary_timeline;
pub mod timelines;

use residue_profile::*;
use xxhash_rust::xxh3::xxh3_64;

pub const FILE_HEADER_BYTES: usize = 24;
pub const SECTION_HEADER_BYTES: usize = 40;

/// Where a section of a whole file lies.
#[derive(Debug, Clone)]
pub struct Span {
    pub tag: Tag,
    pub header_at: usize,
    pub payload_at: usize,
    pub end: usize,
}

pub fn spans(file: &[u8]) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut at = FILE_HEADER_BYTES;
    while at < file.len() {
        assert_eq!(&file[at..at + 4], b"\xF5SEC");
        let stored = u64::from_le_bytes(file[at + 16..at + 24].try_into().unwrap());
        let payload_at = at + SECTION_HEADER_BYTES;
        let end = payload_at + stored as usize;
        spans.push(Span {
            tag: Tag(file[at + 4..at + 8].try_into().unwrap()),
            header_at: at,
            payload_at,
            end,
        });
        at = end;
    }
    spans
}

pub fn span(file: &[u8], tag: Tag) -> Span {
    let found = spans(file).into_iter().find(|span| span.tag == tag);
    found.unwrap()
}

/// Tag and decompressed payload of every section but END.
pub fn raw_sections(file: &[u8]) -> Vec<(Tag, Vec<u8>)> {
    let mut sections = Vec::new();
    for span in spans(file) {
        if span.tag != Tag::END {
            let raw = zstd::decode_all(&file[span.payload_at..span.end]).unwrap();
            sections.push((span.tag, raw));
        }
    }
    sections
}

pub fn section(tag: Tag, raw_bytes: u64, stored: &[u8]) -> Vec<u8> {
    let mut bytes = b"\xF5SEC".to_vec();
    bytes.extend(tag.0);
    bytes.extend(raw_bytes.to_le_bytes());
    bytes.extend((stored.len() as u64).to_le_bytes());
    bytes.extend(xxh3_64(stored).to_le_bytes());
    bytes.extend(xxh3_64(&bytes).to_le_bytes());
    bytes.extend(stored);
    bytes
}

pub fn packed(tag: Tag, raw: &[u8]) -> Vec<u8> {
    section(tag, raw.len() as u64, &zstd::encode_all(raw, 1).unwrap())
}

pub fn file_header(version: u32, flags: u32) -> Vec<u8> {
    let mut bytes = b"\x89RESIDUE".to_vec();
    bytes.extend(version.to_le_bytes());
    bytes.extend(flags.to_le_bytes());
    bytes.extend(xxh3_64(&bytes).to_le_bytes());
    bytes
}

/// A file of these sections, with the END that belongs to them.
pub fn file_of(sections: &[Vec<u8>]) -> Vec<u8> {
    let mut file = file_header(1, 0);
    let mut headers = file.clone();
    for section in sections {
        headers.extend(&section[..SECTION_HEADER_BYTES]);
        file.extend(section);
    }
    let mut end = (sections.len() as u32).to_le_bytes().to_vec();
    end.extend(xxh3_64(&headers).to_le_bytes());
    file.extend(packed(Tag::END, &end));
    file
}

/// The same file with one payload replaced.
pub fn with_payload(file: &[u8], tag: Tag, raw: &[u8]) -> Vec<u8> {
    let sections: Vec<_> = raw_sections(file)
        .iter()
        .map(|(at, old)| packed(*at, if *at == tag { raw } else { old }))
        .collect();
    file_of(&sections)
}

/// A small profile with something of everything; the golden file holds it.
pub fn sample() -> Profile {
    let mut profile = Profile {
        meta: Meta {
            residue_version: "0.1.0".into(),
            program: "sérver".into(),
            executable: "/opt/sérver".into(),
            command: vec!["./sérver".into(), "--port=80".into()],
            pid: 4711,
            parent_pid: 1,
            host: "host".into(),
            kernel: "6.1".into(),
            started_unix_ns: 1_700_000_000_123_456_789,
            duration_ns: 90_000_000_000,
            end: End::Killed { signal: 9 },
            allocator: "libc.so.6".into(),
            page_bytes: 4096,
            max_rss_bytes: Some(123_456_789),
            options: Options {
                max_size_bytes: u64::MAX,
                max_depth: 512,
                ..Options::default()
            },
            birth_unit: "event".into(),
            notes: vec!["a note".into()],
            ..Meta::default()
        },
        heap: Totals {
            calls: 1_000_106,
            peak_bytes: 70_000,
            ..Totals::default()
        },
        mappings: Totals {
            calls: 2,
            ..Totals::default()
        },
        recorder: RecorderStats {
            threads: 3,
            captures: 1_000_108,
            ..RecorderStats::default()
        },
        modules: vec![
            Module {
                path: "/opt/sérver".into(),
                build_id: "00ff".into(),
                start: 0x5555_0000_0000,
                end: 0x5555_0010_0000,
                bias: 0x5555_0000_0000,
            },
            Module {
                path: "/lib/libc.so.6".into(),
                ..Module::default()
            },
        ],
        functions: vec!["main".into(), "".into(), "_ZN3fooEv".into(), "größe".into()],
        ..Profile::default()
    };
    let frame = |module, address, function| Frame {
        module,
        address,
        function,
    };
    profile.frames = vec![
        frame(0, 0x1234, 0),
        frame(1, 0x8_0000, NONE),
        frame(NONE, u64::MAX, NONE),
        frame(0, 0x1230, 3),
    ];
    let node = |parent, frame| Node { parent, frame };
    profile.nodes = vec![
        node(ROOT, NONE),
        node(ROOT, 0),
        node(1, 1),
        node(1, CUT),
        node(3, 3),
        node(4, 2),
    ];
    let mut add = |node, kind, calls, live, size: u64| {
        profile.stacks.push(Stack {
            node,
            kind,
            counters: Counters {
                calls,
                frees: calls - live,
                total_bytes: calls * size,
                live_bytes: live * size,
                live_blocks: live,
                peak_bytes: 10 * size,
                at_peak_bytes: 9 * size,
                at_peak_blocks: 9,
                reallocs_in_place: 1,
                reallocs_moved: 2,
                temporaries: calls / 2,
                ..Counters::default()
            },
        });
        let bits = (64 - size.leading_zeros()) as u8;
        let bins = [SizeBin {
            bits,
            blocks: calls,
        }];
        profile.sizes_total.push_row(bins);
        let live_bins = bins.map(|bin| SizeBin {
            blocks: live,
            ..bin
        });
        profile
            .sizes_live
            .push_row(live_bins.into_iter().take(live as usize));
        profile.births.push_row((0..live).map(|index| BirthBin {
            birth: 1000 + 7 * index as u32,
            blocks: 1,
            bytes: size,
        }));
    };
    add(2, StackKind::Heap, 1_000_000, 0, 64);
    add(5, StackKind::Heap, 100, 3, 1000);
    add(4, StackKind::Mapping, 2, 1, 4096);
    add(ROOT, StackKind::Pooled, 5, 0, 8);
    add(ROOT, StackKind::Overflow, 1, 1, 24);
    profile
}
