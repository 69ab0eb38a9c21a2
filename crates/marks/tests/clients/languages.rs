//! Rust, Python and Fortran.

use crate::support::{
    compile, fresh, is_installed, ran, root, run_alone, run_recorded, run_with_short_table, source,
};
use std::process::Command;

/// Compiles the crate and script.rs with these options.
fn rust_program(options: &[&str]) -> String {
    let library = fresh("libresidue_marks.rlib");
    let program = fresh("program");
    let crate_file = root().join("crates/marks/src/lib.rs").display().to_string();
    let script = source("script.rs");
    let with = format!("residue_marks={library}");
    let as_library = ["--crate-type=rlib", "--crate-name=residue_marks"];
    for arguments in [
        [&as_library[..], &["-o", &library, &crate_file]].concat(),
        vec!["--extern", &with, "-o", &program, &script],
    ] {
        let output = Command::new("rustc")
            .args(["--edition=2024", "-Dwarnings"])
            .args(options)
            .args(&arguments)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {said}");
    }
    program
}

#[test]
fn rust() {
    let calls = "event_begin 1 0
event_begin 2 3
event_current
event_enter 7
stamp in the thread
event_enter 5
stamp read
count hits 2.5
scope_begin digitise
scope_end
pause 0
resume 0
pause 1
resume 1
thresholds 64 4096
snapshot half
allocated 100 from pool_take
freed the same
event_end 2 3
event_end 1 0";
    for optimised in ["-Copt-level=0", "-Copt-level=3"] {
        let program = rust_program(&[optimised, "-Clink-arg=-rdynamic"]);
        let alone = ran("active 0 token Token(0)\n", "");
        assert_eq!(run_alone(&[&program]), alone);
        let recorded = ran("active 1 token Token(7)\n", calls);
        assert_eq!(run_recorded(&[&program]), recorded);
        let begins_and_ends = "event_begin 1 0\nevent_begin 2 3\nevent_end 2 3\nevent_end 1 0";
        let short = run_with_short_table(&[&program], 8 + 2 * 8);
        assert_eq!(short, ran("active 1 token Token(0)\n", begins_and_ends));
    }
}

#[test]
fn rust_linked_statically_runs_without_effect() {
    let program = rust_program(&["-Ctarget-feature=+crt-static"]);
    let expected = ran("active 0 token Token(0)\n", "");
    assert_eq!(run_alone(&[&program]), expected);
    assert_eq!(run_recorded(&[&program]), expected);
}

#[test]
fn python() {
    let calls = "event_begin 1 0
event_begin 2 3
event_current
event_enter 7
stamp in the thread
event_enter 5
stamp read
count hits 2.5
scope_begin digitise
scope_end
scope_begin decorated
stamp inside
scope_end
pause 0
resume 0
pause 1
resume 1
thresholds 64 4096
snapshot half
event_end 2 3
event_end 1 0";
    let program = ["python3", &source("script.py")];
    assert_eq!(run_alone(&program), ran("active 0 token 0\n", ""));
    assert_eq!(run_recorded(&program), ran("active 1 token 7\n", calls));
}

#[test]
fn fortran() {
    assert!(
        is_installed("gfortran"),
        "the Fortran module is NOT tested: gfortran is missing; run scripts/need gfortran:gfortran"
    );
    let calls = format!(
        "event_begin 1 0
event_begin 2 3
event_current
event_enter 7
stamp read
stamp {}
count hits 2.5
count hits 2.5
count hits 3
count hits 4
scope_begin digitise
scope_end
pause 0
resume 0
pause 1
resume 1
thresholds 64 4096
snapshot half
allocated 100
freed the same
event_enter 5
event_end 2 3
event_end 1 0",
        "x".repeat(255)
    );
    let alone = ran("active 0 token 0 before 0 left 0\n", "");
    let module = root().join("fortran/residue.f90").display().to_string();
    let script = source("script.f90");
    for optimised in ["-O0", "-O2"] {
        let (program, static_program) = (fresh("program"), fresh("static_program"));
        // The folder for the module file.
        let folder = program.trim_end_matches("/program");
        let options = ["-Wall", "-Wextra", "-std=f2008", optimised, "-J", folder];
        let files = [&module, &script].map(String::as_str);
        compile(
            "gfortran",
            &[&options[..], &["-o", &program], &files].concat(),
        );
        assert_eq!(run_alone(&[&program]), alone);
        let mut recorded = run_recorded(&[&program]);
        // Whether the module's own frame is there depends on the optimiser.
        for call in &mut recorded.calls {
            if let Some((report, _)) = call.split_once(" from ") {
                *call = report.to_owned();
            }
        }
        let printed = "active 1 token 7 before 5 left 7\n";
        assert_eq!(recorded, ran(printed, &calls));
        let short = run_with_short_table(&[&program], 8 + 2 * 8);
        assert_eq!(
            short.calls,
            [
                "event_begin 1 0",
                "event_begin 2 3",
                "event_end 2 3",
                "event_end 1 0"
            ]
        );

        let options = [&options[..], &["-static", "-o", &static_program]].concat();
        compile("gfortran", &[&options[..], &files].concat());
        assert_eq!(run_recorded(&[&static_program]), alone);
    }
}
