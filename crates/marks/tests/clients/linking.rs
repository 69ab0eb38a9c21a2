//! C linked in every way: the recorder is found from everywhere, and nothing has to be
//! linked for it.

use crate::support::{
    c_compilers, compile, fresh, ran, run_alone, run_recorded, run_with_short_table, source,
};
use std::process::Command;

/// What script.c calls.
const C_CALLS: &str = "event_begin 1 0
event_begin 2 3
event_current
event_enter 7
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
allocated 200 from report_last
event_end 2 3
event_end 1 0";

const C_ALONE: &str = "active 0 token 0 before 0\n";
const C_RECORDED: &str = "active 1 token 7 before 5\n";

fn check_c(program: &[&str]) {
    assert_eq!(run_alone(program), ran(C_ALONE, ""));
    assert_eq!(run_recorded(program), ran(C_RECORDED, C_CALLS));
}

/// Compiles main.c and script.c with these options, without any library.
fn c_program(compiler: &str, options: &[&str]) -> String {
    let program = fresh("program");
    let (main, script) = (source("main.c"), source("script.c"));
    let files = ["-o", &program, &main, &script];
    compile(compiler, &[&files, options].concat());
    program
}

#[test]
fn executables() {
    for compiler in c_compilers() {
        for kind in [["-fPIE", "-pie"], ["-fno-pie", "-no-pie"]] {
            for optimised in ["-O0", "-O2"] {
                let options = [kind[0], kind[1], optimised, "-rdynamic"];
                check_c(&[&c_program(compiler, &options)]);
            }
        }
    }
}

#[test]
fn executables_optimised_at_link_time() {
    let options = ["-O2", "-flto=auto", "-Wall", "-rdynamic"];
    check_c(&[&c_program("gcc", &options)]);
}

#[test]
fn a_static_library_in_an_executable() {
    let (object, library, program) = (fresh("script.o"), fresh("libscript.a"), fresh("program"));
    let (main, script) = (source("main.c"), source("script.c"));
    compile("gcc", &["-O2", "-c", "-o", &object, &script]);
    let archived = Command::new("ar").args(["rc", &library, &object]).status();
    assert!(archived.unwrap().success());
    compile("gcc", &["-rdynamic", "-o", &program, &main, &library]);
    check_c(&[&program]);
}

#[test]
fn a_plugin_whose_symbols_nobody_sees() {
    let (plugin, host) = (fresh("plugin.so"), fresh("host"));
    let (script, main) = (source("script.c"), source("host.c"));
    compile("gcc", &["-O2", "-shared", "-fPIC", "-o", &plugin, &script]);
    compile("gcc", &["-o", &host, &main, "-ldl"]);
    check_c(&[&host, &plugin]);
}

#[test]
fn a_static_executable_runs_without_effect() {
    for kind in ["-static", "-static-pie"] {
        for optimised in ["-O0", "-O2"] {
            let program = c_program("gcc", &[kind, optimised]);
            assert_eq!(run_alone(&[&program]), ran(C_ALONE, ""));
            assert_eq!(run_recorded(&[&program]), ran(C_ALONE, ""));
        }
    }
}

/// As with an old C library that is linked without -ldl: the linker leaves the weak
/// reference empty.
#[test]
fn an_executable_without_dlsym_runs_without_effect() {
    for kind in ["-static", "-no-pie", "-pie"] {
        let program = c_program("gcc", &[kind, "-O2", "-Wl,--wrap=dlsym"]);
        assert_eq!(run_alone(&[&program]), ran(C_ALONE, ""));
        assert_eq!(run_recorded(&[&program]), ran(C_ALONE, ""));
    }
}

#[test]
fn the_programs_own_dlsym_stays_linked() {
    let file = source("own_dlsym.c");
    for (kind, calls) in [("-static", ""), ("-pie", "stamp before")] {
        let program = fresh("program");
        compile("gcc", &["-O2", kind, "-o", &program, &file]);
        assert_eq!(run_alone(&[&program]), ran("found 0\n", ""));
        assert_eq!(run_recorded(&[&program]), ran("found 0\n", calls));
    }
}

#[test]
fn members_beyond_the_table_are_not_called() {
    let program = c_program("gcc", &["-O2", "-rdynamic"]);
    let all: Vec<&str> = C_CALLS.lines().collect();
    // Members in the order of the table.
    let members = [
        "event_begin",
        "event_end",
        "event_current",
        "event_enter",
        "stamp",
        "count",
        "scope_begin",
        "scope_end",
        "pause",
        "resume",
        "thresholds",
        "snapshot",
        "allocated",
        "freed",
    ];
    for there in 0..=members.len() {
        let is_there = |call: &&&str| {
            let name = call.split(' ').next().unwrap();
            members[..there].contains(&name)
        };
        let expected: Vec<&str> = all.iter().filter(is_there).copied().collect();
        let ran = run_with_short_table(&[&program], 8 + 8 * there);
        assert_eq!(ran.calls, expected, "{there} members");
    }
}

#[test]
fn a_program_with_calls_off_runs_without_effect() {
    let program = c_program("gcc", &["-O2", "-DRESIDUE_OFF"]);
    assert_eq!(run_alone(&[&program]), ran(C_ALONE, ""));
    assert_eq!(run_recorded(&[&program]), ran(C_ALONE, ""));
}
