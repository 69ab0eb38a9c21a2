//! Naming addresses of data: which variable holds them, and which member of it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use rustc_hash::FxHashMap;

use crate::directory::Index;
use crate::dwarf::{Described, Mentions, Questions, VariableInfo, Wanted};
use crate::error::Error;
use crate::module::{Module, Subject};
use crate::parallel::Workers;
use crate::search::{Finder, Search};
use crate::table::{FunctionId, Table};

/// Variables that are looked at for one address of which no symbol tells, the nearest first.
/// Mostly the nearest is the one; addresses within an array may be mentioned too.
const MOST_CANDIDATES: usize = 8;

/// One module, and the addresses in its data that need names.
#[derive(Debug, Clone, Default)]
pub struct VariablesRequest {
    /// Where the program saw it.
    pub path: PathBuf,
    /// Hex digits; a file with another build-id is refused.
    pub build_id: Option<String>,
    pub addresses: Vec<DataAddress>,
}

/// A place in the data of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DataAddress {
    /// A link-time address, of what all threads share.
    Static(u64),
    /// An offset in the block that each thread has of the module's thread-local variables.
    ThreadLocal(u64),
}

impl DataAddress {
    pub(crate) fn value(self) -> u64 {
        match self {
            DataAddress::Static(value) | DataAddress::ThreadLocal(value) => value,
        }
    }

    /// An address of the same kind.
    fn with(self, value: u64) -> DataAddress {
        match self {
            DataAddress::Static(_) => DataAddress::Static(value),
            DataAddress::ThreadLocal(_) => DataAddress::ThreadLocal(value),
        }
    }
}

/// What is known of an address of data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// The linkage name. Where it has none, as a function's static in C, the name in the
    /// source after those of the function and the other scopes around it.
    pub name: String,
    /// Of the address in the variable, in bytes.
    pub offset: u64,
    /// Of the whole variable, in bytes.
    pub size: u64,
    /// The path to the member at that offset, outermost first, to be written one after the
    /// other: `.map`, `[3]`, `.first`. Empty where it is not known, and where the variable has
    /// no members.
    pub member: Vec<String>,
    /// The source file of the declaration.
    pub file: Option<String>,
    /// Zero where it is not known.
    pub line: u32,
}

/// Names the addresses of all modules: of each request an answer for every address, or why
/// there is none.
///
/// Symbols tell which variable an address is in; among several names of a variable they prefer
/// the same that they prefer for functions. Debug information tells the rest, and all where no
/// symbol does. Nothing is remembered from one call to the next.
pub fn resolve_variables(
    requests: &[VariablesRequest],
    search: &Search,
) -> Vec<Result<Vec<Option<Variable>>, Error>> {
    let index = Index::scan(&search.symbol_dirs);
    let answers = requests.iter().map(|request| {
        let finder = Finder::new(search, &index);
        let build_id = request.build_id.as_deref();
        let module = Module::open(&request.path, build_id, &finder, Subject::Variables)?;
        Ok(resolve(&module, &request.addresses, &finder))
    });
    answers.collect()
}

fn resolve(
    module: &Module,
    addresses: &[DataAddress],
    finder: &Finder<'_>,
) -> Vec<Option<Variable>> {
    let mut places: FxHashMap<DataAddress, Place> = FxHashMap::default();
    for &address in addresses {
        let place = places.entry(address);
        place.or_insert_with(|| Place::find(module, address));
    }
    if places.is_empty() {
        return Vec::new();
    }
    let described = module.open_debug(finder).map(|debug| {
        let info = VariableInfo::read(&debug.main, debug.alternate.as_ref());
        describe(module, &info, &mut places)
    });
    let described = described.unwrap_or_default();
    let answer = |address| places.get(address)?.answer(module, *address, &described);
    addresses.iter().map(answer).collect()
}

/// Where the variable of an address may begin.
enum Place {
    /// Where a symbol says.
    Symbol(FunctionId, DataAddress, u64),
    /// The nearest first.
    Candidates(Vec<DataAddress>),
}

impl Place {
    fn find(module: &Module, address: DataAddress) -> Place {
        let table = table(module, address);
        let found = table.find(address.value());
        let range = found.and_then(|found| Some((found, table.range(found)?)));
        match range {
            Some((found, range)) => {
                let size = range.end.saturating_sub(range.start);
                Place::Symbol(found, address.with(range.start), size)
            }
            None => Place::Candidates(Vec::new()),
        }
    }

    fn starts(&self) -> &[DataAddress] {
        match self {
            Place::Symbol(_, start, _) => std::slice::from_ref(start),
            Place::Candidates(starts) => starts,
        }
    }

    fn answer(
        &self,
        module: &Module,
        address: DataAddress,
        described: &FxHashMap<DataAddress, Described>,
    ) -> Option<Variable> {
        let offset = |start: &DataAddress| address.value().checked_sub(start.value());
        match self {
            Place::Symbol(symbol, start, size) => {
                let said = described.get(start);
                let name = name(table(module, address), *symbol, said)?;
                Some(variable(name, offset(start)?, *size, said))
            }
            Place::Candidates(starts) => starts.iter().find_map(|start| {
                let said = described.get(start)?;
                let (offset, size) = (offset(start)?, said.size?);
                let name = said.name.clone()?;
                (offset < size).then(|| variable(name, offset, size, Some(said)))
            }),
        }
    }
}

fn table(module: &Module, address: DataAddress) -> &Table {
    match address {
        DataAddress::Static(_) => &module.table,
        DataAddress::ThreadLocal(_) => &module.thread_local,
    }
}

fn variable(name: String, offset: u64, size: u64, said: Option<&Described>) -> Variable {
    let member = said.and_then(|said| said.members.get(&offset));
    Variable {
        name,
        offset,
        size,
        member: member.cloned().unwrap_or_default(),
        file: said.and_then(|said| said.file.clone()),
        line: said.map_or(0, |said| said.line),
    }
}

/// The name of a symbol is the linkage name, except where the compiler had to invent one:
/// `count.0` is the first `count` of all functions in a C file.
fn name(table: &Table, symbol: FunctionId, said: Option<&Described>) -> Option<String> {
    let is_mangled = |name: &str| name.starts_with("_Z") || name.starts_with("_R");
    let described = said.and_then(|said| said.name.as_deref());
    // In C the definition has any of the names that a variable has.
    let name = table.name_of(symbol, described.filter(|name| is_mangled(name)))?;
    let is_invented = said.is_some_and(|said| said.is_in_function) && !is_mangled(name);
    let better = described.filter(|_| is_invented);
    Some(better.unwrap_or(name).to_owned())
}

/// Looks up all variables at once, and adds candidates to the places that have no symbol.
fn describe(
    module: &Module,
    info: &VariableInfo<'_>,
    places: &mut FxHashMap<DataAddress, Place>,
) -> FxHashMap<DataAddress, Described> {
    let mut wanted = Wanted::default();
    for (&address, place) in places.iter() {
        match place {
            Place::Symbol(_, start, _) => wanted.add(*start),
            Place::Candidates(_) => {
                if let Some(first) = first_of_section(module, address) {
                    wanted.add_range(first, address);
                }
            }
        }
    }
    let mentions = info.mentions(&wanted, Workers::All);
    for (&address, place) in places.iter_mut() {
        if let Place::Candidates(starts) = place
            && let Some(first) = first_of_section(module, address)
        {
            *starts = nearest(&mentions, first, address);
        }
    }
    let mut questions = Questions::new();
    for (&address, place) in places.iter() {
        for &start in place.starts() {
            let offsets: &mut BTreeSet<u64> = questions.entry(start).or_default();
            offsets.extend(address.value().checked_sub(start.value()));
        }
    }
    info.describe(&questions, &mentions, Workers::All)
}

fn nearest(mentions: &Mentions, first: DataAddress, last: DataAddress) -> Vec<DataAddress> {
    let starts = mentions.range(first..=last).rev();
    starts
        .map(|(&start, _)| start)
        .take(MOST_CANDIDATES)
        .collect()
}

/// Where the section begins that an address is in. No variable reaches into another one.
fn first_of_section(module: &Module, address: DataAddress) -> Option<DataAddress> {
    let value = address.value();
    match address {
        DataAddress::Static(_) => {
            let after = module.code.partition_point(|range| range.start <= value);
            let section = module.code.get(after.checked_sub(1)?)?;
            let is_in_it = section.contains(&value);
            is_in_it.then_some(DataAddress::Static(section.start))
        }
        DataAddress::ThreadLocal(_) => Some(DataAddress::ThreadLocal(0)),
    }
}
