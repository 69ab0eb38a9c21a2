//! Naming the addresses of one module.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::answer::{Answer, AnswerBuilder, NONE, Renumbering};
use crate::dwarf::{DebugInfo, UnitId, resolve_unit};
use crate::module::{Debug, Module};
use crate::parallel::{self, Workers};
use crate::search::Finder;
use crate::table::{FunctionId, Table};

/// Units that are asked about one address, when those before knew nothing. Real files
/// have one unit for an address; a guard against bad data.
const MOST_UNITS_AT_AN_ADDRESS: usize = 16;

/// Answers for sorted addresses without repeats.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) addresses: Vec<u64>,
    pub(crate) answer: Answer,
}

impl Known {
    /// The row of an address in the answer.
    pub(crate) fn row(&self, address: u64) -> Option<usize> {
        self.addresses.binary_search(&address).ok()
    }

    /// Both together; of addresses that are in both, the first one's answers.
    pub(crate) fn join(&self, other: &Known) -> Known {
        if self.addresses.is_empty() {
            return other.clone();
        }
        let mut addresses = [&self.addresses[..], &other.addresses].concat();
        addresses.sort_unstable();
        addresses.dedup();
        let mut numbers = [Renumbering::default(), Renumbering::default()];
        let mut builder = AnswerBuilder::default();
        for &address in &addresses {
            if let Some(row) = self.row(address) {
                builder.append(&self.answer, row, &mut numbers[0], None);
            } else if let Some(row) = other.row(address) {
                builder.append(&other.answer, row, &mut numbers[1], None);
            }
        }
        Known {
            addresses,
            answer: builder.finish(),
        }
    }
}

/// How far the addresses of a module are: called with the number of those just done.
pub(crate) type Progress<'a> = &'a (dyn Fn(usize) + Sync);

/// Describes `addresses` (sorted, without repeats).
/// Also says what was missing, though there is an answer.
pub(crate) fn resolve(
    module: &Module,
    addresses: Vec<u64>,
    finder: &Finder<'_>,
    workers: Workers,
    progress: Progress<'_>,
) -> (Known, Option<String>) {
    let debug = module.open_debug(finder);
    let described = match &debug {
        Some(debug) => describe(module, debug, &addresses, finder, workers, progress),
        None => Described::default(),
    };
    let by_unit = &described.by_unit;
    // Where each address is described, if it is: the answer of a unit, and a row of it.
    let mut rows: Vec<Option<(u32, u32)>> = vec![None; addresses.len()];
    for (part, (indices, answer)) in (0..).zip(by_unit) {
        for (row, &index) in (0..).zip(indices) {
            if !answer.places_of(row as usize).is_empty() {
                rows[index] = Some((part, row));
            }
        }
    }
    // Each thread joins a stretch of the addresses; numbers are given in the order of
    // addresses again when the stretches are put together.
    let stretches = match workers {
        Workers::All => rayon::current_num_threads(),
        Workers::ThisThread => 1,
    };
    let stretch = addresses.len().div_ceil(stretches).max(1);
    let stretches: Vec<_> = addresses
        .chunks(stretch)
        .zip(rows.chunks(stretch))
        .collect();
    let answers = parallel::map(stretches.len(), workers, |at| {
        let (addresses, rows) = stretches[at];
        join_units(&module.table, by_unit, addresses, rows)
    });
    let mut builder = AnswerBuilder::default();
    for answer in answers {
        builder.append_all(answer);
    }
    let known = Known {
        addresses,
        answer: builder.finish(),
    };
    (known, described.problem(debug.as_ref()))
}

/// The answers for some addresses from those of the units, by their rows, and from the
/// symbol table.
fn join_units(
    table: &Table,
    by_unit: &[(Vec<usize>, Answer)],
    addresses: &[u64],
    rows: &[Option<(u32, u32)>],
) -> Answer {
    let mut builder = AnswerBuilder::with_capacity(addresses.len());
    let mut numbers: Vec<Renumbering> = by_unit.iter().map(|_| Default::default()).collect();
    let mut symbols = Symbols { table, last: None };
    for (&address, row) in addresses.iter().zip(rows) {
        let &Some((part, row)) = row else {
            let symbol = symbols.find(address, None, &mut builder);
            builder.push(symbol.unwrap_or(NONE), []);
            continue;
        };
        let (answer, row) = (&by_unit[part as usize].1, row as usize);
        let symbol = symbols.find(address, answer.function_name(row), &mut builder);
        builder.append(answer, row, &mut numbers[part as usize], symbol);
    }
    builder.finish()
}

/// Names of functions in the symbol table, which knows which copy of a function an
/// address is in.
struct Symbols<'a> {
    table: &'a Table,
    /// What was found last, because the next address is often in the same function.
    last: Option<(FunctionId, Option<&'a str>, u32)>,
}

impl<'a> Symbols<'a> {
    /// The number of the name at an address.
    ///
    /// Where the linker put several functions of the same code together, the debug
    /// information describes one of them, and that is the one to be named. A C function
    /// has one name for people among several, and it is not the one that is described.
    fn find(
        &mut self,
        address: u64,
        described: Option<&'a str>,
        builder: &mut AnswerBuilder,
    ) -> Option<u32> {
        let described = described.filter(|name| name.starts_with("_Z") || name.starts_with("_R"));
        let function = self.table.find(address)?;
        if let Some((last, name, number)) = self.last
            && last == function
            && name.map(str::as_ptr) == described.map(str::as_ptr)
        {
            return Some(number);
        }
        let number = builder.name(self.table.name_of(function, described)?);
        self.last = Some((function, described, number));
        Some(number)
    }
}

/// What the debug information says.
#[derive(Default)]
struct Described {
    /// Of each unit that was asked, the addresses it was asked about (as indices), and
    /// its answer. Only one answer for an address is not empty.
    by_unit: Vec<(Vec<usize>, Answer)>,
    missing_files: BTreeSet<PathBuf>,
}

impl Described {
    fn problem(&self, debug: Option<&Debug>) -> Option<String> {
        let missing = debug.and_then(|debug| debug.missing_alternate.as_ref());
        let missing = self.missing_files.iter().chain(missing);
        let count = missing.clone().count();
        let first = missing.clone().next()?;
        Some(format!(
            "part of the debug information was not found: {}{}",
            first.display(),
            match count {
                1 => String::new(),
                _ => format!(" and {} more files", count - 1),
            }
        ))
    }
}

fn describe(
    module: &Module,
    debug: &Debug,
    addresses: &[u64],
    finder: &Finder<'_>,
    workers: Workers,
    progress: Progress<'_>,
) -> Described {
    let info = DebugInfo::read(
        &debug.main,
        debug.alternate.as_ref(),
        debug.package.as_ref(),
        module.code.clone(),
        workers,
    );
    let split_files = |path: &std::path::Path| module.split_files(path, finder);
    let mut described = Described::default();
    let mut pending: Vec<usize> = (0..addresses.len()).collect();
    for round in 0..MOST_UNITS_AT_AN_ADDRESS {
        let mut groups: BTreeMap<UnitId, Vec<usize>> = BTreeMap::new();
        for &index in &pending {
            if let Some(unit) = info.units_at(addresses[index]).nth(round) {
                groups.entry(unit).or_default().push(index);
            }
        }
        if groups.is_empty() {
            break;
        }
        let groups: Vec<_> = groups.into_iter().collect();
        let answers = parallel::map(groups.len(), workers, |group| {
            let (unit, indices) = &groups[group];
            let addresses: Vec<u64> = indices.iter().map(|&index| addresses[index]).collect();
            let answer = resolve_unit(&info, *unit, &addresses, &split_files);
            if round == 0 {
                progress(addresses.len());
            }
            answer
        });
        pending.clear();
        for ((_, indices), (answer, missing)) in groups.into_iter().zip(answers) {
            let is_open = |row: &usize| answer.places_of(*row).is_empty();
            pending.extend((0..indices.len()).filter(is_open).map(|row| indices[row]));
            described.by_unit.push((indices, answer));
            described.missing_files.extend(missing);
        }
    }
    described
}
