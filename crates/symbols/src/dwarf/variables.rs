//! Variables by the addresses at which they begin: their names, where they are declared, and
//! the members at offsets in them.
//!
//! Of split debug information (`.dwo`, `.dwp`) only what is in the binary is read, and nothing
//! is looked for in the file that `dwz` made for several: variables that are described there
//! have the names of their symbols. What entries of the binary refer to is found there.

use std::collections::{BTreeMap, BTreeSet};

use gimli::{Unit, UnitOffset, UnitRef};
use rustc_hash::FxHashMap;

use super::language::Language;
use super::locations::{self, Wanted};
use super::names::Names;
use super::references::{EntryPlace, File, MOST_HOPS, start};
use super::sections::{Sections, Slice};
use super::type_units::TypeUnits;
use super::types::Types;
use super::units::{Files, UnitId};
use super::variable_entries::{self, VariableEntry};
use super::{files, members};
use crate::parallel::{self, Workers};
use crate::variables::DataAddress;

/// The debug information of one module, to be asked about its variables.
pub(crate) struct VariableInfo<'data> {
    files: Files<'data>,
    type_units: TypeUnits<'data>,
    main: &'data Sections,
}

/// What is said of a variable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Described {
    /// The linkage name; without one the name in the source, after those of all enclosing
    /// scopes.
    pub(crate) name: Option<String>,
    pub(crate) is_in_function: bool,
    pub(crate) file: Option<String>,
    /// Zero where it is not known.
    pub(crate) line: u32,
    pub(crate) size: Option<u64>,
    /// Paths to the members at the offsets that were asked for.
    pub(crate) members: BTreeMap<u64, Vec<String>>,
}

/// Variables to be described, by where they begin, with the offsets that are asked for.
pub(crate) type Questions = BTreeMap<DataAddress, BTreeSet<u64>>;

/// The places in `.debug_info` that mention an address.
pub(crate) type Mentions = BTreeMap<DataAddress, Vec<(UnitId, UnitOffset)>>;

impl<'data> VariableInfo<'data> {
    pub(crate) fn read(main: &'data Sections, alternate: Option<&'data Sections>) -> Self {
        let files = Files::read(main, alternate);
        VariableInfo {
            type_units: TypeUnits::find(&files.dwarf, &files.headers),
            files,
            main,
        }
    }

    /// Searches all units for the wanted addresses.
    pub(crate) fn mentions(&self, wanted: &Wanted, workers: Workers) -> Mentions {
        let parts = parallel::map(self.files.headers.len(), workers, |unit| {
            self.mentions_in(unit, wanted)
        });
        let mut mentions = Mentions::new();
        for (unit, part) in (0..).zip(parts) {
            for (address, place) in part {
                mentions.entry(address).or_default().push((unit, place));
            }
        }
        mentions
    }

    fn mentions_in(&self, unit: usize, wanted: &Wanted) -> Vec<(DataAddress, UnitOffset)> {
        let mut found = Vec::new();
        let header = &self.files.headers[unit];
        let (first, length) = (start(header).0, header.length_including_self());
        let end = first.checked_add(length);
        let bytes = end.and_then(|end| self.main.bytes(".debug_info").get(first..end));
        // Before version 5 addresses stand in full.
        let has_indices = header.version() >= 5 && !self.main.bytes(".debug_addr").is_empty();
        let parsed = has_indices.then(|| self.files.dwarf.unit(*header).ok());
        let parsed: Option<Unit<_>> = parsed.flatten();
        let indexed = parsed.as_ref().map(|unit| {
            let unit = unit.unit_ref(&self.files.dwarf);
            move |index| unit.address(gimli::DebugAddrIndex(index)).ok()
        });
        let indexed = indexed.as_ref();
        let indexed = indexed.map(|indexed| indexed as &dyn Fn(usize) -> Option<u64>);
        locations::mentions(
            bytes.unwrap_or_default(),
            self.main.endian(),
            wanted,
            indexed,
            |address, at| found.push((address, UnitOffset(at))),
        );
        found
    }

    /// Describes the variables, as far as an entry is found for them.
    ///
    /// Mostly the first unit that mentions an address has the variable there. Those that come
    /// next are looked at twice as many at a time, so that the whole takes a few walks at most.
    pub(crate) fn describe(
        &self,
        questions: &Questions,
        mentions: &Mentions,
        workers: Workers,
    ) -> FxHashMap<DataAddress, Described> {
        let mut described = FxHashMap::default();
        let (mut done, mut step) = (0, 1);
        loop {
            let mut by_unit: BTreeMap<UnitId, Vec<UnitOffset>> = BTreeMap::new();
            let open = questions
                .keys()
                .filter(|start| !described.contains_key(*start));
            for start in open {
                let places = mentions.get(start).into_iter().flatten();
                for &(unit, place) in places.skip(done).take(step) {
                    by_unit.entry(unit).or_default().push(place);
                }
            }
            if by_unit.is_empty() {
                return described;
            }
            let by_unit: Vec<_> = by_unit.into_iter().collect();
            let answers = parallel::map(by_unit.len(), workers, |at| {
                let (unit, places) = &by_unit[at];
                self.describe_in(*unit, places, questions)
            });
            for (start, answer) in answers.into_iter().flatten() {
                described.entry(start).or_insert(answer);
            }
            done += step;
            step *= 2;
        }
    }

    fn describe_in(
        &self,
        unit: UnitId,
        places: &[UnitOffset],
        questions: &Questions,
    ) -> Vec<(DataAddress, Described)> {
        let header = self.files.headers[unit as usize];
        let Ok(parsed) = self.files.dwarf.unit(header) else {
            return Vec::new();
        };
        let home = parsed.unit_ref(&self.files.dwarf);
        let mut places = places.to_vec();
        places.sort_unstable();
        let own = File {
            dwarf: &self.files.dwarf,
            headers: &self.files.headers,
        };
        let alternate = self.files.dwarf.sup().map(|dwarf| File {
            dwarf,
            headers: &self.files.alternate_headers,
        });
        let mut names = Names::new(own, alternate, home.unit, unit as usize);
        names.references.add_types(&self.type_units);
        let entries = variable_entries::find(home, &places).into_iter();
        let mut asked: Vec<_> = entries
            .filter_map(|entry| {
                let offsets = questions.get(&entry.address)?;
                Some((entry, offsets, read_chain(&mut names, entry.entry)))
            })
            .collect();
        let mut described: Vec<_> = asked
            .iter()
            .map(|(entry, _, said)| said.describe(home.unit, &mut names, entry))
            .collect();
        let mut types = Types::new(&mut names.references);
        for ((_, offsets, said), (_, described)) in asked.iter_mut().zip(&mut described) {
            let Some(kind) = said.kind else {
                continue;
            };
            described.size = types.size(kind, members::MOST_LEVELS);
            let paths = offsets.iter().map(|&offset| {
                let path = members::path(&mut types, kind, offset);
                (offset, path)
            });
            described.members = paths.collect();
        }
        described
    }
}

/// What the entry of a variable says, or one that it refers to.
#[derive(Default)]
struct Said {
    kind: Option<EntryPlace>,
    file: Option<String>,
    line: u32,
}

/// The definition of a variable refers to its declaration, which says what is the same in both.
fn read_chain(names: &mut Names<'_, '_>, entry: UnitOffset) -> Said {
    let mut said = Said::default();
    let mut next = Some(names.references.at_home(entry));
    for _ in 0..MOST_HOPS {
        let Some(place) = next else {
            break;
        };
        next = said.read(names, place);
    }
    said
}

impl Said {
    /// Takes what was not said before, and returns the entry that says the rest.
    fn read(&mut self, names: &mut Names<'_, '_>, place: EntryPlace) -> Option<EntryPlace> {
        let references = &mut names.references;
        let unit = references.unit(place)?;
        let unit = UnitRef::new(references.dwarf(place)?, unit.get());
        let entry = unit.entry(place.entry).ok()?;
        let mut origin = None;
        let mut attributes = entry.attrs();
        while let Ok(Some(attribute)) = attributes.next() {
            match attribute.name() {
                gimli::DW_AT_type if self.kind.is_none() => {
                    self.kind = references.refer(place, attribute.value());
                }
                gimli::DW_AT_decl_file if self.file.is_none() => {
                    self.file = file(unit, attribute.udata_value());
                }
                gimli::DW_AT_decl_line if self.line == 0 => {
                    let line = attribute.udata_value().unwrap_or(0);
                    self.line = line.try_into().unwrap_or(0);
                }
                gimli::DW_AT_abstract_origin | gimli::DW_AT_specification => {
                    origin = references.refer(place, attribute.value());
                }
                _ => {}
            }
        }
        origin
    }

    fn describe(
        &self,
        home: &Unit<Slice<'_>>,
        names: &mut Names<'_, '_>,
        entry: &VariableEntry,
    ) -> (DataAddress, Described) {
        let mut name = names.find(entry.entry).filter(|name| !name.is_empty());
        // In C the scopes of a name are not looked for, because functions have none.
        if let Some(function) = entry.function
            && Language::of(home) == Language::C
            && let (Some(plain), Some(function)) = (&name, names.find(function))
        {
            name = Some(format!("{function}::{plain}"));
        }
        let described = Described {
            name,
            is_in_function: entry.function.is_some(),
            file: self.file.clone(),
            line: self.line,
            size: None,
            members: BTreeMap::new(),
        };
        (entry.address, described)
    }
}

fn file(unit: UnitRef<'_, Slice<'_>>, number: Option<u64>) -> Option<String> {
    // Before version 5, files are counted from one.
    let number = number.filter(|&number| number > 0 || unit.header.version() >= 5)?;
    files::path(unit, number)
}
