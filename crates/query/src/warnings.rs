//! What makes the numbers of a recording less than exact.

use residue_analysis::history::EventRange;
use residue_profile::Profile;
use residue_profile::units::{bytes, count, counted};

/// Worst first.
pub fn warnings(profile: &Profile) -> Vec<String> {
    let recorder = &profile.recorder;
    let mut warnings = Vec::new();
    if recorder.verify_differences > 0 {
        warnings.push(format!(
            "{} of {} verified stacks differ from the system unwinder",
            count(recorder.verify_differences),
            count(recorder.verified_stacks)
        ));
    }
    if recorder.dropped > 0 {
        warnings.push(format!(
            "missing from all numbers: {} of {} that could not be recorded",
            counted(recorder.dropped, "allocation", "allocations"),
            bytes(recorder.dropped_bytes)
        ));
    }
    if recorder.dropped_frees > 0 {
        warnings.push(format!(
            "{} could not be recorded: the blocks count as live",
            counted(recorder.dropped_frees, "free", "frees")
        ));
    }
    if recorder.missed_frees > 0 {
        warnings.push(format!(
            "{} were not seen: the address was reused",
            counted(recorder.missed_frees, "free", "frees")
        ));
    }
    let is_asked_for =
        profile.meta.options.start_paused || EventRange::recorded(profile) != EventRange::ALL;
    if recorder.paused_calls > 0 && !is_asked_for {
        warnings.push(format!(
            "missing from all numbers: {} made while recording was paused",
            counted(recorder.paused_calls, "allocation", "allocations")
        ));
    }
    warnings
}
