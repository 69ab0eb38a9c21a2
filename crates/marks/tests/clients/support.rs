//! Compiles programs and runs them alone or with the stand-in for the recorder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a program printed, and the calls the recorder got from it, a line each.
#[derive(Debug, PartialEq)]
pub struct Ran {
    pub printed: String,
    pub calls: Vec<String>,
}

pub fn ran(printed: &str, calls: &str) -> Ran {
    Ran {
        printed: printed.to_owned(),
        calls: calls.lines().map(str::to_owned).collect(),
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file of `tests/programs`.
pub fn source(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    path.join(name).display().to_string()
}

/// A path for what a test makes; every call gives another one.
pub fn fresh(name: &str) -> String {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder = own_folder().join(number.to_string());
    fs::create_dir_all(&folder).unwrap();
    folder.join(name).display().to_string()
}

/// A folder of this process, as some runners start one for every test. What earlier ones
/// left is removed.
fn own_folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join("marks");
        for left in fs::read_dir(&all).into_iter().flatten().flatten() {
            if !Path::new("/proc").join(left.file_name()).exists() {
                let _ = fs::remove_dir_all(left.path());
            }
        }
        let own = all.join(std::process::id().to_string());
        let _ = fs::remove_dir_all(&own);
        own
    })
}

/// Where `residue.h` is.
pub fn include() -> String {
    format!("-I{}", root().join("include").display())
}

pub fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

/// gcc, and clang where it is installed.
pub fn c_compilers() -> Vec<&'static str> {
    let mut compilers = vec!["gcc"];
    if is_installed("clang") {
        compilers.push("clang");
    }
    compilers
}

/// Runs a compiler, which must have nothing to say, not even a warning.
pub fn compile(compiler: &str, arguments: &[&str]) {
    let output = Command::new(compiler)
        .arg(include())
        .args(arguments)
        .output()
        .unwrap_or_else(|error| panic!("{compiler}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.is_empty(),
        "{compiler} {arguments:?}: {said}"
    );
}

/// Runs a program as it is.
pub fn run_alone(program: &[&str]) -> Ran {
    run(program, &[])
}

/// Runs a program with the stand-in preloaded.
pub fn run_recorded(program: &[&str]) -> Ran {
    run(program, &[("LD_PRELOAD", stand_in())])
}

/// Runs a program with a stand-in preloaded whose table has so many bytes.
pub fn run_with_short_table(program: &[&str], bytes: usize) -> Ran {
    let bytes = bytes.to_string();
    run(
        program,
        &[("LD_PRELOAD", stand_in()), ("STAND_IN_BYTES", &bytes)],
    )
}

fn run(program: &[&str], environment: &[(&str, &str)]) -> Ran {
    let log = fresh("calls");
    let output = Command::new(program[0])
        .args(&program[1..])
        .env_remove("LD_PRELOAD")
        .env("STAND_IN_LOG", &log)
        .envs(environment.iter().copied())
        .env("PYTHONPATH", root().join("python/src"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.is_empty(),
        "{program:?} {environment:?}: {:?} {said}",
        output.status
    );
    Ran {
        printed: String::from_utf8(output.stdout).unwrap(),
        // A program that called nothing made no file.
        calls: fs::read_to_string(&log)
            .unwrap_or_default()
            .lines()
            .map(str::to_owned)
            .collect(),
    }
}

fn stand_in() -> &'static str {
    static LIBRARY: OnceLock<String> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let library = fresh("stand_in.so");
        let c = source("stand_in.c");
        compile("gcc", &["-shared", "-fPIC", "-O1", "-o", &library, &c]);
        library
    })
}
