//! Builds the recorder and hands it to the compiler, to be carried inside the
//! `residue` executable: copying that one file to another machine is an installation.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the workspace, seen from this crate.
const WORKSPACE: &str = "../..";

fn main() {
    for path in [
        "crates/recorder/src",
        "crates/recorder/Cargo.toml",
        "crates/arena/src",
        "crates/arena/Cargo.toml",
        "crates/residency/src",
        "crates/residency/Cargo.toml",
        "Cargo.lock",
    ] {
        println!("cargo:rerun-if-changed={WORKSPACE}/{path}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    let library = build_recorder();
    println!("cargo:rustc-env=RESIDUE_RECORDER={}", library.display());
}

fn build_recorder() -> PathBuf {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let cargo = std::env::var_os("CARGO").expect("cargo sets CARGO");
    let target = out.join("recorder");
    let status = Command::new(cargo)
        .args(["build", "--release", "--package", "residue-recorder"])
        .args(["--features", "interpose", "--locked", "--target-dir"])
        .arg(&target)
        // Flags meant for the command (coverage, sanitizers) are not for a library
        // that lives in other people's processes.
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("CARGO_BUILD_TARGET")
        .env_remove("RUSTC_WRAPPER")
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        // Unwind tables: libgcc walks through the recorder when stacks are verified,
        // and exceptions pass through its `operator new`. Binding everything at
        // load time keeps the dynamic linker out of the first allocation. Programs without
        // `dlsym` find the marks by the entry point.
        .env(
            "RUSTFLAGS",
            "-C force-unwind-tables=yes -C link-arg=-Wl,-z,now -C link-arg=-Wl,-z,nodelete \
             -C link-arg=-Wl,-e,RESIDUE_ENTRY_V1",
        )
        .status();
    match status {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("building the recorder failed: {status}"),
        Err(error) => panic!("building the recorder failed: {error}"),
    }
    let built = target.join("release/libresidue_recorder.so");
    let stripped = out.join("libresidue_recorder.so");
    strip(&built, &stripped);
    stripped
}

/// Leaves the symbols of the functions and takes away the debug information.
fn strip(built: &Path, stripped: &Path) {
    let done = Command::new("strip")
        .arg("--strip-debug")
        .arg("-o")
        .arg(stripped)
        .arg(built)
        .status()
        .is_ok_and(|status| status.success());
    if !done {
        std::fs::copy(built, stripped).expect("the recorder was just built");
    }
}
