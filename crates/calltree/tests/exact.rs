//! Small trees, to the last number.

mod support;

use residue_calltree::*;
use residue_names::{NameStyle, Rules};
use residue_profile::{CUT, Counter, MemoryKind, Merge, Node, Profile, ROOT, StackKind};
use support::{add_stack, profile};

struct Reader {
    rules: Rules,
    detail: Detail,
    filter: Filter,
}

impl Reader {
    fn new(rules: &str) -> Reader {
        Reader {
            rules: Rules::parse(rules, "test").unwrap(),
            detail: Detail::Function,
            filter: Filter::default(),
        }
    }

    fn options(&self) -> Options<'_> {
        Options {
            rules: &self.rules,
            style: NameStyle::Short,
            detail: self.detail,
            kind: MemoryKind::Heap,
            filter: &self.filter,
        }
    }

    /// `a;b;c 12` and so on, sorted: paths that end somewhere, with their calls.
    fn folded(&self, profile: &Profile) -> Vec<String> {
        let tree = CallTree::of(profile, &self.options());
        let own = tree.own(Merge::Sum, |stack| {
            Counter::Calls.value(&profile.stacks[stack])
        });
        let mut lines: Vec<String> = (0..tree.nodes.len() as u32)
            .filter(|&node| own[node as usize] > 0)
            .map(|node| {
                let path = tree.path(node).into_iter();
                let names: Vec<&str> = path.map(|node| &*tree.label(node).name).collect();
                format!("{} {}", names.join(";"), own[node as usize])
            })
            .collect();
        lines.sort();
        lines
    }
}

fn name(tree: &CallTree, label: LabelId) -> &str {
    &tree.labels[label as usize].name
}

#[test]
fn paths_that_read_the_same_are_one() {
    let profile = profile(&[("main;f:3;g", 1), ("main;f:4;g", 2), ("main;g", 4)]);
    let mut reader = Reader::new("");
    assert_eq!(reader.folded(&profile), ["main;f;g 3", "main;g 4"]);
    reader.detail = Detail::Line;
    assert_eq!(
        reader.folded(&profile),
        ["main;f;g 1", "main;f;g 2", "main;g 4"]
    );
}

#[test]
fn functions_of_two_libraries_are_two_unless_names_are_all() {
    let profile = profile(&[
        ("main;f@a.so", 1),
        ("main;f@b.so", 2),
        ("main;f@b.so;h@b.so", 4),
    ]);
    let mut reader = Reader::new("");
    let by_function = ["main;f 1", "main;f 2", "main;f;h 4"];
    assert_eq!(reader.folded(&profile), by_function);
    reader.detail = Detail::Name;
    assert_eq!(reader.folded(&profile), ["main;f 3", "main;f;h 4"]);
    reader.detail = Detail::Library;
    assert_eq!(reader.folded(&profile), ["prog;a.so 1", "prog;b.so 6"]);
}

#[test]
fn inlined_functions_are_frames_too() {
    let profile = profile(&[("main;f:3<g:7<h:9", 1), ("main;f", 2)]);
    let mut reader = Reader::new("");
    assert_eq!(reader.folded(&profile), ["main;f 2", "main;f;g;h 1"]);
    reader.detail = Detail::Line;
    let path = PathReader::new(&profile, reader.options()).steps(&profile.stacks[0]);
    let shown: Vec<(&str, &str, u32, bool)> = path
        .iter()
        .map(|step| {
            let label = &step.label;
            (&*label.name, &*label.file, label.line, step.is_inlined)
        })
        .collect();
    let expected = [
        ("main", "", 0, false),
        ("f", "f.c", 3, false),
        ("g", "g.c", 7, true),
        ("h", "h.c", 9, true),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn rules_move_numbers_and_lose_none() {
    let stacks = profile(&[
        ("main;run;f;new", 1),
        ("main;run;f;TClass::Get;dict;new", 2),
        ("thread;pool;task;f", 4),
        ("thread;pool;task;g;pool;task;h", 8),
        ("new", 16),
    ]);
    let folded = |rules| Reader::new(rules).folded(&stacks);
    assert_eq!(
        folded("hide new\ncollapse TClass::*\ncut task"),
        [
            "main;run;f 1",
            "main;run;f;TClass::Get 2",
            "new 16",
            "task;f 4",
            "task;h 8"
        ]
    );
    assert_eq!(
        folded("merge-library prog\nkeep h"),
        ["[prog] 23", "[prog];h 8"]
    );
}

#[test]
fn a_cut_below_a_collapsed_frame_is_heard() {
    let stacks = profile(&[("main;init;wait;task;f", 1), ("main;init;dict", 2)]);
    let reader = Reader::new("collapse init\ncut task");
    assert_eq!(reader.folded(&stacks), ["main;init 2", "task;f 1"]);
}

#[test]
fn libraries_can_be_merged_under_one_name() {
    let stacks = profile(&[("main;f@a.so;g@b.so;h@a.so;k", 1)]);
    let mut reader = Reader::new("merge-library *.so -> [framework]");
    assert_eq!(reader.folded(&stacks), ["main;[framework];k 1"]);
    reader.detail = Detail::Line;
    assert_eq!(reader.folded(&stacks), ["main;[framework];k 1"]);
}

#[test]
fn filters_choose_stacks() {
    let stacks = profile(&[
        ("main;read;parse@io.so;new", 1),
        ("main;[fill];read;new", 2),
        ("main;[fill];[inner];fit;read;parse@io.so", 4),
    ]);
    let folded = |filter: Filter| {
        let mut reader = Reader::new("hide new");
        reader.filter = filter;
        reader.folded(&stacks)
    };
    let none = Filter::default;
    assert_eq!(folded(none().focus("^parse$").unwrap()).len(), 2);
    assert_eq!(
        folded(none().ignore("parse").unwrap()),
        ["main;[fill];read 2"]
    );
    assert_eq!(
        folded(none().under("read").unwrap()),
        ["read 2", "read;parse 5"]
    );
    assert_eq!(
        folded(none().module("io*").focus("fit").unwrap()),
        ["main;[fill];[inner];fit;read;parse 4"]
    );
    assert_eq!(folded(none().scope("fill")).len(), 2);
    assert_eq!(folded(none().scope("inn*")).len(), 1);
    assert_eq!(folded(none().scope("fill").ignore("fit").unwrap()).len(), 1);
    // A hidden frame can be asked for.
    assert_eq!(folded(none().focus("new").unwrap()).len(), 2);
    assert!(none().focus("(").is_err());
}

#[test]
fn what_is_asked_to_be_the_root_stays_it() {
    let stacks = profile(&[("main;f;pool;task;g", 1), ("main;f;f;h", 2)]);
    let mut reader = Reader::new("cut task\ncollapse h");
    reader.filter = Filter::default().under("^f$").unwrap();
    assert_eq!(reader.folded(&stacks), ["f;f;h 2", "f;task;g 1"]);
}

#[test]
fn stacks_without_a_path_say_why() {
    let mut stacks = profile(&[("main;f", 1)]);
    let gap = Node {
        parent: 1,
        frame: CUT,
    };
    stacks.nodes.push(gap);
    let at_gap = (stacks.nodes.len() - 1) as u32;
    add_stack(&mut stacks, at_gap, StackKind::Heap, 2);
    add_stack(&mut stacks, ROOT, StackKind::Pooled, 4);
    add_stack(&mut stacks, ROOT, StackKind::Overflow, 8);
    add_stack(&mut stacks, ROOT, StackKind::Heap, 16);
    add_stack(&mut stacks, 1, StackKind::Mapping, 32);
    let reader = Reader::new("");
    assert_eq!(
        reader.folded(&stacks),
        [
            "[lost path] 16",
            "[no room for the path] 8",
            "[pooled: blocks outside the size limits] 4",
            "main;[... frames left out ...] 2",
            "main;f 1",
        ]
    );
    assert!(Reader::new("").folded(&Profile::default()).is_empty());
}

#[test]
fn a_function_may_call_many_others() {
    let names: Vec<String> = (0..1000)
        .map(|it| format!("main;f{};g{it}", it % 50))
        .collect();
    let twice = names.iter().chain(&names);
    let stacks: Vec<(&str, u64)> = twice.map(|name| (name.as_str(), 1)).collect();
    let mut expected: Vec<String> = names.iter().map(|name| format!("{name} 2")).collect();
    expected.sort();
    assert_eq!(Reader::new("").folded(&profile(&stacks)), expected);
    assert_eq!(Reader::new("hide g*").folded(&profile(&stacks)).len(), 50);
}

#[test]
fn recursion_is_counted_once() {
    let profile = profile(&[("main;f;f;g;f", 1), ("main;g", 2), ("main;f;h", 4)]);
    let reader = Reader::new("");
    let tree = CallTree::of(&profile, &reader.options());
    let children = tree.children();
    let own = tree.own(Merge::Sum, |stack| {
        Counter::Calls.value(&profile.stacks[stack])
    });
    let sums = by_function(&tree, &children, &own);
    let mut functions: Vec<(&str, u64, u64)> = (1..tree.labels.len())
        .map(|label| {
            (
                name(&tree, label as u32),
                sums.own[label],
                sums.cumulative[label],
            )
        })
        .filter(|(_, _, cumulative)| *cumulative > 0)
        .collect();
    functions.sort();
    assert_eq!(
        functions,
        [("f", 1, 5), ("g", 2, 3), ("h", 4, 4), ("main", 0, 7)]
    );
    let mut calls: Vec<(&str, &str, u64, u64, u64)> = edges(&tree, &children, &own)
        .iter()
        .map(|edge| {
            (
                name(&tree, edge.caller),
                name(&tree, edge.callee),
                edge.value,
                edge.within_callee,
                edge.within_caller,
            )
        })
        .collect();
    calls.sort();
    assert_eq!(
        calls,
        [
            ("f", "f", 1, 1, 0),
            ("f", "g", 1, 0, 1),
            ("f", "h", 4, 0, 0),
            ("g", "f", 1, 1, 0),
            ("main", "f", 5, 0, 0),
            ("main", "g", 2, 0, 0),
        ]
    );
}

#[test]
fn a_path_of_a_hundred_thousand_calls_is_no_trouble() {
    let mut deep = profile(&[("f", 1)]);
    let frame = deep.nodes[1].frame;
    for parent in 1..100_000 {
        deep.nodes.push(Node { parent, frame });
    }
    deep.stacks[0].node = 100_000;
    let reader = Reader::new("");
    let tree = CallTree::of(&deep, &reader.options());
    let own = tree.own(Merge::Sum, |_| 1);
    let children = tree.children();
    let sums = by_function(&tree, &children, &own);
    assert_eq!(
        (sums.own.last(), sums.cumulative.last()),
        (Some(&0), Some(&0))
    );
    assert_eq!((sums.own[1], sums.cumulative[1]), (1, 1));
    assert_eq!(edges(&tree, &children, &own).len(), 1);
}

#[test]
fn scopes_are_named_by_the_outermost() {
    let profile = profile(&[("main;[a];f;[b];g", 1), ("main;[b];g", 2), ("main;g", 4)]);
    let scopes = outermost_scopes(&profile);
    let of_stack = |stack: usize| scopes[profile.stacks[stack].node as usize];
    assert_eq!([0, 1, 2].map(of_stack), [Some("a"), Some("b"), None]);
}

#[test]
fn control_characters_are_dropped() {
    let profile = profile(&[("a\u{1b}[1mb@lib\n.so", 1)]);
    let tree = CallTree::of(&profile, &Reader::new("").options());
    let label = tree.label(1);
    assert_eq!((&*label.name, &*label.module), ("a[1mb", "lib.so"));
}
