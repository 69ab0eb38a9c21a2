//! Files of rules, for names and for what a check passes over: the first line is a name.
#![no_main]

#[path = "../../src/flags/ignore.rs"]
#[allow(dead_code)]
mod ignore;

use residue_fuzz::first_line;
use residue_names::{FrameName, NameStyle, Rules};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (name, _) = first_line(text.as_bytes());
    let rest = &text[name.len()..];
    let name = &text[..name.len()];
    ignore::IgnoreRules::parse(rest).holds(name);
    let Ok(rules) = Rules::parse(rest, "rules") else {
        return;
    };
    let frame = FrameName {
        linkage: name,
        module: "libc.so.6",
        file: "main.c",
    };
    for style in [NameStyle::Short, NameStyle::NoParams, NameStyle::Full] {
        rules.show(&frame, style);
    }
});
