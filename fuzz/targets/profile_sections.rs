//! The tables inside of a `.residue` file.
#![no_main]

use residue_fuzz::file_of;
use residue_profile::{Needs, decode, decode_lossy, decode_needed, encode};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let file = file_of(bytes);
    let (mut profile, damages) = decode_lossy(&file).expect("its header is right");
    assert_eq!(profile.repair(), [], "it is not consistent");
    let (mut least, _) = decode_needed(&file, Needs::LEAST).expect("its header is right");
    assert_eq!(least.repair(), [], "a part of it is not consistent");
    // Compressing takes longer than all the rest: rarely is enough.
    if damages.is_empty() && bytes.len().is_multiple_of(16) {
        let written = encode(&profile).expect("what was read can be written");
        assert_eq!(decode(&written).expect("and read again"), profile);
    }
});
