//! Executables with holes between their segments, as large pages make them: code and
//! unwind tables are then found in different parts.

use crate::support::{Lab, workloads};

#[test]
fn stacks_in_an_executable_with_holes_are_whole() {
    let lab = Lab::new();
    let program = lab.directory().join("deep_with_holes");
    let large_pages = "-Wl,-z,max-page-size=0x200000,-z,separate-code";
    workloads::compile("deep.c", &program, &["-no-pie", large_pages]);
    let options = ["--verify-stacks=1"];
    let program = program.to_str().unwrap();
    let (ledger, _) = lab.record(&options, &[program, "50"]).expect_exact();
    let recorder = &ledger.profile.recorder;
    assert!(recorder.verified_stacks > 0);
    assert_eq!(recorder.verify_differences, 0);
    assert_eq!(
        ledger.sum("deep_leaf"),
        ledger.sum_under("deep_leaf", "main")
    );
}
