//! A small profile with one of everything that can be written.

use residue_calltree::{CallTree, Detail, Filter, Options};
use residue_names::{NameStyle, Rules};
use residue_profile::timeline::{Change, Count, Moment, MomentKind};
use residue_profile::*;

/// `main` calls `load`, which has `space::Thing::foo` inlined on two lines, and that
/// calls `operator new`; and it calls odd code by way of a gap, and `mmap`.
pub(crate) fn profile() -> Profile {
    let mut profile = Profile {
        modules: vec![module("/opt/server"), module("/lib/libfoo.so")],
        functions: [
            "main",
            "_ZN5space5Thing3fooERKSsi",
            "_Znwm",
            "odd;name\n",
            "load",
        ]
        .map(String::from)
        .to_vec(),
        files: vec!["src/load.cpp".into(), "src/thing.hpp".into()],
        ..Profile::default()
    };
    profile.meta.program = "server".into();
    profile.meta.pid = 4711;
    let frame = |module, address, function| Frame {
        module,
        address,
        function,
    };
    profile.frames = vec![
        frame(0, 0x1234, 0),
        frame(0, 0x8000, 4),
        frame(1, 0x9000, 2),
        frame(1, 0x12f0, NONE),
        frame(NONE, 0x7f00_12f0, NONE),
        frame(0, 0x8010, 4),
        frame(1, 0x8020, 3),
    ];
    let place = |function, file, line| Place {
        function,
        file,
        line,
    };
    for index in 0..profile.frames.len() {
        profile.places.push_row(match index {
            1 => vec![place(1, 1, 7), place(4, 0, 20)],
            5 => vec![place(1, 1, 9), place(4, 0, 20)],
            _ => vec![],
        });
    }
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
    profile.stacks = vec![
        stack(3, StackKind::Heap, first_counters()),
        stack(5, StackKind::Heap, counters(10, 0, 10_240)),
        stack(8, StackKind::Heap, counters(1, 1, 1000)),
        stack(9, StackKind::Mapping, counters(2, 1, 8192)),
        stack(ROOT, StackKind::Pooled, counters(50, 1, 16)),
    ];
    add_events(&mut profile);
    profile
}

/// Two events, one counter, and what each left.
fn add_events(profile: &mut Profile) {
    let timeline = &mut profile.timeline;
    timeline.names = vec!["tracks".into()];
    let moment = |kind, event, time_ns| Moment {
        kind,
        event,
        id: 100 + u64::from(event),
        stream: 0,
        name: None,
        time_ns,
        vm_bytes: Some(8192),
        rss_bytes: (event == 1).then_some(4096),
        shared_bytes: None,
        live_bytes: Some(10),
        mapped_bytes: None,
        recorder_bytes: 0,
        threads: 1,
        has_changes: true,
    };
    timeline.moments = vec![
        moment(MomentKind::Begin, 1, 1000),
        moment(MomentKind::End, 1, 1500),
        moment(MomentKind::Begin, 2, 2000),
    ];
    timeline.counts = vec![Count {
        event: 2,
        name: 0,
        value: 17.5,
    }];
    let change = |moment, stack, bytes| Change {
        moment,
        stack,
        bytes,
        blocks: 1,
    };
    timeline.changes = vec![change(1, 0, 1920), change(1, 3, 8192), change(2, 2, 1000)];
}

/// One stack for each path of plain names, with one call of one byte.
pub(crate) fn paths(paths: &[Vec<&str>]) -> Profile {
    let mut profile = Profile {
        modules: vec![module("/opt/server")],
        nodes: vec![Node {
            parent: ROOT,
            frame: NONE,
        }],
        ..Profile::default()
    };
    for path in paths {
        let mut parent = ROOT;
        for &name in path {
            let function = match profile.functions.iter().position(|it| it == name) {
                Some(known) => known,
                None => {
                    profile.functions.push(name.to_string());
                    profile.frames.push(Frame {
                        module: 0,
                        address: profile.frames.len() as u64,
                        function: profile.frames.len() as u32,
                    });
                    profile.frames.len() - 1
                }
            };
            profile.nodes.push(Node {
                parent,
                frame: function as u32,
            });
            parent = (profile.nodes.len() - 1) as u32;
        }
        let stack = stack(parent, StackKind::Heap, counters(1, 1, 1));
        profile.stacks.push(stack);
    }
    profile
}

/// The tree of a kind of memory by names, without rules.
pub(crate) fn tree(profile: &Profile, kind: Kind) -> CallTree {
    tree_with(profile, kind, Detail::Name)
}

pub(crate) fn tree_with(profile: &Profile, kind: Kind, detail: Detail) -> CallTree {
    let options = Options {
        rules: &Rules::none(),
        style: NameStyle::Short,
        detail,
        kind,
        filter: &Filter::default(),
    };
    CallTree::of(profile, &options)
}

fn module(path: &str) -> Module {
    Module {
        path: path.into(),
        ..Module::default()
    }
}

fn stack(node: NodeId, kind: StackKind, counters: Counters) -> Stack {
    Stack {
        node,
        kind,
        counters,
    }
}

/// All different, so that none can be taken for another.
fn first_counters() -> Counters {
    Counters {
        calls: 100,
        frees: 70,
        total_bytes: 6400,
        live_bytes: 1920,
        live_blocks: 30,
        peak_bytes: 3200,
        at_peak_bytes: 2560,
        at_peak_blocks: 40,
        reallocs_in_place: 1,
        reallocs_moved: 2,
        temporaries: 5,
    }
}

fn counters(calls: u64, live: u64, size: u64) -> Counters {
    Counters {
        calls,
        frees: calls - live,
        total_bytes: calls * size,
        live_bytes: live * size,
        live_blocks: live,
        peak_bytes: size,
        at_peak_bytes: live * size,
        at_peak_blocks: live,
        ..Counters::default()
    }
}
