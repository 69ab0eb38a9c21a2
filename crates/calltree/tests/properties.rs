//! Whatever the tree, the rules and the filters: what is shown is what a slow and
//! simple reader finds, and every counter adds up.

mod support;

use std::collections::BTreeMap;

use proptest::prelude::*;
use residue_calltree::*;
use residue_names::{NameStyle, Rules};
use residue_profile::{CUT, Counter, MemoryKind, Merge, Node, Profile, Stack, StackKind};
use support::{Key, Words, add_stack, expected_path, key, profile, tree_paths};

/// Few names, so that functions meet themselves again on most paths.
const FRAMES: [&str; 12] = [
    "fa",
    "fb",
    "fa@liba.so",
    "fb@liba.so",
    "fc@libb.so",
    "fd@libb.so",
    "fa:3<fb:4",
    "fc:5<fd:6<fa:7",
    "fb:9",
    "fb:10",
    "[sa]",
    "[sb]",
];

const RULES: [&str; 10] = [
    "hide fa",
    "hide fb",
    "collapse fc",
    "collapse module:liba.so fb",
    "cut fd",
    "cut fb",
    "merge-library liba.so",
    "merge-library lib*.so -> [both]",
    "framework fa",
    "rename fc -> fa",
];

const KINDS: [StackKind; 4] = [
    StackKind::Heap,
    StackKind::Mapping,
    StackKind::Pooled,
    StackKind::Reported,
];

prop_compose! {
    fn any_profile()(
        nodes in prop::collection::vec((any::<prop::sample::Index>(), 0..=FRAMES.len()), 1..60),
        stacks in prop::collection::vec(
            (any::<prop::sample::Index>(), 0..20_usize, 0..1000_u64),
            1..40,
        ),
    ) -> Profile {
        // Every frame once, so that nodes can be made of them.
        let all: Vec<(&str, u64)> = FRAMES.iter().map(|frame| (*frame, 0)).collect();
        let mut made = profile(&all);
        made.nodes.truncate(1);
        made.stacks.clear();
        for (parent, frame) in nodes {
            let parent = parent.index(made.nodes.len()) as u32;
            let frame = if frame == FRAMES.len() { CUT } else { frame as u32 };
            made.nodes.push(Node { parent, frame });
        }
        for (node, kind, value) in stacks {
            // Most are of the heap.
            let kind = KINDS.get(kind).copied().unwrap_or(StackKind::Heap);
            let node = if kind == StackKind::Pooled { 0 } else { node.index(made.nodes.len()) };
            add_stack(&mut made, node as u32, kind, value);
        }
        made
    }
}

fn any_rules() -> impl Strategy<Value = String> {
    let some = prop::sample::subsequence(RULES.to_vec(), 0..4);
    some.prop_map(|lines| lines.join("\n"))
}

fn any_words() -> impl Strategy<Value = Words> {
    let word = |words: &'static [&'static str]| {
        prop_oneof![
            3 => Just(None),
            1 => prop::sample::select(words).prop_map(|word| Some(word.to_string())),
        ]
    };
    let names = &["fa", "fb", "fc", "fd"];
    (
        word(names),
        word(names),
        word(names),
        word(&["liba.so", "libb.so", "prog"]),
        word(&["sa", "sb"]),
    )
        .prop_map(|(focus, ignore, under, module, scope)| Words {
            focus,
            ignore,
            under,
            module,
            scope,
        })
}

fn any_detail() -> impl Strategy<Value = Detail> {
    let details = vec![
        Detail::Library,
        Detail::Name,
        Detail::Function,
        Detail::Line,
    ];
    prop::sample::select(details)
}

fn any_kind() -> impl Strategy<Value = MemoryKind> {
    prop::sample::select(MemoryKind::ALL.to_vec())
}

/// The sums of a function or call over whole stacks, one stack after the other.
#[derive(Default)]
struct Reference {
    own: BTreeMap<Key, u64>,
    cumulative: BTreeMap<Key, u64>,
    /// Value, within the callee, within the caller.
    calls: BTreeMap<(Key, Key), (u64, u64, u64)>,
}

impl Reference {
    fn add(&mut self, path: &[Key], value: u64) {
        *self.own.entry(path[path.len() - 1].clone()).or_default() += value;
        for (index, key) in path.iter().enumerate() {
            if !path[..index].contains(key) {
                *self.cumulative.entry(key.clone()).or_default() += value;
            }
        }
        let pair = |at: usize| (path[at].clone(), path[at + 1].clone());
        for at in 0..path.len() - 1 {
            if (0..at).any(|before| pair(before) == pair(at)) {
                continue;
            }
            let sums = self.calls.entry(pair(at)).or_default();
            sums.0 += value;
            if path[..=at].contains(&path[at + 1]) {
                sums.1 += value;
            }
            if path[..at].contains(&path[at]) {
                sums.2 += value;
            }
        }
    }
}

fn without_zeros(sums: BTreeMap<Key, u64>) -> BTreeMap<Key, u64> {
    sums.into_iter().filter(|(_, value)| *value > 0).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn trees_are_what_a_simple_reader_finds(
        profile in any_profile(),
        rules in any_rules(),
        words in any_words(),
        detail in any_detail(),
        kind in any_kind(),
    ) {
        let rules = Rules::parse(&rules, "test").unwrap();
        let filter = words.filter();
        let options = Options { rules: &rules, style: NameStyle::Short, detail, kind, filter: &filter };
        let expected: Vec<Option<Vec<Key>>> = profile
            .stacks
            .iter()
            .map(|stack| expected_path(&profile, stack, &rules, &words, &options))
            .collect();
        let tree = CallTree::of(&profile, &options);
        prop_assert_eq!(&tree_paths(&tree), &expected);
        for (index, node) in tree.nodes.iter().enumerate().skip(1) {
            prop_assert!((node.parent as usize) < index);
        }
        let alike = Options { rules: &rules, style: NameStyle::Short, detail, kind, filter: &filter };
        let mut paths = PathReader::new(&profile, alike);
        for (stack, expected) in profile.stacks.iter().zip(&expected) {
            if let Some(expected) = expected {
                let path: Vec<Key> = paths.steps(stack).iter().map(|step| key(&step.label)).collect();
                prop_assert_eq!(&path, expected);
            }
        }

        let children = tree.children();
        for counter in Counter::ALL.into_iter().filter(|it| it.adds_up()) {
            let mut reference = Reference::default();
            let mut whole = 0;
            for (stack, path) in profile.stacks.iter().zip(&expected) {
                if let Some(path) = path {
                    reference.add(path, counter.value(stack));
                    whole += counter.value(stack);
                }
            }
            let own = tree.own(Merge::Sum, |stack| counter.value(&profile.stacks[stack]));
            prop_assert_eq!(own.iter().sum::<u64>(), whole);
            prop_assert_eq!(tree.cumulative(&own)[TREE_ROOT as usize], whole);

            let sums = by_function(&tree, &children, &own);
            let by_key = |values: &[u64]| -> BTreeMap<Key, u64> {
                let labels = tree.labels.iter().map(key).zip(values.iter().copied());
                without_zeros(labels.collect())
            };
            prop_assert_eq!(sums.own.iter().sum::<u64>(), whole);
            prop_assert_eq!(by_key(&sums.own), without_zeros(reference.own));
            prop_assert_eq!(by_key(&sums.cumulative), without_zeros(reference.cumulative));

            let calls = edges(&tree, &children, &own);
            let found: BTreeMap<(Key, Key), (u64, u64, u64)> = calls
                .iter()
                .map(|edge| {
                    let name = |label: LabelId| key(&tree.labels[label as usize]);
                    let sums = (edge.value, edge.within_callee, edge.within_caller);
                    ((name(edge.caller), name(edge.callee)), sums)
                })
                .collect();
            reference.calls.retain(|_, sums| sums.0 > 0);
            prop_assert_eq!(found, reference.calls);

            // What callers gave a function, and what came from the root, is all it did.
            let mut received = vec![0; tree.labels.len()];
            for edge in &calls {
                received[edge.callee as usize] += edge.value - edge.within_callee;
            }
            let cumulative = tree.cumulative(&own);
            for &child in children.of_node(TREE_ROOT) {
                received[tree.nodes[child as usize].label as usize] += cumulative[child as usize];
            }
            prop_assert_eq!(received, sums.cumulative);
        }

        // The largest block of a function is that of one of the stacks it is on.
        let largest = |stack: &Stack| Counter::Largest.value(stack);
        let mut reference: BTreeMap<Key, u64> = BTreeMap::new();
        for (stack, path) in profile.stacks.iter().zip(&expected) {
            for function in path.iter().flatten() {
                let most = reference.entry(function.clone()).or_default();
                *most = (*most).max(largest(stack));
            }
        }
        let own = tree.own(Merge::Max, |stack| largest(&profile.stacks[stack]));
        let sums = by_function(&tree, &children, &own);
        let labels = tree.labels.iter().map(key).zip(sums.cumulative.iter().copied());
        prop_assert_eq!(without_zeros(labels.collect()), without_zeros(reference));
        let shown = profile.stacks.iter().zip(&expected).filter(|(_, path)| path.is_some());
        let whole = shown.map(|(stack, _)| largest(stack)).max().unwrap_or(0);
        prop_assert_eq!(own.whole(), whole);
        prop_assert_eq!(tree.cumulative(&own)[TREE_ROOT as usize], whole);
    }

    /// Rules and detail decide where numbers stand, never how large they are.
    #[test]
    fn no_rule_changes_a_sum(
        profile in any_profile(),
        rules in any_rules(),
        detail in any_detail(),
        kind in any_kind(),
    ) {
        let rules = Rules::parse(&rules, "test").unwrap();
        let filter = Filter::default();
        let options = Options { rules: &rules, style: NameStyle::Short, detail, kind, filter: &filter };
        let tree = CallTree::of(&profile, &options);
        for counter in Counter::ALL {
            let meant = profile.stacks.iter().filter(|stack| kind.holds(stack.kind));
            let ledger = counter.merge().all(meant.map(|stack| counter.value(stack)));
            let own = tree.own(counter.merge(), |stack| counter.value(&profile.stacks[stack]));
            prop_assert_eq!(own.whole(), ledger);
        }
    }
}
