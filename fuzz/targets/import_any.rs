//! Files whose format is found out, packed ones too.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| residue_fuzz::import(None, bytes));
