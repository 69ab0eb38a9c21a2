//! Builds the recorder and hands it to the compiler, to be carried inside the
//! `residue` executable, with the page of `residue view`: copying that one file to
//! another machine is an installation.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    for path in [
        "crates/recorder/src",
        "crates/recorder/Cargo.toml",
        "crates/arena/src",
        "crates/arena/Cargo.toml",
        "crates/residency/src",
        "crates/residency/Cargo.toml",
        "Cargo.lock",
        "build.rs",
    ] {
        println!("cargo:rerun-if-changed={path}");
    }
    let library = build_recorder();
    println!("cargo:rustc-env=RESIDUE_RECORDER={}", library.display());
    take_page();
}

fn out_directory() -> PathBuf {
    PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"))
}

const PAGE_FILES: [&str; 3] = ["index.html", "page.js", "page.css"];

/// What is served where there is no page.
const NO_PAGE: &str = "<!doctype html>
<html lang=\"en\">
  <head>
    <meta charset=\"utf-8\">
    <title>Residue</title>
  </head>
  <body>
    <p>This <code>residue</code> was built without its page. <code>make</code> builds both.</p>
  </body>
</html>
";

/// Copies the page to where the compiler finds it. Building it takes Node, which is
/// `make`'s business; without it everything else works.
fn take_page() {
    let (built, taken) = (Path::new("viewer/dist"), out_directory().join("page"));
    std::fs::create_dir_all(&taken).expect("OUT_DIR can be written to");
    let is_built = PAGE_FILES.iter().all(|file| built.join(file).is_file());
    // A path that is not there would make cargo build anew each time.
    match is_built {
        true => println!("cargo:rerun-if-changed={}", built.display()),
        false => {
            println!("cargo:rerun-if-changed=viewer");
            println!("cargo:warning=there is no page in viewer/dist: `make` builds it");
        }
    }
    for file in PAGE_FILES {
        let content = match file {
            _ if is_built => std::fs::read(built.join(file)).expect("the page can be read"),
            "index.html" => NO_PAGE.into(),
            _ => Vec::new(),
        };
        std::fs::write(taken.join(file), content).expect("OUT_DIR can be written to");
    }
}

fn build_recorder() -> PathBuf {
    let out = out_directory();
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
        // load time keeps the dynamic linker out of the first allocation.
        .env(
            "RUSTFLAGS",
            "-C force-unwind-tables=yes -C link-arg=-Wl,-z,now -C link-arg=-Wl,-z,nodelete",
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
