//! NumPy arrays of time and sizes.
#![no_main]

use residue_import::Format;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| residue_fuzz::import(Some(Format::Npy), bytes));
