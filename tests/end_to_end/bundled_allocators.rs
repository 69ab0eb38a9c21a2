//! Executables that bring their own malloc, which comes before every preloaded library.

use crate::allocation_functions::expect_reallocs;
use crate::support::ledger::Ledger;
use crate::support::truth::Truths;
use crate::support::{Lab, process, workloads};
use residue_profile::StackKind;
use std::path::Path;

const JEMALLOC: &str = "/usr/lib/x86_64-linux-gnu/libjemalloc_pic.a";

/// A workload linked with jemalloc inside.
fn with_jemalloc(lab: &Lab, source: &str, more: &[&str]) -> String {
    assert!(
        Path::new(JEMALLOC).is_file(),
        "{JEMALLOC} is missing: apt-get install libjemalloc-dev"
    );
    let (name, _) = source.split_once('.').expect("NAME.c or NAME.cpp");
    let program = lab.path(name);
    // Operators of jemalloc's come with its archive, where a program of C++ needs some.
    let options = [more, &[JEMALLOC, "-lstdc++", "-lm"]].concat();
    workloads::compile(source, &program, &options);
    program.display().to_string()
}

/// The malloc of the executable answered, was recorded, and nobody's blocks are missing.
fn expect_own_malloc(ledger: &Ledger) {
    let meta = &ledger.profile.meta;
    assert_eq!(meta.allocator, meta.executable.rsplit('/').next().unwrap());
    // Threads of a compiler that a busy machine lets run one after another share a row.
    let notes = meta.notes.iter().filter(|it| !it.contains("threads"));
    assert_eq!(notes.collect::<Vec<_>>(), [""; 0]);
}

fn expect_conserved(ledger: &Ledger) {
    let heap = ledger.total_of(StackKind::Heap);
    assert_eq!(heap.live_blocks, heap.calls - heap.frees);
    assert_eq!(heap.live_bytes, ledger.profile.heap.live_bytes);
}

fn expect_exact(source: &str, arguments: &[&str]) -> Ledger {
    let lab = Lab::new();
    let program = with_jemalloc(&lab, source, &[]);
    let command = [&[program.as_str()], arguments].concat();
    let recorded = lab.record(&[], &command);
    let (ledger, _) = recorded.expect_exact();
    expect_own_malloc(&ledger);
    let native = lab.native(&command);
    assert_eq!(native.status, recorded.output.status);
    ledger
}

#[test]
fn jemalloc_inside_a_c_program_is_exact() {
    let ledger = expect_exact("hello.c", &[]);
    let (_, stack) = ledger
        .stacks_with("hello_alloc")
        .next()
        .expect("a stack through hello_alloc");
    let names = ledger.names_leaf_first(stack);
    assert_eq!(names.first(), Some(&"hello_alloc"), "{names:?}");
    assert!(names.contains(&"main"), "{names:?}");
    assert_eq!(names.last(), Some(&"_start"), "{names:?}");
    let recorder = &ledger.profile.recorder;
    assert_eq!(recorder.unknown_frees, 0, "{recorder:?}");
}

#[test]
fn jemalloc_inside_a_program_with_threads_is_exact() {
    expect_exact("crossfree.cpp", &["8", "100000"]);
}

/// Its operators do not call malloc, and throw where there is no memory.
#[test]
fn jemalloc_inside_a_cpp_program_is_exact() {
    expect_exact("new_delete.cpp", &[]);
    expect_exact("exceptions.cpp", &[]);
}

#[test]
fn jemalloc_inside_a_program_that_forks_is_exact_in_every_process() {
    let lab = Lab::new();
    let program = with_jemalloc(&lab, "fork_family.c", &[]);
    let recorded = lab.record(&[], &[&program, "all", "vfork"]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let truths = Truths::parse_by_process(&recorded.stdout());
    let profiles = lab.profiles();
    assert_eq!(profiles.len(), truths.len());
    assert!(truths.len() > 20);
    for (_, ledger) in &profiles {
        ledger.expect_truths(&truths[&ledger.profile.meta.pid]);
        ledger.expect_nothing_lost();
        expect_own_malloc(ledger);
    }
}

#[test]
fn jemalloc_inside_has_exact_c_functions() {
    let lab = Lab::new();
    // It has no pvalloc: glibc's is called, and jemalloc's free crashes on its block.
    let program = with_jemalloc(&lab, "c_alloc.c", &["-Dpvalloc=valloc"]);
    let native = Truths::parse(&String::from_utf8_lossy(&lab.native(&[&program]).stdout));
    let recorded = lab.record(&[], &[&program]);
    let (ledger, truths) = recorded.expect_exact();
    expect_own_malloc(&ledger);
    for key in ["errno_ok", "failures_ok", "contents_ok"] {
        assert_eq!(truths.get(key), native.get(key), "{key}");
    }
    expect_reallocs(&ledger, &truths);
}

#[test]
fn stacks_from_a_malloc_in_the_executable_are_those_of_libgcc() {
    let lab = Lab::new();
    let program = with_jemalloc(&lab, "chaos.cpp", &[]);
    let recorded = lab.record(&["--verify-stacks"], &[&program, "5000"]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let recorder = recorded.ledger().profile.recorder;
    assert!(recorder.verified_stacks >= 5_000, "{recorder:?}");
    assert_eq!(recorder.verify_differences, 0, "{recorder:?}");
}

#[test]
fn events_begin_at_functions_of_a_program_with_its_own_malloc() {
    let lab = Lab::new();
    let program = with_jemalloc(&lab, "leaky_events.cpp", &[]);
    let recorded = lab.record(&["--event-function", "QSim::simulate"], &[&program]);
    let (ledger, truths) = recorded.expect_exact();
    expect_own_malloc(&ledger);
    assert_eq!(ledger.profile.timeline.about.events, truths.get("events"));
}

/// Its functions call each other, are left by a jump, and are interrupted by a handler that
/// allocates.
#[test]
fn one_call_of_the_programs_own_malloc_is_one_call() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["own_malloc"]);
    assert_eq!(recorded.output.status.code(), Some(3));
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    ledger.expect_truths(&truths);
    ledger.expect_nothing_lost();
    expect_own_malloc(&ledger);
    assert_eq!(truths.get("calls"), 1000, "{}", recorded.describe());
    let main = ledger.sum("main");
    let calls = |function: &str| ledger.sum(function).calls;
    assert_eq!(calls("interrupted"), 2, "with that of the handler inside");
    let inner = calls("own_alloc") + calls("interrupted") + calls("libc_alloc");
    assert_eq!(main.calls, 1000 + inner);
    // What the allocator maps is the heap.
    let mapped = ledger.total_of(StackKind::Mapping);
    assert_eq!(mapped.total_bytes, truths.get("mapping_alloc.map_total"));
}

#[test]
fn a_malloc_that_cannot_have_a_detour_is_told() {
    let lab = Lab::new();
    let program = lab.path("immovable");
    let options = ["-DIMMOVABLE", "-Wl,--no-as-needed", "-lstdc++"];
    workloads::compile("own_malloc.c", &program, &options);
    let recorded = lab.record(&[], &[&program.display().to_string()]);
    assert_eq!(recorded.output.status.code(), Some(3));
    assert_eq!(recorded.truths().get("calls"), 1000);
    let note = "the program is linked with its own malloc, whose allocations are not recorded: \
                the first instructions of one of its functions cannot be moved";
    let told = format!("residue: note: {note}\n");
    assert!(recorded.stderr().contains(&told), "{}", recorded.describe());
    let ledger = recorded.ledger();
    assert_eq!(ledger.profile.meta.notes, [note]);
    // None of its functions is recorded, if one is not.
    assert_eq!(ledger.sum("main").calls, 0);
    assert_eq!(ledger.profile.recorder.unknown_frees, 0);
}

#[test]
fn where_code_may_not_be_changed_the_program_runs_on_and_it_is_told() {
    let lab = Lab::new();
    let program = with_jemalloc(&lab, "hello.c", &[]);
    // PR_SET_MDWE, of Linux 6.3: no page that can be run can be written, after exec too.
    let script = "import ctypes, os, sys\n\
                  denied = ctypes.CDLL(None).prctl(65, 1, 0, 0, 0) == 0\n\
                  print('truth denied', int(denied), flush=True)\n\
                  os.execv(sys.argv[1], sys.argv[1:])";
    let command = ["/usr/bin/python3", "-c", script, &program];
    let recorded = lab.record(&["--program", "hello"], &command);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    if truths.get("denied") == 0 {
        return ledger.expect_truths(&truths);
    }
    let note = "the program is linked with its own malloc, whose allocations are not recorded: \
                the kernel does not allow changes to its code";
    assert_eq!(ledger.profile.meta.notes, [note]);
    assert_eq!(ledger.total_of(StackKind::Heap).calls, 0);
}

#[test]
fn an_allocator_that_is_preloaded_before_the_recorder_is_exact() {
    let lab = Lab::new();
    let hello = workloads::find("hello").display().to_string();
    let library = "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2";
    let script = format!("LD_PRELOAD={library}:$LD_PRELOAD exec {hello}");
    let recorded = lab.record(&["--program", "hello"], &["/bin/sh", "-c", &script]);
    let (ledger, _) = recorded.expect_exact();
    assert_eq!(ledger.profile.meta.allocator, "libjemalloc.so.2");
    assert_eq!(ledger.profile.meta.notes, [""; 0]);
}

/// rustc is linked with jemalloc; its threads, plugins and LLVM all use it.
#[test]
fn a_compiler_with_jemalloc_inside_is_recorded() {
    let lab = Lab::new();
    std::fs::write(lab.path("hello.rs"), "fn main() { println!(\"hello\"); }\n").unwrap();
    let mut sysroot = std::process::Command::new("rustc");
    sysroot.args(["--print", "sysroot"]);
    let sysroot = process::finish(sysroot);
    let sysroot = String::from_utf8_lossy(&sysroot.stdout).trim().to_string();
    let rustc = format!("{sysroot}/bin/rustc");
    let recorded = lab.record(&["--no-children"], &[&rustc, "hello.rs"]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let hello = lab.native(&[&lab.path("hello").display().to_string()]);
    assert_eq!(hello.stdout, b"hello\n");
    let ledger = recorded.ledger();
    expect_own_malloc(&ledger);
    ledger.expect_nothing_lost();
    expect_conserved(&ledger);
    let heap = ledger.total_of(StackKind::Heap);
    assert!(heap.calls > 5_000, "{heap:?}");
    assert!(heap.frees > 5_000, "{heap:?}");
    let early = ledger.profile.recorder.early_stacks;
    assert_eq!(early, 0, "stacks that do not reach the root");
}

/// jemalloc with a prefix before its names, as programs bundle it.
fn prefixed_jemalloc(lab: &Lab) -> String {
    let archive = lab.path("libprefixed.a").display().to_string();
    let mut objcopy = std::process::Command::new("objcopy");
    for name in ["malloc", "calloc", "realloc", "free", "aligned_alloc"] {
        objcopy.arg(format!("--redefine-sym={name}=je_{name}"));
    }
    // What else answers for libc's functions must not.
    for name in ["posix_memalign", "memalign", "valloc", "malloc_usable_size"] {
        objcopy.arg(format!("--redefine-sym={name}=je_{name}"));
    }
    objcopy.args([JEMALLOC, &archive]);
    let made = process::finish(objcopy);
    assert!(made.status.success(), "{}", crate::support::describe(&made));
    archive
}

fn expect_own_names(options: &[&str], allocator: &str) -> Lab {
    let lab = Lab::new();
    let program = lab.path("own_names");
    workloads::compile("own_names.c", &program, options);
    let recorded = lab.record(&[], &[&program.display().to_string()]);
    let (ledger, _) = recorded.expect_exact();
    let meta = &ledger.profile.meta;
    assert_eq!(meta.allocator, allocator);
    assert_eq!(meta.notes, [""; 0]);
    assert_eq!(ledger.profile.recorder.unknown_frees, 0);
    lab
}

#[test]
fn an_allocator_in_the_executable_is_recorded_by_its_own_names() {
    let lab = Lab::new();
    let archive = prefixed_jemalloc(&lab);
    let options = ["-DJE", &archive, "-lstdc++", "-lm"];
    expect_own_names(&options, "libc.so.6, jemalloc");
    // Without symbols it cannot be found, and its memory is that of mappings.
    let program = lab.path("stripped");
    workloads::compile("own_names.c", &program, &[&options[..], &["-s"]].concat());
    let recorded = lab.record(&[], &[&program.display().to_string()]);
    let (ledger, truths) = (recorded.ledger(), recorded.truths());
    let heap = ledger.total_of(StackKind::Heap);
    assert!(heap.calls < truths.get("own_alloc.calls"), "{heap:?}");
    assert_eq!(ledger.profile.meta.allocator, "libc.so.6");
    assert!(ledger.profile.mappings.live_bytes > truths.get("own_alloc.live"));
}

#[test]
fn an_allocator_in_a_library_is_recorded_by_its_own_names() {
    let options = ["-DTBB", "-l:libtbbmalloc.so.2"];
    expect_own_names(&options, "libc.so.6, TBB's scalable allocator");
}

/// The hooks of libc's functions see those blocks already.
#[test]
fn functions_that_only_have_the_name_of_an_allocators_are_left_alone() {
    expect_own_names(&["-DWRAPS"], "libc.so.6");
}
