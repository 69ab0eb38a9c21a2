//! What is known about addresses: strings once, numbers everywhere else.

use rustc_hash::FxBuildHasher;

/// Texts with numbers, in the order in which they came.
type Texts = indexmap::IndexSet<String, FxBuildHasher>;

/// Places of an address of optimised C++, about.
const USUAL_PLACES: usize = 4;

/// In place of the number of a name or a file: not known.
pub const NONE: u32 = u32::MAX;

/// One function at one place of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResolvedPlace {
    /// An index into the names, or [`NONE`].
    pub function: u32,
    /// An index into the files, or [`NONE`].
    pub file: u32,
    /// From one; zero where it is not known.
    pub line: u32,
}

/// Functions and places of a list of addresses. Names and files are numbered in the
/// order in which addresses need them, the function of an address before its places.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) names: Vec<String>,
    pub(crate) files: Vec<String>,
    /// For each address the function that its code belongs to, or [`NONE`].
    pub(crate) functions: Vec<u32>,
    /// For each address where its places end; they begin where those before end.
    pub(crate) ends: Vec<u32>,
    /// Innermost first; the last one of an address is of its function.
    pub(crate) places: Vec<ResolvedPlace>,
}

impl Answer {
    pub(crate) fn function_name(&self, row: usize) -> Option<&str> {
        let name = self.names.get(self.functions[row] as usize)?;
        Some(name)
    }

    pub(crate) fn places_of(&self, row: usize) -> &[ResolvedPlace] {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.places[start as usize..self.ends[row] as usize]
    }
}

/// An answer that grows.
#[derive(Default)]
pub(crate) struct AnswerBuilder {
    names: Texts,
    files: Texts,
    functions: Vec<u32>,
    ends: Vec<u32>,
    places: Vec<ResolvedPlace>,
}

/// The numbers that the strings of one answer have in another, as far as they are known.
#[derive(Default)]
pub(crate) struct Renumbering {
    names: Vec<u32>,
    files: Vec<u32>,
}

impl AnswerBuilder {
    /// With room for so many addresses.
    pub(crate) fn with_capacity(addresses: usize) -> AnswerBuilder {
        AnswerBuilder {
            functions: Vec::with_capacity(addresses),
            ends: Vec::with_capacity(addresses),
            places: Vec::with_capacity(addresses * USUAL_PLACES),
            ..AnswerBuilder::default()
        }
    }

    pub(crate) fn name(&mut self, name: &str) -> u32 {
        number_of(name, &mut self.names)
    }

    pub(crate) fn file(&mut self, file: &str) -> u32 {
        number_of(file, &mut self.files)
    }

    /// Adds the answer for the next address.
    pub(crate) fn push(&mut self, function: u32, places: impl IntoIterator<Item = ResolvedPlace>) {
        self.places.extend(places);
        self.functions.push(function);
        self.ends.push(self.places.len() as u32);
    }

    /// Adds a row of another answer, whose numbers are not those of this one.
    ///
    /// A `function` that is known better, in the numbers of this answer, takes the
    /// place of the one there.
    pub(crate) fn append(
        &mut self,
        other: &Answer,
        row: usize,
        numbers: &mut Renumbering,
        function: Option<u32>,
    ) {
        let function = function.unwrap_or_else(|| {
            let own = other.functions[row];
            renumber(own, &other.names, &mut self.names, &mut numbers.names)
        });
        if let [inlined @ .., own] = other.places_of(row) {
            for place in inlined {
                let name = place.function;
                let name = renumber(name, &other.names, &mut self.names, &mut numbers.names);
                self.append_place(other, place, name, numbers);
            }
            self.append_place(other, own, function, numbers);
        }
        self.functions.push(function);
        self.ends.push(self.places.len() as u32);
    }

    fn append_place(
        &mut self,
        other: &Answer,
        place: &ResolvedPlace,
        function: u32,
        numbers: &mut Renumbering,
    ) {
        let file = renumber(
            place.file,
            &other.files,
            &mut self.files,
            &mut numbers.files,
        );
        self.places.push(ResolvedPlace {
            function,
            file,
            line: place.line,
        });
    }

    /// Adds all rows of another answer.
    pub(crate) fn append_all(&mut self, other: Answer) {
        if self.functions.is_empty() {
            *self = AnswerBuilder::from(other);
            return;
        }
        let names: Vec<u32> = other.names.iter().map(|name| self.name(name)).collect();
        let files: Vec<u32> = other.files.iter().map(|file| self.file(file)).collect();
        let number = |numbers: &[u32], old: u32| numbers.get(old as usize).copied().unwrap_or(NONE);
        let start = self.places.len() as u32;
        self.places
            .extend(other.places.iter().map(|place| ResolvedPlace {
                function: number(&names, place.function),
                file: number(&files, place.file),
                line: place.line,
            }));
        let functions = other.functions.iter();
        self.functions
            .extend(functions.map(|&function| number(&names, function)));
        self.ends.extend(other.ends.iter().map(|end| start + end));
    }

    pub(crate) fn finish(self) -> Answer {
        Answer {
            names: self.names.into_iter().collect(),
            files: self.files.into_iter().collect(),
            functions: self.functions,
            ends: self.ends,
            places: self.places,
        }
    }
}

impl From<Answer> for AnswerBuilder {
    fn from(answer: Answer) -> AnswerBuilder {
        AnswerBuilder {
            names: answer.names.into_iter().collect(),
            files: answer.files.into_iter().collect(),
            functions: answer.functions,
            ends: answer.ends,
            places: answer.places,
        }
    }
}

/// `known` holds [`NONE`] for those that have no number yet.
fn renumber(number: u32, from: &[String], to: &mut Texts, known: &mut Vec<u32>) -> u32 {
    let Some(text) = from.get(number as usize) else {
        return NONE;
    };
    if known.is_empty() {
        known.resize(from.len(), NONE);
    }
    let known = &mut known[number as usize];
    if *known == NONE {
        *known = number_of(text, to);
    }
    *known
}

/// Stores every text once.
fn number_of(text: &str, texts: &mut Texts) -> u32 {
    let number = match texts.get_index_of(text) {
        Some(number) => number,
        None => texts.insert_full(text.to_owned()).0,
    };
    number as u32
}
