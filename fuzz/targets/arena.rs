//! An arena that the recorded program wrote to as it liked.
#![no_main]

use residue_arena::{VERSION, header};
use residue_finish::from_memory::finish;
use residue_profile::encode;

/// Tables by the highest id take up to 400 MiB, and their time: not with each input.
const MOST_STACKS: u64 = 1 << 12;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut arena = bytes.to_vec();
    let mut change = |word: header::Word, change: &dyn Fn(u64) -> u64| {
        let bytes = arena.get_mut(word * 8..);
        if let Some(word) = bytes.and_then(|bytes| bytes.first_chunk_mut()) {
            *word = change(u64::from_le_bytes(*word)).to_le_bytes();
        }
    };
    change(header::STACKS, &|stacks| stacks.min(MOST_STACKS));
    // Inputs of before the layout changed find their way in, too.
    change(header::VERSION, &|_| VERSION);
    if let Ok(mut profile) = finish(arena, &[]) {
        profile.repair();
        // Compressing takes longer than reading did: rarely is enough.
        if bytes.len().is_multiple_of(16) {
            encode(&profile).expect("what was finished can be written");
        }
    }
});
