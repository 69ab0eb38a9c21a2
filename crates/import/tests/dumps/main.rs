//! Stacks of other profilers: the same small shop as each of them would write it.

mod gperftools;
mod heaptrack;
mod igprof;
mod malloc_profiler;
mod massif;
mod packing;
mod pprof;

use std::fs;
use std::io::Write;
use std::path::Path;

use residue_import::{Error, Format, Imported, Options, parse, read_watched};
use residue_profile::timeline::{MomentKind, Source};
use residue_profile::{Counters, FrameId, NONE, Profile, StackKind};
use residue_testkit::files::protobuf;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");

fn fixture(name: &str) -> Vec<u8> {
    fs::read(Path::new(FIXTURES).join(name)).unwrap()
}

fn import_as(name: &str, bytes: &[u8], format: Option<Format>) -> Result<Imported, Error> {
    let options = Options { format, unit: None };
    parse(Path::new(name), bytes, None, &options)
}

/// Found by its content, and consistent.
fn import(name: &str, bytes: &[u8]) -> Imported {
    let mut imported = import_as(name, bytes, None).unwrap();
    assert_eq!(imported.profile.repair(), []);
    let again = import_as(name, bytes, Some(imported.format)).unwrap();
    assert_eq!(again, imported);
    imported
}

fn refusal(name: &str, text: &str) -> String {
    import_as(name, text.as_bytes(), None)
        .unwrap_err()
        .to_string()
}

/// `name(file:line)`, with what was inlined there in front; `module+0x1` without a name.
fn frame_text(profile: &Profile, id: FrameId) -> String {
    let frame = &profile.frames[id as usize];
    let places = profile.places.row(id as usize);
    let name = |function: u32| match function {
        NONE => "?".to_string(),
        function => profile.functions[function as usize].clone(),
    };
    if !places.is_empty() {
        let places = places.iter().map(|place| {
            let file = profile.files.get(place.file as usize);
            let file = file.map_or("?", |file| file);
            format!("{}({file}:{})", name(place.function), place.line)
        });
        return places.collect::<Vec<_>>().join("<");
    }
    match frame.function {
        NONE => {
            let module = profile.module_name(frame.module).unwrap_or_default();
            format!("{module}+{:#x}", frame.address)
        }
        function => name(function),
    }
}

/// Path, kind and counters of every stack, in the order of paths.
fn stacks(profile: &Profile) -> Vec<(String, StackKind, Counters)> {
    let mut stacks: Vec<_> = profile
        .stacks
        .iter()
        .map(|stack| {
            let mut path: Vec<String> = profile
                .frames_leaf_first(stack.node)
                .map(|frame| frame_text(profile, frame))
                .collect();
            path.reverse();
            (path.join(";"), stack.kind, stack.counters)
        })
        .collect();
    stacks.sort_by(|one, other| one.0.cmp(&other.0));
    stacks
}

/// Calls, total, live, live blocks, frees.
fn made(counters: [u64; 5]) -> Counters {
    let [calls, total_bytes, live_bytes, live_blocks, frees] = counters;
    Counters {
        calls,
        total_bytes,
        live_bytes,
        live_blocks,
        frees,
        ..Counters::default()
    }
}

fn notes(imported: &Imported) -> String {
    imported.profile.meta.notes.join("\n")
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn zstd_packed(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}
