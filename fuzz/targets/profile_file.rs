//! `.residue` files: their frame, with and without right checksums.
#![no_main]

use residue_fuzz::mend_checksums;
use residue_profile::decode_lossy;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    let mut mended = bytes.to_vec();
    mend_checksums(&mut mended);
    read(&mended);
});

fn read(file: &[u8]) {
    if let Ok((mut profile, _)) = decode_lossy(file) {
        assert_eq!(profile.repair(), [], "it is not consistent");
    }
}
