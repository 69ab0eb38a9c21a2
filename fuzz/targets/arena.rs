//! An arena that the recorded program wrote to as it liked.
#![no_main]

use residue_arena::header;
use residue_finish::from_memory::finish;
use residue_profile::encode;

/// Tables by the highest id take up to 400 MiB, and their time: not with each input.
const MOST_STACKS: u64 = 1 << 12;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut arena = bytes.to_vec();
    if let Some(stacks) = arena.get_mut(header::STACKS * 8..)
        && let Some(stacks) = stacks.first_chunk_mut()
    {
        *stacks = u64::from_le_bytes(*stacks).min(MOST_STACKS).to_le_bytes();
    }
    if let Ok(mut profile) = finish(arena, &[]) {
        profile.repair();
        // Compressing takes longer than reading did: rarely is enough.
        if bytes.len().is_multiple_of(16) {
            encode(&profile).expect("what was finished can be written");
        }
    }
});
