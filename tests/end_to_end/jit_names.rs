//! Names of code that belongs to no module, because the program made it itself.

use crate::support::ledger::Ledger;
use crate::support::{Lab, Recorded};
use residue_profile::NONE;

/// Every stack with the generated function is the callee in it, in the caller, in main.
fn expect_path(ledger: &Ledger, function: &str) {
    let mut seen = 0;
    for (_, stack) in ledger.stacks_with(function) {
        let names = ledger.names_leaf_first(stack);
        assert_eq!(names[..3], ["jit_callee", function, "jit_caller"]);
        assert!(names[3..].contains(&"main"), "{names:?}");
        seen += 1;
    }
    assert!(seen > 0, "{function} is in no stack");
}

/// Generated code has no module, and with its name it counts as resolved.
fn expect_all_named(ledger: &Ledger) {
    let profile = &ledger.profile;
    let generated = profile.frames.iter().filter(|frame| frame.module == NONE);
    let named = generated.filter(|frame| frame.function != NONE).count();
    assert!(named > 0);
    assert_eq!(profile.recorder.frames_unresolved, 0);
}

fn expect_registered(recorded: &Recorded, functions: u64) {
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    ledger.expect_truths(&truths);
    for number in 0..functions {
        expect_path(&ledger, &format!("jit_gen_{number}"));
    }
    expect_all_named(&ledger);
    let notes = &ledger.profile.meta.notes;
    assert!(notes.is_empty(), "{notes:?}");
}

/// One address is one function after another, whether the compiler tells debuggers
/// before or after it registers the unwind table.
#[test]
fn code_registered_for_debuggers_has_the_name_it_had_at_the_time() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["jit_names", "registered", "50"]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    expect_registered(&recorded, 50);
}

#[test]
fn a_killed_program_keeps_the_names_of_its_generated_code() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["jit_names", "registered", "10", "kill"]);
    expect_registered(&recorded, 10);
}

#[test]
fn code_in_a_perf_map_is_named_by_the_last_line_about_it() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["jit_names", "map"]);
    let (ledger, _) = recorded.expect_exact();
    let map = format!("/tmp/perf-{}.map", ledger.profile.meta.pid);
    std::fs::remove_file(&map).expect("the workload leaves its map");
    for function in ["map_page", "map_one", "map_two"] {
        expect_path(&ledger, function);
    }
    expect_all_named(&ledger);
    let note = format!("{map}: ignored 1 line (not START SIZE NAME)");
    assert_eq!(ledger.profile.meta.notes, [note]);
}

/// A list that leads nowhere costs the names and nothing else.
#[test]
fn a_broken_list_of_registered_code_does_no_harm() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["jit_names", "broken"]);
    let (ledger, _) = recorded.expect_exact();
    assert_eq!(ledger.sum("jit_callee").calls, 24);
    assert!(ledger.profile.recorder.frames_unresolved > 0);
    let notes = &ledger.profile.meta.notes;
    assert!(
        notes
            .iter()
            .any(|note| note.contains("names of JIT-compiled code")),
        "{notes:?}"
    );
}
