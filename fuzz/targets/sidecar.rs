//! What was seen from outside: a file of JSON lines beside an arena.
#![no_main]

use residue_arena::{VERSION, header};
use residue_finish::from_memory::finish;
use residue_profile::encode;

const ARENA: &[u8] = include_bytes!("../seeds/arena/lines");

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut arena = ARENA.to_vec();
    // The layout may have changed since, in what lines do not need.
    arena[header::VERSION * 8..][..8].copy_from_slice(&VERSION.to_le_bytes());
    let mut profile = finish(arena, bytes).expect("a whole arena");
    profile.repair();
    if bytes.len().is_multiple_of(16) {
        encode(&profile).expect("what was finished can be written");
    }
});
