//! Values on the command line: times, sizes, rates, events, addresses of parts, patterns.
#![no_main]

#[path = "../../src/flags/address.rs"]
#[allow(dead_code)]
mod address;
#[path = "../../src/flags/arguments.rs"]
#[allow(dead_code)]
mod arguments;

use address::Address;
use residue_calltree::Filter;
use residue_profile::{Part, Point, Timeline};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = arguments::time(text);
    let _ = arguments::size(text);
    let _ = arguments::injection(text);
    let _ = arguments::event(text);
    let _ = arguments::program_pattern(text);
    let _ = text.parse::<Point>();
    let Ok(part) = text.parse::<Part>();
    let _ = Timeline::default().span_of(&part);
    assert_eq!(part.to_string().parse::<Part>(), Ok(part));
    let Ok(address) = text.parse::<Address>();
    let _ = address.narrowed(Some(text));
    // A regular expression takes long to compile: not each text is one.
    if let Some(pattern) = text.strip_prefix('/') {
        let filter = Filter::default().focus(pattern);
        let _ = filter.map(|filter| filter.module(pattern));
    }
});
