//! Whatever is left out, the rows of a file add up to the ledger; and nothing is in
//! another place than where the page finds it with a server.

use std::collections::BTreeMap;

use residue_analysis::history::EventRange;
use residue_calltree::{CallTree, Detail, NOT_SHOWN};
use residue_profile::timeline::{Allocated, Change, CpuTime, EventNumber};
use residue_profile::{Counter, Measured, MemoryKind, Profile, Ragged, SourcePlace, StackKind};
use residue_testkit::synthetic::{self, Spec};
use serde_json::Value;

use super::*;
use crate::choice::Names;
use crate::moment_view::measured;
use residue_testkit::sample;

/// Everything.
const NO_LIMITS: Limits = Limits {
    rows: usize::MAX,
    row_bytes: usize::MAX,
    begins: usize::MAX,
    spent_bytes: usize::MAX,
    spent_bytes_per_row: 0,
    churn_rows: usize::MAX,
    held_rows: usize::MAX,
    held_bytes: usize::MAX,
    falling: usize::MAX,
    details: usize::MAX,
    detail_bytes: usize::MAX,
};
const FEW_ROWS: Limits = Limits {
    rows: 7,
    ..NO_LIMITS
};
const FEW_BYTES: Limits = Limits {
    row_bytes: 21_000,
    ..NO_LIMITS
};
const ALL_LIMITS: [Limits; 4] = [Limits::USUAL, NO_LIMITS, FEW_ROWS, FEW_BYTES];

/// Few functions that call each other from many lines; in some of the calls another one
/// was inlined, so that stacks of one group have different paths.
fn profile() -> Profile {
    let mut profile = synthetic::profile(&Spec {
        stacks: 300,
        events: 40,
        modules: 3,
        functions: 20,
        depth: 4,
        threads: 1,
        // Two rows nearly fill `FEW_BYTES`, and what is left over has two kinds.
        seed: 4,
        long_names: false,
    });
    let mut places = Ragged::default();
    for (index, frame) in profile.frames.iter_mut().enumerate() {
        frame.function %= 4;
        frame.module = 0;
        let own = SourcePlace {
            function: frame.function,
            file: 0,
            line: 1 + index as u32,
        };
        let inlined = SourcePlace { function: 5, ..own };
        places.push_row(match index % 3 {
            0 => vec![inlined, own],
            _ => vec![own],
        });
    }
    profile.places = places;
    profile
}

fn open(profile: Profile) -> Opened {
    let name = "a.residue".to_string();
    Opened::new(name, profile, Names::short())
}

/// As the page reads it.
fn file(opened: &Opened, limits: &Limits) -> Value {
    serde_json::to_value(FileRows::of(opened, limits).unwrap()).unwrap()
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap()
}

/// Parts with the kinds of their rows.
fn parts(file: &Value) -> impl Iterator<Item = (&str, &Value)> {
    list(&file["rows"]).iter().flat_map(|row| {
        let kind = row["row"]["kind"].as_str().unwrap();
        list(&row["parts"]).iter().map(move |part| (kind, part))
    })
}

fn is_of(kind: MemoryKind, name: &str) -> bool {
    match kind {
        MemoryKind::All => true,
        MemoryKind::Heap => ["heap", "pooled", "overflow"].contains(&name),
        MemoryKind::Mapping | MemoryKind::Reported | MemoryKind::Cpu => kind.name() == name,
    }
}

fn counter(part: &Value, counter: Counter) -> u64 {
    let place = Counter::ALL.iter().position(|it| *it == counter).unwrap();
    part["counters"][place].as_u64().unwrap()
}

/// The numbers of a part's course in places, both included: each place with so many numbers.
fn sums<const N: usize>(course: &Value, places: (i64, i64)) -> [i64; N] {
    let numbers: Vec<i64> = list(course)
        .iter()
        .map(|number| number.as_i64().unwrap())
        .collect();
    let steps = numbers.chunks_exact(1 + N);
    let mut inside = [0; N];
    for step in steps.filter(|step| (places.0..=places.1).contains(&step[0])) {
        for (sum, more) in inside.iter_mut().zip(&step[1..]) {
            *sum += more;
        }
    }
    inside
}

/// What a part's bytes and blocks changed by in places, both included.
fn changed(part: &Value, places: (i64, i64)) -> (i64, i64) {
    let [bytes, blocks] = sums(&part["changes"], places);
    (bytes, blocks)
}

#[test]
fn counters_of_all_rows_are_those_of_the_ledger() {
    for profile in [profile(), sample::profile()] {
        let opened = open(profile);
        for limits in ALL_LIMITS {
            let file = file(&opened, &limits);
            for kind in MemoryKind::ALL {
                let stacks = opened.profile.stacks.iter();
                let meant: Vec<_> = stacks.filter(|stack| kind.holds(stack.kind)).collect();
                for of in Counter::ALL {
                    let expected = of.merge().all(meant.iter().map(|stack| of.value(stack)));
                    let seen = parts(&file)
                        .filter(|(name, _)| is_of(kind, name))
                        .map(|(_, part)| counter(part, of));
                    let seen = of.merge().all(seen);
                    assert_eq!(seen, expected, "{of:?} of {kind:?} with {limits:?}");
                }
                let live: u64 = meant.iter().map(|stack| stack.counters.live_bytes).sum();
                let shown = list(&file["rows"]).iter().map(|row| &row["row"]);
                let shown = shown.filter(|row| is_of(kind, row["kind"].as_str().unwrap()));
                let shown: u64 = shown.map(|row| row["live_bytes"].as_u64().unwrap()).sum();
                assert_eq!(shown, live, "rows of {kind:?} with {limits:?}");
            }
        }
    }
}

/// What a range is to the page: the places from the begin of its first event on.
fn places(range: EventRange) -> (i64, i64) {
    (i64::from(range.from) - 1, i64::from(range.to) - 1)
}

#[test]
fn changes_of_all_rows_are_those_of_the_ledger() {
    let opened = open(profile());
    let stacks = &opened.profile.stacks;
    for limits in ALL_LIMITS {
        let file = file(&opened, &limits);
        let begins: Vec<EventNumber> = serde_json::from_value(file["begins"].clone()).unwrap();
        assert_eq!(begins, (1..=40).collect::<Vec<EventNumber>>());
        for (from, to) in [(1, 40), (11, 20), (17, 17), (40, 40)] {
            let range = EventRange { from, to };
            let live = opened.live(opened.span(Some(range)).unwrap());
            for kind in MemoryKind::ALL {
                let meant = live.iter().zip(stacks);
                let meant = meant.filter(|(_, stack)| kind.holds(stack.kind));
                let expected = meant.fold((0, 0), |(bytes, blocks), (live, _)| {
                    (bytes + live.bytes, blocks + live.blocks)
                });
                let of_kind = parts(&file).filter(|(name, _)| is_of(kind, name));
                let seen = of_kind.fold((0, 0), |(bytes, blocks), (_, part)| {
                    let more = changed(part, places(range));
                    (bytes + more.0, blocks + more.1)
                });
                assert_eq!(seen, expected, "{range:?} of {kind:?} with {limits:?}");
            }
        }
        let whole = parts(&file).map(|(_, part)| changed(part, (-1, 40)).0);
        let all: i64 = opened
            .profile
            .timeline
            .changes
            .iter()
            .map(|it| it.bytes)
            .sum();
        assert_eq!(whole.sum::<i64>(), all);
    }
}

/// The same with what was allocated at every second begin and at the end, and with CPU time at
/// every moment.
fn spending() -> Profile {
    let mut profile = profile();
    for stack in profile.stacks.iter_mut().step_by(10) {
        stack.kind = StackKind::Cpu;
    }
    let timeline = &mut profile.timeline;
    let last_end = timeline.last_end();
    let mut number = 0;
    for (id, moment) in timeline.moments.iter_mut().enumerate() {
        let is_second = moment.kind.is_begin() && moment.event % 2 == 1;
        moment.has_totals = is_second || last_end == Some(id as u32);
        for _ in 0..20 {
            number += 1;
            timeline
                .allocated
                .extend(moment.has_totals.then_some(Allocated {
                    moment: id as u32,
                    stack: 1 + number % 9,
                    calls: u64::from(number),
                    bytes: 16 * u64::from(number),
                    temporaries: 1,
                }));
            timeline.cpu.push(CpuTime {
                moment: id as u32,
                stack: number % 9 * 10,
                ns: 10_101_010,
            });
        }
    }
    profile
}

#[test]
fn what_was_allocated_and_used_in_ranges_is_that_of_the_ledger() {
    let opened = open(spending());
    for limits in [NO_LIMITS, FEW_ROWS] {
        let file = file(&opened, &limits);
        let second: Vec<i64> = (0..=40).step_by(2).collect();
        assert_eq!(file["allocated_at"], serde_json::json!(second));
        assert_eq!(list(&file["cpu_at"]).len(), 41);
        for (from, to) in [(1, 40), (11, 20), (21, 22), (39, 40)] {
            let range = EventRange { from, to };
            let span = opened.span(Some(range)).unwrap();
            assert_eq!(measured(&opened.profile, span), Measured::WithTotals);
            let live = opened.live(span);
            let expected = |counter| live.iter().map(|it| it.value(counter)).sum::<i64>();
            let mut made = [0; 3];
            let mut cpu_ns = 0;
            for (_, part) in parts(&file) {
                let more: [i64; 3] = sums(&part["allocated"], places(range));
                made = std::array::from_fn(|at| made[at] + more[at]);
                cpu_ns += sums::<1>(&part["cpu"], places(range))[0];
            }
            let counters = [Counter::Calls, Counter::Total, Counter::Temporaries];
            assert_eq!(made, counters.map(expected), "{range:?} with {limits:?}");
            assert_eq!(cpu_ns, expected(Counter::Cpu), "{range:?} with {limits:?}");
            assert!(made[0] > 0 && cpu_ns > 0);
        }
    }
}

#[test]
fn what_was_allocated_and_used_takes_no_more_bytes_than_it_may() {
    let opened = open(spending());
    let of = |spent_bytes| {
        let limits = Limits {
            spent_bytes,
            ..NO_LIMITS
        };
        (
            file(&opened, &limits),
            FileRows::of(&opened, &limits).unwrap(),
        )
    };
    let (whole, all) = of(usize::MAX);
    const MOST: usize = 1000;
    let (few, some) = of(MOST);
    let bytes = |file: &Value, name: &str| -> usize {
        let courses = parts(file).map(|(_, part)| part[name].to_string().len() - "[]".len());
        courses.sum()
    };
    for (name, ends) in [("allocated", "allocated_at"), ("cpu", "cpu_at")] {
        assert!(
            bytes(&whole, name) > MOST && bytes(&few, name) <= MOST,
            "{name}"
        );
        let (known, kept) = (list(&whole[ends]), list(&few[ends]));
        assert!(kept.len() > 1 && kept.len() < known.len(), "{ends}");
        assert_eq!((kept.first(), kept.last()), (known.first(), known.last()));
        assert!(kept.iter().all(|end| known.contains(end)));
    }
    let said = |rows: &FileRows| rows.left_out().join("\n");
    assert!(!said(&all).contains("from event to event"));
    assert!(
        said(&some).contains("What was allocated from event to event is in it")
            && said(&some).contains("CPU time from event to event is in it")
    );
}

/// Values by names and libraries of a path.
type ByPath = BTreeMap<Vec<(String, String)>, u64>;

fn of_tree(tree: &CallTree, of_stack: impl Fn(usize) -> u64) -> ByPath {
    let mut sums = ByPath::new();
    for (stack, &node) in tree.node_of_stack.iter().enumerate() {
        assert_ne!(node, NOT_SHOWN);
        let path = tree.path(node).into_iter().map(|node| {
            let label = tree.label(node);
            (label.name.to_string(), label.module.to_string())
        });
        *sums.entry(path.collect()).or_default() += of_stack(stack);
    }
    sums
}

fn of_file(file: &Value, table: &str, path: &str, of_part: impl Fn(&Value) -> u64) -> ByPath {
    let mut sums = ByPath::new();
    for (_, part) in parts(file) {
        let labels = list(&part[path]).iter().map(|number| {
            let label = &file[table][number.as_u64().unwrap() as usize];
            let text = |name: &str| label[name].as_str().unwrap().to_string();
            (text("name"), text("library"))
        });
        *sums.entry(labels.collect()).or_default() += of_part(part);
    }
    sums
}

#[test]
fn every_part_stands_where_the_flame_graph_has_it() {
    let opened = open(profile());
    let file = file(&opened, &NO_LIMITS);
    let paths_of = |row: &Value| {
        let mut paths: Vec<&Value> = list(&row["parts"]).iter().map(|it| &it["path"]).collect();
        paths.dedup();
        paths.len()
    };
    assert!(list(&file["rows"]).iter().any(|row| paths_of(row) > 1));
    let range = EventRange { from: 11, to: 20 };
    let live = opened.live(opened.span(Some(range)).unwrap());
    for (detail, table, path) in [
        (Detail::Function, "labels", "path"),
        (Detail::Library, "libraries", "by_library"),
    ] {
        let tree = &opened.tree(detail).tree;
        for of in Counter::SUMS {
            let value = |stack: usize| of.value(&opened.profile.stacks[stack]);
            let seen = of_file(&file, table, path, |part| counter(part, of));
            assert!(seen == of_tree(tree, value), "{of:?} by {detail:?}");
        }
        // What grew and what fell, each by itself.
        for sign in [1, -1] {
            let part_of = |value: i64| (sign * value).max(0).unsigned_abs();
            let seen = of_file(&file, table, path, |part| {
                part_of(changed(part, places(range)).0)
            });
            let expected = of_tree(tree, |stack| part_of(live[stack].bytes));
            assert!(expected.values().sum::<u64>() > 0);
            assert!(seen == expected, "{sign} by {detail:?}");
        }
    }
}

#[test]
fn stacks_that_fall_have_parts_of_their_own_while_they_are_few() {
    let mut profile = sample::profile();
    // Three stacks of one path: one only grows, two take turns.
    profile.stacks.truncate(1);
    let [stack] = profile.stacks[..] else {
        panic!("the sample has a stack");
    };
    profile.stacks.extend([stack, stack]);
    profile.timeline = synthetic::profile(&Spec {
        stacks: 3,
        events: 2,
        modules: 2,
        functions: 4,
        depth: 2,
        threads: 1,
        seed: 1,
        long_names: false,
    })
    .timeline;
    let begins = range_begins(&profile);
    let change = |place: usize, stack: u32, bytes: i64| Change {
        moment: begins[place] + 1,
        stack,
        bytes,
        blocks: bytes.signum(),
    };
    profile.timeline.changes = vec![
        change(0, 0, 5),
        change(0, 1, 30),
        change(1, 0, 7),
        change(1, 1, -30),
        change(1, 2, 20),
    ];
    let opened = open(profile);
    let changes = |falling: usize| {
        let limits = Limits {
            falling,
            ..NO_LIMITS
        };
        let file = file(&opened, &limits);
        let changes = parts(&file).map(|(_, part)| part["changes"].to_string());
        changes.collect::<Vec<String>>()
    };
    let apart = ["[0,5,1,1,27,2]", "[0,30,1,1,-30,-1]"];
    assert_eq!(changes(1), apart);
    assert_eq!(changes(0), ["[0,35,2,1,-3,1]"]);
}

fn range_begins(profile: &Profile) -> Vec<u32> {
    let begins = profile.timeline.event_begins();
    begins.into_iter().map(|(_, moment)| moment).collect()
}

#[test]
fn where_no_event_was_measured_rows_are_there_all_the_same() {
    let mut profile = profile();
    // Killed in the first event.
    profile.timeline.moments.truncate(1);
    profile.timeline.changes.retain(|change| change.moment < 1);
    let opened = open(profile);
    assert!(opened.span(Some(EventRange { from: 1, to: 1 })).is_err());
    let rows = FileRows::of(&opened, &NO_LIMITS).unwrap();
    assert_eq!(rows.rows.len(), opened.groups().count());
}

#[test]
fn what_does_not_fit_is_one_row_of_each_kind_and_said() {
    let opened = open(profile());
    let whole = FileRows::of(&opened, &NO_LIMITS).unwrap();
    let groups = opened.groups().count();
    assert_eq!((whole.rows.len(), whole.stacks.len()), (groups, groups));
    let unseen = "Source lines, threads, and the verdict and churn of single ranges are not in \
                  this file: `residue view` shows them.";
    assert_eq!(whole.left_out(), [unseen]);

    let limits = Limits {
        begins: 20,
        ..FEW_ROWS
    };
    let few = FileRows::of(&opened, &limits).unwrap();
    assert_eq!(few.stacks().count(), 7);
    let first = format!(
        "This file holds the 7 call paths of {groups} that matter most by growth, live, total, \
         calls and peaks; the others are one row for each kind of memory."
    );
    let second = "What stacks hold is in it at 20 of 40 begins of events: ranges end at these.";
    assert_eq!(few.left_out(), [&first, second, unseen]);

    let file = file(&opened, &FEW_ROWS);
    let rest: Vec<&Value> = list(&file["rows"])
        .iter()
        .filter(|row| row["is_rest"] == true)
        .map(|row| &row["row"])
        .collect();
    let kinds: Vec<(i64, &str)> = rest
        .iter()
        .map(|row| {
            (
                row["stack"].as_i64().unwrap(),
                row["kind"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(kinds, [(-1, "heap"), (-2, "mapping")]);
    let lines: u64 = rest.iter().map(|row| row["lines"].as_u64().unwrap()).sum();
    assert_eq!(lines, groups as u64 - 7);
}

fn written_bytes(value: &impl Serialize) -> usize {
    to_script_json(value).unwrap().len()
}

#[test]
fn rows_take_no_more_bytes_than_they_may() {
    let opened = open(profile());
    let few = FileRows::of(&opened, &FEW_BYTES).unwrap();
    let shown = few.stacks.len();
    assert!(shown > 0 && shown < opened.groups().count());
    let bytes_of_rows = few.rows[..shown].iter().map(written_bytes);
    let rows: usize = bytes_of_rows.sum();
    assert!(rows <= FEW_BYTES.row_bytes, "{rows} bytes");
    let all = rows + written_bytes(&few.labels) + written_bytes(&few.libraries);
    assert!(all > FEW_BYTES.row_bytes * 9 / 10);
    assert!(all < FEW_BYTES.row_bytes + 1000);
    // Nothing of what did not fit is left in the tables.
    let file = file(&opened, &FEW_BYTES);
    for (table, path) in [("labels", "path"), ("libraries", "by_library")] {
        let used = parts(&file).flat_map(|(_, part)| list(&part[path]));
        let mut used: Vec<u64> = used.map(|number| number.as_u64().unwrap()).collect();
        used.sort_unstable();
        used.dedup();
        let all: Vec<u64> = (0..list(&file[table]).len() as u64).collect();
        assert_eq!(used, all, "{table}");
    }
}
