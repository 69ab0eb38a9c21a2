//! An address-sorted table of functions, and the rules by which it answers.
//!
//! Variables have tables too: what is said of functions here is true of them.
//!
//! The table knows nothing about ELF: others fill a [`Builder`], and lookups
//! happen on the finished [`Table`]. Names stay where they are in the string
//! tables of the file, and aliases are compared only at lookup: a big library
//! has a million symbols, and a profile asks for a few thousand of them.

use std::cmp::Reverse;
use std::ops::Range;

/// How much a symbol is trusted when several share an address; the earlier
/// variant wins. A global name is the one in the headers and the manual; a
/// label may be anything, so it comes last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    Global,
    Weak,
    Local,
    /// A symbol of no type, as hand-written assembly leaves behind.
    Label,
}

/// Orders the aliases of one function, best first. What is visible outside comes
/// before what is not; then the names meant for people: glibc calls its `calloc`
/// weak and its `__libc_calloc` global.
fn preference<'a>(rank: Rank, name: &'a str) -> impl Ord + use<'a> {
    let is_hidden = rank >= Rank::Local;
    let is_reserved = name.starts_with("__");
    (
        is_hidden,
        is_reserved,
        rank,
        name.starts_with('_'),
        name.len(),
        name,
    )
}

#[derive(Debug, Clone, Copy)]
struct Function {
    start: u64,
    /// One past the last address. While building, `start` for an unknown size.
    end: u64,
    /// The greatest `end` up to and including this entry, which says how far
    /// back a lookup has to look for a function that encloses others.
    reach: u64,
    /// Where the name begins in the names of the table.
    name: u32,
    rank: Rank,
}

/// Collects symbols, possibly from several symbol tables.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    names: Vec<u8>,
    functions: Vec<Function>,
    code: Vec<Range<u64>>,
}

impl Builder {
    /// Declares a range of addresses that holds code. Symbols elsewhere are not
    /// functions whatever their type says, and no guessed size crosses its end.
    pub(crate) fn add_code(&mut self, range: Range<u64>) {
        self.code.push(range);
    }

    /// Adds a whole string table, and returns what must be added to an offset
    /// into it. `None` if the names would outgrow 32-bit offsets.
    pub(crate) fn add_names(&mut self, names: &[u8]) -> Option<u32> {
        let base = u32::try_from(self.names.len()).ok()?;
        u32::try_from(self.names.len() + names.len() + 1).ok()?;
        self.names.extend_from_slice(names);
        self.names.push(0);
        Some(base)
    }

    /// Adds a symbol; a `size` of zero means that it is not known. Symbols
    /// without a name are of no use and are ignored.
    pub(crate) fn add(&mut self, start: u64, size: u64, name: u32, rank: Rank) {
        let first = self.names.get(name as usize).copied().unwrap_or(0);
        // `$x` and `$d` mark code and data on some processors. They are not names.
        if first == 0 || (rank == Rank::Label && first == b'$') {
            return;
        }
        let end = start.saturating_add(size);
        self.functions.push(Function {
            start,
            end,
            reach: end,
            name,
            rank,
        });
    }

    pub(crate) fn build(mut self) -> Table {
        self.code.sort_unstable_by_key(|range| range.start);
        let code = &self.code;
        self.functions
            .retain(|function| section_end(code, function.start).is_some());
        self.functions
            .sort_unstable_by_key(|f| (f.start, Reverse(f.end), f.name));
        let guessed = guess_sizes(&mut self.functions, code);
        drop_covered(&mut self.functions, &guessed);
        self.functions.shrink_to_fit();
        Table {
            names: self.names,
            functions: self.functions,
        }
    }
}

fn section_end(code: &[Range<u64>], address: u64) -> Option<u64> {
    let after = code.partition_point(|range| range.start <= address);
    let range = code.get(after.checked_sub(1)?)?;
    range.contains(&address).then_some(range.end)
}

/// Gives an end to the symbols that have none, and says which they were. A
/// symbol takes the size of its largest alias; without one, it ends where the
/// next symbol begins, or with its section.
fn guess_sizes(functions: &mut [Function], code: &[Range<u64>]) -> Vec<bool> {
    let mut guessed = vec![false; functions.len()];
    let mut next = u64::MAX;
    let mut until = functions.len();
    for group in functions.chunk_by_mut(|a, b| a.start == b.start).rev() {
        let from = until - group.len();
        let start = group[0].start;
        // The largest comes first.
        let mut end = group[0].end;
        if end == start {
            end = next.min(section_end(code, start).unwrap_or(next));
            guessed[from..until].fill(true);
        }
        for function in group.iter_mut().filter(|f| f.end == start) {
            function.end = end;
        }
        next = start;
        until = from;
    }
    guessed
}

/// Drops what lies inside a function and is less certain than it: labels, and
/// symbols whose size is a guess. Otherwise every jump target in hand-written
/// assembly would hide the rest of its function.
fn drop_covered(functions: &mut Vec<Function>, guessed: &[bool]) {
    let (mut covered, mut group_covers) = (0, 0);
    let (mut start, mut reach) = (0, 0);
    let mut guessed = guessed.iter();
    functions.retain_mut(|function| {
        let guessed = guessed.next().copied().unwrap_or(false);
        if function.start != start {
            start = function.start;
            covered = group_covers;
        }
        let is_label = function.rank == Rank::Label;
        if (is_label || guessed) && function.start < covered {
            return false;
        }
        if !is_label {
            group_covers = group_covers.max(function.end);
        }
        reach = reach.max(function.end);
        function.reach = reach;
        true
    });
}

/// A function in a table, with all its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FunctionId(usize);

/// Functions sorted by address.
#[derive(Debug)]
pub(crate) struct Table {
    names: Vec<u8>,
    functions: Vec<Function>,
}

impl Table {
    pub(crate) fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// The name of the innermost function that covers `address`.
    pub(crate) fn lookup(&self, address: u64) -> Option<&str> {
        self.name_of(self.find(address)?, None)
    }

    /// The innermost function that covers `address`.
    pub(crate) fn find(&self, address: u64) -> Option<FunctionId> {
        let until = self.functions.partition_point(|f| f.start <= address);
        let candidates = self.functions[..until].iter().enumerate().rev();
        candidates
            .take_while(|(_, f)| f.reach > address)
            .find(|(_, f)| f.end > address)
            .map(|(index, _)| FunctionId(index))
    }

    /// The addresses of a function.
    pub(crate) fn range(&self, id: FunctionId) -> Option<Range<u64>> {
        self.functions.get(id.0).map(|found| found.start..found.end)
    }

    /// The best name of a function, or `wanted` if it is one of its names.
    pub(crate) fn name_of(&self, id: FunctionId, wanted: Option<&str>) -> Option<&str> {
        let found = self.functions.get(id.0)?;
        // Its aliases stand before it; shorter ones after it do not cover the address.
        let aliases = self.functions[..=id.0].iter().rev();
        let aliases = aliases.take_while(|f| f.start == found.start);
        let names = aliases.filter_map(|f| Some((f.rank, self.name(f)?)));
        let best = names.min_by_key(|&(rank, name)| (Some(name) != wanted, preference(rank, name)));
        best.map(|(_, name)| name)
    }

    fn name(&self, function: &Function) -> Option<&str> {
        let name = self.names.get(function.name as usize..)?;
        let name = name.split(|&byte| byte == 0).next()?;
        std::str::from_utf8(name).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One code section, 0x1000 to 0x2000.
    fn table(symbols: &[(u64, u64, &str, Rank)]) -> Table {
        let mut builder = Builder::default();
        builder.add_code(0x1000..0x2000);
        for &(start, size, name, rank) in symbols {
            let name = builder.add_names(name.as_bytes()).unwrap();
            builder.add(start, size, name, rank);
        }
        builder.build()
    }

    #[test]
    fn a_size_bounds_a_function() {
        let table = table(&[
            (0x1100, 0x10, "first", Rank::Global),
            (0x1200, 0x10, "second", Rank::Global),
        ]);
        assert_eq!(table.lookup(0x10ff), None);
        assert_eq!(table.lookup(0x1100), Some("first"));
        assert_eq!(table.lookup(0x110f), Some("first"));
        assert_eq!(table.lookup(0x1110), None);
        assert_eq!(table.lookup(0x1200), Some("second"));
        assert_eq!(table.lookup(u64::MAX), None);
    }

    #[test]
    fn without_a_size_a_function_ends_at_the_next_or_with_its_section() {
        let table = table(&[
            (0x1100, 0, "first", Rank::Local),
            (0x1180, 0, "label", Rank::Label),
            (0x1200, 0, "last", Rank::Local),
        ]);
        assert_eq!(table.lookup(0x117f), Some("first"));
        assert_eq!(table.lookup(0x11ff), Some("label"));
        assert_eq!(table.lookup(0x1fff), Some("last"));
        assert_eq!(table.lookup(0x2000), None);
    }

    #[test]
    fn aliases_are_chosen_by_visibility_then_reserve_then_rank_then_length() {
        let pick = |names: &[(&str, Rank)]| {
            let symbols: Vec<_> = names.iter().map(|&(n, r)| (0x1000, 8, n, r)).collect();
            table(&symbols).lookup(0x1004).unwrap().to_owned()
        };
        use Rank::{Global, Label, Local, Weak};
        let ranks = [("c", Weak), ("b", Local), ("a", Label), ("long", Global)];
        assert_eq!(pick(&ranks), "long");
        assert_eq!(pick(&ranks[..3]), "c");
        assert_eq!(pick(&ranks[1..3]), "b");
        assert_eq!(pick(&[("__x", Global), ("xxxxx", Global)]), "xxxxx");
        assert_eq!(
            pick(&[("__libc_calloc", Global), ("calloc", Weak)]),
            "calloc"
        );
        assert_eq!(pick(&[("__x", Global), ("xxxxx", Local)]), "__x");
        assert_eq!(
            pick(&[("yyy", Global), ("zz", Global), ("xx", Global)]),
            "xx"
        );
    }

    #[test]
    fn a_name_that_is_known_to_be_right_is_taken_if_it_is_one_of_the_aliases() {
        let table = table(&[
            (0x1100, 0x10, "short", Rank::Global),
            (0x1100, 0x10, "the_right_one", Rank::Local),
            (0x1200, 0x10, "another", Rank::Local),
        ]);
        let lookup = |address, wanted| table.name_of(table.find(address)?, Some(wanted));
        assert_eq!(lookup(0x1108, "the_right_one"), Some("the_right_one"));
        assert_eq!(lookup(0x1108, "another"), Some("short"));
        assert_eq!(lookup(0x1208, "the_right_one"), Some("another"));
        assert_eq!(lookup(0x1300, "another"), None);
    }

    #[test]
    fn an_unsized_alias_takes_the_size_of_a_sized_one() {
        let table = table(&[
            (0x1100, 0, "public", Rank::Global),
            (0x1100, 0x20, "private", Rank::Local),
        ]);
        assert_eq!(table.lookup(0x111f), Some("public"));
        assert_eq!(table.lookup(0x1120), None);
    }

    #[test]
    fn an_enclosing_function_shows_around_an_inner_one_but_not_around_labels() {
        let table = table(&[
            (0x1100, 0x100, "outer", Rank::Global),
            (0x1120, 0x10, "inner", Rank::Local),
            (0x1140, 0, "label", Rank::Label),
            (0x1150, 0, "entry", Rank::Global),
            (0x1300, 0x10, "after", Rank::Global),
        ]);
        assert_eq!(table.lookup(0x1125), Some("inner"));
        for address in [0x1110, 0x1130, 0x1145, 0x1155, 0x11ff] {
            assert_eq!(table.lookup(address), Some("outer"));
        }
        assert_eq!(table.lookup(0x1200), None);
    }

    #[test]
    fn labels_name_what_nothing_else_does() {
        let table = table(&[
            (0x1100, 0x10, "function", Rank::Global),
            (0x1200, 0, "label", Rank::Label),
            (0x1240, 0, "$x", Rank::Label),
            (0x1280, 0, "next", Rank::Label),
            (0x3000, 0x10, "data", Rank::Global),
        ]);
        assert_eq!(table.lookup(0x127f), Some("label"));
        assert_eq!(table.lookup(0x1280), Some("next"));
        assert_eq!(table.lookup(0x3000), None);
    }

    #[test]
    fn hostile_sizes_and_names_do_no_harm() {
        let mut builder = Builder::default();
        builder.add_code(0x1000..u64::MAX);
        let name = builder.add_names(b"huge\0\xff\xfe").unwrap();
        builder.add(0x1000, u64::MAX, name, Rank::Global);
        builder.add(0x1000, u64::MAX, name + 5, Rank::Global);
        builder.add(0x1000, 1, u32::MAX, Rank::Global);
        let table = builder.build();
        assert_eq!(table.lookup(u64::MAX - 1), Some("huge"));
    }
}
