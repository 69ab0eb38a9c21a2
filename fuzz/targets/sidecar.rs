//! What was seen from outside: a file of JSON lines beside an arena.
#![no_main]

use residue_finish::from_memory::finish;
use residue_profile::encode;

const ARENA: &[u8] = include_bytes!("../seeds/arena/lines");

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut profile = finish(ARENA.to_vec(), bytes).expect("a whole arena");
    profile.repair();
    if bytes.len().is_multiple_of(16) {
        encode(&profile).expect("what was finished can be written");
    }
});
