//! Members at offsets, by how the ABI lays out the types of the test program.

use std::collections::HashMap;
use std::path::Path;

use residue_symbols::Variable;

use crate::programs::{Program, addresses, ask, at, build, build_cpp, symbol, symbols};

/// The member at each offset of a variable.
fn members(file: &Path, name: &str) -> HashMap<u64, String> {
    let there = symbol(file, name);
    let addresses = addresses(std::slice::from_ref(&there), 1);
    let found = ask(file, &addresses).into_iter().flatten();
    let found: HashMap<_, _> = found
        .map(|Variable { offset, member, .. }| (offset, member.concat()))
        .collect();
    assert_eq!(found.len() as u64, there.size);
    found
}

fn assert_members(file: &Path, name: &str, expected: &[(u64, &str)]) {
    let members = members(file, name);
    for &(offset, member) in expected {
        assert_eq!(members[&offset], member, "{name}+{offset}");
    }
}

#[test]
fn members_are_found_at_their_offsets() {
    for flags in [
        &["-g", "-O0"][..],
        &["-g", "-O2", "-gdwarf-4"],
        &["-g", "-O2", "-gdwarf-2", "-gstrict-dwarf"],
        &["-g", "-flto"],
        &["-g", "-gdwarf-4", "-fdebug-types-section"],
        &["-g", "-gdwarf-5", "-fdebug-types-section"],
    ] {
        let program = build_cpp(flags);
        let file = &program.path;
        let expected = [
            (0, "._vptr.Base"),
            (4, "._vptr.Base"),
            (8, ".base_word"),
            (16, ".other_word"),
            (24, ".inner[0].first"),
            (28, ".inner[0].hits[0]"),
            (44, ".inner[1].first"),
            (83, ".inner[2].hits[3]"),
            // A hole, a union of a pointer and others, and bit-fields.
            (84, ""),
            (88, ".as_pointer"),
            (92, ".as_pointer"),
            (96, ""),
            (104, ".named.text"),
            (112, ".matrix[0][0].first"),
            (112 + 20 * 5 + 8, ".matrix[1][2].hits[1]"),
            (232, ".pair[0].first"),
            (252 + 16, ".pair[1].hits[3]"),
            (272, ".reference"),
            (280, ".next"),
            (288, ".holder.nested.hidden"),
            (295, ".holder.nested.hidden"),
        ];
        assert_members(file, "_ZN5space6globalE", &expected);
        let array = [(0, "[0].first"), (24, "[1].hits[0]"), (99, "[4].hits[3]")];
        assert_members(file, "table", &array);
        let own = [(0, "[0].first"), (36, "[1].hits[3]")];
        assert_members(file, "_ZN5space4mineE", &own);
        assert_members(file, "plain_global", &[(0, ""), (3, "")]);
    }
}

#[test]
fn containers_of_the_library_are_looked_into() {
    for flags in [&["-g", "-O2"][..], &["-g", "-fdebug-types-section"]] {
        look_into_containers(&build_cpp(flags));
    }
}

fn look_into_containers(program: &Program) {
    let vector = [
        (0, "._M_impl._M_start"),
        (8, "._M_impl._M_finish"),
        (16, "._M_impl._M_end_of_storage"),
    ];
    assert_members(&program.path, "_ZN5space12_GLOBAL__N_17unnamedE", &vector);
    let map = [
        (16, "._M_t._M_impl._M_header._M_parent"),
        (40, "._M_t._M_impl._M_node_count"),
    ];
    assert_members(&program.path, "_ZN5space5Class5namesB5cxx11E", &map);
    let text = [(0, "._M_dataplus._M_p"), (8, "._M_string_length")];
    assert_members(&program.path, "_ZZ7countervE4text", &text);
}

#[test]
fn members_of_c() {
    let program = build("gcc", "variables.c", &["-g"]);
    let file = &program.path;
    assert_members(file, "list", &[(16, "[1].key"), (40, "[2].next")]);
    assert_members(file, "own", &[(8, "[1]")]);
    assert_members(file, "either", &[(0, ".text")]);
    let flexible = [(0, ".length"), (4, ""), (32, ".items[1].next")];
    let there = symbol(file, "flexible");
    for (offset, member) in flexible {
        let found = ask(file, &[at(there.start, offset)]);
        // Older linkers do not count what is initialised beyond the type.
        if let Some(found) = &found[0] {
            assert_eq!(found.member.concat(), member);
        }
    }
    assert!(symbols(file).iter().any(|symbol| symbol.name == "choice"));
}
