//! A small profile with one of everything that can be written.

use residue_calltree::{CallTree, Detail, Filter, Options};
use residue_names::{NameStyle, Rules};
use residue_profile::timeline::{Change, Count, Moment, MomentKind};
use residue_profile::*;
use residue_testkit::builder::Builder;
use residue_testkit::counters::blocks;
use residue_testkit::sample;

/// `main` calls `load`, which has `space::Thing::foo` inlined on two lines, and that
/// calls `operator new`; and it calls odd code by way of a gap, and `mmap`.
pub(crate) fn profile() -> Profile {
    let whole = sample::profile();
    let mut profile = Profile {
        modules: ["/opt/server", "/lib/libfoo.so"].map(module).to_vec(),
        functions: whole.functions,
        files: vec!["src/load.cpp".into(), "src/thing.hpp".into()],
        frames: whole.frames,
        nodes: whole.nodes,
        stacks: whole.stacks,
        ..Profile::default()
    };
    profile.meta.program = "server".into();
    profile.meta.pid = 4711;
    profile.functions.push("load".into());
    for frame in [1, 5] {
        (profile.frames[frame].module, profile.frames[frame].function) = (0, 4);
    }
    profile.stacks.pop();
    let place = |function, file, line| SourcePlace {
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
    add_events(&mut profile);
    profile
}

/// Two events, one counter, and what each left.
fn add_events(profile: &mut Profile) {
    let timeline = &mut profile.timeline;
    timeline.names = vec!["tracks".into()];
    let moment = |kind, event, time_ns| Moment {
        id: 100 + u64::from(event),
        vm_bytes: Some(8192),
        rss_bytes: (event == 1).then_some(4096),
        live_bytes: Some(10),
        ..Moment::unread(kind, event, time_ns)
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
    let mut built = Builder::new();
    for path in paths {
        built.stack_of_names(path, blocks(1, 1, 1));
    }
    built.profile
}

/// The tree of a kind of memory by names, without rules.
pub(crate) fn tree(profile: &Profile, kind: MemoryKind) -> CallTree {
    tree_with(profile, kind, Detail::Name)
}

pub(crate) fn tree_with(profile: &Profile, kind: MemoryKind, detail: Detail) -> CallTree {
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
