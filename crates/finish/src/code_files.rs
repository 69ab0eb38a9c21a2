//! Code that just-in-time compilers registered for debuggers: an ELF file in memory for
//! each piece, copied by the recorder.
//!
//! The compilers write where each section was put into the section's header. In a
//! relocatable file, which is what they mostly register, a symbol counts from there.

use crate::arena_file::{ArenaFile, Error};
use crate::jit::{Wanted, in_range};
use object::elf::{ET_REL, FileHeader64, SHF_EXECINSTR, STB_LOCAL, STT_FUNC};
use object::read::elf::{FileHeader, SectionHeader, Sym};
use object::{Endianness, SectionIndex};
use residue_arena::header;
use residue_arena::region::Region;
use residue_arena::tables::code_file;
use residue_profile::units::counted;
use std::cmp::Reverse;
use std::rc::Rc;

/// A function that covers a wanted address.
#[derive(Clone, PartialEq, Eq)]
struct Candidate {
    generation: u64,
    /// Number of the file: of two generations that are the same, the later came later.
    file: usize,
    start: u64,
    is_local: bool,
    /// One for all addresses of the function.
    name: Rc<str>,
}

/// Names that are kept, in all, beside as many bytes as there are of files: symbols of a
/// hostile file may all name the same long text.
const FREE_NAME_BYTES: u64 = 16 << 20;
/// Addresses that a function is compared for, each time counted: a second of work.
const MOST_COMPARISONS: u64 = 1 << 27;

/// The names that registered code has for the addresses.
pub fn names(
    arena: &ArenaFile,
    wanted: &[Wanted],
    notes: &mut Vec<String>,
) -> Result<Vec<Option<Rc<str>>>, Error> {
    let mut items: Vec<[u64; code_file::WORDS]> = Vec::new();
    arena.each_item(Region::CodeFiles, |item| items.push(item.words()))?;
    let mut best: Vec<Option<Candidate>> = vec![None; wanted.len()];
    let mut name_bytes_left = arena
        .used(Region::CodeBytes)
        .saturating_add(FREE_NAME_BYTES);
    let mut comparisons_left = MOST_COMPARISONS;
    let mut malformed = 0;
    for (number, item) in items.iter().enumerate() {
        let Some(offset) = item[code_file::COPY].checked_sub(1) else {
            continue;
        };
        let bytes = arena.bytes(Region::CodeBytes, offset, item[code_file::BYTES])?;
        let read = each_function(&bytes, |function| {
            let covered = in_range(wanted, function.start, function.end);
            let after = (
                name_bytes_left.checked_sub(function.name.len() as u64),
                comparisons_left.checked_sub(covered.len() as u64),
            );
            let (false, (Some(name_bytes), Some(comparisons))) = (covered.is_empty(), after) else {
                return;
            };
            (name_bytes_left, comparisons_left) = (name_bytes, comparisons);
            let candidate = Candidate {
                generation: item[code_file::GENERATION],
                file: number,
                start: function.start,
                is_local: function.is_local,
                name: function.name.into(),
            };
            for index in covered {
                if is_better(&candidate, best[index].as_ref(), wanted[index].generation) {
                    best[index] = Some(candidate.clone());
                }
            }
        });
        malformed += usize::from(read.is_err());
    }
    note(arena, malformed, notes);
    let name = |best: Option<Candidate>| best.map(|best| best.name);
    Ok(best.into_iter().map(name).collect())
}

fn note(arena: &ArenaFile, malformed: usize, notes: &mut Vec<String>) {
    let left_out = arena.word(header::CODE_FILES_LEFT_OUT);
    if left_out != 0 {
        notes.push(format!(
            "names of JIT-compiled code are incomplete: {} not kept (no room, or unregistered \
             too soon)",
            counted(left_out, "symbol file", "symbol files")
        ));
    }
    if malformed != 0 {
        notes.push(format!(
            "names of JIT-compiled code are incomplete: {} malformed",
            counted(malformed as u64, "symbol file", "symbol files")
        ));
    }
}

/// Whether a function is more likely to be the one that was there in this generation: of the
/// files that can be as old, the latest; of its functions, the innermost. Where all are later,
/// the first of them was registered after it ran.
fn is_better(candidate: &Candidate, best: Option<&Candidate>, generation: u64) -> bool {
    let rank = |c: &Candidate| {
        let is_later = c.generation > generation;
        let age = (c.generation, c.file);
        // Of those that are late the first, of the others the last.
        let (late, early) = match is_later {
            true => (Some(age), None),
            false => (None, Some(Reverse(age))),
        };
        let inner = (Reverse(c.start), c.is_local, c.name.len());
        (is_later, late, early, inner)
    };
    best.is_none_or(|best| rank(candidate) < rank(best))
}

struct Function<'data> {
    start: u64,
    end: u64,
    is_local: bool,
    name: &'data str,
}

/// Calls `take` for each function of an ELF file.
fn each_function(bytes: &[u8], mut take: impl FnMut(Function<'_>)) -> object::Result<()> {
    type Elf = FileHeader64<Endianness>;
    let elf = Elf::parse(bytes)?;
    let endian = elf.endian()?;
    let sections = elf.sections(endian, bytes)?;
    let symbols = sections.symbols(endian, bytes, object::elf::SHT_SYMTAB)?;
    let is_relocatable = elf.e_type(endian) == ET_REL;
    for symbol in symbols.iter().filter(|s| s.st_type() == STT_FUNC) {
        let index = SectionIndex(usize::from(symbol.st_shndx(endian)));
        let Ok(section) = sections.section(index) else {
            continue;
        };
        let place = section.sh_addr(endian);
        // What was not put anywhere is not code of the program.
        let is_code = section.sh_flags(endian) & u64::from(SHF_EXECINSTR) != 0 && place != 0;
        let value = symbol.st_value(endian);
        let start = match is_relocatable {
            true => place.checked_add(value),
            false => Some(value),
        };
        let end = match (start, symbol.st_size(endian)) {
            (Some(_), 0) => place.checked_add(section.sh_size(endian)),
            (Some(start), size) => start.checked_add(size),
            (None, _) => None,
        };
        let name = symbol.name(endian, symbols.strings())?;
        if let (true, Some(start), Some(end)) = (is_code, start, end)
            && let Ok(name) = std::str::from_utf8(name)
            && !name.is_empty()
        {
            let is_local = symbol.st_bind() == STB_LOCAL;
            take(Function {
                start,
                end,
                is_local,
                name,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(generation: u64, file: usize, start: u64, name: &str) -> Candidate {
        Candidate {
            generation,
            file,
            start,
            is_local: name.starts_with("local"),
            name: name.into(),
        }
    }

    /// In whatever order they come.
    fn chosen(generation: u64, candidates: &[(u64, usize, u64, &str)]) -> Option<Rc<str>> {
        let candidates = candidates.iter();
        let candidates = candidates.map(|&(g, f, s, name)| candidate(g, f, s, name));
        let choose =
            |best: Option<Candidate>, next| match is_better(&next, best.as_ref(), generation) {
                true => Some(next),
                false => best,
            };
        let forth = candidates.clone().fold(None, choose);
        let back = candidates.rev().fold(None, choose);
        assert!(forth == back);
        forth.map(|best| best.name)
    }

    #[test]
    fn an_address_has_the_name_of_its_time() {
        let all = [
            (3, 0, 16, "first"),
            (7, 1, 16, "second"),
            (7, 2, 16, "third"),
        ];
        assert_eq!(chosen(4, &all).as_deref(), Some("first"));
        assert_eq!(chosen(7, &all).as_deref(), Some("third"));
        assert_eq!(chosen(u64::MAX, &all).as_deref(), Some("third"));
        // Registered after it ran.
        assert_eq!(chosen(2, &all).as_deref(), Some("first"));
        assert_eq!(chosen(2, &[]), None);
    }

    #[test]
    fn of_one_file_the_innermost_visible_function_counts() {
        let all = [
            (0, 0, 16, "outer"),
            (0, 0, 32, "local inner"),
            (0, 0, 32, "inner of all"),
            (0, 0, 32, "inner"),
        ];
        assert_eq!(chosen(0, &all).as_deref(), Some("inner"));
        assert_eq!(chosen(0, &all[..2]).as_deref(), Some("local inner"));
    }

    fn own_executable() -> Vec<u8> {
        let path = std::env::current_exe().unwrap();
        // The whole is large, and so is its symbol table.
        std::fs::read(path).unwrap()
    }

    #[test]
    fn the_functions_of_a_linked_file_are_where_it_says() {
        let bytes = own_executable();
        let mut functions = 0;
        let mut has_main = false;
        each_function(&bytes, |function| {
            assert!(function.start <= function.end);
            functions += 1;
            has_main |= function.name == "main";
        })
        .unwrap();
        assert!(functions > 1000, "{functions}");
        assert!(has_main);
    }

    /// The bytes come from another process's memory: anything may be in them.
    #[test]
    fn files_cut_off_or_changed_anywhere_do_no_harm() {
        let bytes = own_executable();
        for length in (0..64).chain((64..bytes.len()).step_by(bytes.len() / 50)) {
            let _ = each_function(&bytes[..length], |_| {});
        }
        let mut bytes = bytes[..bytes.len().min(1 << 16)].to_vec();
        for place in 0..64 {
            for value in [0, 1, 127, 255] {
                let kept = std::mem::replace(&mut bytes[place], value);
                let _ = each_function(&bytes, |_| {});
                bytes[place] = kept;
            }
        }
    }
}
