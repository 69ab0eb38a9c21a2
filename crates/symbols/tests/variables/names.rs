//! Names of variables and where they are declared.

use std::path::Path;
use std::process::Command;

use residue_symbols::DataAddress;

use crate::programs::{addresses, ask, ask_one, at, build, build_cpp, run, symbol, symbols};

const KINDS: [&[&str]; 6] = [
    &["-g", "-O0"],
    &["-g", "-O2"],
    &["-g", "-O2", "-gdwarf-4"],
    &["-g", "-O2", "-gdwarf-2", "-gstrict-dwarf"],
    &["-g", "-O2", "-fdebug-types-section"],
    &["-g", "-O2", "-flto"],
];

/// Every `step`-th byte of every symbol is named by a symbol that `readelf` has there.
fn agree_with_readelf(file: &Path, step: usize) {
    let symbols = symbols(file);
    assert!(symbols.len() > 10);
    let addresses = addresses(&symbols, step);
    for (&address, variable) in addresses.iter().zip(ask(file, &addresses)) {
        let variable = variable.unwrap_or_else(|| panic!("{address:x?}"));
        let judge = symbols.iter().find(|symbol| {
            symbol.name == variable.name
                && at(symbol.start, variable.offset) == address
                && symbol.size == variable.size
        });
        assert!(judge.is_some(), "{address:x?} {variable:?}");
    }
    let last = addresses.iter().max().unwrap();
    assert_eq!(ask(file, &[at(*last, 1 << 20)]), [None]);
}

#[test]
fn symbols_name_every_byte() {
    for flags in [
        &["-O2"][..],
        &["-O2", "-no-pie"],
        &["-s", "-rdynamic"],
        &["-g"],
    ] {
        agree_with_readelf(&build_cpp(flags).path, 1);
    }
}

#[test]
fn symbols_name_the_variables_of_system_libraries() {
    for library in ["libc.so.6", "libstdc++.so.6"] {
        let output = Command::new("gcc")
            .arg(format!("-print-file-name={library}"))
            .output();
        let path = String::from_utf8(output.unwrap().stdout).unwrap();
        agree_with_readelf(Path::new(path.trim()), 64);
    }
}

#[test]
fn variables_have_the_lines_of_their_definitions() {
    for flags in KINDS {
        let program = build_cpp(flags);
        for (name, comment) in [
            ("_ZN5Whole8instanceE", "Whole::instance"),
            ("plain_global", "plain_global"),
            ("table", "table"),
            ("c_name", "c_name"),
            ("_ZN5space6globalE", "space::global"),
            ("_ZN5spaceL5localE", "space::local"),
            ("_ZN5space4mineE", "space::mine"),
            ("_ZN5spaceL3ownE", "space::own"),
            ("_ZN5space12_GLOBAL__N_17unnamedE", "space::unnamed"),
            ("_ZN5space5Class6sharedE", "Class::shared"),
            ("_ZN5space5Class5namesB5cxx11E", "Class::names"),
            ("_ZZN5space5Class6methodEvE9in_method", "in_method"),
            ("_ZZ7countervE5count", "counter"),
            ("_ZZ7countervE5count_0", "counter, in a block"),
            ("_ZZ7countervE4text", "text"),
            ("_ZZL10everywhereiE5steps", "everywhere"),
            ("_ZZ10c_functionE13in_c_function", "in_c_function"),
        ] {
            let there = symbols(&program.path);
            let is_it = |found: &str| found == name || found.starts_with(&format!("{name}.lto"));
            let there = there.iter().find(|symbol| is_it(&symbol.name));
            let Some(there) = there else {
                // Whole programs are rid of what nobody reads.
                assert!(flags.contains(&"-flto"), "{flags:?} {name}");
                continue;
            };
            let found = ask_one(&program.path, there.start);
            assert_eq!((&found.name, found.offset), (&there.name, 0), "{flags:?}");
            let file = found.file.unwrap_or_default();
            assert!(
                file.ends_with("tests/programs/variables.cpp"),
                "{name} {file}"
            );
            assert_eq!(found.line, program.line(comment), "{flags:?} {name}");
        }
    }
}

#[test]
fn templates_name_their_variables() {
    let program = build_cpp(&["-g", "-O2"]);
    let there = symbol(&program.path, "_ZN5space5Class7of_typeI5InnerEE");
    let found = ask_one(&program.path, at(there.start, 8));
    assert_eq!((found.name, found.offset), (there.name, 8));
    assert_eq!(found.member.concat(), ".hits[1]");
    assert_eq!(found.line, program.line("Class::of_type"));
}

/// In C the linker's names of a function's statics say nothing of the function.
#[test]
fn statics_of_functions_in_c_are_named_after_them() {
    for flags in [&["-g", "-O0"][..], &["-g", "-O2"], &["-g", "-O2", "-flto"]] {
        let program = build("gcc", "variables.c", flags);
        let symbols = symbols(&program.path);
        let addresses = addresses(&symbols, 8);
        let found = ask(&program.path, &addresses);
        for name in ["first::count", "second::count", "second::inner"] {
            let mut variables = found.iter().flatten();
            let variable = variables.find(|variable| variable.name == name);
            let variable = variable.unwrap_or_else(|| panic!("{name} {flags:?}"));
            assert_eq!(variable.line, program.line(name));
        }
        let is_invented = |name: &str| name.starts_with("count.") || name.starts_with("inner.");
        let mut variables = found.iter().flatten();
        assert!(!variables.any(|variable| is_invented(&variable.name)));
        assert!(symbols.iter().any(|symbol| is_invented(&symbol.name)));
    }
}

/// Local symbols may be dropped while their debug information stays.
#[test]
fn debug_information_names_what_has_no_symbol() {
    for flags in [&["-g"][..], &["-g", "-O2"], &["-g", "-O2", "-gdwarf-4"]] {
        let program = build_cpp(flags);
        let whole = symbols(&program.path);
        let bare = program.copy(
            "bare",
            "objcopy",
            &["--strip-symbol=_Z*L*", "--strip-symbol=_ZZ*", "-w"],
        );
        let strings = program.copy("no-symbols", "objcopy", &["--strip-symbol=*", "-w"]);
        for file in [bare, strings] {
            let left = symbols(&file);
            for (name, plain, offset, member) in [
                ("_ZN5spaceL5localE", "space::local", 12, ".hits[2]"),
                ("_ZZ7countervE5count", "counter()::count", 12, "[3]"),
                ("_ZN5spaceL3ownE", "space::own", 0, ""),
            ] {
                assert!(!left.iter().any(|symbol| symbol.name == name));
                let there = whole.iter().find(|symbol| symbol.name == name).unwrap();
                let found = ask_one(&file, at(there.start, offset));
                let plain = plain.replace("()", "");
                assert!([name, &plain].contains(&&*found.name), "{found:?}");
                assert_eq!((found.offset, found.size), (offset, there.size));
                assert_eq!(found.member.concat(), member);
            }
        }
    }
}

#[test]
fn aliases_have_the_name_that_is_seen_outside() {
    let directory = tempfile::tempdir().unwrap();
    let source = "
        int __reserved_for_it = 1;
        extern int wanted __attribute__((weak, alias(\"__reserved_for_it\")));
        static int hidden[4] = {1};
        extern int shown[4] __attribute__((alias(\"hidden\")));
        int main(void) { return hidden[0] + wanted + shown[0]; }
    ";
    std::fs::write(directory.path().join("main.c"), source).unwrap();
    run("gcc", &["-g", "-o", "main", "main.c"], directory.path());
    let file = directory.path().join("main");
    for (asked, name) in [("__reserved_for_it", "wanted"), ("hidden", "shown")] {
        let there = symbol(&file, asked);
        assert_eq!(symbol(&file, name).start, there.start);
        assert_eq!(ask_one(&file, there.start).name, name);
    }
}

#[test]
fn addresses_of_code_and_of_nothing_have_no_variable() {
    let program = build_cpp(&["-g"]);
    let code = ["main", "_start"].map(|name| {
        let output = Command::new("nm").arg(&program.path).output();
        let text = String::from_utf8(output.unwrap().stdout).unwrap();
        let line = text
            .lines()
            .find(|line| line.ends_with(&format!(" {name}")));
        u64::from_str_radix(line.unwrap().split(' ').next().unwrap(), 16).unwrap()
    });
    let nowhere = [0, 1, 1 << 40, u64::MAX];
    let addresses = nowhere
        .iter()
        .chain(&code)
        .map(|&at| DataAddress::Static(at));
    let locals = nowhere[2..].iter().map(|&at| DataAddress::ThreadLocal(at));
    let addresses: Vec<_> = addresses.chain(locals).collect();
    let found = ask(&program.path, &addresses);
    assert!(found.iter().all(Option::is_none), "{found:?}");
}
