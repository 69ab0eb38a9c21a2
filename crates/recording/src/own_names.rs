//! Allocators inside the program that it calls by names of their own. Only the symbol table
//! knows them, and a parser of foreign files has no place in the program's process.

use residue_arena::own_names::{families, functions};
use residue_symbols::{NamedFunction, find_named};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// What the recorder is told of the program at this path: which file it is, and where which
/// functions are. Empty where there are none.
pub fn of(program: &Path) -> String {
    let names: Vec<&str> = functions()
        .map(|(_, (name, _))| name.to_str().unwrap_or_default())
        .collect();
    let (Ok(status), Ok(found)) = (program.metadata(), find_named(program, &names)) else {
        return String::new();
    };
    let mut told = Vec::new();
    for (numbers, _) in families() {
        let of_family: Vec<&NamedFunction> = found
            .iter()
            .filter(|function| numbers.contains(&function.name))
            .collect();
        // The linker leaves out what is not called, and others may have functions of a name
        // or two; but who allocates frees.
        let has_free = of_family.iter().any(|one| one.name == numbers.start + 1);
        let allocates = |one: &&NamedFunction| names[one.name].contains("alloc");
        let is_there = has_free && of_family.iter().any(allocates);
        if is_there {
            told.extend(of_family.iter().map(|function| {
                format!(
                    "{:x}:{:x}:{:x}:{:x}",
                    function.name,
                    function.address,
                    function.size,
                    function.next_symbol.unwrap_or(0)
                )
            }));
        }
    }
    match told.is_empty() {
        true => String::new(),
        false => format!("{:x},{:x},{}", status.dev(), status.ino(), told.join(",")),
    }
}
