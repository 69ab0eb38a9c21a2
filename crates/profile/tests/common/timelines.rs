//! Timelines for the tests: a small one with something of everything, and large
//! ones as a leak makes them.

use residue_profile::holders::*;
use residue_profile::timeline::*;
use residue_profile::*;
use residue_testkit::random::Random;
use residue_testkit::synthetic::{self, Spec};

/// [`super::sample`] with all that came later: another kind of stack, a timeline,
/// frames without an unwind table, places in the source, threads, and CPU time.
pub fn full_sample() -> Profile {
    let mut profile = full_sample_of_version_2();
    profile.without_table = vec![1, 3];
    profile.stacks[4].counters.cpu_ns = 30_000_000;
    profile.timeline.cpu = [(0, 4, 10_000_000), (2, 4, 20_000_000)]
        .map(|(moment, stack, ns)| CpuTime { moment, stack, ns })
        .to_vec();
    profile.threads[0].cpu_ns = 31_000_000;
    let timeline = &mut profile.timeline;
    for (moment, spent) in timeline.moments.iter_mut().zip(1..) {
        moment.has_totals = spent != 2;
        moment.spent = Spent {
            calls: Some(spent),
            total_bytes: (spent != 3).then_some(64 * spent),
            thread_cpu_ns: (spent != 1).then_some(1_000_000 * spent),
            tid: if spent != 1 { 4711 } else { 0 },
            process_cpu_ns: (spent == 1).then_some(2_000_000),
        };
    }
    timeline.stamps[1].spent.calls = Some(5);
    timeline.allocated = [(0, 1, 3, 3000, 0), (2, 1, 1, 1000, 1), (3, 0, 7, 448, 2)]
        .map(|(moment, stack, calls, bytes, temporaries)| Allocated {
            moment,
            stack,
            calls,
            bytes,
            temporaries,
        })
        .to_vec();
    profile.picture = Some(picture());
    profile
}

fn picture() -> Picture {
    let sum = |stack, birth, state, blocks| HeldSum {
        stack,
        birth,
        state,
        blocks,
        bytes: 64 * blocks,
    };
    let root = Holder {
        kind: HolderKind::Module,
        place: "/bin/größe".into(),
        address: 0x7fff_0000_1000,
        variable: "_ZL5names".into(),
        member: "[1].first".into(),
        file: "größe.cpp".into(),
        line: 41,
        ..Holder::default()
    };
    Picture {
        event: 3,
        at_exit: true,
        took_ns: 1_500_000,
        read_ns: 30_000_000,
        threads: 8,
        blocks: 15,
        bytes: 960,
        sums: vec![
            sum(0, 1, HeldState::Held, 10),
            sum(0, 2, HeldState::HeldInside, 1),
            sum(1, 1, HeldState::LostInCycle, 4),
        ],
        chains: vec![Chain {
            stack: 0,
            blocks: 11,
            bytes: 704,
            root: root.clone(),
            steps: vec![Step {
                stack: 1,
                offset: Some(16),
                is_repeated: true,
                shape: Some(Shape::Pointers),
                elements: 11,
            }],
        }],
        retained: vec![Retained {
            holder: root,
            stack: 1,
            bytes: 704,
        }],
        ..Picture::default()
    }
}

/// Before frames without a table were told apart, and CPU time was sampled.
pub fn full_sample_of_version_2() -> Profile {
    let mut profile = super::sample();
    profile.stacks[3].kind = StackKind::Reported;
    profile.timeline = timeline();
    add_places(&mut profile);
    add_threads(&mut profile);
    profile
}

fn add_places(profile: &mut Profile) {
    profile.files = vec![
        "/src/größe.cpp".into(),
        "".into(),
        "/usr/include/new".into(),
    ];
    let place = |function, file, line| SourcePlace {
        function,
        file,
        line,
    };
    profile
        .places
        .push_row([place(2, 2, 137), place(0, 0, 4000)]);
    profile.places.push_row([]);
    profile.places.push_row([place(NONE, NONE, 0)]);
    profile.places.push_row([place(3, 0, u32::MAX)]);
}

fn add_threads(profile: &mut Profile) {
    let thread = |tid, name: &str| Thread {
        tid,
        name: name.into(),
        cpu_ns: 0,
    };
    profile.threads = vec![thread(4711, "sérver"), thread(4712, ""), thread(1, "io")];
    let counters = |thread, calls, frees, size: u64, net_bytes| ThreadCounters {
        thread,
        calls,
        total_bytes: calls * size,
        frees,
        net_bytes,
        ..ThreadCounters::default()
    };
    let rows = &mut profile.by_thread;
    rows.push_row([
        counters(0, 999_999, 1_000_000, 64, -64),
        counters(2, 1, 0, 64, 64),
    ]);
    rows.push_row([counters(1, 100, 97, 1000, 3000)]);
    rows.push_row([counters(0, 2, 1, 4096, 4096)]);
    rows.push_row([]);
    rows.push_row([counters(0, 1, 0, 24, 24)]);
}

fn timeline() -> Timeline {
    let moment = |kind, event, id, time_ns| Moment {
        id,
        recorder_bytes: 4096,
        threads: 2,
        ..Moment::unread(kind, event, time_ns)
    };
    let stamp = |name, time_ns, live_bytes| Stamp {
        spent: residue_profile::timeline::Spent::default(),
        name,
        event: 1,
        time_ns,
        vm_bytes: Some(1 << 20),
        rss_bytes: None,
        live_bytes,
    };
    let count = |event, name, value| Count { event, name, value };
    let total = |moment, name, total| CounterTotal {
        moment,
        name,
        total,
    };
    let change = |moment, stack, bytes, blocks| Change {
        moment,
        stack,
        bytes,
        blocks,
    };
    Timeline {
        allocated: Vec::new(),
        about: About {
            source: Source::Marks,
            events: 40,
            streams: 2,
            stride: 4,
            birth_bin_events: 1,
            late_lines: 3,
            tick_ns: 0,
            misuse: Misuse {
                end_without_begin: 3,
                ..Misuse::default()
            },
            search: EventSearch::default(),
        },
        names: vec!["parsed".into(), "größe".into(), "".into()],
        moments: vec![
            Moment {
                vm_bytes: Some(8192),
                rss_bytes: Some(4096),
                shared_bytes: Some(0),
                live_bytes: Some(u64::MAX),
                mapped_bytes: Some(1),
                ..moment(MomentKind::Begin, 1, 77, 1000)
            },
            Moment {
                rss_bytes: Some(4095),
                has_changes: false,
                ..moment(MomentKind::End, 1, 77, 2000)
            },
            Moment {
                name: Some(2),
                stream: 1,
                ..moment(MomentKind::Snapshot, 1, 0, 2001)
            },
            moment(MomentKind::Last, 1, 0, 2001),
        ],
        stamps: vec![stamp(0, 1100, Some(64)), stamp(1, 1200, None)],
        counts: vec![count(1, 1, 5.0), count(4, 1, -0.1)],
        totals: vec![total(0, 1, 0.0), total(2, 1, 1e300)],
        changes: vec![
            change(0, 1, 3000, 3),
            change(0, 2, 4096, 1),
            change(2, 1, -1000, -1),
            change(3, 1, 2001, 2),
        ],
        accounts: vec![Account {
            moment: 2,
            heap_bytes: u64::MAX,
            allocator: Some(AllocatorState {
                free_bytes: 7,
                ..AllocatorState::default()
            }),
            ..Account::default()
        }],
        snapshots: vec![Snapshot {
            name: 2,
            moment: 2,
            maps: b"00400000-00452000 r-xp\n".to_vec(),
            smaps: b"Rss: 4 kB\n".to_vec(),
            numa_maps: vec![],
        }],
        deferrals: vec![
            Deferral {
                stack: 1,
                frees: 9,
                events: 300,
                longest_events: 200,
                freed_at: Some(4),
            },
            Deferral {
                stack: 0,
                frees: 1,
                events: 1,
                longest_events: 1,
                freed_at: None,
            },
        ],
        cpu: Vec::new(),
    }
}

/// Stacks without events, of as much code as calls them.
pub fn large(stacks: usize) -> Profile {
    synthetic::profile(&Spec {
        stacks,
        events: 0,
        functions: stacks / 10,
        long_names: false,
        ..Spec::default()
    })
}

/// How many stacks change at each moment of [`leaking`].
pub const CHANGES_AT_MOMENT: usize = 50;

/// A job that leaks: at every moment a fifth of the changes is of stacks that
/// only ever grow, by much the same amount, and the others are of 2000 stacks,
/// some often and most seldom, whose blocks come and go.
pub fn leaking(moments: usize) -> Profile {
    const STACKS: u64 = 2000;
    const LEAKS: u64 = 10;
    let mut random = Random::new(1);
    let mut profile = large(STACKS as usize);
    let ended = full_sample().timeline.moments[1];
    let mut live_blocks = vec![0; STACKS as usize];
    for moment in 0..moments {
        let mut stacks: Vec<u64> = (0..LEAKS).map(|leak| leak * 173).collect();
        while stacks.len() < CHANGES_AT_MOMENT {
            let stack = random.skewed(11) % STACKS;
            if !stacks.contains(&stack) {
                stacks.push(stack);
            }
        }
        let (leaks, others) = stacks.split_at(LEAKS as usize);
        let mut changes = Vec::new();
        for &stack in leaks {
            let blocks = 1 + (random.below(10) / 9) as i64;
            changes.push((stack, blocks, 48 + 16 * stack as i64 % 1000));
        }
        for &stack in others {
            let live = &mut live_blocks[stack as usize];
            let blocks = match random.below(2) {
                0 if *live > 0 => -1 - random.below(*live) as i64,
                _ => 1 + random.skewed(6) as i64,
            };
            *live = live.saturating_add_signed(blocks);
            // Blocks of one size from every other stack, else of any size.
            let size = match stack % 2 {
                0 => 16 + 8 * (stack as i64 % 100),
                _ => 16 + random.skewed(10) as i64,
            };
            changes.push((stack, blocks, size));
        }
        changes.sort_unstable();
        let timeline = &mut profile.timeline;
        timeline.moments.push(Moment {
            event: moment as u32 + 1,
            time_ns: moment as u64 * 1_000_000 + random.below(50_000),
            rss_bytes: Some((moment as u64 / 10) * 4096),
            has_changes: true,
            ..ended
        });
        let changes = changes.into_iter().map(|(stack, blocks, size)| Change {
            moment: moment as u32,
            stack: stack as u32,
            bytes: blocks * size,
            blocks,
        });
        timeline.changes.extend(changes);
    }
    profile
}
