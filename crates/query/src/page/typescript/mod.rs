//! `viewer/src/answers.ts`: what the page is answered, as TypeScript. Types come from the
//! structures that are serialised, words from the lists that questions are read by.

pub mod layout;

use std::collections::BTreeMap;

use residue_calltree::diff::Class;
use residue_profile::timeline::Source;
use residue_profile::{Counter, MemoryKind};
use ts_rs::{Config, TS, TypeVisitor};

use super::answers::about::{About, Status};
use super::answers::callers::Callers;
use super::answers::churn::ChurnAnswer;
use super::answers::compare::Compare;
use super::answers::flame::{self, Flame};
use super::answers::functions::Functions;
use super::answers::growers::Growers;
use super::answers::holder::HolderAnswer;
use super::answers::holders::HoldersAnswer;
use super::answers::pins::PinsAnswer;
use super::answers::sizes::Sizes;
use super::answers::source::SourceLines;
use super::answers::stack::StackDetail;
use super::answers::stacks::{Sort, Stacks};
use super::answers::stages::StagesAnswer;
use super::answers::suspects::SuspectsAnswer;
use super::answers::time::TimeAnswer;
use super::answers::timeline::Timeline;
use super::answers::verdict::VerdictAnswer;
use super::file_data::FileData;
use super::open_profiles::SIDES;
use super::selection::{RANGE_COUNTERS, TOTALS_COUNTERS};
use crate::compare::rows::By;
use crate::holders::document::Which;
use layout::comment;

const HEAD: &str = "\
// Written by `make answers` from the types in crates/query: change those, not this file.
//
// Every question is `GET api/NAME?parameters`, every answer JSON of bounded size. A refused
// question is answered with status 400 and `{\"error\": \"why\"}`. Sizes are bytes, times
// nanoseconds, events are numbered from one. Parameters that many questions share:
// `side`: a `Side`; `events`: `51..100`, both included, or absent for the whole recording,
// set-up and exit too; `kind`: a `Kind`; `focus`: only stacks with a function that matches
// a regular expression; `ignore`: without those; case is ignored unless it has a capital letter.
";

/// The whole file.
pub fn document() -> String {
    let mut file = Document {
        text: HEAD.to_string(),
    };
    file.words(
        "Side",
        SIDES,
        "Which profile: the first file, or the one it is compared with.",
    );
    file.words(
        "Kind",
        MemoryKind::ALL.map(MemoryKind::name),
        "Which stacks are meant.",
    );
    let counters = Counter::ALL.map(Counter::name);
    file.words("CounterName", counters, "One number of every stack.");
    file.list(
        "COUNTERS",
        "CounterName",
        counters,
        "All of them, in the order of `FilePart.counters`.",
    );
    file.list(
        "RANGE_COUNTERS",
        "CounterName",
        RANGE_COUNTERS.map(Counter::name),
        "Those that are known of every range of events: what the range left.",
    );
    file.list(
        "TOTALS_COUNTERS",
        "CounterName",
        TOTALS_COUNTERS.map(Counter::name),
        "Those that are known of ranges whose ends have totals: what was allocated in them.",
    );
    let turns = [Source::Marks, Source::Ticks].map(Source::unit);
    file.words(
        "EventUnit",
        turns,
        "What one turn of the program is called.",
    );
    let sorts = Sort::ALL.map(|(name, _)| name);
    file.words(
        "StackSort",
        sorts,
        "What rows of `api/stacks` can be sorted by.",
    );
    file.words(
        "HoldersWhich",
        Which::ALL.map(|(name, _)| name),
        "Which stacks `api/holders` has rows of: all, those that lost anything, those of which anything is held.",
    );
    file.words(
        "FlameBy",
        flame::BY,
        "What boxes of `api/flame` can stand for.",
    );
    file.words(
        "CompareBy",
        By::ALL.map(By::name),
        "What rows of `api/compare` can be.",
    );
    file.words(
        "CompareClass",
        Class::ALL.map(Class::name),
        "What became of a row.",
    );

    let mut types = Types {
        config: Config::new().with_large_int("number"),
        found: BTreeMap::new(),
    };
    let answers = [
        ("about", types.add::<About>()),
        ("status", types.add::<Status>()),
        ("verdict", types.add::<VerdictAnswer>()),
        ("suspects", types.add::<SuspectsAnswer>()),
        ("time", types.add::<TimeAnswer>()),
        ("churn", types.add::<ChurnAnswer>()),
        ("holders", types.add::<HoldersAnswer>()),
        ("holder", types.add::<HolderAnswer>()),
        ("pins", types.add::<PinsAnswer>()),
        ("timeline", types.add::<Timeline>()),
        ("growers", types.add::<Growers>()),
        ("stacks", types.add::<Stacks>()),
        ("stack", types.add::<StackDetail>()),
        ("flame", types.add::<Flame>()),
        ("functions", types.add::<Functions>()),
        ("callers", types.add::<Callers>()),
        ("source", types.add::<SourceLines>()),
        ("stages", types.add::<StagesAnswer>()),
        ("sizes", types.add::<Sizes>()),
        ("compare", types.add::<Compare>()),
    ];
    let members = answers
        .each_ref()
        .map(|(question, name)| format!("{question}: {name}, "));
    let answers_type = format!("type Answers = {{ {}}};", members.concat());
    file.declare("Every question with its answer.", &answers_type);
    let of_file = types.add::<FileData>();
    for (_, name) in &answers {
        file.declare_all(&mut types, name);
    }
    file.declare_all(&mut types, &of_file);
    file.text
}

struct Document {
    text: String,
}

impl Document {
    /// One of some words.
    fn words<const N: usize>(&mut self, name: &str, words: [&str; N], meaning: &str) {
        let words = words.map(|word| format!("\"{word}\"")).join(" | ");
        self.declare(meaning, &format!("type {name} = {words};"));
    }

    fn list<const N: usize>(&mut self, name: &str, of: &str, words: [&str; N], meaning: &str) {
        let words = words.map(|word| format!("\"{word}\"")).join(", ");
        self.declare(meaning, &format!("const {name}: {of}[] = [{words}];"));
    }

    fn declare(&mut self, meaning: &str, declaration: &str) {
        let (meaning, declaration) = (comment(meaning, ""), layout::declaration(declaration));
        self.text += &format!("\n{meaning}export {declaration}\n");
    }

    /// Declares a type, and then those that it names and that have not been declared. The
    /// derived code visits these in another order each time it is compiled, the text of the
    /// declaration is always the same.
    fn declare_all(&mut self, types: &mut Types, name: &str) {
        let Some((meaning, declaration)) = types.found.remove(name) else {
            return;
        };
        self.declare(&meaning, &declaration);
        let is_other = |character: char| !character.is_alphanumeric();
        for word in layout::without_comments(&declaration).split(is_other) {
            self.declare_all(types, word);
        }
    }
}

/// All types that something is made of, by name, with what they mean.
struct Types {
    config: Config,
    found: BTreeMap<String, (String, String)>,
}

impl Types {
    /// With all that it is made of; its name.
    fn add<T: TS + 'static>(&mut self) -> String {
        self.visit::<T>();
        T::ident(&self.config)
    }
}

impl TypeVisitor for Types {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // Only what is derived has a path: numbers, texts and lists are TypeScript's own.
        if T::output_path().is_none() {
            return;
        }
        let name = T::ident(&self.config);
        let declared = (T::docs().unwrap_or_default(), T::decl(&self.config));
        if let Some(known) = self.found.get(&name) {
            assert_eq!(
                *known, declared,
                "two types are called {name} in TypeScript"
            );
            return;
        }
        self.found.insert(name, declared);
        T::visit_dependencies(self);
    }
}
