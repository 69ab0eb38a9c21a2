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

/// Those that were built already, on an older system maybe, where the environment says so. Else
/// as `make workloads` does, which is asked only where a source is newer than what it built:
/// every test is a process of its own, and asking costs as much as a short test.
fn build() -> PathBuf {
    if let Some(elsewhere) = std::env::var_os("RESIDUE_TEST_WORKLOADS") {
        return elsewhere.into();
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("build/workloads");
    fs::create_dir_all(&folder).expect("a folder for the workloads");
    // One process builds; those that started beside it wait, and find it done.
    let one_at_a_time = File::create(folder.join(".lock")).expect("a file to lock");
    one_at_a_time.lock().expect("a lock");
    if is_built(&folder) {
        return folder;
    }
    let made = Command::new("make")
        .arg("-C")
        .arg(root)
        .arg("workloads")
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

fn is_built(folder: &Path) -> bool {
    let changed = |path: &Path| fs::metadata(path).and_then(|found| found.modified()).ok();
    let Some(built) = changed(&folder.join(".built")) else {
        return false;
    };
    let of = [
        sources(),
        sources().join("../include"),
        sources().join("../python/src/residue"),
    ];
    let files = of
        .iter()
        .flat_map(|folder| fs::read_dir(folder).expect("sources"));
    files
        .map(|file| file.expect("a source").path())
        .filter(|path| path.is_file())
        .all(|path| changed(&path).is_some_and(|changed| changed <= built))
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
    compile_by(compiler, source, output, &[&[standard], more].concat());
}

/// The same with musl as the C library.
pub fn compile_for_musl(source: &str, output: &Path, more: &[&str]) {
    compile_by(
        "musl-gcc",
        source,
        output,
        &[&["-std=gnu11"], more].concat(),
    );
}

fn compile_by(compiler: &str, source: &str, output: &Path, more: &[&str]) {
    let compiled = Command::new(compiler)
        .args([
            "-O2",
            "-g",
            "-U_FORTIFY_SOURCE",
            "-pthread",
            "-D_GNU_SOURCE",
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
