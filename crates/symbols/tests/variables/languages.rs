//! Compilers that write their debug information in other ways.

use crate::programs::{addresses, ask, ask_one, at, build, symbol, symbols};

#[test]
fn statics_of_rust() {
    // The fifth version has addresses by number.
    for version in ["-Cdwarf-version=4", "-Cdwarf-version=5"] {
        let flags = ["-g", version, "-Copt-level=1", "--edition=2021"];
        let program = build("rustc", "variables.rs", &flags);
        let symbols = symbols(&program.path);
        for (part, comment, offset, member) in [
            ("TABLE", "TABLE", 24, "[1].next"),
            ("MAYBE", "MAYBE", 0, ".Some.__0"),
            ("COUNT", "COUNT", 0, ""),
            ("OWN", "OWN", 8, "[1].hits"),
        ] {
            let symbol = symbols.iter().find(|symbol| symbol.name.contains(part));
            let symbol = symbol.unwrap_or_else(|| panic!("{part}"));
            let found = ask_one(&program.path, at(symbol.start, offset));
            assert_eq!(found.name, symbol.name);
            assert_eq!(found.line, program.line(comment), "{version} {found:?}");
            // What is in types of the library is its own affair.
            let found_member = found.member.concat();
            assert!(found_member.contains(member), "{version} {found:?}");
        }
    }
}

/// The first index runs fastest, and counts from one unless it is said otherwise.
#[test]
fn arrays_of_fortran() {
    let program = build("gfortran", "variables.f90", &["-g"]);
    let file = &program.path;
    let grid = symbol(file, "__store_MOD_grid");
    let found = ask_one(file, at(grid.start, 24 * 2 + 8));
    assert_eq!(found.name, grid.name);
    assert_eq!(found.member, ["(3,1)", ".hits", "(1)"]);
    assert_eq!(found.line, program.line("grid"));
    let second = ask_one(file, at(grid.start, 24 * 3));
    assert_eq!(second.member.concat(), "(1,2).key");
    let shifted = symbol(file, "__store_MOD_shifted");
    let found = ask_one(file, at(shifted.start, 8));
    assert_eq!(found.member.concat(), "(-1)");

    // A block that is shared has its own name, not that of its first variable.
    let block = symbol(file, "shared_");
    let found = ask_one(file, at(block.start, 8));
    assert_eq!((found.name.as_str(), found.offset), ("shared_", 8));

    let all = ask(file, &addresses(&symbols(file), 8));
    let mut all = all.iter().flatten();
    assert!(all.any(|variable| variable.name.ends_with("::calls")));
}
