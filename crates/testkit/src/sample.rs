//! A small profile with one of everything that can be shown.

use residue_profile::timeline::*;
use residue_profile::*;

use crate::counters::{self, blocks};

const MIB: u64 = 1 << 20;

pub fn profile() -> Profile {
    let mut profile = Profile {
        meta: meta(),
        has_largest: true,
        heap: Totals {
            calls: 5_001_622,
            frees: 5_001_590,
            total_bytes: 300 * MIB,
            live_bytes: 2936,
            live_blocks: 32,
            peak_bytes: 5000,
            reallocs_in_place: 4,
            reallocs_moved: 5,
            temporaries: 1_250_405,
        },
        mappings: Totals {
            calls: 2,
            frees: 1,
            total_bytes: 12_288,
            live_bytes: 8192,
            live_blocks: 1,
            peak_bytes: 8192,
            ..Totals::default()
        },
        recorder: RecorderStats {
            arena_bytes: 37 * MIB,
            private_bytes: MIB,
            time_ns: 450_000_000,
            threads: 3,
            captures: 5_001_624,
            ..RecorderStats::default()
        },
        modules: vec![module("/opt/server", "00ff"), module("/lib/libfoo.so", "")],
        functions: ["main", "_ZN5space5Thing3fooERKSsi", "_Znwm", "odd;name\n"]
            .map(String::from)
            .to_vec(),
        ..Profile::default()
    };
    profile.frames = vec![
        frame(0, 0x1234, 0),
        frame(1, 0x8000, 1),
        frame(1, 0x9000, 2),
        frame(1, 0x12f0, NONE),
        frame(NONE, 0x7f00_12f0, NONE),
        frame(1, 0x8010, 1),
        frame(1, 0x8020, 3),
    ];
    // main, and from there to operator new on two lines of one function, to odd
    // code by way of a gap, and to mmap.
    profile.nodes = [
        (ROOT, NONE),
        (ROOT, 0),
        (1, 1),
        (2, 2),
        (1, 5),
        (4, 2),
        (1, CUT),
        (6, 4),
        (7, 6),
        (1, 3),
    ]
    .map(|(parent, frame)| Node { parent, frame })
    .to_vec();
    add(
        &mut profile,
        3,
        StackKind::Heap,
        counters::all_different(),
        7,
        &[0, 1, 2],
    );
    add(
        &mut profile,
        5,
        StackKind::Heap,
        blocks(10, 0, 10_240),
        7,
        &[],
    );
    add(
        &mut profile,
        8,
        StackKind::Heap,
        blocks(1, 1, 1000),
        10,
        &[7],
    );
    add(
        &mut profile,
        9,
        StackKind::Mapping,
        blocks(2, 1, 8192),
        14,
        &[0],
    );
    add(
        &mut profile,
        ROOT,
        StackKind::Pooled,
        blocks(50, 1, 16),
        5,
        &[9],
    );
    add(
        &mut profile,
        ROOT,
        StackKind::Overflow,
        blocks(1, 0, 24),
        5,
        &[],
    );
    profile
}

/// A profile of one stack, `depth` calls deep.
pub fn deep(depth: u32) -> Profile {
    let mut profile = profile();
    profile.stacks.truncate(1);
    profile.nodes = (0..=depth)
        .map(|node| Node {
            parent: node.saturating_sub(1),
            frame: if node == 0 { NONE } else { 0 },
        })
        .collect();
    profile.stacks[0].node = depth;
    profile
}

fn meta() -> Meta {
    Meta {
        residue_version: "0.1.0".into(),
        program: "server".into(),
        executable: "/opt/server".into(),
        command: vec!["./server".into(), "--port=80".into()],
        process_name: "worker 3".into(),
        pid: 4711,
        parent_pid: 1,
        host: "host".into(),
        kernel: "6.1".into(),
        started_unix_ns: 1_700_000_000_123_456_789,
        duration_ns: 90_000_000_000,
        end: End::Killed { signal: 9 },
        allocator: "libc.so.6".into(),
        page_bytes: 4096,
        max_rss_bytes: Some(64 * MIB),
        options: Options {
            max_size_bytes: u64::MAX,
            max_depth: 4096,
            ..Options::default()
        },
        birth_unit: "second".into(),
        merged_profiles: 0,
        imported_from: String::new(),
        is_damaged: false,
        notes: vec!["a note".into()],
    }
}

fn module(path: &str, build_id: &str) -> Module {
    Module {
        path: path.into(),
        build_id: build_id.into(),
        start: 0x5555_0000_0000,
        end: 0x5555_0010_0000,
        bias: 0x5555_0000_0000,
    }
}

fn frame(module: ModuleId, address: u64, function: FunctionId) -> Frame {
    Frame {
        module,
        address,
        function,
    }
}

fn add(
    profile: &mut Profile,
    node: NodeId,
    kind: StackKind,
    counters: Counters,
    bits: u8,
    births: &[u32],
) {
    profile.stacks.push(Stack {
        node,
        kind,
        counters,
    });
    let bin = |blocks| SizeBin { bits, blocks };
    profile.sizes_total.push_row([bin(counters.calls)]);
    let live = Some(bin(counters.live_blocks)).filter(|bin| bin.blocks > 0);
    profile.sizes_live.push_row(live);
    let bins = births.len() as u64;
    profile
        .births
        .push_row(births.iter().map(|&birth| BirthBin {
            birth,
            blocks: counters.live_blocks / bins,
            bytes: counters.live_bytes / bins,
        }));
}

/// A timeline with one of everything.
pub fn timeline() -> Timeline {
    let begin = Moment {
        has_totals: false,
        spent: Spent::default(),
        kind: MomentKind::Begin,
        event: 1,
        id: 700,
        stream: 2,
        name: None,
        time_ns: 1_500_000,
        vm_bytes: Some(8_000_000),
        rss_bytes: Some(4_000_000),
        shared_bytes: Some(2_000_000),
        live_bytes: Some(5000),
        mapped_bytes: Some(0),
        recorder_bytes: 300_000,
        threads: 1,
        has_changes: true,
    };
    let end = Moment {
        kind: MomentKind::End,
        time_ns: 2_500_000,
        vm_bytes: None,
        rss_bytes: None,
        shared_bytes: None,
        has_changes: false,
        ..begin
    };
    let snapshot = Moment {
        kind: MomentKind::Snapshot,
        name: Some(1),
        time_ns: 3_500_000,
        threads: 2,
        ..begin
    };
    Timeline {
        allocated: Vec::new(),
        about: About {
            source: Source::Marks,
            events: 1200,
            streams: 3,
            stride: 2,
            birth_bin_events: 1,
            late_lines: 3,
            tick_ns: 1_000_000_000,
            misuse: Misuse {
                end_without_begin: 1,
                begin_inside_event: 2,
                end_of_another: 3,
                scope_end_without_begin: 4,
                no_room: 5,
            },
            search: EventSearch {
                functions: vec!["Sim::step*".into()],
                line: Some("event (?<id>x)".into()),
                functions_matched: Some(2),
                functions_hooked: 1,
                jit_functions_matched: 3,
            },
        },
        names: vec!["hits".into(), "ha\nlf".into()],
        moments: vec![begin, end, snapshot],
        stamps: vec![Stamp {
            spent: Spent::default(),
            name: 9,
            event: 1,
            time_ns: 1_600_000,
            vm_bytes: None,
            rss_bytes: Some(4096),
            live_bytes: Some(10),
        }],
        counts: vec![Count {
            event: 1,
            name: 0,
            value: 3.5,
        }],
        totals: vec![CounterTotal {
            moment: 1,
            name: 0,
            total: 3.5,
        }],
        changes: [(0, 3, 1000, 1), (0, 4, -64, -2), (2, 3, -1000, -1)]
            .map(|(moment, stack, bytes, blocks)| Change {
                moment,
                stack,
                bytes,
                blocks,
            })
            .to_vec(),
        accounts: vec![Account {
            moment: 1,
            heap_bytes: 1,
            mapped_bytes: 2,
            stacks_bytes: 3,
            files_bytes: 4,
            recorder_bytes: 5,
            other_bytes: 6,
            pss_bytes: 7,
            live_bytes: 8,
            allocator: Some(AllocatorState {
                in_use_bytes: 10,
                free_bytes: 11,
                system_bytes: 12,
            }),
        }],
        snapshots: vec![Snapshot {
            name: 1,
            moment: 2,
            maps: b"maps".to_vec(),
            smaps: b"smaps text".to_vec(),
            numa_maps: Vec::new(),
        }],
        deferrals: vec![Deferral {
            stack: 3,
            frees: 10,
            events: 20,
            longest_events: 3,
            freed_at: Some(7),
        }],
        cpu: Vec::new(),
    }
}
