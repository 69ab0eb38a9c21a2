//! Events found in lines of output: the first line is the pattern, the rest the output.
#![no_main]

use residue_fuzz::first_line;
use residue_recording::lines::{LineEvent, LineEvents};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let (pattern, output) = first_line(bytes);
    let Ok(pattern) = std::str::from_utf8(pattern) else {
        return;
    };
    let Ok(lines) = LineEvents::new(pattern) else {
        return;
    };
    let whole = events(lines.clone(), output, output.len());
    assert_eq!(whole, events(lines, output, 7), "it matters how it comes");
});

fn events(mut lines: LineEvents, output: &[u8], chunk_bytes: usize) -> Vec<LineEvent> {
    let mut found = Vec::new();
    let mut take = |event: LineEvent| {
        found.push(LineEvent {
            is_late: false,
            ..event
        });
    };
    for chunk in output.chunks(chunk_bytes.max(1)) {
        lines.feed(chunk, false, &mut take);
    }
    lines.end(&mut take);
    found
}
