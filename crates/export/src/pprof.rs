//! pprof's profile.proto, compressed: one value a counter for every stack.
//!
//! ```text
//!   Profile ── sample_type, string_table, mapping, function, location, sample, ...
//!   Sample  ── location_id (leaf first), value (one a counter), label
//!   Location ── one a label of the tree, with its function and line
//! ```
//!
//! The four counters that Go's and gperftools' heap profiles have carry their names
//! there, so that readers offer what their users know.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use residue_calltree::{CallNodeId, NOT_SHOWN, outermost_scopes};
use residue_profile::units::Unit;
use residue_profile::{Counter, Module};
use rustc_hash::FxHashMap;

use crate::Source;
use crate::bounds::PathSizes;
use crate::protobuf::Message;

/// Field numbers of profile.proto.
mod field {
    pub mod profile {
        pub const SAMPLE_TYPE: u32 = 1;
        pub const SAMPLE: u32 = 2;
        pub const MAPPING: u32 = 3;
        pub const LOCATION: u32 = 4;
        pub const FUNCTION: u32 = 5;
        pub const STRING_TABLE: u32 = 6;
        pub const TIME_NANOS: u32 = 9;
        pub const DURATION_NANOS: u32 = 10;
        pub const PERIOD_TYPE: u32 = 11;
        pub const PERIOD: u32 = 12;
        pub const COMMENT: u32 = 13;
        pub const DEFAULT_SAMPLE_TYPE: u32 = 14;
    }
    pub mod value_type {
        pub const TYPE: u32 = 1;
        pub const UNIT: u32 = 2;
    }
    pub mod sample {
        pub const LOCATION_ID: u32 = 1;
        pub const VALUE: u32 = 2;
        pub const LABEL: u32 = 3;
    }
    pub mod label {
        pub const KEY: u32 = 1;
        pub const STR: u32 = 2;
    }
    pub mod mapping {
        pub const ID: u32 = 1;
        pub const MEMORY_START: u32 = 2;
        pub const MEMORY_LIMIT: u32 = 3;
        pub const FILENAME: u32 = 5;
        pub const BUILD_ID: u32 = 6;
        pub const HAS_FUNCTIONS: u32 = 7;
        pub const HAS_FILENAMES: u32 = 8;
        pub const HAS_LINE_NUMBERS: u32 = 9;
        pub const HAS_INLINE_FRAMES: u32 = 10;
    }
    pub mod location {
        pub const ID: u32 = 1;
        pub const MAPPING_ID: u32 = 2;
        pub const LINE: u32 = 4;
    }
    pub mod line {
        pub const FUNCTION_ID: u32 = 1;
        pub const LINE: u32 = 2;
    }
    pub mod function {
        pub const ID: u32 = 1;
        pub const NAME: u32 = 2;
        pub const FILENAME: u32 = 4;
    }
}

/// Wants a tree with the detail of lines.
pub fn write(source: &Source<'_>, out: &mut dyn Write) -> io::Result<()> {
    // A location is a number of up to five bytes.
    PathSizes::of(source.tree, |_| 4).expect_few()?;
    let mut out = GzEncoder::new(out, Compression::new(6));
    let mut strings = Strings::new();
    let mut head = Message::default();
    write_types(source, &mut strings, &mut head);
    write_places(source, &mut strings, &mut head);
    out.write_all(&head.bytes)?;
    write_samples(source, &mut strings, &mut out)?;
    let mut tail = Message::default();
    for text in &strings.list {
        tail.bytes(field::profile::STRING_TABLE, text.as_bytes());
    }
    out.write_all(&tail.bytes)?;
    out.finish()?.flush()
}

/// What pprof's readers call a counter, and its unit.
fn type_of(counter: Counter) -> (&'static str, &'static str) {
    match counter {
        Counter::Calls => ("alloc_objects", "count"),
        Counter::Total => ("alloc_space", "bytes"),
        Counter::LiveBlocks => ("inuse_objects", "count"),
        Counter::Live => ("inuse_space", "bytes"),
        other => match other.unit() {
            Unit::Ns => (other.name(), "nanoseconds"),
            unit => (other.name(), unit.name()),
        },
    }
}

fn write_types(source: &Source<'_>, strings: &mut Strings, out: &mut Message) {
    let mut value_type = |(name, unit): (&str, &str)| {
        let mut message = Message::default();
        message.number(field::value_type::TYPE, strings.number(name));
        message.number(field::value_type::UNIT, strings.number(unit));
        message
    };
    for &counter in source.counters {
        let message = value_type(type_of(counter));
        out.message(field::profile::SAMPLE_TYPE, &message);
    }
    // Every byte is counted: the period is one.
    let period = value_type(("space", "bytes"));
    out.message(field::profile::PERIOD_TYPE, &period);
    out.number(field::profile::PERIOD, 1);
    let meta = &source.profile.meta;
    out.number(field::profile::TIME_NANOS, meta.started_unix_ns);
    out.number(field::profile::DURATION_NANOS, meta.duration_ns);
    let comment = format!(
        "residue {}: {}",
        env!("CARGO_PKG_VERSION"),
        meta.command.join(" ")
    );
    out.number(field::profile::COMMENT, strings.number(&comment));
    if source.counters.contains(&Counter::Live) {
        let live = strings.number(type_of(Counter::Live).0);
        out.number(field::profile::DEFAULT_SAMPLE_TYPE, live);
    }
}

/// Mappings, functions and locations. A label's location has its number plus one,
/// since zero is no location.
fn write_places(source: &Source<'_>, strings: &mut Strings, out: &mut Message) {
    let mappings = write_mappings(source, strings, out);
    let mut functions: FxHashMap<(u64, u64), u64> = FxHashMap::default();
    for (number, label) in source.tree.labels.iter().enumerate().skip(1) {
        let key = (strings.number(&label.name), strings.number(&label.file));
        let next = functions.len() as u64 + 1;
        let function = *functions.entry(key).or_insert_with(|| {
            let mut message = Message::default();
            message.number(field::function::ID, next);
            // Without a system name: readers would shorten one that is the same.
            message.number(field::function::NAME, key.0);
            message.number(field::function::FILENAME, key.1);
            out.message(field::profile::FUNCTION, &message);
            next
        });
        let mut line = Message::default();
        line.number(field::line::FUNCTION_ID, function);
        line.number(field::line::LINE, u64::from(label.line));
        let mut location = Message::default();
        location.number(field::location::ID, number as u64 + 1);
        if let Some(&mapping) = mappings.get(&*label.module) {
            location.number(field::location::MAPPING_ID, mapping);
        }
        location.message(field::location::LINE, &line);
        out.message(field::profile::LOCATION, &location);
    }
}

/// One mapping for each file name of a library; its number by that name. Readers take
/// the first for the program.
fn write_mappings<'a>(
    source: &Source<'a>,
    strings: &mut Strings,
    out: &mut Message,
) -> FxHashMap<&'a str, u64> {
    let mut numbers = FxHashMap::default();
    let profile = source.profile;
    let mut modules: Vec<(usize, &Module)> = profile.modules.iter().enumerate().collect();
    modules.sort_by_key(|(_, module)| module.path != profile.meta.executable);
    for (index, module) in modules {
        let Some(name) = profile.module_name(index as u32) else {
            continue;
        };
        let next = numbers.len() as u64 + 1;
        if numbers.contains_key(name) {
            continue;
        }
        numbers.insert(name, next);
        let mut message = Message::default();
        message.number(field::mapping::ID, next);
        message.number(field::mapping::MEMORY_START, module.start);
        message.number(field::mapping::MEMORY_LIMIT, module.end);
        message.number(field::mapping::FILENAME, strings.number(&module.path));
        message.number(field::mapping::BUILD_ID, strings.number(&module.build_id));
        for flag in [
            field::mapping::HAS_FUNCTIONS,
            field::mapping::HAS_FILENAMES,
            field::mapping::HAS_LINE_NUMBERS,
            field::mapping::HAS_INLINE_FRAMES,
        ] {
            message.number(flag, 1);
        }
        out.message(field::profile::MAPPING, &message);
    }
    numbers
}

/// What is one sample: the stacks that end in the same node, and have the same labels.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SampleKey<'a> {
    node: CallNodeId,
    kind: &'static str,
    scope: Option<&'a str>,
}

fn write_samples(
    source: &Source<'_>,
    strings: &mut Strings,
    out: &mut dyn Write,
) -> io::Result<()> {
    let profile = source.profile;
    let scopes = outermost_scopes(profile);
    let key = |(stack, &node): (usize, &CallNodeId)| {
        let stack = &profile.stacks[stack];
        SampleKey {
            node,
            kind: stack.kind.name(),
            scope: scopes.get(stack.node as usize).copied().flatten(),
        }
    };
    let ends = source.tree.node_of_stack.iter().enumerate();
    let mut order: Vec<(SampleKey<'_>, usize)> = ends
        .filter(|(_, node)| **node != NOT_SHOWN)
        .map(|end| (key(end), end.0))
        .collect();
    order.sort_unstable();
    let kind_key = strings.number("kind");
    let scope_key = strings.number("scope");
    for same in order.chunk_by(|one, next| one.0 == next.0) {
        let SampleKey { node, kind, scope } = same[0].0;
        let value = |&counter: &Counter| {
            let stacks = same.iter().map(|(_, stack)| &profile.stacks[*stack]);
            let values = stacks.map(|stack| counter.value(stack));
            // The format's numbers are signed.
            counter.merge().all(values).min(i64::MAX as u64)
        };
        let values: Vec<u64> = source.counters.iter().map(value).collect();
        if values.iter().all(|&value| value == 0) {
            continue;
        }
        let path = source.tree.path(node);
        let locations = path.iter().rev().map(|&node| {
            let label = source.tree.nodes[node as usize].label;
            u64::from(label) + 1
        });
        let mut sample = Message::default();
        sample.packed(field::sample::LOCATION_ID, locations);
        sample.packed(field::sample::VALUE, values.into_iter());
        let mut label = |key: u64, text: &str| {
            let mut message = Message::default();
            message.number(field::label::KEY, key);
            message.number(field::label::STR, strings.number(text));
            sample.message(field::sample::LABEL, &message);
        };
        label(kind_key, kind);
        if let Some(scope) = scope {
            label(scope_key, scope);
        }
        let mut message = Message::default();
        message.message(field::profile::SAMPLE, &sample);
        out.write_all(&message.bytes)?;
    }
    Ok(())
}

/// Every text once; the first is empty, as the format wants it.
struct Strings {
    list: Vec<String>,
    numbers: FxHashMap<String, u64>,
}

impl Strings {
    fn new() -> Strings {
        let mut strings = Strings {
            list: Vec::new(),
            numbers: FxHashMap::default(),
        };
        strings.number("");
        strings
    }

    fn number(&mut self, text: &str) -> u64 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.list.len() as u64;
        self.list.push(text.to_string());
        self.numbers.insert(text.to_string(), number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use flate2::read::GzDecoder;
    use residue_calltree::Detail;
    use residue_profile::MemoryKind;
    use std::io::Read;

    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&first, rest) = bytes.split_first().unwrap();
            *bytes = rest;
            value |= u64::from(first & 0x7f) << shift;
            if first < 0x80 {
                break;
            }
        }
        value
    }

    /// The fields of a message that are bytes: numbers and contents.
    fn parts(mut bytes: &[u8]) -> Vec<(u32, &[u8])> {
        let mut parts = Vec::new();
        while !bytes.is_empty() {
            let key = varint(&mut bytes);
            let value = varint(&mut bytes);
            if key & 7 == 2 {
                let (content, rest) = bytes.split_at(value as usize);
                parts.push(((key >> 3) as u32, content));
                bytes = rest;
            }
        }
        parts
    }

    fn of_field<'a>(parts: &[(u32, &'a [u8])], field: u32) -> Vec<&'a [u8]> {
        let these = parts.iter().filter(|part| part.0 == field);
        these.map(|part| part.1).collect()
    }

    #[test]
    fn samples_add_up_and_the_program_comes_first() {
        let mut profile = sample::profile();
        profile.meta.executable = "/lib/libfoo.so".to_string();
        let tree = sample::tree_with(&profile, MemoryKind::Heap, Detail::Line);
        let source = Source {
            profile: &profile,
            tree: &tree,
            counters: &[Counter::Live, Counter::Calls],
        };
        let mut out = Vec::new();
        write(&source, &mut out).unwrap();
        let mut bytes = Vec::new();
        GzDecoder::new(&*out).read_to_end(&mut bytes).unwrap();
        let parts = parts(&bytes);
        let strings = of_field(&parts, field::profile::STRING_TABLE);
        assert_eq!(strings[0], b"");
        let mut sums = [0, 0];
        for sample in of_field(&parts, field::profile::SAMPLE) {
            let mut values = of_field(&self::parts(sample), field::sample::VALUE)[0];
            for sum in &mut sums {
                *sum += varint(&mut values);
            }
            assert!(values.is_empty());
        }
        assert_eq!(sums, [2936, 161]);
        let mut first = of_field(&parts, field::profile::MAPPING)[0];
        assert_eq!([varint(&mut first), varint(&mut first)], [0x08, 1]);
        let (key, file) = (varint(&mut first), varint(&mut first));
        assert_eq!(key, u64::from(field::mapping::FILENAME) << 3);
        assert_eq!(strings[file as usize], b"/lib/libfoo.so");
    }
}
