//! Linkage names of any language, and patterns for them: the first line is the pattern.
#![no_main]

use std::sync::LazyLock;

use residue_fuzz::{first_line, on_this_thread};
use residue_names::{FrameName, NameStyle, Rules, columns, cut_end, cut_middle, glob};

static BUILTIN: LazyLock<Rules> = LazyLock::new(Rules::builtin);

libfuzzer_sys::fuzz_target!(
    init: on_this_thread(),
    |bytes: &[u8]| {
        let (pattern, name) = first_line(bytes);
        let (pattern, linkage) = (String::from_utf8_lossy(pattern), String::from_utf8_lossy(name));
        glob(&pattern, &linkage);
        residue_symbols::fits(&pattern, &linkage);
        for style in [NameStyle::Short, NameStyle::NoParams, NameStyle::Full] {
            let frame = FrameName {
                linkage: &linkage,
                module: "libc.so.6",
                file: "",
            };
            let shown = BUILTIN.show(&frame, style).name;
            assert!(columns(&cut_middle(&shown, 40)) <= 40);
            assert!(columns(&cut_end(&shown, 40)) <= 40);
        }
    }
);
