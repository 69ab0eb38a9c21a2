//! The head of a report: who was recorded, what it held, and what the recorder
//! itself cost and missed.

use residue_profile::{Counters, Measured, MemoryKind, Meta, Profile, Totals};

use crate::words::ending;
use residue_analysis::history::EventRange;
use residue_names::cut_middle;
use residue_profile::units::{bytes, count, counted, duration, exact_bytes, share};
use residue_query::visible::{command_line, visible};
use residue_query::warnings::warnings;

/// Characters of the command that are shown.
const LONGEST_COMMAND: usize = 200;

/// Notes that are shown; a program with many odd files has hundreds.
const SHOWN_NOTES: usize = 10;

/// Columns before a fact.
pub const INDENT: usize = 11;

/// One fact a line, under its heading.
pub fn lines(profile: &Profile, measured: Measured) -> Vec<String> {
    let meta = &profile.meta;
    let mut lines = Vec::new();
    let mut row = |heading: &str, text: String| lines.push(format!("{heading:<10} {text}"));
    row("program", program(meta));
    if !meta.command.is_empty() {
        let command = command_line(&meta.command);
        row("command", cut_middle(&command, LONGEST_COMMAND));
    }
    match measured {
        _ if meta.options.without_heap => row("heap", "not recorded (--no-heap)".to_string()),
        Measured::Everything => {
            heap(&profile.heap, &mut row);
            row("mappings", mappings(&profile.mappings));
        }
        Measured::LiveOnly => {
            row("heap", live(&profile.heap));
            row("mappings", live(&profile.mappings));
            let why = "between moments: not recorded".to_string();
            row("allocations", why);
        }
        Measured::WithTotals => {
            row("heap", live(&profile.heap));
            row("mappings", live(&profile.mappings));
            row("allocations", allocated(&profile.heap));
        }
        Measured::ByThread => row("heap", allocated(&profile.heap)),
    }
    if let period_ns @ 1.. = meta.options.cpu_period_ns {
        let ns = Counters::sum(&profile.stacks, MemoryKind::Cpu).cpu_ns;
        let samples = counted(ns / period_ns, "sample", "samples");
        let period = duration(period_ns);
        row(
            "CPU time",
            format!("{} in {samples} of {period}", duration(ns)),
        );
    }
    if let Some(resident) = meta.max_rss_bytes {
        row("resident", format!("at most {}", exact_bytes(resident)));
    }
    row("stacks", stacks(profile));
    row("recorder", cost(profile));
    row("", losses(profile));
    if let Some(limits) = limits(profile) {
        row("limits", limits);
    }
    for warning in warnings(profile) {
        row("warning", warning);
    }
    for note in meta.notes.iter().take(SHOWN_NOTES) {
        row("note", visible(note));
    }
    if let more @ 1.. = meta.notes.len().saturating_sub(SHOWN_NOTES) {
        row(
            "",
            format!(
                "{}: see `residue dump`",
                counted(more as u64, "more note", "more notes")
            ),
        );
    }
    // No line ends in blanks, even where there was nothing to say.
    lines
        .iter()
        .map(|line| line.trim_end().to_string())
        .collect()
}

fn program(meta: &Meta) -> String {
    let program = visible(&meta.program);
    let length = duration(meta.duration_ns);
    match meta.merged_profiles {
        0 => format!(
            "{program}, pid {}: {} after {length}",
            meta.pid,
            ending(&meta.end)
        ),
        profiles => format!(
            "{program}: the sum of {}, {length} from the first start to the last end",
            counted(profiles, "profile", "profiles")
        ),
    }
}

fn live(totals: &Totals) -> String {
    let blocks = counted(totals.live_blocks, "block", "blocks");
    format!("live {} in {blocks}", exact_bytes(totals.live_bytes))
}

fn allocated(totals: &Totals) -> String {
    format!(
        "{}, {} in total; {} freed; what is live: not recorded by thread",
        counted(totals.calls, "allocation", "allocations"),
        exact_bytes(totals.total_bytes),
        count(totals.frees)
    )
}

fn heap(heap: &Totals, row: &mut impl FnMut(&str, String)) {
    row(
        "heap",
        format!(
            "{}, {} in total",
            counted(heap.calls, "allocation", "allocations"),
            exact_bytes(heap.total_bytes)
        ),
    );
    row(
        "  live",
        format!(
            "{} in {}",
            exact_bytes(heap.live_bytes),
            counted(heap.live_blocks, "block", "blocks")
        ),
    );
    row("  peak", exact_bytes(heap.peak_bytes));
    row(
        "  frees",
        format!(
            "{}; {} temporary ({}); reallocs {} in place, {} moved",
            count(heap.frees),
            count(heap.temporaries),
            share(heap.temporaries, heap.calls),
            count(heap.reallocs_in_place),
            count(heap.reallocs_moved)
        ),
    );
}

fn mappings(mappings: &Totals) -> String {
    if mappings.calls == 0 {
        return "none".to_string();
    }
    format!(
        "{}, {} in total, live {} in {}, peak {} (not part of the heap above)",
        counted(mappings.calls, "call", "calls"),
        bytes(mappings.total_bytes),
        bytes(mappings.live_bytes),
        counted(mappings.live_blocks, "piece", "pieces"),
        bytes(mappings.peak_bytes)
    )
}

fn stacks(profile: &Profile) -> String {
    format!(
        "{} from {}; {} of {} without a name",
        count(profile.stacks.len() as u64),
        counted(profile.recorder.threads, "thread", "threads"),
        count(profile.recorder.frames_unresolved),
        counted(profile.frames.len() as u64, "frame", "frames")
    )
}

fn cost(profile: &Profile) -> String {
    let recorder = &profile.recorder;
    format!(
        "{} of memory ({} shared, {} in the program), {} of time in all threads",
        bytes(recorder.arena_bytes.saturating_add(recorder.private_bytes)),
        bytes(recorder.arena_bytes),
        bytes(recorder.private_bytes),
        duration(recorder.time_ns)
    )
}

fn losses(profile: &Profile) -> String {
    let recorder = &profile.recorder;
    let mut losses = vec![
        format!("{} dropped", count(recorder.dropped)),
        format!(
            "{} of unknown blocks",
            counted(recorder.unknown_frees, "free", "frees")
        ),
    ];
    if let inherited @ 1.. = recorder.inherited_frees {
        let frees = counted(inherited, "free", "frees");
        losses.push(format!("{frees} of blocks inherited by fork"));
    }
    let cut = counted(recorder.cut_stacks, "stack", "stacks");
    losses.push(format!("{cut} cut"));
    let mut losses = losses.join(", ");
    let mut add = |stacks: u64, what: &str| {
        if stacks > 0 {
            let of = count(recorder.stacks_unwound);
            losses.push_str(&format!(
                "; {} of {of} unwound stacks {what}",
                count(stacks)
            ));
        }
    };
    add(recorder.early_stacks, "end before the root");
    add(recorder.guessed_stacks, "rely on frame pointers");
    losses
}

/// The options that keep something out of the profile.
fn limits(profile: &Profile) -> Option<String> {
    let options = &profile.meta.options;
    let mut limits = Vec::new();
    if options.min_size_bytes > 0 {
        let smallest = bytes(options.min_size_bytes);
        limits.push(format!("blocks below {smallest} have no stacks"));
    }
    // 0 is what a file says that does not know of this limit.
    if !matches!(options.max_size_bytes, 0 | u64::MAX) {
        let largest = bytes(options.max_size_bytes);
        limits.push(format!("blocks above {largest} have no stacks"));
    }
    let missed = || {
        let calls = counted(profile.recorder.paused_calls, "allocation", "allocations");
        format!("{calls} not recorded")
    };
    let recorded = EventRange::recorded(profile);
    let is_part = recorded != EventRange::ALL && recorded.from <= recorded.to;
    if is_part {
        let about = &profile.timeline.about;
        let last = u64::from(recorded.to).min(about.events);
        limits.push(format!(
            "only {}s {}..{last} of {} were recorded: {}",
            about.source.unit(),
            recorded.from.max(1),
            count(about.events),
            missed()
        ));
    } else if options.start_paused {
        limits.push(format!("started paused: {}", missed()));
    }
    (!limits.is_empty()).then(|| limits.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_testkit::sample;

    #[test]
    fn a_clean_recording_in_full() {
        assert_eq!(
            lines(&sample::profile(), Measured::Everything),
            [
                "program    server, pid 4711: killed by signal 9 (SIGKILL) after 1 min 30 s",
                "command    ./server --port=80",
                "heap       5 001 622 allocations, 300 MiB (314 572 800 bytes) in total",
                "  live     2.87 KiB (2 936 bytes) in 32 blocks",
                "  peak     4.88 KiB (5 000 bytes)",
                "  frees    5 001 590; 1 250 405 temporary (25.0 %); reallocs 4 in place, 5 moved",
                "mappings   2 calls, 12.0 KiB in total, live 8.00 KiB in 1 piece, peak 8.00 KiB \
                 (not part of the heap above)",
                "resident   at most 64.0 MiB (67 108 864 bytes)",
                "stacks     6 from 3 threads; 0 of 7 frames without a name",
                "recorder   38.0 MiB of memory (37.0 MiB shared, 1.00 MiB in the program), \
                 450 ms of time in all threads",
                "           0 dropped, 0 frees of unknown blocks, 0 stacks cut",
                "note       a note",
            ]
        );
    }

    #[test]
    fn what_is_missing_is_said() {
        let mut profile = sample::profile();
        profile.meta.options.min_size_bytes = 16;
        profile.meta.options.max_size_bytes = 1 << 20;
        profile.recorder.dropped = 1;
        profile.recorder.dropped_bytes = 64;
        profile.recorder.dropped_frees = 6;
        profile.recorder.inherited_frees = 7;
        profile.recorder.missed_frees = 2;
        profile.recorder.verify_differences = 3;
        profile.recorder.verified_stacks = 4000;
        profile.recorder.paused_calls = 5;
        profile.meta.notes = (0..12).map(|note| format!("note\n{note}")).collect();
        let lines = lines(&profile, Measured::Everything);
        let expected = [
            "           1 dropped, 0 frees of unknown blocks, 7 frees of blocks inherited by fork, \
             0 stacks cut",
            "limits     blocks below 16 B have no stacks; blocks above 1.00 MiB have no stacks",
            "warning    3 of 4 000 verified stacks differ from the system unwinder",
            "warning    missing from all numbers: 1 allocation of 64 B that could not be recorded",
            "warning    6 frees could not be recorded: the blocks count as live",
            "warning    2 frees were not seen: the address was reused",
            "warning    missing from all numbers: 5 allocations made while recording was paused",
            r"note       note\n0",
        ];
        assert_eq!(lines[10..18], expected);
        assert_eq!(
            lines.last().unwrap(),
            "           2 more notes: see `residue dump`"
        );
    }

    #[test]
    fn an_empty_profile_is_described_too() {
        let lines = lines(&Profile::default(), Measured::Everything);
        assert_eq!(
            lines[..2],
            [
                "program    , pid 0: end unknown after 0 ns",
                "heap       0 allocations, 0 B in total"
            ]
        );
    }
}
