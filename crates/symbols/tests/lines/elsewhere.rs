//! Programs of other machines: stripped here, their debug files in other places.

use std::fs;
use std::path::{Path, PathBuf};

use residue_symbols::{Search, build_id};

use crate::judges::Seen;
use crate::programs::{Program, build_small, run};
use crate::{judges, ours};

/// A program as it was on its machine, and what is known of it there.
struct Elsewhere {
    program: Program,
    addresses: Vec<u64>,
    expected: Vec<Vec<Seen>>,
    id: String,
}

impl Elsewhere {
    fn new() -> Elsewhere {
        let program = build_small(&[]);
        let addresses = program.addresses(1);
        Elsewhere {
            expected: ours::answers(&program.path, &addresses),
            id: build_id(&program.path).unwrap().unwrap(),
            addresses,
            program,
        }
    }

    fn directory(&self) -> &Path {
        self.program.directory.path()
    }

    fn folder(&self, name: &str) -> PathBuf {
        let folder = self.directory().join(name);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// Fails unless everything is known of a program at a path where it is not.
    fn assert_known(&self, search: &Search) {
        self.assert_known_at(Path::new("/on/its/machine/program"), search);
    }

    fn assert_known_at(&self, path: &Path, search: &Search) {
        let found = ours::resolve(path, Some(&self.id), &self.addresses, search);
        assert_eq!(found.modules[0].problem, None);
        assert!(ours::seen(&found, self.addresses.len()) == self.expected);
    }

    fn problem(&self, search: &Search) -> String {
        let path = Path::new("/on/its/machine/program");
        let found = ours::resolve(path, Some(&self.id), &self.addresses, search);
        found.modules[0].problem.clone().unwrap()
    }
}

fn in_symbols(directory: &Path) -> Search {
    Search {
        symbol_dirs: vec!["/nonexistent".into(), directory.to_owned()],
        ..Search::default()
    }
}

fn below(sysroot: &Path) -> Search {
    Search {
        sysroot: Some(sysroot.to_owned()),
        ..Search::default()
    }
}

#[test]
fn symbols_of_another_machine() {
    let there = Elsewhere::new();
    let debug = there
        .program
        .copy("debug", "objcopy", &["--only-keep-debug"]);
    let stripped = there.program.copy("stripped", "objcopy", &["--strip-all"]);
    let (start, rest) = there.id.split_at(2);

    // A tree by build-id, with and without its usual name, and one in any order.
    for (tree, place) in [
        ("tree", format!(".build-id/{start}/{rest}.debug")),
        ("store", format!("{start}/{rest}.debug")),
        ("heap", "lost/and/found".to_owned()),
    ] {
        let folder = there.folder(tree);
        let place = folder.join(place);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::copy(&debug, &place).unwrap();
        there.assert_known(&in_symbols(&folder));
        // Also when the binary is where it was, without symbols.
        there.assert_known_at(&stripped, &in_symbols(&folder));
    }
    // The binary itself, unstripped.
    let binaries = there.folder("binaries");
    fs::copy(&there.program.path, binaries.join("renamed")).unwrap();
    there.assert_known(&in_symbols(&binaries));

    // The root of the other machine: the binary in its place, the debug file in its.
    let root = there.folder("root");
    let machine = there.folder("root/on/its/machine");
    fs::copy(&stripped, machine.join("program")).unwrap();
    let installed = there.folder(&format!("root/usr/lib/debug/.build-id/{start}"));
    fs::copy(&debug, installed.join(format!("{rest}.debug"))).unwrap();
    there.assert_known(&below(&root));

    // The same by name.
    let root = there.folder("other");
    let machine = there.folder("other/on/its/machine");
    let link = ["--add-gnu-debuglink=debug", "stripped", "linked"];
    run("objcopy", &link, there.directory());
    fs::copy(there.directory().join("linked"), machine.join("program")).unwrap();
    let installed = there.folder("other/usr/lib/debug/on/its/machine");
    fs::copy(&debug, installed.join("debug")).unwrap();
    there.assert_known(&below(&root));
}

#[test]
fn files_of_another_build_are_refused() {
    let there = Elsewhere::new();
    let other = build_small(&["-O1"]);
    let folder = there.folder("others");
    fs::copy(&other.path, folder.join("program")).unwrap();
    let problem = there.problem(&in_symbols(&folder));
    assert!(
        problem.contains("/on/its/machine/program: cannot be read"),
        "{problem}"
    );

    // A debug file whose name promises the right build-id, and has another.
    let (start, rest) = there.id.split_at(2);
    let place = there.folder(&format!("others/.build-id/{start}"));
    other.copy("debug", "objcopy", &["--only-keep-debug"]);
    let wrong = other.directory.path().join("debug");
    fs::copy(&wrong, place.join(format!("{rest}.debug"))).unwrap();
    there.problem(&in_symbols(&folder));

    let root = there.folder("root");
    let machine = there.folder("root/on/its/machine");
    fs::copy(&other.path, machine.join("program")).unwrap();
    let problem = there.problem(&below(&root));
    assert!(problem.contains(&there.id), "{problem}");
}

#[test]
fn without_a_build_id_the_name_decides_if_it_is_the_only_one() {
    let program = build_small(&[]);
    let directory = program.directory.path();
    let strip = ["--remove-section=.note.gnu.build-id", "program", "nameless"];
    run("objcopy", &strip, directory);
    let addresses = program.addresses(1);
    let expected = ours::answers(&program.path, &addresses);
    let folder = directory.join("tree");
    fs::create_dir_all(folder.join("one")).unwrap();
    fs::create_dir_all(folder.join("two")).unwrap();
    fs::copy(directory.join("nameless"), folder.join("one/nameless")).unwrap();
    let path = Path::new("/on/its/machine/nameless");
    let search = in_symbols(&folder);
    let found = ours::resolve(path, None, &addresses, &search);
    assert_eq!(found.modules[0].problem, None);
    assert!(ours::seen(&found, addresses.len()) == expected);

    // Two of that name, or one with a build-id: none is sure to be the right one.
    fs::copy(directory.join("nameless"), folder.join("two/nameless")).unwrap();
    let found = ours::resolve(path, None, &addresses, &search);
    assert!(found.modules[0].problem.is_some());
    fs::remove_file(folder.join("two/nameless")).unwrap();
    fs::copy(&program.path, folder.join("one/nameless")).unwrap();
    let found = ours::resolve(path, None, &addresses, &search);
    assert!(found.modules[0].problem.is_some());
    let nothing = judges::Seen::default();
    let seen = ours::seen(&found, addresses.len());
    assert!(seen.iter().flatten().all(|place| *place == nothing));
}
