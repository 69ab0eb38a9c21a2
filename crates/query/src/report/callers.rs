//! Every function with who called it and whom it called. What a function did within
//! itself is counted once, and said to be recursive.

use regex::Regex;
use residue_calltree::{CallTree, Calls, Children, Edge, FunctionSums, Label, LabelId, TREE_ROOT};
use serde::Serialize;

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
    pub functions: Vec<Function>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Function {
    pub function: String,
    pub library: String,
    pub framework: bool,
    #[serde(rename = "self")]
    pub own: u64,
    pub cumulative: u64,
    /// `None` where they were not recorded.
    pub self_calls: Option<u64>,
    pub cumulative_calls: Option<u64>,
    pub callers: Vec<Other>,
    pub callees: Vec<Other>,
}

/// The other end of a call.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Other {
    pub function: String,
    pub library: String,
    pub framework: bool,
    pub value: u64,
    pub calls: Option<u64>,
    /// The part of the value in which the called one of the two was at work already,
    /// further out.
    pub recursive: u64,
}

/// Functions with at least so much of the whole, the highest first.
pub fn callers(source: &Source<'_>, min_percent: f64, only: Option<&Regex>) -> Callers {
    let tree = source.tree();
    let whole = source.whole(source.counter());
    let graph = Graph::of(source, tree);
    let is_shown = |&label: &usize| {
        let value = graph.value.sums.cumulative[label];
        let name = &tree.labels[label].name;
        value > 0
            && is_enough(value, whole, min_percent)
            && only.is_none_or(|regex| regex.is_match(name))
    };
    let mut shown: Vec<usize> = (0..tree.labels.len()).filter(is_shown).collect();
    let cumulative = &graph.value.sums.cumulative;
    let name = |label: usize| (&tree.labels[label].name, &tree.labels[label].module);
    shown.sort_unstable_by(|&one, &other| {
        let by_value = cumulative[other].cmp(&cumulative[one]);
        by_value.then_with(|| name(one).cmp(&name(other)))
    });
    Callers {
        counter: source.counter().name(),
        whole,
        min_percent,
        functions: shown.iter().map(|&label| graph.function(label)).collect(),
    }
}

/// All sums of one counter.
struct Sums {
    sums: FunctionSums,
    /// Per label: what began with it.
    begun: Vec<u64>,
}

impl Sums {
    fn of(tree: &CallTree, children: &Children, calls: &Calls<'_>, own: &[u64]) -> Sums {
        let cumulative = tree.cumulative(own);
        let mut begun = vec![0_u64; tree.labels.len()];
        for &node in children.of_node(TREE_ROOT) {
            let sum = &mut begun[tree.nodes[node as usize].label as usize];
            *sum = sum.saturating_add(cumulative[node as usize]);
        }
        Sums {
            sums: calls.functions.sums(own),
            begun,
        }
    }
}

/// A call with its value and how many allocations there were below it.
#[derive(Clone, Copy)]
struct Call {
    edge: Edge,
    calls: u64,
}

struct Graph<'t> {
    tree: &'t CallTree,
    value: Sums,
    calls: Sums,
    has_calls: bool,
    by_caller: Vec<Call>,
    by_callee: Vec<Call>,
}

impl<'t> Graph<'t> {
    fn of(source: &Source<'_>, tree: &'t CallTree) -> Graph<'t> {
        let children = tree.children();
        let calls = Calls::of(tree, &children);
        let own = source.own(tree, source.counter());
        let own_calls = source.own(tree, Counter::Calls);
        let values = calls.edges(&own).into_iter();
        // Both are all the calls, in one order.
        let by_caller: Vec<Call> = values
            .zip(calls.edges(&own_calls))
            .filter(|(edge, _)| edge.value > 0)
            .map(|(edge, calls)| Call {
                edge,
                calls: calls.value,
            })
            .collect();
        let mut by_callee = by_caller.clone();
        by_callee.sort_by_key(|call| call.edge.callee);
        Graph {
            tree,
            value: Sums::of(tree, &children, &calls, &own),
            calls: Sums::of(tree, &children, &calls, &own_calls),
            has_calls: source.has(Counter::Calls),
            by_caller,
            by_callee,
        }
    }

    fn function(&self, index: usize) -> Function {
        let label = &self.tree.labels[index];
        let id = index as LabelId;
        let mut callers: Vec<Other> = equal_range(&self.by_callee, id, |edge| edge.callee)
            .iter()
            .map(|call| self.other(call.edge.caller, call))
            .collect();
        if self.value.begun[index] > 0 {
            callers.push(Other {
                function: ROOT_NAME.to_string(),
                library: String::new(),
                framework: true,
                value: self.value.begun[index],
                calls: self.recorded(self.calls.begun[index]),
                recursive: 0,
            });
        }
        let mut callees: Vec<Other> = equal_range(&self.by_caller, id, |edge| edge.caller)
            .iter()
            .map(|call| self.other(call.edge.callee, call))
            .collect();
        sort(&mut callers);
        sort(&mut callees);
        Function {
            function: label.name.to_string(),
            library: label.module.to_string(),
            framework: label.is_framework,
            own: self.value.sums.own[index],
            cumulative: self.value.sums.cumulative[index],
            self_calls: self.recorded(self.calls.sums.own[index]),
            cumulative_calls: self.recorded(self.calls.sums.cumulative[index]),
            callers,
            callees,
        }
    }

    fn recorded(&self, calls: u64) -> Option<u64> {
        self.has_calls.then_some(calls)
    }

    fn other(&self, label: LabelId, call: &Call) -> Other {
        let label: &Label = &self.tree.labels[label as usize];
        Other {
            function: label.name.to_string(),
            library: label.module.to_string(),
            framework: label.is_framework,
            value: call.edge.value,
            calls: self.recorded(call.calls),
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
