//! Runs written out: a stack that each event changes, one that rests, and a snapshot.

use residue_profile::timeline::{Change, Moment, MomentKind, Source, Timeline};
use residue_profile::{BirthBin, Counters, Node, Profile, ROOT, Stack, StackKind};

/// A name as nobody should have it.
pub const EVIL: &str = "<script>alert(\"1\")</script>&'\u{0}\u{1b}]]>";

fn moment(kind: MomentKind, event: u32, live_bytes: i64) -> Moment {
    Moment {
        id: u64::from(event),
        vm_bytes: Some(1 << 30),
        rss_bytes: Some((1 << 20) + live_bytes.max(0) as u64),
        live_bytes: Some(live_bytes.max(0) as u64),
        mapped_bytes: Some(0),
        recorder_bytes: 4096,
        ..Moment::unread(kind, event, u64::from(event) * 1_000_000)
    }
}

/// What each event leaves of the first stack is what it changes it by.
pub fn run(events: u32, change_bytes: &dyn Fn(u32) -> i64, source: Source) -> Profile {
    let mut profile = Profile::default();
    profile.meta.program = format!("program {EVIL}");
    profile.meta.host = EVIL.to_string();
    profile.meta.birth_unit = "event".to_string();
    profile.nodes = vec![
        Node {
            parent: ROOT,
            frame: residue_profile::NONE,
        };
        3
    ];
    let births = (1..=events).map(|event| (event, change_bytes(event)));
    let births: Vec<BirthBin> = births
        .filter(|&(_, bytes)| bytes > 0)
        .map(|(birth, bytes)| BirthBin {
            birth,
            blocks: 1,
            bytes: bytes as u64,
        })
        .collect();
    let live_bytes = births.iter().map(|bin| bin.bytes).sum();
    for (node, live_bytes) in [(1, live_bytes), (2, 0)] {
        profile.stacks.push(Stack {
            node,
            kind: StackKind::Heap,
            counters: Counters {
                calls: u64::from(events),
                live_bytes,
                live_blocks: u64::from(events),
                ..Counters::default()
            },
        });
    }
    profile.births.push_row(births);
    profile.births.push_row([]);
    profile.timeline = timeline(events, change_bytes, source);
    profile
}

fn timeline(events: u32, change_bytes: &dyn Fn(u32) -> i64, source: Source) -> Timeline {
    let mut timeline = Timeline {
        names: vec![EVIL.to_string()],
        ..Timeline::default()
    };
    timeline.about.source = source;
    timeline.about.events = u64::from(events);
    timeline.about.birth_bin_events = 1;
    let begin = match source {
        Source::Ticks => MomentKind::Tick,
        _ => MomentKind::Begin,
    };
    let mut live = 0;
    for event in 1..=events {
        timeline.moments.push(moment(begin, event, live));
        if event == events / 2 {
            let snapshot = moment(MomentKind::Snapshot, event, live);
            timeline.moments.push(Moment {
                name: Some(0),
                ..snapshot
            });
        }
        live += change_bytes(event);
        timeline.changes.push(Change {
            moment: timeline.moments.len() as u32,
            stack: 0,
            bytes: change_bytes(event),
            blocks: 1,
        });
        timeline.moments.push(moment(MomentKind::End, event, live));
    }
    timeline
}
