//! An arena that the recorded program wrote to as it liked.
#![no_main]

use residue_finish::from_memory::finish;
use residue_profile::encode;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(mut profile) = finish(bytes.to_vec(), &[]) {
        profile.repair();
        // Compressing takes longer than reading did: rarely is enough.
        if bytes.len().is_multiple_of(16) {
            encode(&profile).expect("what was finished can be written");
        }
    }
});
