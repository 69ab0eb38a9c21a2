//! Names of just-in-time compiled code, `/tmp/perf-PID.map`.
#![no_main]

use residue_finish::from_memory::perf_map_names;

const ADDRESSES: [u64; 7] = [0, 1, 0xfff, 0x1000, 0x1010, 0x7fff_0000_0000, u64::MAX];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let (names, _) = perf_map_names(bytes, &ADDRESSES).expect("memory can be read");
    assert_eq!(names.len(), ADDRESSES.len());
});
