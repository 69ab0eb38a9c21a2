//! Programs into which nothing can be preloaded: they run as ever, and `residue` says
//! why they are not recorded.

use crate::support::root::{do_as_root, install};
use crate::support::{Lab, describe, workloads};
use residue_profile::StackKind;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The same output and status as without `residue`, and this in its message.
fn expect_unrecorded(lab: &Lab, program: &Path, message: &str) {
    let program = program.display().to_string();
    let native = lab.native(&[&program]);
    let recorded = lab.record(&[], &[&program]);
    assert_eq!(
        recorded.output.status,
        native.status,
        "{}",
        recorded.describe()
    );
    assert_eq!(recorded.output.stdout, native.stdout);
    let stderr = recorded.stderr();
    assert!(stderr.contains(message), "{stderr}");
    assert!(stderr.contains(&program), "{stderr}");
    assert!(!recorded.profile.exists(), "there is nothing to write");
}

#[test]
fn a_static_program_runs_and_is_named() {
    let program = workloads::find("static_prog");
    expect_unrecorded(&Lab::new(), &program, "statically linked");
}

#[test]
fn a_static_program_of_musl_runs_and_is_named() {
    let lab = Lab::new();
    let program = lab.path("static");
    workloads::compile_for_musl("static_prog.c", &program, &["-static"]);
    expect_unrecorded(&lab, &program, "statically linked");
}

#[test]
fn the_dynamic_linker_of_an_old_musl_is_named() {
    let lab = Lab::new();
    let linker = old_musl(&lab).display().to_string();
    let program = lab.path("program");
    workloads::compile_for_musl("static_prog.c", &program, &[]);
    let program = program.display().to_string();
    let native = lab.native(&[&linker, &program]);
    for command in [
        vec![linker.as_str(), &program],
        vec!["sh", "-c", &format!("{linker} {program}; exit $?")],
    ] {
        let recorded = lab.record(&[], &command);
        assert!(recorded.output.status.success(), "{}", recorded.describe());
        assert_eq!(recorded.output.stdout, native.stdout);
        let stderr = recorded.stderr();
        assert!(stderr.contains("a musl before 1.2.2"), "{stderr}");
    }
}

#[test]
fn a_script_of_a_static_interpreter_is_named() {
    let lab = Lab::new();
    let text = lab.path("text");
    let interpreter = workloads::find("static_prog");
    std::fs::write(&text, format!("#!{}\n", interpreter.display())).expect("the lab is writable");
    let script = lab.path("script");
    install(&text, &script, "755");
    expect_unrecorded(&lab, &script, "statically linked");
}

/// An ELF file for the i386 that ends with status 7: `mov eax, 1; mov ebx, 7; int 0x80`.
fn tiny_32_bit_program() -> Vec<u8> {
    const BASE: u32 = 0x0804_8000;
    const HEADERS: u32 = 52 + 32;
    let code = [0xb8, 1, 0, 0, 0, 0xbb, 7, 0, 0, 0, 0xcd, 0x80];
    let size = HEADERS + code.len() as u32;
    let mut file = vec![0x7f, b'E', b'L', b'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let half = |value: u16| value.to_le_bytes().to_vec();
    let word = |value: u32| value.to_le_bytes().to_vec();
    for field in [
        // An executable for the 386, entered after the headers.
        vec![
            half(2),
            half(3),
            word(1),
            word(BASE + HEADERS),
            word(52),
            word(0),
            word(0),
        ],
        vec![half(52), half(32), half(1), half(0), half(0), half(0)],
        // One segment, read and executed: the whole file.
        vec![
            word(1),
            word(0),
            word(BASE),
            word(BASE),
            word(size),
            word(size),
            word(5),
            word(0x1000),
        ],
    ] {
        file.extend(field.concat());
    }
    file.extend(code);
    file
}

#[test]
fn a_32_bit_program_runs_if_it_can_and_is_named() {
    let lab = Lab::new();
    let bytes = lab.path("bytes");
    std::fs::write(&bytes, tiny_32_bit_program()).expect("the lab is writable");
    let program = lab.path("tiny32");
    install(&bytes, &program, "755");
    let recorded = lab.record(&[], &[&program.display().to_string()]);
    let stderr = recorded.stderr();
    assert!(stderr.contains("32-bit"), "{stderr}");
    let mut native = Command::new(&program);
    match native.output() {
        Ok(native) => {
            assert_eq!(native.status.code(), Some(7), "{}", describe(&native));
            assert_eq!(recorded.output.status.code(), Some(7), "{stderr}");
            assert!(recorded.output.stdout.is_empty());
        }
        // A kernel without 32-bit programs.
        Err(error) => {
            assert_eq!(
                recorded.output.status.code(),
                Some(126),
                "{error}: {stderr}"
            );
            assert!(stderr.contains("cannot execute: not a program"), "{stderr}");
        }
    }
}

const NOBODY: &str = "65534";

/// Runs a command as nobody.
fn as_nobody(lab: &Lab, command: &[&Path]) -> Output {
    let mut setpriv = if nix::unistd::geteuid().is_root() {
        Command::new("setpriv")
    } else {
        let mut sudo = Command::new("sudo");
        sudo.args(["-n", "setpriv"]);
        sudo
    };
    setpriv
        .args([
            "--reuid",
            NOBODY,
            "--regid",
            NOBODY,
            "--clear-groups",
            "env",
        ])
        .arg(format!("XDG_CACHE_HOME={}", lab.path("cache").display()))
        .args(command)
        .current_dir(lab.directory());
    setpriv.output().expect("setpriv can be started")
}

/// A lab that everybody may use, with `residue` and a program that becomes root's.
fn with_setuid_program(lab: &Lab) -> (PathBuf, PathBuf) {
    let everybody = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(lab.directory(), everybody).expect("the lab is ours");
    let (residue, program) = (lab.path("residue"), lab.path("hello"));
    install(Path::new(env!("CARGO_BIN_EXE_residue")), &residue, "755");
    install(&workloads::find("hello"), &program, "755");
    do_as_root(&["chown".as_ref(), "0:0".as_ref(), program.as_os_str()]);
    do_as_root(&["chmod".as_ref(), "4755".as_ref(), program.as_os_str()]);
    (residue, program)
}

#[test]
fn a_program_that_changes_the_user_runs_and_is_named() {
    let lab = Lab::new();
    let (residue, program) = with_setuid_program(&lab);

    let status = Path::new("8");
    let native = as_nobody(&lab, &[&program, status]);
    assert_eq!(native.status.code(), Some(8), "{}", describe(&native));
    let arguments = [
        &residue,
        Path::new("run"),
        Path::new("--"),
        &program,
        status,
    ];
    let recorded = as_nobody(&lab, &arguments);
    assert_eq!(
        (recorded.status.code(), recorded.status.signal()),
        (Some(8), None),
        "{}",
        describe(&recorded)
    );
    assert_eq!(recorded.stdout, native.stdout);
    let stderr = String::from_utf8_lossy(&recorded.stderr).into_owned();
    assert!(stderr.contains("setuid"), "{stderr}");
    assert!(stderr.contains(&program.display().to_string()), "{stderr}");
}

#[test]
fn nobody_can_record_a_program_of_his_own() {
    let lab = Lab::new();
    let everybody = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(lab.directory(), everybody).expect("the lab is ours");
    let (residue, program) = (lab.path("residue"), lab.path("hello"));
    install(Path::new(env!("CARGO_BIN_EXE_residue")), &residue, "755");
    install(&workloads::find("hello"), &program, "755");
    let arguments = [&residue, Path::new("run"), Path::new("--"), &program];
    let recorded = as_nobody(&lab, &arguments);
    assert!(recorded.status.success(), "{}", describe(&recorded));
    let profiles = lab.profiles();
    assert_eq!(profiles.len(), 1, "{}", describe(&recorded));
    let told = String::from_utf8_lossy(&recorded.stdout).into_owned();
    profiles[0]
        .1
        .expect_truths(&crate::support::truth::Truths::parse(&told));
}

/// musl as it was before 1.2.2, as far as `residue` looks: without a function that came with it.
fn old_musl(lab: &Lab) -> PathBuf {
    const NAME: &[u8] = b"\0reallocarray\0";
    let mut library = std::fs::read("/lib/ld-musl-x86_64.so.1").expect("musl (musl-tools)");
    let at = library.windows(NAME.len()).position(|it| it == NAME);
    let at = at.expect("the system's musl is newer");
    library[at + 1] = b'X';
    let path = lab.path("bytes");
    std::fs::write(&path, library).expect("the lab is writable");
    let old = lab.path("ld-musl-x86_64.so.1");
    install(&path, &old, "755");
    old
}

/// Programs that do not start with the recorder, or would not work: of two sanitizers, and of an
/// old musl.
fn refusing_programs(lab: &Lab) -> [(PathBuf, &'static str); 3] {
    let [sanitized, threads, musl] = ["sanitized", "threads", "musl"].map(|name| lab.path(name));
    workloads::compile("static_prog.c", &sanitized, &["-fsanitize=address"]);
    workloads::compile("static_prog.c", &threads, &["-fsanitize=thread"]);
    let linker = format!("-Wl,--dynamic-linker={}", old_musl(lab).display());
    workloads::compile_for_musl("static_prog.c", &musl, &[&linker]);
    [
        (sanitized, "AddressSanitizer"),
        (threads, "ThreadSanitizer"),
        (musl, "linked with a musl before 1.2.2"),
    ]
}

#[test]
fn programs_of_sanitizers_and_of_an_old_musl_run_and_are_named() {
    let lab = Lab::new();
    for (program, why) in refusing_programs(&lab) {
        expect_unrecorded(&lab, &program, why);
    }
}

#[test]
fn children_of_sanitizers_and_of_an_old_musl_run_whatever_is_asked_for() {
    let lab = Lab::new();
    for (program, why) in refusing_programs(&lab) {
        let name = program
            .file_name()
            .unwrap_or_default()
            .display()
            .to_string();
        let native = lab.native(&[&program.display().to_string()]);
        let path = program.display();
        // By exec, by a search in PATH, from a script, and by `posix_spawn`.
        let python = format!("import os; os.posix_spawn('{path}', ['{path}'], os.environ)");
        let script = lab.path("script");
        std::fs::write(lab.path("text"), format!("#!{path}\n")).expect("the lab is writable");
        install(&lab.path("text"), &script, "755");
        let mut starts = vec![
            vec![
                "sh".to_string(),
                "-c".to_string(),
                format!("{path}; exit $?"),
            ],
            vec![
                "env".to_string(),
                format!("PATH={}", lab.directory().display()),
                name.clone(),
            ],
            vec!["env".to_string(), script.display().to_string()],
            vec![
                "python3".to_string(),
                "-c".to_string(),
                format!("{python}; os.wait()"),
            ],
        ];
        starts.extend(
            ["execl", "execlp", "execle", "execv", "fexecve"]
                .map(|how| vec!["starts".to_string(), how.to_string(), path.to_string()]),
        );
        let names = format!("-t{name}");
        for options in [&[][..], &["--no-children"], &["-tother"], &[&names]] {
            for start in &starts {
                let start: Vec<&str> = start.iter().map(String::as_str).collect();
                let mut run = lab.run(options, &start);
                // Its own opinion of what it leaves is not asked for.
                run.env("ASAN_OPTIONS", "detect_leaks=0");
                let recorded = lab.record_by(run);
                let what = format!("{options:?} {start:?}: {}", recorded.describe());
                assert!(recorded.output.status.success(), "{what}");
                assert_eq!(recorded.output.stdout, native.stdout, "{what}");
                // Some become the program, which is then the one that was started.
                let is_child = ["sh", "python3"].contains(&start[0]);
                let is_excluded =
                    options == ["-tother"] || (is_child && options == ["--no-children"]);
                let is_named = recorded.stderr().contains(why);
                assert_eq!(is_named, !is_excluded, "{what}");
            }
        }
    }
}

/// clang links the runtime into the program, unless it is told to use the shared one.
#[test]
fn a_program_of_clangs_shared_sanitizer_is_named() {
    let lab = Lab::new();
    let (runtime, program) = (lab.path("libclang_rt.asan-x86_64.so"), lab.path("program"));
    let name = "-Wl,-soname,libclang_rt.asan-x86_64.so";
    workloads::compile(
        "plugin.c",
        &runtime,
        &["-shared", "-fPIC", "-DPLUGIN=plugin_a_alloc", name],
    );
    let [runtime, folder] =
        [runtime.as_path(), lab.directory()].map(|path| path.display().to_string());
    let search = format!("-Wl,-rpath,{folder}");
    workloads::compile(
        "static_prog.c",
        &program,
        &["-Wl,--no-as-needed", &runtime, &search],
    );
    expect_unrecorded(&lab, &program, "AddressSanitizer");
    let child = format!("{}; exit $?", program.display());
    let recorded = lab.record(&[], &["sh", "-c", &child]);
    let stderr = recorded.stderr();
    assert!(stderr.contains("AddressSanitizer"), "{stderr}");
}

/// Its leak detector forgives what the dynamic linker allocates, by who called it. A detour at the
/// entry of its `malloc` made it report a leak, and the program end with another status.
#[test]
fn a_program_with_a_sanitizer_inside_ends_as_it_does_unrecorded() {
    let lab = Lab::new();
    let program = lab.path("program");
    let inside = ["-fsanitize=address", "-static-libasan"];
    workloads::compile("keeps_library.c", &program, &inside);
    let program = program.display().to_string();
    let native = lab.native(&[&program]);
    assert!(native.status.success(), "{}", describe(&native));
    for more in [&["-q"][..], &["-q", "--verify-stacks"]] {
        let recorded = lab.record(more, &[&program]);
        assert_eq!(recorded.output, native, "{more:?}");
        let notes = recorded_notes(&lab);
        assert!(notes.contains("it is a sanitizer's"), "{notes}");
    }
}

/// What the profile says of what could not be recorded.
fn recorded_notes(lab: &Lab) -> String {
    let profiles = lab.profiles();
    let notes = profiles
        .iter()
        .flat_map(|(_, it)| it.profile.meta.notes.clone());
    notes.collect::<Vec<String>>().join("\n")
}

/// How often each reason is given for a program of this name.
fn reasons<'a>(stderr: &'a str, program: &str) -> Vec<&'a str> {
    let lines = stderr.lines();
    let reasons = lines.filter_map(|line| line.split_once(&format!("{program} ")));
    reasons.map(|(_, reason)| reason).collect()
}

/// However often it is started. What it starts itself is recorded, since it hands on what it
/// makes nothing of.
#[test]
fn a_static_child_is_named_once() {
    let lab = Lab::new();
    let program = workloads::find("static_prog").display().to_string();
    let script = format!("for i in 1 2 3; do {program}; done");
    let native = lab.native(&["sh", "-c", &script]);
    let recorded = lab.record(&["-q"], &["sh", "-c", &script]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    assert_eq!(recorded.output.stdout, native.stdout);
    let stderr = recorded.stderr();
    let reasons = reasons(&stderr, &program);
    assert_eq!(reasons.len(), 1, "{stderr}");
    assert!(reasons[0].starts_with("is statically linked"), "{stderr}");
    assert!(recorded.profile.exists(), "the shell is recorded");
    for options in [&["-q", "--no-children"][..], &["-q", "-tother"]] {
        let stderr = lab.record(options, &["sh", "-c", &script]).stderr();
        assert_eq!(stderr, "", "{options:?}");
    }
}

#[test]
fn a_child_that_changes_the_user_is_named() {
    let lab = Lab::new();
    let (residue, program) = with_setuid_program(&lab);
    let script = format!("{}; exit $?", program.display());
    let words = ["run", "-q", "--", "sh", "-c", &script].map(Path::new);
    let command: Vec<&Path> = std::iter::once(residue.as_path()).chain(words).collect();
    let recorded = as_nobody(&lab, &command);
    assert!(recorded.status.success(), "{}", describe(&recorded));
    let stderr = String::from_utf8_lossy(&recorded.stderr).into_owned();
    let reasons = reasons(&stderr, &program.display().to_string());
    assert_eq!(reasons.len(), 1, "{stderr}");
    assert!(reasons[0].starts_with("is setuid"), "{stderr}");
}

#[test]
fn a_child_with_an_environment_of_its_own_is_named() {
    let lab = Lab::new();
    let program = workloads::find("hello").display().to_string();
    let recorded = lab.record(
        &["-q"],
        &["sh", "-c", &format!("env -i {program}; exit $?")],
    );
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let stderr = recorded.stderr();
    let reasons = reasons(&stderr, &program);
    assert_eq!(reasons.len(), 1, "{stderr}");
    assert!(reasons[0].contains("lacks LD_PRELOAD"), "{stderr}");
}

/// It has no interpreter, as static programs have none, but it preloads.
#[test]
fn a_program_of_the_dynamic_linker_is_recorded() {
    let linker = "/lib64/ld-linux-x86-64.so.2";
    let program = workloads::find("hello").display().to_string();
    let child = format!("{linker} {program}; exit $?");
    let calls = |command: &[&str]| {
        let lab = Lab::new();
        let recorded = lab.record(&["-q"], command);
        assert!(recorded.output.status.success(), "{}", recorded.describe());
        assert_eq!(recorded.stderr(), "hello, stderr\n", "{command:?}");
        let ledgers = lab.profiles();
        let calls = ledgers
            .iter()
            .map(|(_, it)| it.total_of(StackKind::Heap).calls);
        calls.collect::<Vec<u64>>()
    };
    let directly = calls(&[&program]);
    assert_eq!(directly.len(), 1);
    assert_eq!(calls(&[linker, &program]), directly);
    let with_shell = calls(&["sh", "-c", &child]);
    assert!(with_shell.contains(&directly[0]), "{with_shell:?}");
}

#[test]
fn a_child_that_is_not_to_be_recorded_has_the_environment_of_an_unrecorded_program() {
    let lab = Lab::new();
    let script = "env; exit 0";
    let recorded = lab.record(&["--no-children"], &["sh", "-c", script]);
    let told = recorded.stdout();
    assert!(told.contains("PATH="), "{told}");
    assert!(
        !told.contains("LD_PRELOAD") && !told.contains("RESIDUE_CONFIG"),
        "{told}"
    );
    let mut with_another = lab.run(&["--no-children"], &["sh", "-c", script]);
    with_another.env("LD_PRELOAD", "libm.so.6");
    let told = lab.record_by(with_another).stdout();
    assert!(
        told.lines().any(|line| line == "LD_PRELOAD=libm.so.6"),
        "{told}"
    );
}
