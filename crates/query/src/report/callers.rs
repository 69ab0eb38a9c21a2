//! Every function with who called it and whom it called. What a function did within
//! itself is counted once, and said to be recursive.

use regex::Regex;
use residue_calltree::{
    CallTree, Calls, Children, Edge, FunctionSums, Label, LabelId, NodeValues, TREE_ROOT,
};
use serde::{Serialize, Serializer};

use crate::report::flat::is_enough;
use crate::report::source::Source;
use residue_profile::Counter;

/// What a function is called by where nothing called it.
const ROOT_NAME: &str = "(root)";

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Callers {
    pub counter: &'static str,
    pub whole: u64,
    pub min_percent: f64,
    /// How many there are with at least that; `functions` holds the highest of them.
    pub found: usize,
    pub functions: Vec<Function>,
}

/// Values by counter, the one that ranks first; null where it was not recorded.
pub struct CounterValues(pub Vec<(Counter, Option<u64>)>);

impl Serialize for CounterValues {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let named = self.0.iter();
        serializer
            .collect_map(named.map(|(counter, value)| (counter.name().replace('-', "_"), value)))
    }
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Function {
    /// Among all functions by the value with what they called, from 1.
    pub rank: usize,
    pub function: String,
    pub library: String,
    pub framework: bool,
    #[serde(rename = "self")]
    pub own: u64,
    pub cumulative: u64,
    /// `None` where they were not recorded.
    pub self_calls: Option<u64>,
    pub cumulative_calls: Option<u64>,
    pub self_counters: CounterValues,
    pub cumulative_counters: CounterValues,
    pub callers: Vec<Other>,
    pub callees: Vec<Other>,
}

/// The other end of a call.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Other {
    /// Its own rank, and what it has with all that it called; null for the root.
    pub rank: Option<usize>,
    pub cumulative: Option<u64>,
    pub cumulative_calls: Option<u64>,
    pub function: String,
    pub library: String,
    pub framework: bool,
    pub value: u64,
    pub calls: Option<u64>,
    pub counters: CounterValues,
    /// The part of the value in which the called one of the two was at work already,
    /// further out.
    pub recursive: u64,
}

/// Functions with at least so much of the whole, the highest first, at most so many.
pub fn callers(
    source: &Source<'_>,
    min_percent: f64,
    only: Option<&Regex>,
    most_functions: usize,
) -> Callers {
    let tree = source.tree();
    let whole = source.whole(source.counter());
    let graph = Graph::of(source, tree);
    let is_shown = |label: &&usize| {
        let name = &tree.labels[**label].name;
        is_enough(graph.value().sums.cumulative[**label], whole, min_percent)
            && only.is_none_or(|regex| regex.is_match(name))
    };
    let shown: Vec<usize> = graph.ranked.iter().filter(is_shown).copied().collect();
    let highest = shown.iter().take(most_functions);
    Callers {
        counter: source.counter().name(),
        whole,
        min_percent,
        found: shown.len(),
        functions: highest.map(|&label| graph.function(label)).collect(),
    }
}

/// Functions with anything, the highest first.
fn ranked(tree: &CallTree, cumulative: &[u64]) -> Vec<usize> {
    let mut ranked: Vec<usize> = (0..tree.labels.len())
        .filter(|&label| cumulative[label] > 0)
        .collect();
    let name = |label: usize| (&tree.labels[label].name, &tree.labels[label].module);
    ranked.sort_unstable_by(|&one, &other| {
        let by_value = cumulative[other].cmp(&cumulative[one]);
        by_value.then_with(|| name(one).cmp(&name(other)))
    });
    ranked
}

/// All sums of one counter.
struct Sums {
    sums: FunctionSums,
    /// Per label: what began with it.
    begun: Vec<u64>,
}

impl Sums {
    fn of(tree: &CallTree, children: &Children, calls: &Calls<'_>, own: &NodeValues) -> Sums {
        let cumulative = tree.cumulative(own);
        let mut begun = vec![0_u64; tree.labels.len()];
        for &node in children.of_node(TREE_ROOT) {
            let sum = &mut begun[tree.nodes[node as usize].label as usize];
            own.merge.include(sum, cumulative[node as usize]);
        }
        Sums {
            sums: calls.functions.sums(own),
            begun,
        }
    }
}

/// A call with the value that ranks, and where it is among all calls.
#[derive(Clone, Copy)]
struct Call {
    edge: Edge,
    index: usize,
}

/// One counter: its sums, and what each call has of it.
struct Measure {
    counter: Counter,
    is_known: bool,
    sums: Sums,
    edges: Vec<u64>,
}

struct Graph<'t> {
    tree: &'t CallTree,
    /// The counter that ranks, those beside it, and the number of allocations.
    measures: Vec<Measure>,
    /// Of these, how many were asked for.
    asked: usize,
    calls: usize,
    ranked: Vec<usize>,
    rank_of_label: Vec<Option<usize>>,
    by_caller: Vec<Call>,
    by_callee: Vec<Call>,
}

impl<'t> Graph<'t> {
    fn of(source: &Source<'_>, tree: &'t CallTree) -> Graph<'t> {
        let children = tree.children();
        let calls = Calls::of(tree, &children);
        let mut counters = source.counters.clone();
        let asked = counters.len();
        let place = counters.iter().position(|it| *it == Counter::Calls);
        let place = place.unwrap_or_else(|| {
            counters.push(Counter::Calls);
            asked
        });
        let measure = |&counter: &Counter| {
            let own = source.own(tree, counter);
            // All the calls, in one order for every counter.
            let edges = calls.edges(&own).iter().map(|edge| edge.value).collect();
            Measure {
                counter,
                is_known: source.has(counter),
                sums: Sums::of(tree, &children, &calls, &own),
                edges,
            }
        };
        let measures: Vec<Measure> = counters.iter().map(measure).collect();
        let ranking = source.own(tree, source.counter());
        let by_caller: Vec<Call> = calls
            .edges(&ranking)
            .into_iter()
            .enumerate()
            .filter(|(_, edge)| edge.value > 0)
            .map(|(index, edge)| Call { edge, index })
            .collect();
        let mut by_callee = by_caller.clone();
        by_callee.sort_by_key(|call| call.edge.callee);
        let ranked = ranked(tree, &measures[0].sums.sums.cumulative);
        let mut rank_of_label = vec![None; tree.labels.len()];
        for (place, &label) in ranked.iter().enumerate() {
            rank_of_label[label] = Some(place + 1);
        }
        Graph {
            tree,
            measures,
            asked,
            calls: place,
            ranked,
            rank_of_label,
            by_caller,
            by_callee,
        }
    }

    /// The counter that ranks.
    fn value(&self) -> &Sums {
        &self.measures[0].sums
    }

    fn function(&self, index: usize) -> Function {
        let label = &self.tree.labels[index];
        let id = index as LabelId;
        let mut callers: Vec<Other> = equal_range(&self.by_callee, id, |edge| edge.callee)
            .iter()
            .map(|call| self.other(call.edge.caller, call))
            .collect();
        if self.value().begun[index] > 0 {
            callers.push(Other {
                rank: None,
                cumulative: None,
                cumulative_calls: None,
                function: ROOT_NAME.to_string(),
                library: String::new(),
                framework: true,
                value: self.value().begun[index],
                calls: self.calls_of(|measure| measure.sums.begun[index]),
                counters: self.counters(|measure| measure.sums.begun[index]),
                recursive: 0,
            });
        }
        let mut callees: Vec<Other> = equal_range(&self.by_caller, id, |edge| edge.caller)
            .iter()
            .map(|call| self.other(call.edge.callee, call))
            .collect();
        sort(&mut callers);
        sort(&mut callees);
        let own = |measure: &Measure| measure.sums.sums.own[index];
        let cumulative = |measure: &Measure| measure.sums.sums.cumulative[index];
        Function {
            rank: self.rank_of_label[index].unwrap_or_default(),
            function: label.name.to_string(),
            library: label.module.to_string(),
            framework: label.is_framework,
            own: self.value().sums.own[index],
            cumulative: self.value().sums.cumulative[index],
            self_calls: self.calls_of(own),
            cumulative_calls: self.calls_of(cumulative),
            self_counters: self.counters(own),
            cumulative_counters: self.counters(cumulative),
            callers,
            callees,
        }
    }

    fn calls_of(&self, value: impl Fn(&Measure) -> u64) -> Option<u64> {
        let calls = &self.measures[self.calls];
        calls.is_known.then(|| value(calls))
    }

    /// Of every counter that was asked for.
    fn counters(&self, value: impl Fn(&Measure) -> u64) -> CounterValues {
        let asked = self.measures[..self.asked].iter();
        let known = asked.map(|it| (it.counter, it.is_known.then(|| value(it))));
        CounterValues(known.collect())
    }

    fn other(&self, id: LabelId, call: &Call) -> Other {
        let label: &Label = &self.tree.labels[id as usize];
        let cumulative = |measure: &Measure| measure.sums.sums.cumulative[id as usize];
        Other {
            rank: self.rank_of_label[id as usize],
            cumulative: Some(self.value().sums.cumulative[id as usize]),
            cumulative_calls: self.calls_of(cumulative),
            function: label.name.to_string(),
            library: label.module.to_string(),
            framework: label.is_framework,
            value: call.edge.value,
            calls: self.calls_of(|measure| measure.edges[call.index]),
            counters: self.counters(|measure| measure.edges[call.index]),
            recursive: call.edge.within_callee,
        }
    }
}

/// The calls with that label, of some that are sorted by it.
fn equal_range(sorted: &[Call], wanted: LabelId, label: fn(&Edge) -> LabelId) -> &[Call] {
    let start = sorted.partition_point(|call| label(&call.edge) < wanted);
    let end = sorted.partition_point(|call| label(&call.edge) <= wanted);
    &sorted[start..end]
}

fn sort(others: &mut [Other]) {
    others.sort_by(|one, other| {
        let by_value = other.value.cmp(&one.value);
        by_value.then_with(|| (&one.function, &one.library).cmp(&(&other.function, &other.library)))
    });
}
