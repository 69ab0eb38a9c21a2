//! Sums whose truth is known.

use residue_profile::timeline::{Moment, MomentKind, Source};
use residue_profile::*;
use residue_testkit::builder::Builder;

use super::merge;

/// A process of two paths, `main > load` and `main > parse`, loaded at some address.
fn process(pid: u32, base: u64, paths: &[(&str, u64)]) -> Profile {
    let mut built = Builder::new();
    for &(name, live) in paths {
        add_stack(&mut built, name, live);
    }
    let mut profile = Profile {
        meta: Meta {
            program: "job".into(),
            pid,
            birth_unit: "event".into(),
            started_unix_ns: 1000 * u64::from(pid),
            duration_ns: 500,
            max_rss_bytes: Some(100),
            ..Meta::default()
        },
        modules: vec![Module {
            path: "/bin/job".into(),
            build_id: "ab".into(),
            start: base,
            end: base + 100,
            bias: base,
        }],
        threads: vec![Thread {
            tid: pid,
            name: "main".into(),
            cpu_ns: 0,
        }],
        ..built.profile
    };
    profile.timeline.about.source = Source::Marks;
    profile.timeline.about.events = 10;
    let last = Moment::unread(MomentKind::Last, 10, 500);
    profile.timeline.moments.push(last);
    profile
}

fn frame(module: ModuleId, address: u64, function: FunctionId) -> Frame {
    Frame {
        module,
        address,
        function,
    }
}

/// `main > name`, at an address that the name decides.
fn add_stack(built: &mut Builder, name: &str, live: u64) {
    let counters = Counters {
        calls: 2,
        frees: 1,
        total_bytes: 2 * live,
        live_bytes: live,
        live_blocks: 1,
        peak_bytes: live,
        at_peak_bytes: live,
        at_peak_blocks: 1,
        reallocs_in_place: 3,
        reallocs_moved: 4,
        temporaries: 5,
        cpu_ns: 0,
        largest_bytes: live,
    };
    built.stack(&format!("main@job;{name}:7@job"), counters);
    let profile = &mut built.profile;
    profile
        .sizes_total
        .push_row([SizeBin { bits: 5, blocks: 2 }]);
    profile
        .sizes_live
        .push_row([SizeBin { bits: 5, blocks: 1 }]);
    profile.births.push_row([BirthBin {
        birth: 3,
        blocks: 1,
        bytes: live,
    }]);
    profile.by_thread.push_row([ThreadCounters {
        thread: 0,
        calls: 2,
        total_bytes: 2 * live,
        frees: 1,
        net_bytes: live as i64,
        cpu_ns: 0,
        largest_bytes: live,
    }]);
    profile.heap.calls += 2;
    profile.heap.live_bytes += live;
    profile.heap.peak_bytes += live;
    profile.recorder.captures += 2;
}

/// Every stack by its names, root first, with its live bytes.
fn live_by_path(profile: &Profile) -> Vec<(String, u64)> {
    let name = |frame: FrameId| {
        let frame = profile.frames[frame as usize];
        profile.functions[frame.function as usize].clone()
    };
    let mut paths: Vec<(String, u64)> = profile
        .stacks
        .iter()
        .map(|stack| {
            let names = profile.frames_leaf_first(stack.node).map(name);
            let mut names: Vec<String> = names.collect();
            names.reverse();
            (names.join(" "), stack.counters.live_bytes)
        })
        .collect();
    paths.sort();
    paths
}

#[test]
fn equal_paths_are_added_wherever_they_were_loaded() {
    let sum = merge(vec![
        process(1, 0x1000, &[("load", 100), ("parse", 30)]),
        process(2, 0x7000, &[("parse", 12), ("draw", 1)]),
    ]);
    let expected = [("main draw", 1), ("main load", 100), ("main parse", 42)];
    let expected = expected.map(|(path, live)| (path.to_string(), live));
    assert_eq!(live_by_path(&sum), expected);
    assert_eq!(sum.modules.len(), 1);
    assert_eq!(sum.modules[0].start, 0x1000);
    assert_eq!(sum.files, ["load.c", "parse.c", "draw.c"]);
    assert_eq!(sum.frames.len(), 4);
    assert_eq!(sum.nodes.len(), 5);
    let parse = sum.frames.iter().position(|frame| frame.function == 2);
    let place = SourcePlace {
        function: 2,
        file: 1,
        line: 7,
    };
    assert_eq!(sum.places.row(parse.unwrap()), [place]);
    let mut again = sum.clone();
    assert_eq!(again.repair(), []);
    assert_eq!(decode(&encode(&sum).unwrap()).unwrap(), sum);
}

#[test]
fn largest_blocks_are_known_where_all_know_them() {
    let processes = || [("load", 100), ("load", 1)].map(|stack| process(1, 0, &[stack]));
    assert!(merge(processes().to_vec()).has_largest);
    let [mut older, newer] = processes();
    older.has_largest = false;
    let sum = merge(vec![newer, older]);
    assert!(!sum.has_largest);
    assert_eq!(sum.stacks[0].counters.largest_bytes, 0);
}

#[test]
fn every_number_is_added() {
    let sum = merge(vec![
        process(1, 0, &[("load", 100)]),
        process(2, 0, &[("load", 1)]),
        process(3, 0, &[("load", 10)]),
    ]);
    let counters = Counters {
        calls: 6,
        frees: 3,
        total_bytes: 222,
        live_bytes: 111,
        live_blocks: 3,
        peak_bytes: 111,
        at_peak_bytes: 111,
        at_peak_blocks: 3,
        reallocs_in_place: 9,
        reallocs_moved: 12,
        temporaries: 15,
        cpu_ns: 0,
        // Not added: the largest of the three.
        largest_bytes: 100,
    };
    assert_eq!(sum.stacks.len(), 1);
    assert_eq!(sum.stacks[0].counters, counters);
    assert_eq!(sum.sizes_total.row(0), [SizeBin { bits: 5, blocks: 6 }]);
    assert_eq!(sum.sizes_live.row(0), [SizeBin { bits: 5, blocks: 3 }]);
    let birth = BirthBin {
        birth: 3,
        blocks: 3,
        bytes: 111,
    };
    assert_eq!(sum.births.row(0), [birth]);
    let threads: Vec<u32> = sum.threads.iter().map(|thread| thread.tid).collect();
    assert_eq!(threads, [1, 2, 3]);
    let by_thread = sum.by_thread.row(0).iter();
    let by_thread: Vec<_> = by_thread.map(|row| (row.thread, row.net_bytes)).collect();
    assert_eq!(by_thread, [(0, 100), (1, 1), (2, 10)]);
    assert_eq!((sum.heap.calls, sum.heap.live_bytes), (6, 111));
    assert_eq!(sum.recorder.captures, 6);
    assert_eq!(sum.timeline.about.events, 30);
    assert!(sum.timeline.moments.is_empty());
}

#[test]
fn the_order_changes_nothing_but_the_order_of_tables() {
    let profiles = || {
        vec![
            process(1, 0, &[("load", 100), ("parse", 30)]),
            process(2, 64, &[("draw", 3), ("parse", 7)]),
        ]
    };
    let forward = merge(profiles());
    let mut turned = profiles();
    turned.reverse();
    let backward = merge(turned);
    assert_eq!(live_by_path(&forward), live_by_path(&backward));
    assert_eq!(forward.heap, backward.heap);
    assert_eq!(forward.recorder, backward.recorder);
    assert_eq!(forward.meta.started_unix_ns, 1000);
    assert_eq!(backward.meta.started_unix_ns, 1000);
    assert_eq!(forward.meta.duration_ns, 1500);
    assert_eq!(backward.meta.duration_ns, 1500);
    assert_eq!(forward, merge(profiles()));
}

#[test]
fn one_alone_is_returned_as_it_is() {
    let one = process(1, 0, &[("load", 100)]);
    assert_eq!(merge(vec![one.clone()]), one);
    assert_eq!(merge(Vec::new()).stacks, []);
}

#[test]
fn the_notes_say_what_was_added() {
    let mut other = process(2, 0, &[("load", 1)]);
    other.meta.program = "tool".into();
    other.meta.notes.push("something was lost".into());
    other.meta.birth_unit = "second".into();
    other.meta.options.max_depth = 9;
    let sum = merge(vec![process(1, 0, &[("load", 1)]), other]);
    assert_eq!(sum.meta.program, "several programs");
    assert_eq!(sum.meta.pid, 0);
    assert_eq!(sum.meta.max_rss_bytes, Some(200));
    assert_eq!(sum.births.items(), []);
    let expected = [
        "the sum of 2 profiles: job (pid 1), tool (pid 2)",
        "peaks are sums of peaks that need not have been at the same time",
        "a sum has no timeline: moments of different runs do not add up",
        "births are left out: the profiles count them in different ways",
        "the profiles were recorded with different options",
        "1 of 2: something was lost",
    ];
    assert_eq!(sum.meta.notes, expected);
}

#[test]
fn names_outside_modules_are_the_same_at_any_address() {
    let with_jit = |address: u64, name: Option<&str>| {
        let mut profile = process(1, 0, &[("load", 1)]);
        let function = match name {
            Some(name) => {
                profile.functions.push(name.into());
                profile.functions.len() as u32 - 1
            }
            None => NONE,
        };
        let last = profile.frames.len() - 1;
        profile.frames[last] = frame(NONE, address, function);
        profile
    };
    let named = merge(vec![
        with_jit(16, Some("[scope]")),
        with_jit(32, Some("[scope]")),
    ]);
    assert_eq!(named.stacks.len(), 1);
    let unnamed = merge(vec![with_jit(16, None), with_jit(32, None)]);
    assert_eq!(unnamed.stacks.len(), 2);
}

#[test]
fn sums_that_are_too_large_stay_at_the_largest() {
    let huge = || process(1, 0, &[("load", u64::MAX / 2)]);
    let mut one = huge();
    one.stacks[0].counters.live_bytes = u64::MAX;
    let sum = merge(vec![one, huge()]);
    assert_eq!(sum.stacks[0].counters.live_bytes, u64::MAX);
}

#[test]
fn ids_that_point_nowhere_become_none() {
    let mut broken = process(1, 0, &[("load", 5)]);
    broken.stacks[0].node = 77;
    broken.frames[0].module = 9;
    broken.nodes[1].parent = 1;
    let mut sum = merge(vec![broken, process(2, 0, &[])]);
    assert_eq!(sum.stacks[0].node, ROOT);
    assert_eq!(sum.repair(), []);
}

#[test]
fn many_rows_are_put_together_on_the_way() {
    let names: Vec<String> = (0..5000).map(|index| format!("f{index}")).collect();
    let paths: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), 1)).collect();
    let profiles = (1..=30).map(|pid| process(pid, 0, &paths)).collect();
    let sum = merge(profiles);
    assert_eq!(sum.stacks.len(), 5000);
    assert_eq!(sum.sizes_total.rows(), 5000);
    for stack in 0..5000 {
        assert_eq!(
            sum.sizes_total.row(stack),
            [SizeBin {
                bits: 5,
                blocks: 60
            }]
        );
        assert_eq!(sum.by_thread.row(stack).len(), 30);
    }
}
