//! The format of callgrind, for callgrind_annotate and KCachegrind.
//!
//! ```text
//!   events: calls total live ...
//!   ob=(1) LIBRARY
//!   fl=(1) FILE
//!   fn=(1) NAME
//!   LINE values of what the function allocated itself
//!   cob=(2) LIBRARY
//!   cfi=(2) FILE
//!   cfn=(2) NAME
//!   calls=ALLOCATIONS 0
//!   LINE values of what was allocated in calls from this line
//!   fi=(2) FILE
//!   LINE values of what it allocated in lines of another file
//! ```
//!
//! Both readers take the sum of the calls to a function for what it allocated with all
//! that it called, and add up its own and its calls only where nobody calls it. So a
//! call is counted where its callee stands outermost on a path, which makes that sum
//! right whatever calls itself; and outermost functions are called by [`ROOT`], since
//! some of them are called by others too. How often functions were called is not known;
//! the number of allocations stands in its place.

use std::io::{self, Write};

use residue_calltree::{CallNodeId, CallTree, LabelId, TREE_ROOT};
use residue_profile::Counter;
use rustc_hash::FxHashMap;

use crate::Source;
use crate::plain::visible;
use crate::walk::{Placed, depth_first};

/// The function that calls what nobody calls.
const ROOT: &str = "[root]";
/// What the readers know as no file and no library.
const UNKNOWN: &str = "???";

/// Wants a tree with the detail of lines.
pub fn write(source: &Source<'_>, out: &mut dyn Write) -> io::Result<()> {
    let functions = Functions::of(source.tree);
    let calls = Calls::of(source.tree, &functions);
    let sums = |&counter| Sums::of(source, counter, &calls);
    let allocations = sums(&Counter::Calls).of_calls;
    let sums: Vec<Sums> = source.counters.iter().map(sums).collect();
    write_head(source, &sums, out)?;
    let mut names = Names::default();
    let mut last_function = None;
    let mut last_file = "";
    for row in rows(source.tree, &functions, &calls, &sums) {
        let function = &functions.list[row.function as usize];
        if last_function.replace(row.function) != Some(row.function) {
            writeln!(out)?;
            names.write_function(["ob", "fl", "fn"], function, out)?;
            last_file = function.file;
            if let Content::Call(call) = row.content {
                // callgrind_annotate warns of files in which no line has a value.
                writeln!(out, "{} 0", calls.list[call].line)?;
            }
        }
        let line = match row.content {
            Content::Own(label) => {
                let label = &source.tree.labels[label as usize];
                if last_file != &*label.file {
                    last_file = &label.file;
                    names.write("fi", Space::File, (last_file, ""), out)?;
                }
                label.line
            }
            Content::Call(call) => {
                let callee = &functions.list[calls.list[call].callee as usize];
                names.write_function(["cob", "cfi", "cfn"], callee, out)?;
                // What follows zero calls would be taken for the function's own.
                writeln!(out, "calls={} 0", allocations[call].max(1))?;
                calls.list[call].line
            }
        };
        write!(out, "{line}")?;
        for sums in &sums {
            write!(out, " {}", sums.value(row.content))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn write_head(source: &Source<'_>, sums: &[Sums], out: &mut dyn Write) -> io::Result<()> {
    let meta = &source.profile.meta;
    writeln!(out, "# callgrind format\nversion: 1")?;
    writeln!(out, "creator: residue-{}", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "pid: {}", meta.pid)?;
    writeln!(out, "cmd: {}", visible(&meta.command.join(" ")))?;
    writeln!(out, "positions: line")?;
    for counter in source.counters {
        let name = counter.name().replace('-', "_");
        writeln!(out, "event: {name} : {}", counter.subject())?;
    }
    let names = source.counters.iter().map(|it| it.name().replace('-', "_"));
    writeln!(out, "events: {}", names.collect::<Vec<String>>().join(" "))?;
    let sums = sums.iter().map(|sums| {
        let own = sums.of_labels.iter();
        let sum = own.fold(0, |sum: u64, &one| sum.saturating_add(one));
        sum.to_string()
    });
    writeln!(out, "summary: {}", sums.collect::<Vec<String>>().join(" "))
}

/// A line of values in the part of a function.
#[derive(Clone, Copy)]
struct CostLine {
    function: u32,
    content: Content,
}

#[derive(Clone, Copy)]
enum Content {
    Own(LabelId),
    Call(usize),
}

/// All that have a value: by function, and in it the lines of its file, its calls, and
/// the lines of other files.
fn rows(tree: &CallTree, functions: &Functions<'_>, calls: &Calls, sums: &[Sums]) -> Vec<CostLine> {
    let of_labels = (0..tree.labels.len() as LabelId).map(|label| CostLine {
        function: functions.of_label[label as usize],
        content: Content::Own(label),
    });
    let of_calls = calls.list.iter().enumerate().map(|(call, it)| CostLine {
        function: it.caller,
        content: Content::Call(call),
    });
    let mut rows: Vec<CostLine> = of_labels
        .chain(of_calls)
        .filter(|row| sums.iter().any(|sums| sums.value(row.content) > 0))
        .collect();
    let place = |row: &CostLine| match row.content {
        Content::Own(label) => {
            let label = &tree.labels[label as usize];
            let own_file = functions.list[row.function as usize].file;
            match &*label.file == own_file {
                true => (row.function, 0, "", label.line),
                false => (row.function, 2, &*label.file, label.line),
            }
        }
        Content::Call(call) => (row.function, 1, "", calls.list[call].line),
    };
    rows.sort_by(|one, other| place(one).cmp(&place(other)));
    rows
}

struct Function<'a> {
    name: &'a str,
    library: &'a str,
    /// The first that is known of its lines.
    file: &'a str,
}

/// Labels of one name in one library are one function, whatever their lines.
struct Functions<'a> {
    /// The first is [`ROOT`].
    list: Vec<Function<'a>>,
    of_label: Vec<u32>,
}

impl<'a> Functions<'a> {
    fn of(tree: &'a CallTree) -> Functions<'a> {
        let mut list: Vec<Function<'a>> = Vec::new();
        let mut known: FxHashMap<(&str, &str), u32> = FxHashMap::default();
        let mut of_label = Vec::with_capacity(tree.labels.len());
        for (number, label) in tree.labels.iter().enumerate() {
            let (name, library) = (&*label.name, &*label.module);
            let function = *known.entry((name, library)).or_insert_with(|| {
                list.push(Function {
                    name: if number == 0 { ROOT } else { name },
                    library,
                    file: "",
                });
                (list.len() - 1) as u32
            });
            let file = &mut list[function as usize].file;
            if file.is_empty() {
                *file = &label.file;
            }
            of_label.push(function);
        }
        Functions { list, of_label }
    }
}

/// A call from a line of one function to another.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Call {
    caller: u32,
    /// Of the caller's file; 0 where the call stands in another one.
    line: u32,
    callee: u32,
}

struct Calls {
    list: Vec<Call>,
    /// The nodes whose function stands nowhere above them, and the call that leads
    /// there.
    counted: Vec<(CallNodeId, u32)>,
}

impl Calls {
    fn of(tree: &CallTree, functions: &Functions<'_>) -> Calls {
        let mut calls = Calls {
            list: Vec::new(),
            counted: Vec::new(),
        };
        let mut known: FxHashMap<Call, u32> = FxHashMap::default();
        let function_of = |node: CallNodeId| {
            let label = tree.nodes[node as usize].label;
            functions.of_label[label as usize]
        };
        let mut path: Vec<u32> = vec![function_of(TREE_ROOT)];
        let mut times_on_path: Vec<u32> = vec![0; functions.list.len()];
        times_on_path[path[0] as usize] = 1;
        for Placed { node, depth } in depth_first(&tree.children(), |_| {}) {
            for left in path.drain(depth as usize + 1..) {
                times_on_path[left as usize] -= 1;
            }
            let callee = function_of(node);
            if times_on_path[callee as usize] == 0 {
                let parent = tree.nodes[node as usize].parent;
                let (caller, label) = (function_of(parent), tree.label(parent));
                let is_in_its_file = *label.file == *functions.list[caller as usize].file;
                let call = Call {
                    caller,
                    line: if is_in_its_file { label.line } else { 0 },
                    callee,
                };
                let number = *known.entry(call).or_insert_with(|| {
                    calls.list.push(call);
                    (calls.list.len() - 1) as u32
                });
                calls.counted.push((node, number));
            }
            times_on_path[callee as usize] += 1;
            path.push(callee);
        }
        calls
    }
}

/// The values of one counter.
struct Sums {
    of_labels: Vec<u64>,
    of_calls: Vec<u64>,
}

impl Sums {
    fn of(source: &Source<'_>, counter: Counter, calls: &Calls) -> Sums {
        let tree = source.tree;
        let own = source.own(counter);
        let mut sums = Sums {
            of_labels: vec![0; tree.labels.len()],
            of_calls: vec![0; calls.list.len()],
        };
        for (node, value) in tree.nodes.iter().zip(own.iter()) {
            let sum = &mut sums.of_labels[node.label as usize];
            own.merge.include(sum, *value);
        }
        let cumulative = tree.cumulative(&own);
        for &(node, call) in &calls.counted {
            let sum = &mut sums.of_calls[call as usize];
            own.merge.include(sum, cumulative[node as usize]);
        }
        sums
    }

    fn value(&self, content: Content) -> u64 {
        match content {
            Content::Own(label) => self.of_labels[label as usize],
            Content::Call(call) => self.of_calls[call],
        }
    }
}

/// What names are counted in.
#[derive(Clone, Copy)]
enum Space {
    Library,
    File,
    Function,
}

/// Every name is written out once and is a number from then on.
#[derive(Default)]
struct Names<'a> {
    /// By space.
    known: [FxHashMap<(&'a str, &'a str), usize>; 3],
}

impl<'a> Names<'a> {
    fn write_function(
        &mut self,
        keys: [&str; 3],
        function: &Function<'a>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Function {
            name,
            library,
            file,
        } = *function;
        self.write(keys[0], Space::Library, (library, ""), out)?;
        self.write(keys[1], Space::File, (file, ""), out)?;
        // Functions of one name in two libraries are two.
        self.write(keys[2], Space::Function, (name, library), out)
    }

    fn write(
        &mut self,
        key: &str,
        space: Space,
        id: (&'a str, &'a str),
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let known = &mut self.known[space as usize];
        if let Some(number) = known.get(&id) {
            return writeln!(out, "{key}=({number})");
        }
        let number = known.len() + 1;
        known.insert(id, number);
        let text = match id.0 {
            "" => UNKNOWN.to_string(),
            text => visible(text),
        };
        writeln!(out, "{key}=({number}) {text}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use residue_calltree::{Detail, by_function};
    use residue_profile::{MemoryKind, Profile, Ragged, SourcePlace};
    use std::collections::HashMap;

    fn written(profile: &Profile, counters: &[Counter]) -> String {
        let tree = sample::tree_with(profile, MemoryKind::Heap, Detail::Line);
        let source = Source {
            profile,
            tree: &tree,
            counters,
        };
        let mut out = Vec::new();
        write(&source, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// What the readers make of it: per name of a function its own and inclusive values
    /// of the first event.
    fn read(text: &str) -> HashMap<String, (u64, u64)> {
        #[derive(Default)]
        struct Sum {
            own: u64,
            by_callers: Option<u64>,
            in_calls: u64,
        }
        let mut names: HashMap<String, String> = HashMap::new();
        let mut sums: HashMap<String, Sum> = HashMap::new();
        let (mut function, mut callee) = (String::new(), String::new());
        let mut is_call = false;
        for line in text.lines().skip_while(|line| !line.starts_with("ob=")) {
            if let Some(rest) = line.strip_prefix("fn=").or(line.strip_prefix("cfn=")) {
                let (id, name) = rest.split_once(' ').unwrap_or((rest, ""));
                if !name.is_empty() {
                    names.insert(id.to_string(), name.to_string());
                }
                match line.starts_with("fn=") {
                    true => function = names[id].clone(),
                    false => callee = names[id].clone(),
                }
            } else if let Some(calls) = line.strip_prefix("calls=") {
                is_call = !calls.starts_with("0 ");
            } else if line.starts_with(|first: char| first.is_ascii_digit()) {
                let value: u64 = line.split(' ').nth(1).unwrap().parse().unwrap();
                if std::mem::take(&mut is_call) {
                    sums.entry(function.clone()).or_default().in_calls += value;
                    let callee = sums.entry(callee.clone()).or_default();
                    *callee.by_callers.get_or_insert(0) += value;
                } else {
                    sums.entry(function.clone()).or_default().own += value;
                }
            }
        }
        let inclusive = |sum: &Sum| sum.by_callers.unwrap_or(sum.own + sum.in_calls);
        let sums = sums.into_iter();
        sums.map(|(name, sum)| (name, (sum.own, inclusive(&sum))))
            .collect()
    }

    #[test]
    fn readers_find_own_and_inclusive_values() {
        let profile = sample::profile();
        let text = written(&profile, &[Counter::Live, Counter::Calls]);
        assert!(
            text.contains("\nevents: live calls\nsummary: 2936 "),
            "{text}"
        );
        let sums = read(&text);
        assert_eq!(sums["main"], (0, 2920));
        assert_eq!(sums.values().map(|sum| sum.0).sum::<u64>(), 2936);
    }

    #[test]
    fn recursion_counts_once() {
        let profile = sample::paths(&[
            vec!["main", "a", "b", "a", "c"],
            vec!["main", "a", "a", "a"],
            vec!["main", "b", "a", "b", "b", "c"],
            vec!["main", "a", "b"],
            vec!["a"],
        ]);
        let sums = read(&written(&profile, &[Counter::Calls]));
        let tree = sample::tree_with(&profile, MemoryKind::Heap, Detail::Name);
        let own = tree.own(Counter::Calls.merge(), |stack| {
            profile.stacks[stack].counters.calls
        });
        let truth = by_function(&tree, &tree.children(), &own);
        for (label, shown) in tree.labels.iter().enumerate().skip(1) {
            if let Some(sum) = sums.get(&*shown.name) {
                assert_eq!(
                    *sum,
                    (truth.own[label], truth.cumulative[label]),
                    "{}",
                    shown.name
                );
            }
        }
        assert_eq!(sums["main"], (0, 4));
        assert_eq!(sums["a"], (2, 5));
        assert_eq!(sums["b"], (1, 3));
        assert_eq!(sums[ROOT], (0, 5));
    }

    #[test]
    fn a_function_with_lines_in_two_files_is_one() {
        let mut profile = sample::profile();
        profile.places = Ragged::default();
        let place = |function, file, line| SourcePlace {
            function,
            file,
            line,
        };
        for frame in 0..profile.frames.len() {
            profile.places.push_row(match frame {
                0 => vec![place(0, 0, 3)],
                1 => vec![place(4, 0, 20)],
                5 => vec![place(4, 1, 30)],
                2 => vec![place(4, 1, 40)],
                _ => vec![],
            });
        }
        profile.frames[2].module = 0;
        let text = written(&profile, &[Counter::Calls]);
        // `load` calls itself from both files, and is what allocates.
        assert!(
            text.contains("\n\nob=(2)\nfl=(2)\nfn=(4)\nfi=(3) src/thing.hpp\n40 110\n\n"),
            "{text}"
        );
        assert_eq!(read(&text)["load"], (110, 110));
    }

    #[test]
    fn calls_without_allocations_are_calls() {
        let mut profile = sample::paths(&[vec!["main", "a"]]);
        profile.stacks[0].counters.calls = 0;
        let sums = read(&written(&profile, &[Counter::Live]));
        assert_eq!(sums["main"], (0, 1));
        assert_eq!(sums["a"], (1, 1));
    }
}
