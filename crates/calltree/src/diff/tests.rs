//! Differences whose truth is known.

use std::collections::BTreeMap;

use super::*;

fn label(name: &str) -> Label {
    Label {
        name: Arc::from(name),
        module: Arc::from(""),
        file: Arc::from(""),
        line: 0,
        is_framework: false,
    }
}

/// A tree from paths, `main load`, and the numbers at their ends.
fn tree(paths: &[(&str, i64)]) -> (CallTree, Vec<i64>) {
    let mut tree = CallTree {
        labels: vec![label("")],
        nodes: vec![CallNode {
            parent: TREE_ROOT,
            label: 0,
        }],
        node_of_stack: Vec::new(),
    };
    let mut own = vec![0];
    for (path, value) in paths {
        let mut at = TREE_ROOT;
        for name in path.split(' ') {
            let known = tree.labels.iter().position(|label| &*label.name == name);
            let label = known.unwrap_or_else(|| {
                tree.labels.push(label(name));
                tree.labels.len() - 1
            }) as LabelId;
            let node = CallNode { parent: at, label };
            let known = tree.nodes.iter().skip(1).position(|it| *it == node);
            at = known.map(|place| place + 1).unwrap_or_else(|| {
                tree.nodes.push(node);
                own.push(0);
                tree.nodes.len() - 1
            }) as CallNodeId;
        }
        own[at as usize] += value;
    }
    (tree, own)
}

/// Two trees as one, and its numbers.
struct Compared {
    tree: JoinedTree,
    own: Vec<Pair>,
}

fn compare(before: &[(&str, i64)], after: &[(&str, i64)]) -> Compared {
    compare_moved(before, after, |_| false)
}

fn compare_moved(
    before: &[(&str, i64)],
    after: &[(&str, i64)],
    is_moved: impl Fn(&str) -> bool,
) -> Compared {
    let ((before, own_before), (after, own_after)) = (tree(before), tree(after));
    let tree = JoinedTree::of(&before, &after, is_moved);
    let own = tree.pairs(&own_before, &own_after);
    Compared { tree, own }
}

fn pairs(compared: &Compared) -> BTreeMap<String, (i64, i64)> {
    let own = compared.own.iter().enumerate();
    own.filter(|(_, pair)| **pair != Pair::default())
        .map(|(node, pair)| {
            let path = compared.tree.path_leaf_first(node as CallNodeId);
            let mut names: Vec<&str> = path.map(|label| &*label.name).collect();
            names.reverse();
            (names.join(" "), (pair.before, pair.after))
        })
        .collect()
}

fn expected(rows: &[(&str, (i64, i64))]) -> BTreeMap<String, (i64, i64)> {
    let rows = rows.iter();
    rows.map(|(path, pair)| (path.to_string(), *pair)).collect()
}

#[test]
fn nodes_are_joined_by_name_whatever_their_numbers() {
    let compared = compare(
        &[("main load new", 10), ("main parse", 5), ("main", 1)],
        &[
            ("start up", 7),
            ("main draw", 3),
            ("main load new", 12),
            ("main", 1),
        ],
    );
    let rows = [
        ("main", (1, 1)),
        ("main draw", (0, 3)),
        ("main load new", (10, 12)),
        ("main parse", (5, 0)),
        ("start up", (0, 7)),
    ];
    assert_eq!(pairs(&compared), expected(&rows));
}

#[test]
fn every_node_is_followed_by_all_below_it() {
    let compared = compare(
        &[("a b c", 1), ("a d", 1), ("e", 1)],
        &[("a b f", 1), ("g h", 1), ("a d i", 1)],
    );
    let nodes = &compared.tree.nodes;
    for (index, node) in nodes.iter().enumerate().skip(1) {
        assert!((node.parent as usize) < index);
        // Whatever stands between a node and its parent is below the parent.
        for between in node.parent + 1..index as u32 {
            let mut at = between;
            while at > node.parent {
                at = nodes[at as usize].parent;
            }
            assert_eq!(at, node.parent);
        }
    }
}

#[test]
fn functions_count_once_on_a_path() {
    let compared = compare(
        &[("main f g f", 10), ("main f", 1)],
        &[("main f g f", 14), ("main g", 2)],
    );
    let sums = compared.tree.by_label(&compared.own);
    let of = |name: &str| {
        let mut labels = compared.tree.labels.iter();
        let place = labels.position(|label| &*label.name == name).unwrap();
        (sums.own[place], sums.cumulative[place])
    };
    assert_eq!(of("main"), (Pair::new(0, 0), Pair::new(11, 16)));
    assert_eq!(of("f"), (Pair::new(11, 14), Pair::new(11, 14)));
    assert_eq!(of("g"), (Pair::new(0, 2), Pair::new(10, 16)));
}

#[test]
fn labels_that_read_the_same_are_one() {
    let (mut before, own) = tree(&[("main f", 1), ("main g", 2)]);
    let place = before.labels.iter().position(|it| &*it.name == "g");
    before.labels[place.unwrap()] = Label {
        is_framework: true,
        ..label("f")
    };
    let (after, own_after) = tree(&[("main f", 9)]);
    let tree = JoinedTree::of(&before, &after, |_| false);
    let own = tree.pairs(&own, &own_after);
    let compared = Compared { tree, own };
    assert_eq!(pairs(&compared), expected(&[("main f", (3, 9))]));
}

#[test]
fn addresses_without_names_are_compared_only_where_code_did_not_move() {
    let before = [
        ("main lib.so+0x10", 1),
        ("main so.so+0x7f", 2),
        ("[jit]_0x10", 4),
    ];
    let after = [
        ("main lib.so+0x20", 5),
        ("main so.so+0x7f", 6),
        ("[jit]_0x10", 4),
    ];
    let compared = compare_moved(&before, &after, |module| module == "lib.so");
    let rows = [
        ("[jit]_0x10", (4, 4)),
        ("main lib.so+?", (1, 5)),
        ("main so.so+0x7f", (2, 6)),
    ];
    assert_eq!(pairs(&compared), expected(&rows));
    let all_moved = |_: &str| true;
    assert_eq!(comparable("[jit] 0x7f00", &all_moved), "[jit]");
    assert_eq!(comparable("a.so+0xzz", &all_moved), "a.so+0xzz");
    assert_eq!(comparable("a.so+0x", &all_moved), "a.so+0x");
    assert_eq!(comparable("f<0x10>", &all_moved), "f<0x10>");
}

#[test]
fn classes_tell_what_became_of_a_number() {
    let class = |before, after| Scale::ABSOLUTE.class(Pair::new(before, after));
    assert_eq!(class(0, 5), Some(Class::New));
    assert_eq!(class(5, 0), Some(Class::Gone));
    assert_eq!(class(5, 6), Some(Class::Grown));
    assert_eq!(class(6, 5), Some(Class::Shrunk));
    assert_eq!(class(5, 5), None);
    assert_eq!(class(-3, 0), Some(Class::Grown));
    assert_eq!(class(0, -3), Some(Class::Shrunk));
}

#[test]
fn growth_and_fall_are_kept_apart() {
    let pairs = [(100, 200), (200, 100), (0, 0), (7, 7), (0, 300)];
    let numbered = pairs.iter().enumerate();
    let numbered = numbered.map(|(id, &(before, after))| (id as u32, Pair::new(before, after)));
    let (rows, sums) = Sums::of(numbered, Scale::ABSOLUTE);
    assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), [4, 0, 1]);
    assert_eq!((sums.before, sums.after), (307, 607));
    assert_eq!((sums.growth, sums.fall, sums.net()), (400, 100, 300));
    assert_eq!(sums.rows, [1, 1, 1, 0]);
    assert_eq!(sums.unchanged, 1);
    let shares: Vec<f64> = rows.iter().map(|row| sums.share(row.weight)).collect();
    assert_eq!(shares, [0.75, 0.25, 1.0]);
}

#[test]
fn runs_of_different_length_are_compared_by_event() {
    let scale = Scale::per_event(100, 300).unwrap();
    let even = Pair::new(1000, 3000);
    assert_eq!(scale.class(even), None);
    let less = Pair::new(1000, 2999);
    assert_eq!(scale.class(less), Some(Class::Shrunk));
    assert_eq!(scale.weigh(less), -100);
    assert_eq!(scale.before(less), 10.0);
    assert_eq!(scale.delta(Pair::new(1000, 6000)), 10.0);
    assert_eq!(Scale::per_event(0, 5), None);
}

#[test]
fn the_largest_numbers_do_not_overflow() {
    let pair = Pair::new(i64::MIN, i64::MAX);
    assert_eq!(pair.delta(), i128::from(u64::MAX));
    let scale = Scale::per_event(u64::MAX, u64::MAX).unwrap();
    assert_eq!(scale.class(pair), Some(Class::Grown));
    let many = std::iter::repeat_n((0, pair), 3);
    let (_, sums) = Sums::of(many, scale);
    assert!(sums.growth > 0 && sums.net() > 0);
}

#[test]
fn own_values_leave_out_what_is_not_shown() {
    let (mut tree, _) = tree(&[("main f", 0)]);
    tree.node_of_stack = vec![2, NOT_SHOWN, 2, 1];
    let values = [-3, 100, 5, 7];
    assert_eq!(own_values(&tree, |stack| values[stack]), [0, 7, 2]);
}
