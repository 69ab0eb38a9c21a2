//! `/proc/PID/smaps` and `statm`, read inside of the recorded program.
#![no_main]

use residue_residency::{Smaps, Sorting, Statm, Sums};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    Statm::parse(bytes);
    let whole = sums(bytes, bytes.len());
    assert!(whole == sums(bytes, 7), "it matters how it comes");
});

fn sums(text: &[u8], chunk_bytes: usize) -> Sums {
    let (mut smaps, mut sorting) = (Smaps::new(), Sorting::default());
    for chunk in text.chunks(chunk_bytes.max(1)) {
        smaps.feed(chunk, &mut |vma| {
            sorting.kind(vma, vma.inode == 1, || vma.start)
        });
    }
    smaps.sums()
}
