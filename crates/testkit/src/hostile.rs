//! Profiles of some kilobytes that grow when they are read: everything in them that is
//! shared, by frames, by paths or by names, is shared as often as the format allows.
//! Their tables are as large as a reader unpacks for a few stored bytes.

use residue_profile::timeline::*;
use residue_profile::*;

/// Raw bytes of a section that a reader unpacks whatever is stored.
const FREE_BYTES: usize = 1 << 20;

/// Each with what it multiplies.
pub fn profiles() -> Vec<(&'static str, Profile)> {
    vec![
        ("inline-chains", inline_chains()),
        ("inline-chains-of-sisters", inline_chains_of_sisters()),
        ("deep-paths", deep_paths()),
        ("deep-path-of-a-long-name", deep_path_of_a_long_name()),
        ("long-module-name", long_module_name()),
        ("long-name-in-many-files", long_name_in_many_files()),
        ("names-that-unfold", names_that_unfold()),
        ("names-of-megabytes", names_of_megabytes()),
        ("many-counters", many_counters()),
        ("many-stamps", many_stamps()),
        ("many-snapshots", many_snapshots()),
        ("many-threads", many_threads()),
        ("long-names-everywhere", long_names_everywhere()),
    ]
}

/// One frame with hundreds of thousands of inlined functions, on every node of a path.
pub fn inline_chains() -> Profile {
    let mut profile = with_chain(50_000, 1);
    profile.places = one_chain();
    profile
}

/// The same on nodes that all become one.
pub fn inline_chains_of_sisters() -> Profile {
    let mut profile = with_chain(5_000, 5_000);
    for node in profile.nodes.iter_mut().skip(1) {
        node.parent = ROOT;
    }
    profile.places = one_chain();
    profile
}

/// As many stacks as fit, all at the end of a long path.
pub fn deep_paths() -> Profile {
    with_chain(100_000, stacks_for_free())
}

pub fn deep_path_of_a_long_name() -> Profile {
    let mut profile = with_chain(20_000, 10);
    profile.functions = vec!["n".repeat(FREE_BYTES - 16)];
    profile
}

/// Frames without a function are named after their module.
pub fn long_module_name() -> Profile {
    let mut profile = with_chain(10_000, 1);
    profile.modules[0].path = format!("/{}", "m".repeat(FREE_BYTES - 200));
    let frames = profile.nodes.len() as u32 - 1;
    profile.frames = (0..frames)
        .map(|address| Frame {
            module: 0,
            address: u64::from(address),
            function: NONE,
        })
        .collect();
    for (index, node) in profile.nodes.iter_mut().enumerate().skip(1) {
        node.frame = index as u32 - 1;
    }
    profile
}

/// One function whose name is long, once for each of many files.
pub fn long_name_in_many_files() -> Profile {
    let mut profile = with_chain(1, 1);
    profile.functions = vec!["n".repeat(FREE_BYTES - 16)];
    let files = (FREE_BYTES / 32) as u32;
    profile.files = (0..files).map(|file| format!("{file:x}")).collect();
    profile.places = Ragged::default();
    let place = |file| SourcePlace {
        function: 0,
        file,
        line: 1,
    };
    profile.places.push_row((0..files).map(place));
    profile
}

/// Four thousand functions, each in some hundred bytes that stand for sixty thousand: a
/// type of two, of two, of two and so on, every one named by a reference to the one before.
pub fn names_that_unfold() -> Profile {
    const DOUBLINGS: usize = 11;
    // S_ is the template, S0_ the first type; types go on with S1_ and so on.
    let doubling = |level: usize| {
        let before = char::from_digit(level as u32, 36).map(|digit| digit.to_ascii_uppercase());
        let before = before.unwrap_or('0');
        format!("S_IS{before}_S{before}_E")
    };
    let types: String = (0..DOUBLINGS).map(doubling).collect();
    let length = "_Z5f0000".len() + "1AIiiE".len() + types.len();
    let names = (0..(FREE_BYTES - 4096) / (length + 1)).take(4_000);
    with_functions(names.map(|number| format!("_Z5f{number:04}1AIiiE{types}")))
}

/// Names of four megabytes, in a file of one.
pub fn names_of_megabytes() -> Profile {
    with_functions((0..12).map(|number| format!("{number}{}", "n".repeat(4 << 20))))
}

/// So many functions, each with a stack of its own.
fn with_functions(functions: impl Iterator<Item = String>) -> Profile {
    let functions: Vec<String> = functions.collect();
    let mut profile = with_chain(functions.len(), functions.len());
    profile.functions = functions;
    profile.frames = (0..profile.functions.len() as u32)
        .map(|function| Frame {
            module: 0,
            address: u64::from(function),
            function,
        })
        .collect();
    for (index, node) in profile.nodes.iter_mut().enumerate().skip(1) {
        node.parent = ROOT;
        node.frame = index as u32 - 1;
    }
    profile
}

/// Counters by events: a table of both would not fit anywhere.
pub fn many_counters() -> Profile {
    let mut profile = with_events(8_000);
    let names = 60_000;
    profile.timeline.names = (0..names).map(|name| format!("{name:x}")).collect();
    let moments = profile.timeline.moments.len() as u32;
    profile.timeline.counts = (0..names)
        .map(|name| Count {
            event: name % 8_000 + 1,
            name,
            value: 1.0,
        })
        .collect();
    profile.timeline.totals = (0..names)
        .map(|name| CounterTotal {
            moment: (name % (moments / 5)) * 5,
            name,
            total: f64::from(name),
        })
        .collect();
    profile.timeline.counts.sort_by_key(|count| count.event);
    profile.timeline.totals.sort_by_key(|total| total.moment);
    profile
}

/// A stage between each two of many stamps, in every event.
pub fn many_stamps() -> Profile {
    let mut profile = with_events(20_000);
    let names = 60_000;
    profile.timeline.names = (0..names).map(|name| format!("{name:x}")).collect();
    profile.timeline.stamps = (0..names)
        .map(|name| Stamp {
            spent: Spent::default(),
            name,
            event: name / 3 + 1,
            time_ns: u64::from(name / 3) * 10 + u64::from(name % 3) + 1,
            vm_bytes: None,
            rss_bytes: Some(1 << 20),
            live_bytes: Some(1000),
        })
        .collect();
    profile
}

pub fn many_snapshots() -> Profile {
    let mut profile = with_events(1000);
    profile.timeline.names = vec!["s".repeat(100_000)];
    let moments = profile.timeline.moments.len() as u32;
    profile.timeline.snapshots = (0..30_000)
        .map(|index| Snapshot {
            name: 0,
            moment: index % moments,
            maps: Vec::new(),
            smaps: Vec::new(),
            numa_maps: Vec::new(),
        })
        .collect();
    profile
}

/// Threads by stacks.
pub fn many_threads() -> Profile {
    let mut profile = with_chain(1000, stacks_for_free());
    profile.threads = (0..30_000)
        .map(|tid| Thread {
            tid,
            name: String::new(),
            cpu_ns: 0,
        })
        .collect();
    let stacks = profile.stacks.len();
    let items = (0..150_000_u32).map(|index| {
        let row = (u64::from(index) * (stacks as u64 - 1) / 150_000) as u32;
        (
            row,
            ThreadCounters {
                thread: index % 30_000,
                calls: 1,
                total_bytes: 10,
                frees: 0,
                net_bytes: 10,
                cpu_ns: 0,
                largest_bytes: 0,
            },
        )
    });
    let mut rows: Vec<(u32, ThreadCounters)> = items.collect();
    rows.sort_by_key(|(row, counters)| (*row, counters.thread));
    profile.by_thread = Ragged::from_sorted(stacks, rows);
    profile
}

/// Names as long as they can be, of all that has one.
pub fn long_names_everywhere() -> Profile {
    named(&"X".repeat((FREE_BYTES - 4096) / 8))
}

/// This name for all that has one, in a profile with one of everything that can be named.
pub fn named(name: &str) -> Profile {
    let mut profile = with_events(40);
    let name = || name.to_string();
    profile.meta.program = name();
    profile.meta.executable = name();
    profile.meta.process_name = name();
    profile.meta.host = name();
    profile.meta.allocator = name();
    profile.meta.kernel = name();
    profile.meta.imported_from = name();
    profile.meta.command = vec![name()];
    profile.meta.notes = vec![name()];
    profile.functions = vec![name()];
    profile.files = vec![name()];
    profile.modules[0].path = name();
    profile.places = Ragged::default();
    profile.places.push_row([SourcePlace {
        function: 0,
        file: 0,
        line: 1,
    }]);
    profile.threads = vec![Thread {
        tid: 1,
        name: name(),
        cpu_ns: 0,
    }];
    profile.by_thread = Ragged::from_sorted(
        profile.stacks.len(),
        [(
            0,
            ThreadCounters {
                calls: 1,
                total_bytes: 10,
                net_bytes: 10,
                ..ThreadCounters::default()
            },
        )],
    );
    let timeline = &mut profile.timeline;
    timeline.names = vec![name()];
    timeline.about.search.functions = vec![name()];
    timeline.about.search.line = Some(name());
    for event in 1..=40 {
        let at_ns = u64::from(event) * 10;
        timeline.stamps.push(Stamp {
            spent: Spent::default(),
            name: 0,
            event,
            time_ns: at_ns + 2,
            vm_bytes: None,
            rss_bytes: Some(1 << 20),
            live_bytes: Some(at_ns),
        });
        timeline.counts.push(Count {
            event,
            name: 0,
            value: f64::from(event % 7),
        });
        timeline.totals.push(CounterTotal {
            moment: (event - 1) * 2,
            name: 0,
            total: f64::from(event * event % 97 + event * 50),
        });
    }
    timeline.snapshots = vec![Snapshot {
        name: 0,
        moment: 10,
        maps: name().into_bytes(),
        smaps: name().into_bytes(),
        numa_maps: Vec::new(),
    }];
    profile
}

fn one_chain() -> Ragged<SourcePlace> {
    let mut places = Ragged::default();
    let place = SourcePlace {
        function: 0,
        file: NONE,
        line: 0,
    };
    places.push_row(std::iter::repeat_n(place, FREE_BYTES / 3 - 16));
    places
}

/// Each takes a byte for each of its counters.
fn stacks_for_free() -> usize {
    FREE_BYTES / Counters::COUNT - 16
}

fn stack(node: NodeId) -> Stack {
    Stack {
        node,
        kind: StackKind::Heap,
        counters: Counters {
            calls: 1,
            total_bytes: 10,
            live_bytes: 10,
            live_blocks: 1,
            peak_bytes: 10,
            ..Counters::default()
        },
    }
}

/// A path of so many nodes, all of one frame, with stacks at its last nodes.
fn with_chain(depth: usize, stacks: usize) -> Profile {
    let mut profile = Profile {
        modules: vec![Module {
            path: "/bin/hostile".into(),
            ..Module::default()
        }],
        functions: vec!["f".into()],
        frames: vec![Frame {
            module: 0,
            address: 1,
            function: 0,
        }],
        ..Profile::default()
    };
    profile.meta.program = "hostile".into();
    profile.meta.birth_unit = "event".into();
    let root = Node {
        parent: ROOT,
        frame: NONE,
    };
    let chain = (0..depth as u32).map(|parent| Node { parent, frame: 0 });
    profile.nodes = std::iter::once(root).chain(chain).collect();
    let last = depth as u32;
    let of_index = |index: usize| stack(last.saturating_sub(index as u32).max(1));
    profile.stacks = (0..stacks).map(of_index).collect();
    fit_rows(&mut profile);
    profile
}

fn fit_rows(profile: &mut Profile) {
    let stacks = profile.stacks.len();
    profile.heap = Totals::of(&profile.stacks, MemoryKind::Heap);
    profile.sizes_total = Ragged::from_sorted(stacks, []);
    profile.sizes_live = Ragged::from_sorted(stacks, []);
    profile.births = Ragged::from_sorted(stacks, []);
}

/// A stack that grows by ten bytes an event.
fn with_events(events: u32) -> Profile {
    let mut profile = with_chain(3, 1);
    profile.stacks[0].counters.live_bytes = u64::from(events) * 10;
    profile.stacks[0].counters.live_blocks = u64::from(events);
    profile.timeline.about = About {
        source: Source::Marks,
        events: u64::from(events),
        streams: 1,
        stride: 1,
        ..About::default()
    };
    for event in 1..=events {
        let at_ns = u64::from(event) * 10;
        let mut begin = Moment::unread(MomentKind::Begin, event, at_ns);
        begin.live_bytes = Some(u64::from(event) * 10);
        begin.rss_bytes = Some(1 << 20);
        profile.timeline.moments.push(begin);
        let end = Moment::unread(MomentKind::End, event, at_ns + 8);
        profile.timeline.moments.push(end);
        profile.timeline.changes.push(Change {
            moment: event * 2 - 1,
            stack: 0,
            bytes: 10,
            blocks: 1,
        });
    }
    profile
}
