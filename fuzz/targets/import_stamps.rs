//! Lines `name:microseconds,vm_KiB,rss_KiB`.
#![no_main]

use residue_import::Format;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| residue_fuzz::import(Some(Format::Stamps), bytes));
