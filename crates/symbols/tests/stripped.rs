//! Programs that are compiled, stripped, and put together again.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use residue_symbols::{Error, SymbolTable, build_id};

const SOURCE: &str = r#"
    #include <stdio.h>
    #include <stdlib.h>
    static __attribute__((noinline)) int hidden_helper(int x) { return puts("x") + x; }
    __attribute__((noinline)) int visible(int x) { return hidden_helper(x) + abs(x); }
    __asm__(".text\nassembly_only:\n nop\n nop\n ret\n");
    int main(int argc, char **argv) {
        void *(*volatile allocate)(size_t) = malloc;
        return visible(argc) + (allocate(1) == NULL);
    }
"#;

fn run(program: &str, arguments: &[&str], directory: &Path) {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {error}");
}

/// A directory with the program as `whole`, compiled with extra arguments.
fn compile(arguments: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("main.c"), SOURCE).unwrap();
    let fixed = ["-O1", "-g", "-o", "whole", "main.c"];
    run("gcc", &[&fixed, arguments].concat(), directory.path());
    let whole = directory.path().join("whole");
    (directory, whole)
}

/// The addresses of the functions, by the full symbol table.
fn addresses(file: &Path) -> HashMap<String, u64> {
    let output = Command::new("nm").arg(file).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().filter_map(|line| {
        let [address, _, name] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            return None;
        };
        Some((name.to_owned(), u64::from_str_radix(address, 16).unwrap()))
    });
    lines.collect()
}

/// All functions of the program have their names, with or without an offset.
fn assert_named(file: &Path, whole: &Path) {
    let table = SymbolTable::open(file, build_id(whole).unwrap().as_deref()).unwrap();
    let addresses = addresses(whole);
    for name in ["main", "visible", "hidden_helper", "_start"] {
        assert_eq!(table.lookup(addresses[name]), Some(name));
        assert_eq!(table.lookup(addresses[name] + 4), Some(name));
    }
    assert_eq!(
        table.lookup(addresses["assembly_only"] + 1),
        Some("assembly_only")
    );
}

/// Splits `whole` into `stripped` and a debug file that it links to.
fn split(directory: &Path, debug_file: &str) -> PathBuf {
    run(
        "objcopy",
        &["--only-keep-debug", "whole", debug_file],
        directory,
    );
    run("objcopy", &["--strip-all", "whole", "stripped"], directory);
    let link = format!("--add-gnu-debuglink={debug_file}");
    run("objcopy", &[&link, "stripped"], directory);
    directory.join("stripped")
}

#[test]
fn a_whole_program() {
    let (_directory, whole) = compile(&[]);
    assert_named(&whole, &whole);
}

#[test]
fn a_stripped_program_knows_only_what_it_exports() {
    let (directory, whole) = compile(&["-rdynamic"]);
    run("strip", &["-o", "stripped", "whole"], directory.path());
    let stripped = directory.path().join("stripped");
    let table = SymbolTable::open(&stripped, None).unwrap();
    let addresses = addresses(&whole);
    assert_eq!(table.lookup(addresses["visible"]), Some("visible"));
    assert_eq!(table.lookup(addresses["hidden_helper"]), None);
}

#[test]
fn names_come_from_a_debug_file_next_to_the_program() {
    for debug_directory in ["", ".debug/"] {
        let (directory, whole) = compile(&[]);
        fs::create_dir(directory.path().join(".debug")).unwrap();
        let stripped = split(directory.path(), &format!("{debug_directory}main.debug"));
        assert_named(&stripped, &whole);

        // Also through a link from elsewhere.
        let elsewhere = tempfile::tempdir().unwrap();
        let link = elsewhere.path().join("link");
        std::os::unix::fs::symlink(&stripped, &link).unwrap();
        assert_named(&link, &whole);
    }
}

#[test]
fn a_debug_file_of_another_build_is_not_believed() {
    for build_id in ["-Wl,--build-id=sha1", "-Wl,--build-id=none"] {
        let (directory, whole) = compile(&["-rdynamic", build_id]);
        let stripped = split(directory.path(), "main.debug");
        assert_named(&stripped, &whole);

        let (other, _) = compile(&["-rdynamic", "-DOTHER", "-O2", build_id]);
        split(other.path(), "main.debug");
        let file = |directory: &tempfile::TempDir| directory.path().join("main.debug");
        fs::copy(file(&other), file(&directory)).unwrap();
        let table = SymbolTable::open(&stripped, None).unwrap();
        let addresses = addresses(&whole);
        assert_eq!(table.lookup(addresses["visible"]), Some("visible"));
        assert_eq!(table.lookup(addresses["hidden_helper"]), None);
    }
}

#[test]
fn names_come_from_compressed_symbols_inside() {
    let (directory, whole) = compile(&["-rdynamic"]);
    let directory = directory.path();
    run(
        "objcopy",
        &["--only-keep-debug", "whole", "mini"],
        directory,
    );
    run("strip", &["-g", "mini"], directory);
    run("xz", &["mini"], directory);
    run("objcopy", &["--strip-all", "whole", "stripped"], directory);
    run(
        "objcopy",
        &["--add-section=.gnu_debugdata=mini.xz", "stripped"],
        directory,
    );
    assert_named(&directory.join("stripped"), &whole);

    // Garbage instead leaves the dynamic symbols.
    fs::write(directory.join("bad.xz"), b"\xfd7zXZ\0garbage").unwrap();
    run("objcopy", &["--strip-all", "whole", "bad"], directory);
    run(
        "objcopy",
        &["--add-section=.gnu_debugdata=bad.xz", "bad"],
        directory,
    );
    let table = SymbolTable::open(&directory.join("bad"), None).unwrap();
    assert_eq!(table.lookup(addresses(&whole)["visible"]), Some("visible"));
}

/// `objdump` names the stubs too, so it says what is right.
#[test]
fn stubs_are_named_after_their_targets() {
    for arguments in [
        &["-Wl,-z,lazy"][..],
        &["-Wl,-z,now"],
        &["-fcf-protection", "-Wl,-z,lazy,-z,ibtplt"],
        &["-no-pie", "-Wl,-z,lazy"],
    ] {
        let (directory, whole) = compile(arguments);
        let output = Command::new("objdump")
            .args(["-d", "--no-show-raw-insn", "whole"])
            .current_dir(directory.path())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let table = SymbolTable::open(&whole, None).unwrap();
        let mut seen = 0;
        for line in text.lines() {
            let Some((address, name)) = line.split_once(" <") else {
                continue;
            };
            let Some(name) = name
                .strip_suffix(">:")
                .filter(|name| name.ends_with("@plt"))
            else {
                continue;
            };
            let address = u64::from_str_radix(address, 16).unwrap();
            assert_eq!(table.lookup(address), Some(name), "{arguments:?}");
            assert_eq!(table.lookup(address + 5), Some(name), "{arguments:?}");
            seen += 1;
        }
        assert!(seen >= 1, "{arguments:?}: {text}");
    }
}

#[test]
fn a_program_without_any_names_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let source = "void _start(void) { for (;;); }";
    fs::write(directory.path().join("main.c"), source).unwrap();
    let arguments = ["-nostdlib", "-static", "-s", "-o", "bare", "main.c"];
    run("gcc", &arguments, directory.path());
    let error = SymbolTable::open(&directory.path().join("bare"), None).unwrap_err();
    assert!(matches!(error, Error::NoSymbols { .. }));
    assert!(error.to_string().contains("bare"));
}
