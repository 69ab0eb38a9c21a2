//! Counters of stacks.

use residue_profile::Counters;

/// All different, so that none can be taken for another.
pub fn all_different() -> Counters {
    Counters {
        calls: 100,
        frees: 70,
        total_bytes: 6400,
        live_bytes: 1920,
        live_blocks: 30,
        peak_bytes: 3200,
        at_peak_bytes: 2560,
        at_peak_blocks: 40,
        reallocs_in_place: 1,
        reallocs_moved: 2,
        temporaries: 5,
        cpu_ns: 0,
        largest_bytes: 640,
    }
}

/// All different multiples, for sums in which none can be taken for another.
pub fn multiples(of: u64) -> Counters {
    Counters {
        calls: of,
        frees: 2 * of,
        total_bytes: 3 * of,
        live_bytes: 5 * of,
        live_blocks: 7 * of,
        peak_bytes: 11 * of,
        at_peak_bytes: 13 * of,
        at_peak_blocks: 17 * of,
        reallocs_in_place: 19 * of,
        reallocs_moved: 23 * of,
        temporaries: 29 * of,
        cpu_ns: 0,
        largest_bytes: 31 * of,
    }
}

/// Blocks of one size, one at a time or all that are live at the end.
pub fn blocks(calls: u64, live: u64, size_bytes: u64) -> Counters {
    Counters {
        calls,
        frees: calls - live,
        total_bytes: calls * size_bytes,
        live_bytes: live * size_bytes,
        live_blocks: live,
        peak_bytes: size_bytes,
        at_peak_bytes: live * size_bytes,
        at_peak_blocks: live,
        largest_bytes: size_bytes,
        ..Counters::default()
    }
}
