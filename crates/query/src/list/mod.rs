//! What every line of a function allocated.

pub mod document;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use anyhow::{Result, bail};
use residue_calltree::{
    CallTree, Detail, Filter, FunctionSums, Functions, Label, LabelId, PathReader,
};
use residue_names::{FrameName, NameStyle, Rules, Shown};
use residue_profile::{FunctionId, Profile};

use crate::choice::Choice;
use crate::function_names::{Wanted, Way};
use residue_profile::Counter;

/// A function as the compiler knows it: one name in one source file.
pub struct Function {
    pub name: String,
    /// Libraries that have it, also inlined.
    pub libraries: BTreeSet<String>,
    /// Empty where it is not known.
    pub file: String,
    /// Of all counters, in their order.
    pub numbers: Vec<Numbers>,
    /// By line; what has no line is not here.
    pub lines: BTreeMap<u32, Vec<Numbers>>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Numbers {
    pub own: u64,
    pub cumulative: u64,
}

/// Everything that fits the name, those that allocated most first.
pub fn functions(
    profile: &Profile,
    choice: &Choice,
    wanted: &str,
    counters: &[Counter],
) -> Result<Vec<Function>> {
    let tree = choice.tree(profile, Detail::Line);
    let everything = Filter::default();
    let mut reader = choice.names.paths(profile, &everything);
    let search = Search {
        profile,
        tree: &tree,
        full_names: full_names(profile),
        wanted: Wanted::new(wanted),
    };
    let labels = search.labels(&mut reader);
    if labels.is_empty() {
        bail!(search.not_found(wanted));
    }
    let mut found = sums(profile, &tree, &labels, counters);
    found.sort_by(|one, other| {
        let first = |it: &Function| it.numbers.first().map(|numbers| numbers.cumulative);
        let by_value = first(other).cmp(&first(one));
        by_value.then_with(|| (&one.name, &one.file).cmp(&(&other.name, &other.file)))
    });
    Ok(found)
}

/// A label as it is compared between trees.
type Identity = (String, String, String, u32);

fn identity(label: &Label) -> Identity {
    let Label {
        name, module, file, ..
    } = label;
    (
        name.to_string(),
        module.to_string(),
        file.to_string(),
        label.line,
    )
}

/// By [`FunctionId`].
fn full_names(profile: &Profile) -> Vec<Shown> {
    let names: Vec<FrameName<'_>> = profile
        .functions
        .iter()
        .map(|linkage| FrameName {
            linkage,
            module: "",
            file: "",
        })
        .collect();
    Rules::none().show_all(&names, NameStyle::Full)
}

/// Looks for a function by the name it is shown under, its full one and the linker's.
struct Search<'a> {
    profile: &'a Profile,
    tree: &'a CallTree,
    full_names: Vec<Shown>,
    wanted: Wanted<'a>,
}

impl Search<'_> {
    /// The labels of the tree that fit, in the first way that fits any.
    fn labels(&self, reader: &mut PathReader<'_>) -> HashSet<LabelId> {
        for way in Wanted::WAYS {
            let by_full_name = labels_of(self.profile, reader, &self.functions(way));
            let is_meant = |label: &Label| {
                self.wanted.fits(&label.name, way) || by_full_name.contains(&identity(label))
            };
            let labels = self.shown_labels().into_iter();
            let fitting: HashSet<LabelId> = labels
                .filter(|&number| is_meant(&self.tree.labels[number as usize]))
                .collect();
            if !fitting.is_empty() {
                return fitting;
            }
        }
        HashSet::new()
    }

    /// Labels that stand somewhere in the tree; rules hide others.
    fn shown_labels(&self) -> BTreeSet<LabelId> {
        let nodes = self.tree.nodes.iter().skip(1);
        nodes.map(|node| node.label).collect()
    }

    fn functions(&self, way: Way) -> HashSet<FunctionId> {
        let names = self.profile.functions.iter().zip(&self.full_names);
        (0..)
            .zip(names)
            .filter(|(_, (linkage, full))| {
                self.wanted.fits(&full.name, way) || self.wanted.fits(linkage, way)
            })
            .map(|(id, _)| id)
            .collect()
    }

    fn not_found(&self, wanted: &str) -> String {
        let ways = Wanted::WAYS.into_iter();
        if ways.map(|way| self.functions(way)).any(|it| !it.is_empty()) {
            return format!(
                "`{wanted}` is on no stack that is shown: filters or rules leave it out; \
                 --no-rules shows every frame"
            );
        }
        let labels = self.shown_labels().into_iter();
        let shown = labels.map(|number| &*self.tree.labels[number as usize].name);
        match &self.wanted.nearest(shown)[..] {
            [] => format!("no function is called `{wanted}`, and none is similar"),
            names => format!(
                "no function is called `{wanted}`; there are {}",
                names.join(", ")
            ),
        }
    }
}

/// The labels that frames of some functions have.
fn labels_of(
    profile: &Profile,
    reader: &mut PathReader<'_>,
    functions: &HashSet<FunctionId>,
) -> HashSet<Identity> {
    let mut labels = HashSet::new();
    for (frame, about) in profile.frames.iter().enumerate() {
        let places = profile.places.row(frame);
        let own = [about.function];
        let of_places = places.iter().rev().map(|place| place.function);
        let outermost_first: Vec<FunctionId> = match places.is_empty() {
            true => own.to_vec(),
            false => of_places.collect(),
        };
        if !outermost_first.iter().any(|it| functions.contains(it)) {
            continue;
        }
        let of_frame = reader.frame(frame as u32);
        let fitting = outermost_first.iter().zip(&of_frame);
        let fitting = fitting.filter(|(function, _)| functions.contains(function));
        labels.extend(fitting.map(|(_, label)| identity(label)));
    }
    labels
}

/// Sums by function and by line, each with what it did within itself counted once.
fn sums(
    profile: &Profile,
    tree: &CallTree,
    labels: &HashSet<LabelId>,
    counters: &[Counter],
) -> Vec<Function> {
    let mut functions: Vec<Function> = Vec::new();
    let mut function_of: HashMap<(&str, &str), u32> = HashMap::new();
    let mut lines: Vec<(usize, u32)> = Vec::new();
    let mut line_of: HashMap<(u32, u32), u32> = HashMap::new();
    // Of each label that fits its function and line, from one; zero is for all others.
    let mut groups: HashMap<LabelId, (u32, u32)> = HashMap::new();
    let mut sorted: Vec<LabelId> = labels.iter().copied().collect();
    sorted.sort_unstable();
    for number in sorted {
        let label = &tree.labels[number as usize];
        let function = *function_of
            .entry((&label.name, &label.file))
            .or_insert_with(|| {
                functions.push(Function {
                    name: label.name.to_string(),
                    libraries: BTreeSet::new(),
                    file: label.file.to_string(),
                    numbers: Vec::new(),
                    lines: BTreeMap::new(),
                });
                functions.len() as u32
            });
        let index = function as usize - 1;
        if !label.module.is_empty() {
            functions[index].libraries.insert(label.module.to_string());
        }
        let line = *line_of.entry((function, label.line)).or_insert_with(|| {
            lines.push((index, label.line));
            lines.len() as u32
        });
        groups.insert(number, (function, line));
    }
    let group = |label: LabelId| groups.get(&label).copied().unwrap_or((0, 0));
    let children = tree.children();
    let by_function = Functions::grouped(tree, &children, functions.len() + 1, |it| group(it).0);
    let by_line = Functions::grouped(tree, &children, lines.len() + 1, |it| group(it).1);
    let numbers = |sums: &FunctionSums, group: usize| Numbers {
        own: sums.own[group],
        cumulative: sums.cumulative[group],
    };
    for &counter in counters {
        let own = tree.own(counter.merge(), |stack| {
            counter.value(&profile.stacks[stack])
        });
        let of_functions = by_function.sums(&own);
        for (index, function) in functions.iter_mut().enumerate() {
            function.numbers.push(numbers(&of_functions, index + 1));
        }
        let of_lines = by_line.sums(&own);
        for (group, &(function, line)) in lines.iter().enumerate() {
            if line > 0 {
                let of_line = functions[function].lines.entry(line).or_default();
                of_line.push(numbers(&of_lines, group + 1));
            }
        }
    }
    functions
}
