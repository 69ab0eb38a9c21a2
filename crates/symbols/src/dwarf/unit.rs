//! One unit: everything about the addresses in it.

use std::path::{Path, PathBuf};

use gimli::{Dwarf, Unit, UnitOffset, UnitRef};
use rustc_hash::FxHashMap;

use super::lines::{Line, NO_FILE};
use super::names::Names;
use super::references::File;
use super::sections::{Sections, Slice};
use super::units::{DebugInfo, UnitId};
use super::{calls, files, lines, split};
use crate::answer::{Answer, AnswerBuilder, NONE, ResolvedPlace};

/// Where a `.dwo` file may be, when this is where the compiler wrote it.
pub(crate) type SplitFiles<'a> = &'a (dyn Fn(&Path) -> Vec<PathBuf> + Sync);

/// Describes the sorted addresses, which lie in one unit. Also says which split file
/// would have been needed and was not found.
pub(crate) fn resolve_unit(
    info: &DebugInfo<'_>,
    unit: UnitId,
    addresses: &[u64],
    split_files: SplitFiles<'_>,
) -> (Answer, Option<PathBuf>) {
    let Ok(main) = info.dwarf.unit(info.headers[unit as usize]) else {
        let mut nothing = AnswerBuilder::default();
        addresses.iter().for_each(|_| nothing.push(NONE, []));
        return (nothing.finish(), None);
    };
    let main = main.unit_ref(&info.dwarf);
    let work = Work {
        info,
        main,
        lines: lines::find(&main, addresses, &info.code),
        addresses,
    };
    let Some(id) = main.dwo_id else {
        return (work.resolve(main, &info.headers, unit as usize), None);
    };
    if let Some(package) = &info.package
        && let Some(dwarf) = package.find(id, &info.dwarf)
        && let Some(answer) = work.resolve_split(&dwarf)
    {
        return (answer, None);
    }
    let path = split::path(main).unwrap_or_default();
    for candidate in split_files(&path) {
        if let Ok(sections) = Sections::open(&candidate)
            && let Some(dwarf) = split::load(&sections, &info.dwarf)
            && let Some(answer) = work.resolve_split(&dwarf)
        {
            return (answer, None);
        }
    }
    // What is left in the binary knows the lines and no functions.
    let answer = work.resolve(main, &info.headers, unit as usize);
    (answer, Some(path))
}

struct Work<'a, 'data> {
    info: &'a DebugInfo<'data>,
    /// The unit in the binary, which has the line table.
    main: UnitRef<'a, Slice<'data>>,
    lines: Vec<Option<Line>>,
    addresses: &'a [u64],
}

impl<'data> Work<'_, 'data> {
    /// Reads the functions from the split unit in `dwarf`, if it is there.
    fn resolve_split<'split>(&self, dwarf: &Dwarf<Slice<'split>>) -> Option<Answer>
    where
        'data: 'split,
    {
        let main: &Unit<Slice<'split>> = self.main.unit;
        let (header, unit) = split::unit(dwarf, main)?;
        Some(self.resolve(unit.unit_ref(dwarf), &[header], 0))
    }

    /// Reads the functions from `unit`, which has the number `home` among `headers`.
    fn resolve<'split>(
        &self,
        unit: UnitRef<'_, Slice<'split>>,
        headers: &[gimli::UnitHeader<Slice<'split>>],
        home: usize,
    ) -> Answer
    where
        'data: 'split,
    {
        let calls = calls::find(unit, self.addresses, &self.info.code);
        let own = File {
            dwarf: unit.dwarf,
            headers,
        };
        let alternate = self.info.dwarf.sup().map(|dwarf| File {
            dwarf,
            headers: &self.info.alternate_headers,
        });
        let mut labels = Labels {
            names: Names::new(own, alternate, unit.unit, home),
            main: self.main,
            answer: AnswerBuilder::with_capacity(self.addresses.len()),
            known_names: FxHashMap::default(),
            known_files: Vec::new(),
        };
        let functions: Vec<u32> = calls
            .calls
            .iter()
            .map(|call| labels.name(call.entry))
            .collect();
        let mut places = Vec::new();
        for (&innermost, &line) in calls.innermost.iter().zip(&self.lines) {
            places.clear();
            let (mut next, mut line) = (innermost, line);
            while let Some(id) = next {
                places.push(labels.place(functions[id as usize], line));
                next = calls.calls[id as usize].inlined_into.map(|(outer, from)| {
                    line = Some(from);
                    outer
                });
            }
            if innermost.is_none() && line.is_some() {
                places.push(labels.place(NONE, line));
            }
            let function = places.last().map_or(NONE, |place| place.function);
            labels.answer.push(function, places.iter().copied());
        }
        labels.answer.finish()
    }
}

/// Names and files, each read once.
struct Labels<'a, 'data, 'main> {
    names: Names<'a, 'data>,
    main: UnitRef<'a, Slice<'main>>,
    answer: AnswerBuilder,
    known_names: FxHashMap<UnitOffset, u32>,
    /// By their numbers; `None` for those not asked for yet.
    known_files: Vec<Option<u32>>,
}

impl Labels<'_, '_, '_> {
    fn place(&mut self, function: u32, line: Option<Line>) -> ResolvedPlace {
        ResolvedPlace {
            function,
            file: line.map_or(NONE, |line| self.file(line.file)),
            line: line.map_or(0, |line| line.line),
        }
    }

    fn name(&mut self, entry: UnitOffset) -> u32 {
        let (names, answer) = (&mut self.names, &mut self.answer);
        *self.known_names.entry(entry).or_insert_with(|| {
            let name = names.find(entry);
            name.map_or(NONE, |name| answer.name(&name))
        })
    }

    fn file(&mut self, number: u32) -> u32 {
        // Before version 5, files are counted from one.
        if number == NO_FILE || (number == 0 && self.main.header.version() < 5) {
            return NONE;
        }
        let index = number as usize;
        if let Some(&Some(known)) = self.known_files.get(index) {
            return known;
        }
        // A number that no file has is not worth a place in the list.
        let Some(path) = files::path(self.main, number.into()) else {
            return NONE;
        };
        let file = self.answer.file(&path);
        if self.known_files.len() <= index {
            self.known_files.resize(index + 1, None);
        }
        self.known_files[index] = Some(file);
        file
    }
}
