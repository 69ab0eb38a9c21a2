//! Profiles of any content, sensible or not.

use proptest::collection::vec;
use proptest::prelude::*;
use residue_profile::*;

use super::arbitrary_timeline;

pub fn number() -> impl Strategy<Value = u64> {
    prop_oneof![0..200u64, any::<u64>()]
}

pub fn id() -> impl Strategy<Value = u32> {
    prop_oneof![Just(NONE), Just(CUT), 0..50u32, any::<u32>()]
}

pub fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-zA-Z0-9_/.]{0,12}", any::<String>()]
}

fn end() -> impl Strategy<Value = End> {
    prop_oneof![
        Just(End::Unknown),
        Just(End::Running),
        Just(End::Exec),
        any::<i32>().prop_map(|code| End::Exited { code }),
        any::<i32>().prop_map(|signal| End::Killed { signal }),
    ]
}

prop_compose! {
    fn meta()(
        texts in proptest::array::uniform8(text()),
        lists in (vec(text(), 0..4), vec(text(), 0..4)),
        ids in any::<(u32, u32, u32)>(),
        numbers in proptest::array::uniform6(number()),
        max_rss_bytes in proptest::option::of(number()),
        start_paused: bool,
        end in end(),
    ) -> Meta {
        let [residue_version, program, executable, host, kernel, allocator, birth_unit, process_name] = texts;
        let [started_unix_ns, duration_ns, page_bytes, min_size_bytes, max_size_bytes, verify_every]
            = numbers;
        let (command, notes) = lists;
        let (pid, parent_pid, max_depth) = ids;
        let imported_from = process_name.chars().rev().collect();
        let options = Options {
            min_size_bytes, max_size_bytes, max_depth, start_paused, verify_every, recorded_from_event: verify_every / 2, recorded_to_event: verify_every / 3, cpu_period_ns: 0, without_heap: false, };
        Meta {
            residue_version, program, executable, command, pid, parent_pid, host, kernel,
            started_unix_ns, duration_ns, end, allocator, page_bytes, max_rss_bytes, options,
            birth_unit, notes, process_name, merged_profiles: page_bytes, imported_from,
            is_damaged: false,
        }
    }
}

prop_compose! {
    fn totals()(n in proptest::array::uniform(number())) -> Totals {
        Totals::from_values(n)
    }
}

prop_compose! {
    fn module()(path in text(), build_id in text(), n in [number(), number(), number()]) -> Module {
        let [start, end, bias] = n;
        Module { path, build_id, start, end, bias }
    }
}

prop_compose! {
    fn stack()(
        node in id(),
        kind in prop_oneof![
            Just(StackKind::Heap), Just(StackKind::Mapping),
            Just(StackKind::Pooled), Just(StackKind::Overflow), Just(StackKind::Reported),
        ],
        n in proptest::array::uniform(number()),
    ) -> Stack {
        Stack { node, kind, counters: Counters::from_values(n) }
    }
}

fn size_rows() -> impl Strategy<Value = Ragged<SizeBin>> {
    let bin = (prop_oneof![0..=64u8, any::<u8>()], number());
    let bin = bin.prop_map(|(bits, blocks)| SizeBin { bits, blocks });
    vec(vec(bin, 0..4), 0..30).prop_map(ragged)
}

fn birth_rows() -> impl Strategy<Value = Ragged<BirthBin>> {
    let bin = (any::<u32>(), number(), number());
    let bin = bin.prop_map(|(birth, blocks, bytes)| BirthBin {
        birth,
        blocks,
        bytes,
    });
    vec(vec(bin, 0..4), 0..30).prop_map(ragged)
}

fn place_rows() -> impl Strategy<Value = Ragged<SourcePlace>> {
    let place = (id(), id(), any::<u32>());
    let place = place.prop_map(|(function, file, line)| SourcePlace {
        function,
        file,
        line,
    });
    vec(vec(place, 0..4), 0..20).prop_map(ragged)
}

fn thread() -> impl Strategy<Value = Thread> {
    (any::<u32>(), text()).prop_map(|(tid, name)| Thread {
        tid,
        name,
        cpu_ns: 0,
    })
}

prop_compose! {
    fn thread_counters()(
        thread in prop_oneof![0..8u32, any::<u32>()],
        n in [number(), number(), number(), number()],
        net_bytes: i64,
    ) -> ThreadCounters {
        let [calls, total_bytes, frees, largest_bytes] = n;
        ThreadCounters { thread, calls, total_bytes, frees, net_bytes, cpu_ns: 0, largest_bytes }
    }
}

fn thread_rows() -> impl Strategy<Value = Ragged<ThreadCounters>> {
    vec(vec(thread_counters(), 0..4), 0..30).prop_map(ragged)
}

fn ragged<T>(rows: Vec<Vec<T>>) -> Ragged<T> {
    let mut ragged = Ragged::default();
    for row in rows {
        ragged.push_row(row);
    }
    ragged
}

/// Anything the types allow; most of it breaks every promise of the model.
pub fn wild() -> impl Strategy<Value = Profile> {
    let frame = (id(), number(), id()).prop_map(|(module, address, function)| Frame {
        module,
        address,
        function,
    });
    let node = (id(), id()).prop_map(|(parent, frame)| Node { parent, frame });
    let head = (meta(), totals(), totals(), number(), number());
    let names = (vec(module(), 0..5), vec(text(), 0..10), vec(text(), 0..10));
    let tree = (vec(frame, 0..20), vec(node, 0..40), vec(stack(), 0..30));
    let rows = (
        size_rows(),
        size_rows(),
        birth_rows(),
        place_rows(),
        vec(id(), 0..8),
    );
    let threads = (vec(thread(), 0..4), thread_rows());
    let timeline = arbitrary_timeline::wild();
    (head, names, tree, rows, threads, timeline).prop_map(
        |(head, names, tree, rows, threads, timeline)| Profile {
            meta: head.0,
            heap: head.1,
            mappings: head.2,
            recorder: RecorderStats {
                arena_bytes: head.3,
                frames_unresolved: head.4,
                ..RecorderStats::default()
            },
            modules: names.0,
            functions: names.1,
            files: names.2,
            frames: tree.0,
            without_table: rows.4,
            places: rows.3,
            nodes: tree.1,
            stacks: tree.2,
            sizes_total: rows.0,
            sizes_live: rows.1,
            births: rows.2,
            threads: threads.0,
            by_thread: threads.1,
            timeline,
            has_largest: true,
            picture: None,
        },
    )
}

/// Anything that keeps the promises of the model.
pub fn tame() -> impl Strategy<Value = Profile> {
    wild().prop_map(|mut profile| {
        let into = |id: u32, table: usize| match (id, table) {
            (NONE, _) | (_, 0) => NONE,
            _ => id % table as u32,
        };
        for frame in &mut profile.frames {
            frame.module = into(frame.module, profile.modules.len());
            frame.function = into(frame.function, profile.functions.len());
        }
        let frames = profile.frames.len() as u32;
        profile.without_table.retain(|_| frames > 0);
        let without_table = profile.without_table.iter_mut();
        without_table.for_each(|frame| *frame %= frames);
        profile.without_table.sort_unstable();
        profile.without_table.dedup();
        // No rows at all, or one a frame.
        if profile.places.rows() > 0 {
            let rows = (0..profile.frames.len()).map(|index| profile.places.row(index).to_vec());
            let mut rows: Vec<_> = rows.collect();
            for place in rows.iter_mut().flatten() {
                place.function = into(place.function, profile.functions.len());
                place.file = into(place.file, profile.files.len());
            }
            profile.places = ragged(rows);
        }
        for (index, node) in profile.nodes.iter_mut().enumerate() {
            node.parent = node.parent.checked_rem(index as u32).unwrap_or(ROOT);
            if index == 0 {
                node.frame = NONE;
            } else if node.frame != CUT {
                node.frame = into(node.frame, profile.frames.len());
            }
        }
        if profile.nodes.is_empty() {
            profile.stacks.clear();
        }
        for stack in &mut profile.stacks {
            stack.node %= profile.nodes.len() as u32;
        }
        let stacks = profile.stacks.len();
        for sizes in [&mut profile.sizes_total, &mut profile.sizes_live] {
            let rows = (0..stacks).map(|index| sizes.row(index).to_vec());
            let mut rows: Vec<_> = rows.collect();
            rows.iter_mut().flatten().for_each(|bin| bin.bits %= 65);
            *sizes = ragged(rows);
        }
        let rows = (0..stacks).map(|index| profile.births.row(index).to_vec());
        let mut rows: Vec<_> = rows.collect();
        rows.iter_mut()
            .for_each(|row| row.sort_by_key(|bin| bin.birth));
        profile.births = ragged(rows);
        if profile.by_thread.rows() > 0 {
            let threads = profile.threads.len() as u32;
            let rows = (0..stacks).map(|index| profile.by_thread.row(index).to_vec());
            let mut rows: Vec<_> = rows.collect();
            for row in &mut rows {
                row.retain(|_| threads > 0);
                row.iter_mut()
                    .for_each(|counters| counters.thread %= threads);
                row.sort_by_key(|counters| counters.thread);
            }
            profile.by_thread = ragged(rows);
        }
        arbitrary_timeline::tame(&mut profile);
        profile
    })
}
