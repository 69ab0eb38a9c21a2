//! From a name that a person wrote to the functions that it means.
//!
//! The other way round than the rest of this crate: every name of a file is held
//! against one pattern. A function answers to its linkage name, to its readable
//! name with and without parameters, and to that without template arguments.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use object::ReadRef;
use object::elf::{self, SHT_DYNSYM, SHT_SYMTAB};
use object::read::elf::Sym;
use residue_names::{DemangleStyle, demangle};

use crate::directory::Index;
use crate::error::Error;
use crate::image::{self, Image};
use crate::pattern::Pattern;
use crate::search::{Finder, Search};
use crate::{debug_file, mini_debug};

/// A function that a pattern means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFunction {
    /// The linkage name; of several, the one that fits best.
    pub name: String,
    /// The readable name, with parameters.
    pub demangled: String,
    /// The link-time address.
    pub address: u64,
    /// In bytes; zero if no symbol tells.
    pub size: u64,
    /// How many bytes further the next symbol of the code stands, of a function or not, if it
    /// is near: something may be entered there, even in the midst of this function.
    pub next_symbol: Option<u64>,
}

/// Nobody asks about symbols that are further away.
const NEAR_BYTES: u64 = 16;

/// The functions of the ELF file at `path` that `pattern` means, by address.
///
/// A name that equals the pattern wins: only if there is none are `*` and `?` taken
/// for wildcards, because readable C++ names contain `*` themselves. The copies that
/// compilers make of a function (`f.constprop.0`, `f.isra.0`) answer to its name;
/// parts of it that are not entered from outside (`f.cold`, `f.part.0`) only to
/// their own.
///
/// Names of one function are merged. What is only called through a stub here, or
/// chosen at load time (an indirect function), is not a function of this file.
pub fn find_functions(path: &Path, pattern: &str) -> Result<Vec<FoundFunction>, Error> {
    let mut search = Matches::default();
    let pattern = Pattern::new(pattern);
    search_file(path, &pattern, &mut search)?;
    if !search.has_symbols {
        let path = path.to_owned();
        return Err(Error::NoSymbols { path });
    }
    Ok(search.finish())
}

/// Whether a pattern means a function of this name, where no file holds its code.
pub fn fits(pattern: &str, name: &str) -> bool {
    let pattern = Pattern::new(pattern);
    let forms = [DemangleStyle::Full, DemangleStyle::NoParams].map(|style| demangle(name, style));
    let is_meant = |form: &str| pattern.equals(form) || pattern.fits(form);
    is_meant(name) || forms.iter().any(|form| is_meant(form))
}

/// How well a name fits; the earlier is the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Exact,
    Wildcard,
}

/// All symbols at one address.
#[derive(Default)]
struct AddressSymbols {
    size: u64,
    best: Option<(Fit, String)>,
}

#[derive(Default)]
struct Matches {
    has_symbols: bool,
    code: Vec<Range<u64>>,
    places: BTreeMap<u64, AddressSymbols>,
}

impl Matches {
    fn add(&mut self, name: &str, address: u64, size: u64, pattern: &Pattern) {
        self.has_symbols = true;
        let place = self.places.entry(address).or_default();
        place.size = place.size.max(size);
        let Some(fit) = fit(name, pattern) else {
            return;
        };
        let is_better = place.best.as_ref().is_none_or(|(best_fit, best)| {
            (fit, name.len(), name) < (*best_fit, best.len(), best.as_str())
        });
        if is_better {
            place.best = Some((fit, name.to_owned()));
        }
    }

    fn finish(self) -> Vec<FoundFunction> {
        let addresses: Vec<u64> = self.places.keys().copied().collect();
        let next_after = |address: u64| {
            let next = addresses.partition_point(|&other| other <= address);
            let distance = addresses.get(next)? - address;
            (distance < NEAR_BYTES).then_some(distance)
        };
        let found = self.places.into_iter().filter_map(|(address, place)| {
            let (fit, name) = place.best?;
            Some((fit, address, place.size, name))
        });
        let found: Vec<_> = found.collect();
        let best_fit = found.iter().map(|&(fit, ..)| fit).min();
        let best = found.into_iter().filter(|&(fit, ..)| Some(fit) == best_fit);
        let best = best.map(|(_, address, size, name)| FoundFunction {
            demangled: demangle(&name, DemangleStyle::Full).into_owned(),
            name,
            address,
            size,
            next_symbol: next_after(address),
        });
        best.collect()
    }
}

/// Holds all names of one function against the pattern.
fn fit(name: &str, pattern: &Pattern) -> Option<Fit> {
    if pattern.equals(name) {
        return Some(Fit::Exact);
    }
    if !pattern.may_fit(name) {
        return None;
    }
    let full = demangle(name, DemangleStyle::Full);
    let (full, copy) = split_copy(&full);
    if !copy.is_none_or(is_whole_copy) {
        return None;
    }
    let short = demangle(name, DemangleStyle::NoParams);
    let (short, _) = split_copy(&short);
    let plain = without_template_arguments(short);
    let linkage = copy.map_or(name, |copy| name.strip_suffix(copy).unwrap_or(name));
    let names = [linkage, full, short, plain.as_deref().unwrap_or(short)];
    if names.iter().any(|name| pattern.equals(name)) {
        Some(Fit::Exact)
    } else if names.iter().any(|name| pattern.fits(name)) {
        Some(Fit::Wildcard)
    } else {
        None
    }
}

/// Splits a readable name from what a compiler appended: `f` and `.part.0` from
/// `f [.part.0]`.
fn split_copy(readable: &str) -> (&str, Option<&str>) {
    let split = readable.strip_suffix(']').and_then(|r| r.rsplit_once(" ["));
    match split {
        Some((name, copy)) if copy.starts_with('.') => (name, Some(copy)),
        _ => (readable, None),
    }
}

/// Whether a copy with these suffixes does all that the function does.
fn is_whole_copy(suffixes: &str) -> bool {
    let words = suffixes.split('.').filter(|word| !word.is_empty());
    let mut words = words.filter(|word| !word.bytes().all(|byte| byte.is_ascii_digit()));
    words.all(|word| {
        matches!(
            word,
            "constprop" | "isra" | "localalias" | "lto_priv" | "llvm"
        )
    })
}

const OPERATORS_WITH_BRACKETS: [&str; 11] = [
    "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">",
];

/// `a::f` for `a<int>::f<b<c>>`; `None` if the brackets make no sense. Rust writes
/// `f::<T>`, and `<T as Trait>::f`, where the brackets are part of the name.
fn without_template_arguments(name: &str) -> Option<String> {
    let mut plain = String::new();
    let mut rest = name;
    while let Some(next) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("operator") {
            let operator = OPERATORS_WITH_BRACKETS.iter();
            let operator = operator.copied().find(|sign| after.starts_with(sign));
            let operator = operator.unwrap_or_default();
            plain.push_str("operator");
            plain.push_str(operator);
            rest = after.strip_prefix(operator)?;
            continue;
        }
        if next == '<' && follows_a_name(&plain) && !rest.starts_with("<impl ") {
            let length = plain.trim_end_matches("::").trim_end().len();
            plain.truncate(length);
            rest = rest.get(bracketed_length(rest)?..)?;
            continue;
        }
        plain.push(next);
        rest = rest.get(next.len_utf8()..)?;
    }
    Some(plain)
}

fn follows_a_name(before: &str) -> bool {
    // A space separates an operator from its arguments.
    let before = before.strip_suffix("::").unwrap_or(before).trim_end();
    before
        .chars()
        .next_back()
        .is_some_and(|last| last.is_alphanumeric() || "_)<>=*-]".contains(last))
}

/// The length of a text in brackets, with those inside of it.
fn bracketed_length(text: &str) -> Option<usize> {
    let (mut depth, mut previous) = (0_usize, b' ');
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' if previous != b'-' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
        previous = byte;
    }
    None
}

fn search_file(path: &Path, pattern: &Pattern, search: &mut Matches) -> Result<(), Error> {
    let data = image::open(path)?;
    let malformed = |error: object::Error| Error::Malformed {
        path: path.to_owned(),
        reason: error.to_string(),
    };
    let image = Image::parse(&data).map_err(malformed)?;
    search.code = image.code();
    let is_whole = search_table(&image, SHT_SYMTAB, pattern, search).map_err(malformed)?;
    search_table(&image, SHT_DYNSYM, pattern, search).map_err(malformed)?;
    if !is_whole {
        search_split_off(path, &image, pattern, search);
    }
    Ok(())
}

/// Searches what was split off when the file was stripped, as far as it can be read.
fn search_split_off<'data, R: ReadRef<'data>>(
    path: &Path,
    image: &Image<'data, R>,
    pattern: &Pattern,
    search: &mut Matches,
) {
    let build_id = image.build_id();
    let (here, nothing) = (Search::default(), Index::default());
    let finder = Finder::new(&here, &nothing);
    let candidates = debug_file::candidates(&finder, path, image, build_id.as_deref());
    let is_found = candidates.into_iter().any(|candidate| {
        let Ok(data) = image::open(&candidate.path) else {
            return false;
        };
        Image::parse(&data).is_ok_and(|debug| {
            candidate.belongs(debug.build_id().as_deref())
                && search_table(&debug, SHT_SYMTAB, pattern, search).unwrap_or(false)
        })
    });
    if !is_found && let Some(unpacked) = mini_debug::unpack(image) {
        // An error here means no names beyond those of the dynamic symbols.
        let _ = Image::parse(unpacked.as_slice())
            .and_then(|debug| search_table(&debug, SHT_SYMTAB, pattern, search));
    }
}

/// Searches one symbol table, and says whether it had any functions.
fn search_table<'data, R: ReadRef<'data>>(
    image: &Image<'data, R>,
    table_type: u32,
    pattern: &Pattern,
    search: &mut Matches,
) -> object::Result<bool> {
    let endian = image.endian();
    let (symbols, strings) = image.symbols(table_type)?;
    let mut has_functions = false;
    let is_of_code = |symbol_type| matches!(symbol_type, elf::STT_FUNC | elf::STT_NOTYPE);
    for symbol in symbols.iter().filter(|s| is_of_code(s.st_type())) {
        let section = symbol.st_shndx(endian);
        let address = symbol.st_value(endian);
        let is_here = section != elf::SHN_UNDEF && section != elf::SHN_ABS;
        if !is_here || !search.code.iter().any(|code| code.contains(&address)) {
            continue;
        }
        if symbol.st_type() == elf::STT_NOTYPE {
            search.places.entry(address).or_default();
            continue;
        }
        let name = strings.get(symbol.st_name(endian) as usize..);
        let name = name.and_then(|name| name.split(|&byte| byte == 0).next());
        let name = name.and_then(|name| std::str::from_utf8(name).ok());
        // Without its version.
        let name = name.and_then(|name| name.split('@').next());
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            has_functions = true;
            search.add(name, address, symbol.st_size(endian), pattern);
        }
    }
    Ok(has_functions)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit_of(name: &str, pattern: &str) -> Option<Fit> {
        fit(name, &Pattern::new(pattern))
    }

    #[test]
    fn template_arguments_are_taken_away() {
        let cases = [
            ("f", "f"),
            ("a::f<int>", "a::f"),
            ("a<b<c>, d>::f<e>", "a::f"),
            ("a<b>::operator<", "a::operator<"),
            ("a<b>::operator<< <int>", "a::operator<<"),
            ("a<b>::operator->", "a::operator->"),
            ("operator<=> <x>", "operator<=>"),
            ("a<decltype(x->y)>::f", "a::f"),
            ("core::ptr::drop_in_place::<u8>", "core::ptr::drop_in_place"),
            (
                "<u8 as core::clone::Clone>::clone",
                "<u8 as core::clone::Clone>::clone",
            ),
            ("a::<impl b for c>::d", "a::<impl b for c>::d"),
        ];
        for (name, plain) in cases {
            assert_eq!(without_template_arguments(name).as_deref(), Some(plain));
        }
        assert_eq!(without_template_arguments("a<b"), None);
    }

    #[test]
    fn a_function_answers_to_all_its_names() {
        // int ns::add<int>(int*)
        let name = "_ZN2ns3addIiEEiPT_";
        for pattern in [name, "int ns::add<int>(int*)", "ns::add<int>", "ns::add"] {
            assert_eq!(fit_of(name, pattern), Some(Fit::Exact), "{pattern}");
        }
        for pattern in ["ns::*", "ns::a?d", "*add*", "_ZN2ns*", "int ns::add<*>(*)"] {
            assert_eq!(fit_of(name, pattern), Some(Fit::Wildcard), "{pattern}");
        }
        for pattern in ["add", "ns", "ns::add()", "ns::ad", "ns::add?"] {
            assert_eq!(fit_of(name, pattern), None, "{pattern}");
        }
    }

    #[test]
    fn copies_answer_to_the_name_and_parts_only_to_their_own() {
        for copy in [
            "f.constprop.0",
            "f.isra.0",
            "f.isra.0.constprop.1",
            "f.lto_priv.7",
        ] {
            assert_eq!(fit_of(copy, "f"), Some(Fit::Exact), "{copy}");
            assert_eq!(fit_of(copy, "f*"), Some(Fit::Wildcard), "{copy}");
        }
        for part in ["f.cold", "f.part.0", "f.constprop.0.cold"] {
            assert_eq!(fit_of(part, "f"), None, "{part}");
            assert_eq!(fit_of(part, "f*"), None, "{part}");
            assert_eq!(fit_of(part, part), Some(Fit::Exact), "{part}");
        }
        // void g(int), in C++.
        for pattern in ["g", "g(int)", "_Z1gi", "_Z1gi.isra.0"] {
            assert_eq!(fit_of("_Z1gi.isra.0", pattern), Some(Fit::Exact));
        }
        assert_eq!(fit_of("_Z1gi.cold", "g"), None);
    }
}
