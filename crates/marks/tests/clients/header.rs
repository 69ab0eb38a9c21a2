//! residue.h in every standard of C and C++, with everything that surrounds it.

use crate::support::{c_compilers, compile, fresh, include, ran, run_alone, run_recorded, source};
use std::process::Command;

const WARNINGS: [&str; 10] = [
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wshadow",
    "-Wconversion",
    "-Wsign-conversion",
    "-Wunused",
    "-Wundef",
    "-Wcast-qual",
    "-Werror",
];

#[test]
fn the_header_is_without_warnings_in_every_standard() {
    let file = source("header.c");
    let object = fresh("header.o");
    let c = ["c89", "c99", "c11", "c17", "c2x"];
    let cpp = ["c++98", "c++11", "c++14", "c++17", "c++20", "c++2b"];
    let variants = [
        ["-O0", "-DPLAIN"],
        ["-O2", "-DDLFCN_BEFORE"],
        ["-O2", "-DDLFCN_AFTER"],
        ["-O2", "-DRESIDUE_OFF"],
    ];
    for compiler in c_compilers() {
        for variant in variants {
            for standard in c.iter().chain(&cpp) {
                let is_cpp = standard.starts_with("c++");
                let language = if is_cpp { "-xc++" } else { "-xc" };
                let old_style_cast = if is_cpp { "-Wold-style-cast" } else { "-Wall" };
                let standard = format!("-std={standard}");
                let mut options = vec![language, &standard, old_style_cast, variant[0], variant[1]];
                options.extend(WARNINGS);
                options.extend(["-c", "-o", &object, &file]);
                compile(compiler, &options);
            }
        }
    }
}

#[test]
fn guards_in_every_cpp_standard() {
    let calls = "event_begin 1 0
event_begin 2 3
event_current
event_enter 7
stamp in the thread
event_enter 5
scope_begin thrown
scope_end
stamp caught
pause 0
resume 0
pause 1
resume 1
allocated 100 from pool_take
freed the same
event_end 2 3
event_end 1 0";
    let file = source("script.cpp");
    for standard in ["c++98", "c++11", "c++14", "c++17", "c++20"] {
        for optimised in ["-O0", "-O2"] {
            let program = fresh("program");
            let standard = format!("-std={standard}");
            let options = [&standard, optimised, "-Wall", "-Wextra", "-pthread"];
            let output = ["-rdynamic", "-o", &program, &file];
            compile("g++", &[&options[..], &output[..]].concat());
            assert_eq!(run_alone(&[&program]), ran("active 0 token 0\n", ""));
            assert_eq!(run_recorded(&[&program]), ran("active 1 token 7\n", calls));
        }
    }
}

#[test]
fn a_guard_without_a_name_is_warned_about() {
    let file = fresh("unnamed.cpp");
    let text = "#include \"residue.h\"\nint main() { residue::event(7); }\n";
    std::fs::write(&file, text).unwrap();
    let output = Command::new("g++")
        .args([&include(), "-std=c++17", "-fsyntax-only", &file])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("nodiscard"), "{said}");
}

#[test]
fn nothing_is_left_of_calls_that_are_off() {
    let object = fresh("header.o");
    let file = source("header.c");
    let options = ["-O2", "-DRESIDUE_OFF", "-c", "-o", &object, &file];
    compile("gcc", &options);
    assert_eq!(symbols(&object), ["T use_everything"]);
}

/// Kind and name of all symbols of an object file.
fn symbols(object: &str) -> Vec<String> {
    let output = Command::new("nm").arg(object).output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    let kind_and_name = |line: &str| line[line.len().min(17)..].to_owned();
    text.lines().map(kind_and_name).collect()
}

/// A weak reference needs no library. The program's own must stay strong: libraries
/// would be left out that are linked only as needed.
#[test]
fn dlsym_is_needed_only_where_the_program_needs_it_itself() {
    let object = fresh("object.o");
    for compiler in c_compilers() {
        for (file, reference) in [("script.c", "w dlsym"), ("own_dlsym.c", "U dlsym")] {
            compile(compiler, &["-O2", "-c", "-o", &object, &source(file)]);
            let of_dlsym = |symbol: &String| symbol.ends_with(" dlsym");
            let found: Vec<String> = symbols(&object).into_iter().filter(of_dlsym).collect();
            assert_eq!(found, [reference], "{compiler} {file}");
        }
    }
}

#[test]
fn files_with_calls_on_and_off_in_one_program() {
    let file = source("mixed_off.cpp");
    let (on, off, program) = (fresh("on.o"), fresh("off.o"), fresh("program"));
    let on_options = ["-DMAIN", "-DFUNCTION=here", "-DID=1"];
    let off_options = ["-DRESIDUE_OFF", "-DFUNCTION=the_other", "-DID=2"];
    for optimised in ["-O0", "-O2"] {
        for (object, options) in [(&on, on_options), (&off, off_options)] {
            let plain = [optimised, "-c", "-o", object, &file];
            compile("g++", &[&plain[..], &options[..]].concat());
        }
        for objects in [[&on, &off], [&off, &on]] {
            compile("g++", &["-o", &program, objects[0], objects[1]]);
            let expected = ran("", "event_begin 1 0\nevent_end 1 0");
            assert_eq!(run_recorded(&[&program]), expected);
        }
    }
}
