//! Programs that were stripped, and files that belong to others.

use std::fs;
use std::path::Path;

use residue_symbols::{
    DataAddress, Error, Search, Variable, VariablesRequest, build_id, resolve_variables,
};

use crate::programs::{Program, addresses, ask, build_cpp, run, symbol, symbols, try_ask};

/// All that is known of a program, and of every word of it.
struct Known {
    program: Program,
    addresses: Vec<DataAddress>,
    expected: Vec<Option<Variable>>,
}

impl Known {
    fn new(flags: &[&str]) -> Known {
        let program = build_cpp(flags);
        let addresses = addresses(&symbols(&program.path), 4);
        Known {
            expected: ask(&program.path, &addresses),
            addresses,
            program,
        }
    }

    fn directory(&self) -> &Path {
        self.program.directory.path()
    }

    fn assert_known(&self, file: &Path, search: &Search) {
        let id = build_id(&self.program.path).unwrap();
        let found = try_ask(file, id.as_deref(), &self.addresses, search).unwrap();
        assert!(found == self.expected, "{}", file.display());
    }
}

#[test]
fn debug_files_are_found_by_their_build_id() {
    let known = Known::new(&["-g", "-Wl,--build-id"]);
    assert!(known.expected.iter().flatten().any(|found| found.line > 0));
    let debug = known
        .program
        .copy("debug", "objcopy", &["--only-keep-debug"]);
    let stripped = known.program.copy("stripped", "objcopy", &["--strip-all"]);
    let id = build_id(&known.program.path).unwrap().unwrap();
    let (start, rest) = id.split_at(2);

    let heap = known.directory().join("heap");
    fs::create_dir_all(&heap).unwrap();
    fs::copy(&debug, heap.join("any-name")).unwrap();
    let search = Search {
        symbol_dirs: vec![heap],
        ..Search::default()
    };
    known.assert_known(&stripped, &search);
    known.assert_known(Path::new("/on/its/machine/program"), &search);

    // On the machine that the program ran on, seen from here.
    let root = known.directory().join("root");
    let tree = root.join(format!("usr/lib/debug/.build-id/{start}"));
    fs::create_dir_all(&tree).unwrap();
    fs::create_dir_all(root.join("bin")).unwrap();
    fs::copy(&debug, tree.join(format!("{rest}.debug"))).unwrap();
    fs::copy(&stripped, root.join("bin/program")).unwrap();
    let search = Search {
        sysroot: Some(root),
        ..Search::default()
    };
    known.assert_known(Path::new("/bin/program"), &search);
}

#[test]
fn debug_files_are_found_by_their_links() {
    for id in ["-Wl,--build-id", "-Wl,--build-id=none"] {
        let known = Known::new(&["-g", id]);
        let stripped = known.program.copy("stripped", "objcopy", &["--strip-all"]);
        known
            .program
            .copy("main.debug", "objcopy", &["--only-keep-debug"]);
        let link = "--add-gnu-debuglink=main.debug";
        run("objcopy", &[link, "stripped"], known.directory());
        assert_eq!(ask(&stripped, &known.addresses), known.expected);

        // Of another build nothing is believed.
        let other = build_cpp(&["-g", "-O2", id]);
        let debug = other.copy("main.debug", "objcopy", &["--only-keep-debug"]);
        fs::copy(debug, known.directory().join("main.debug")).unwrap();
        let error = try_ask(&stripped, None, &known.addresses, &Search::default());
        let named = error.map_or(0, |found| found.iter().flatten().count());
        let exported = addresses(&symbols(&stripped), 4).len();
        assert!(named <= exported, "{named} of {exported}");
    }
}

#[test]
fn another_build_id_is_refused() {
    let program = build_cpp(&["-g", "-Wl,--build-id"]);
    let address = symbol(&program.path, "table").start;
    let search = Search::default();
    let error = try_ask(&program.path, Some("0123456789"), &[address], &search).unwrap_err();
    assert!(matches!(error, Error::BuildIdMismatch { .. }), "{error}");
    let known = build_id(&program.path).unwrap().map(|id| id.to_uppercase());
    try_ask(&program.path, known.as_deref(), &[address], &search).unwrap();
}

#[test]
fn a_module_that_cannot_be_read_costs_its_own_names() {
    let program = build_cpp(&["-g"]);
    let table = symbol(&program.path, "table").start;
    let stripped = program.copy("stripped", "objcopy", &["--strip-all"]);
    let text = program.directory.path().join("text");
    fs::write(&text, "no ELF file").unwrap();
    let request = |path: &Path| VariablesRequest {
        path: path.to_owned(),
        build_id: None,
        addresses: vec![table, table],
    };
    let files = [Path::new("/nonexistent"), &text, &program.path, &stripped];
    let found = resolve_variables(&files.map(request), &Search::default());
    assert!(matches!(found[0], Err(Error::Read { .. })));
    assert!(matches!(found[1], Err(Error::Malformed { .. })));
    let both = found[2].as_ref().unwrap();
    assert_eq!(both.len(), 2);
    assert!(both.iter().flatten().all(|found| found.name == "table"));
    match &found[3] {
        Err(error) => assert!(matches!(error, Error::NoVariables { .. }), "{error}"),
        Ok(found) => assert_eq!(found, &[None, None]),
    }
}

#[test]
fn compressed_and_shared_debug_information() {
    let known = Known::new(&["-g", "-Wl,--build-id"]);
    let id = build_id(&known.program.path).unwrap();
    for compression in ["zlib", "zstd", "zlib-gnu"] {
        let flag = format!("--compress-debug-sections={compression}");
        let copy = known.program.copy(compression, "objcopy", &[&flag]);
        known.assert_known(&copy, &Search::default());
    }
    // What is shared is taken out of both files: types, and whole variables if they are
    // thread-local. Those have their symbols.
    for copy in ["first", "second"] {
        fs::copy(&known.program.path, known.directory().join(copy)).unwrap();
    }
    run(
        "dwz",
        &["-m", "shared", "first", "second"],
        known.directory(),
    );
    let first = known.directory().join("first");
    let found = try_ask(&first, id.as_deref(), &known.addresses, &Search::default());
    let (found, expected) = (found.unwrap(), &known.expected);
    for ((address, found), expected) in known.addresses.iter().zip(&found).zip(expected) {
        let name = |variable: &Option<Variable>| variable.as_ref().map(|v| v.name.clone());
        match address {
            DataAddress::Static(_) => assert_eq!(found, expected),
            DataAddress::ThreadLocal(_) => assert_eq!(name(found), name(expected)),
        }
    }
}

/// Symbols name the variables of split units.
#[test]
fn split_debug_information() {
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        let program = build_cpp(&["-g", version, "-gsplit-dwarf"]);
        let symbols = symbols(&program.path);
        let found = ask(&program.path, &addresses(&symbols, 4));
        assert!(found.iter().all(Option::is_some));
    }
}
