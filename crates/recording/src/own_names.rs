//! Allocators inside the program that it calls by names of their own. Only the symbol table
//! knows them, and a parser of foreign files has no place in the program's process.

use residue_arena::own_names::{Shape, families, functions};
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
    for (numbers, family) in families() {
        let of_family: Vec<&NamedFunction> = found
            .iter()
            .filter(|function| numbers.contains(&function.name))
            .collect();
        // The linker leaves out what is not called, and others may have functions of a name
        // or two; but who allocates frees.
        let is_called = |shape: Shape, parts: [&str; 2]| {
            of_family.iter().any(|one| {
                let (_, of_this) = family.functions[one.name - numbers.start];
                of_this == shape && parts.iter().any(|part| names[one.name].contains(part))
            })
        };
        let is_there = is_called(Shape::MakesFirst, ["malloc", "zalloc"])
            && is_called(Shape::Frees, ["free", "dalloc"]);
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
        false => {
            let modified_ns = status.mtime() * 1_000_000_000 + status.mtime_nsec();
            let file = [status.dev(), status.ino(), modified_ns as u64];
            let file = file.map(|number| format!("{number:x}"));
            format!("{},{}", file.join(","), told.join(","))
        }
    }
}
