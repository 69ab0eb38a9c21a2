//! The workloads, built once for all tests.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Where the built workloads lie.
pub fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(build)
}

fn build() -> PathBuf {
    let executable = Path::new(env!("CARGO_BIN_EXE_residue"));
    // target/debug/residue: beside `debug`.
    let target = executable
        .ancestors()
        .nth(2)
        .expect("target/PROFILE/residue");
    let folder = target.join("workloads");
    // Test programs may start side by side, each in a process of its own: one builds, the
    // others wait and find nothing left to do.
    fs::create_dir_all(&folder).expect("a folder for the workloads");
    let one_at_a_time = File::create(folder.join(".lock")).expect("a file to lock");
    one_at_a_time.lock().expect("a lock");
    let made = Command::new("make")
        .arg("-C")
        .arg(sources())
        .arg(format!("OUT={}", folder.display()))
        // Not this cargo's job server.
        .env_remove("MAKEFLAGS")
        .env_remove("MFLAGS")
        .output()
        .expect("make can be started");
    assert!(
        made.status.success(),
        "the workloads do not build: {}",
        super::describe(&made)
    );
    folder
}

/// Where the sources of the workloads lie.
pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("workloads")
}

/// The path of a workload; a name that is none is left to the shell's rules.
pub fn find(name: &str) -> PathBuf {
    let path = folder().join(name);
    let is_workload = !name.contains('/') && path.is_file();
    if is_workload {
        path
    } else {
        PathBuf::from(name)
    }
}

/// Compiles one workload anew, with more on the command line.
pub fn compile(source: &str, output: &Path, more: &[&str]) {
    let (compiler, standard) = if source.ends_with(".cpp") {
        ("g++", "-std=gnu++17")
    } else {
        ("gcc", "-std=gnu11")
    };
    let compiled = Command::new(compiler)
        .args([
            "-O2",
            "-g",
            "-U_FORTIFY_SOURCE",
            "-pthread",
            "-D_GNU_SOURCE",
            standard,
        ])
        .arg("-I")
        .arg(sources().join("../include"))
        .arg("-o")
        .arg(output)
        .arg(sources().join(source))
        .args(more)
        .arg("-ldl")
        .output()
        .expect("the compiler can be started");
    assert!(
        compiled.status.success(),
        "{source} does not compile: {}",
        super::describe(&compiled)
    );
}
