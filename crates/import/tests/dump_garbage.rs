//! Damaged dumps of every profiler: read or refused, never a panic.

use std::fs;
use std::io::Write;
use std::path::Path;

use residue_import::{Format, Options, parse};
use residue_profile::Profile;
use residue_testkit::files::damage::mutate;
use residue_testkit::files::protobuf;
use residue_testkit::random::Random;

const ROUNDS: u64 = 10_000;

const PIECES: [&[u8]; 20] = [
    b"\n",
    b" ",
    b":",
    b"(",
    b")",
    b"#",
    b"ffffffffffffffff",
    b"99999999999999999999",
    b"7fffffffffffffff",
    b"0",
    b"-1",
    b"1e300",
    b"\xff",
    b"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80",
    b"",
    b"\n+ 0\n- 1\n",
    b"\nC1 FN0+0",
    b"\n_mpTrace_;x $1$1$1$1\n",
    b"\n n0: 5 0x1: f (g:1)\n",
    b"V0:(1,1,1)",
];

#[derive(Clone, Copy)]
enum Packing {
    None,
    Gzip,
    Zstd,
}

fn pack(bytes: &[u8], packing: Packing) -> Vec<u8> {
    match packing {
        Packing::None => bytes.to_vec(),
        Packing::Gzip => {
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packer.write_all(bytes).unwrap();
            packer.finish().unwrap()
        }
        Packing::Zstd => zstd::encode_all(bytes, 1).unwrap(),
    }
}

/// Sums of the stacks are those of the profile, and changes end at what is live.
fn check_sums(profile: &Profile) {
    let heap = profile.stacks.iter().filter(|stack| stack.kind.is_heap());
    let live: u64 = heap.clone().map(|stack| stack.counters.live_bytes).sum();
    let total: u64 = heap.map(|stack| stack.counters.total_bytes).sum();
    assert_eq!(
        (live, total),
        (profile.heap.live_bytes, profile.heap.total_bytes)
    );
    let timeline = &profile.timeline;
    assert!(timeline.moments.is_sorted_by_key(|moment| moment.time_ns));
    if timeline
        .moments
        .last()
        .is_some_and(|moment| moment.has_changes)
    {
        let mut live = vec![0_i64; profile.stacks.len()];
        for change in &timeline.changes {
            live[change.stack as usize] += change.bytes;
        }
        for (stack, live) in profile.stacks.iter().zip(live) {
            assert_eq!(live, stack.counters.live_bytes as i64);
        }
    }
    assert_eq!(profile.places.rows(), profile.frames.len());
}

/// Damages the content, its packed form, or both; some damage is harmless and most is
/// not, and a reader that takes all or none is wrong.
fn survive(name: &str, whole: &[u8], format: Format, packing: Packing) {
    let mut random = Random::new(1);
    let (mut read, mut refused, mut placed) = (0, 0, 0);
    for round in 0..ROUNDS {
        let mut bytes = whole.to_vec();
        let packs = !matches!(packing, Packing::None);
        if round > 0 && (!packs || round % 3 != 0) {
            mutate(&mut bytes, &mut random, &PIECES);
        }
        let mut bytes = pack(&bytes, packing);
        if round > 0 && packs && round % 3 != 1 {
            mutate(&mut bytes, &mut random, &PIECES);
        }
        // As it would be found, or as the user says.
        let options = Options {
            format: (round % 4 != 3).then_some(format),
            unit: None,
        };
        match parse(Path::new(name), &bytes, None, &options) {
            Ok(mut imported) => {
                read += 1;
                check_sums(&imported.profile);
                assert_eq!(imported.profile.repair(), [], "round {round}");
            }
            Err(error) => {
                refused += 1;
                placed += u64::from(error.place.is_some());
                assert!(
                    error
                        .to_string()
                        .starts_with(&format!("cannot import {name}: "))
                );
                assert!(!error.reason.is_empty());
            }
        }
    }
    assert_eq!(read + refused, ROUNDS);
    assert!(read > ROUNDS / 50, "{name}: only {read} were read");
    assert!(refused > ROUNDS / 5, "{name}: only {refused} were refused");
    // The others say that it is no format that is known, or nothing worth a profile.
    assert!(
        placed > refused / 2,
        "{name}: of {refused} only {placed} say where"
    );
}

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    fs::read(folder.join(name)).unwrap()
}

#[test]
fn igprof() {
    survive(
        "job.igprof",
        &fixture("shop.igprof"),
        Format::Igprof,
        Packing::None,
    );
}

#[test]
fn igprof_gz() {
    survive(
        "job.igprof.gz",
        &fixture("shop.igprof"),
        Format::Igprof,
        Packing::Gzip,
    );
}

#[test]
fn malloc_profiler() {
    survive("a.mdr", &fixture("shop.mdr"), Format::Mdr, Packing::None);
    survive(
        "a.mdr",
        &fixture("shop_details.mdr"),
        Format::Mdr,
        Packing::None,
    );
}

#[test]
fn malloc_profiler_gz() {
    survive("a.mdr.gz", &fixture("shop.mdr"), Format::Mdr, Packing::Gzip);
}

#[test]
fn heaptrack() {
    survive(
        "heaptrack.a.1",
        &fixture("shop.heaptrack"),
        Format::Heaptrack,
        Packing::None,
    );
    survive(
        "heaptrack.a.1",
        &fixture("shop.raw.heaptrack"),
        Format::Heaptrack,
        Packing::None,
    );
}

#[test]
fn heaptrack_zst() {
    survive(
        "heaptrack.a.1.zst",
        &fixture("shop.heaptrack"),
        Format::Heaptrack,
        Packing::Zstd,
    );
}

#[test]
fn heaptrack_gz() {
    survive(
        "heaptrack.a.1.gz",
        &fixture("shop.raw.heaptrack"),
        Format::Heaptrack,
        Packing::Gzip,
    );
}

#[test]
fn massif() {
    survive(
        "massif.out.1",
        &fixture("shop.massif"),
        Format::Massif,
        Packing::None,
    );
}

#[test]
fn pprof() {
    survive("heap.pb", &protobuf::shop().0, Format::Pprof, Packing::None);
}

#[test]
fn pprof_gz() {
    survive(
        "heap.pb.gz",
        &protobuf::shop().0,
        Format::Pprof,
        Packing::Gzip,
    );
}

#[test]
fn gperftools() {
    survive(
        "a.heap",
        &fixture("shop.heap"),
        Format::Gperftools,
        Packing::None,
    );
    survive(
        "a.heap",
        &fixture("jemalloc.heap"),
        Format::Gperftools,
        Packing::None,
    );
}
