//! Small profiles with events, and what is opened of them.

use residue_profile::Profile;
use residue_profile::holders::{
    Chain, HeldState, HeldSum, Holder, HolderKind, Picture, Retained, Shape, Step,
};
use residue_profile::pins::{HeapMap, MapCell, Pins, ResidentHeap, StackPins};
use residue_profile::timeline::*;
use serde_json::Value;

use super::Answer;
use crate::choice::Names;
use crate::page::open_profiles::OpenProfiles;
use crate::page::opened::Opened;
use residue_testkit::sample;

pub fn open(name: &str, profile: Profile) -> Opened {
    Opened::new(name.to_string(), profile, Names::short())
}

pub fn open_profiles(first: Profile, second: Option<Profile>) -> OpenProfiles {
    let second = second.map(|profile| open("b.residue", profile));
    OpenProfiles::new(open("a.residue", first), second)
}

/// What the page is answered.
pub fn ask(profiles: &OpenProfiles, name: &str, query: &str) -> Value {
    match super::answer(profiles, name, query) {
        Answer::Given(bytes) => serde_json::from_slice(&bytes).unwrap(),
        Answer::Refused(why) => panic!("{name}?{query}: {why}"),
        Answer::Unknown => panic!("{name}: no such request"),
    }
}

/// Why the page is not answered.
pub fn refusal(profiles: &OpenProfiles, name: &str, query: &str) -> String {
    match super::answer(profiles, name, query) {
        Answer::Refused(why) => why,
        _ => panic!("{name}?{query} was not refused"),
    }
}

/// The small profile with so many events. Each leaves 64 bytes in stack 0, holds 10 of
/// stack 2 until the next begins, counts as many hits as its number and stamps its middle.
pub fn events(count: u32) -> Profile {
    let mut profile = sample::profile();
    profile.meta.birth_unit = "event".to_string();
    let timeline = &mut profile.timeline;
    timeline.about.source = Source::Marks;
    timeline.about.events = u64::from(count);
    timeline.about.stride = 1;
    timeline.names = vec!["hits".to_string(), "mid".to_string()];
    let change = |moment: u32, stack: u32, bytes: i64| Change {
        moment,
        stack,
        bytes,
        blocks: bytes.signum(),
    };
    let mut hits = 0.0;
    for event in 1..=count {
        let begin = 2 * (event - 1);
        let time_ns = u64::from(event) * 100;
        let live_bytes = 1000 + 64 * u64::from(event - 1);
        let rss_bytes = 8192 + 4096 * u64::from(event);
        timeline.moments.push(Moment {
            live_bytes: Some(live_bytes),
            rss_bytes: Some(rss_bytes),
            ..Moment::unread(MomentKind::Begin, event, time_ns)
        });
        timeline.moments.push(Moment {
            live_bytes: Some(live_bytes + 74),
            rss_bytes: Some(rss_bytes + 1),
            ..Moment::unread(MomentKind::End, event, time_ns + 50)
        });
        match event {
            1 => timeline.changes.push(change(begin, 0, 1000)),
            _ => timeline.changes.push(change(begin, 2, -10)),
        }
        timeline.changes.push(change(begin + 1, 0, 64));
        timeline.changes.push(change(begin + 1, 2, 10));
        hits += f64::from(event);
        timeline.totals.push(CounterTotal {
            moment: begin + 1,
            name: 0,
            total: hits,
        });
        timeline.stamps.push(Stamp {
            spent: residue_profile::timeline::Spent::default(),
            name: 1,
            event,
            time_ns: time_ns + 20,
            vm_bytes: None,
            rss_bytes: Some(rss_bytes + 1),
            live_bytes: Some(live_bytes + 64),
        });
    }
    let end_ns = u64::from(count + 1) * 100;
    let last = Moment::unread(MomentKind::Last, count, end_ns);
    timeline.moments.push(last);
    profile
}

/// A picture of twenty events: the variable `registry` points to an array of stack 0, that to blocks
/// of stack 1, and three of those to one of stack 2 each. Five more of stack 2 are lost.
pub fn held() -> Profile {
    let mut profile = events(20);
    let sum = |stack, birth, state, blocks, bytes| HeldSum {
        stack,
        birth,
        state,
        blocks,
        bytes,
    };
    let registry = Holder {
        kind: HolderKind::Module,
        place: "/opt/lib/libsim.so".to_string(),
        address: 0x7000,
        variable: "registry".to_string(),
        file: "/src/sim.cpp".to_string(),
        line: 41,
        ..Holder::default()
    };
    let step = |stack, shape, elements| Step {
        stack,
        offset: None,
        is_repeated: false,
        shape,
        elements,
    };
    let array = step(0, Some(Shape::Pointers), 9);
    let chain = |stack, blocks, bytes, steps: &[&Step]| Chain {
        stack,
        blocks,
        bytes,
        root: registry.clone(),
        steps: steps.iter().copied().cloned().collect(),
    };
    profile.picture = Some(Picture {
        event: 20,
        blocks: 18,
        bytes: 4800,
        sums: vec![
            sum(0, 1, HeldState::Held, 1, 400),
            sum(1, 2, HeldState::Held, 5, 2000),
            sum(1, 7, HeldState::Held, 4, 1600),
            sum(2, 3, HeldState::Held, 3, 300),
            sum(2, 9, HeldState::Lost, 5, 500),
        ],
        chains: vec![
            chain(0, 1, 400, &[]),
            chain(1, 9, 3600, &[&array]),
            chain(2, 3, 300, &[&array, &step(1, None, 0)]),
        ],
        retained: vec![Retained {
            holder: registry.clone(),
            stack: 0,
            bytes: 4300,
        }],
        pins: Some(pins()),
        ..Picture::default()
    });
    profile
}

/// Five pages, of which one is free: two stacks keep most of the others.
fn pins() -> Pins {
    let stack = |stack, used_bytes, free_bytes, pages| StackPins {
        stack,
        blocks: 1,
        used_bytes,
        free_bytes,
        pages,
        alone_pages: pages,
        alone_free_bytes: free_bytes,
        smallest: 100,
        largest: 400,
        first_birth: 2,
        last_birth: 9,
    };
    let cell = |start, pages, pinned_pages, used_bytes, stack| MapCell {
        start,
        pages,
        resident_pages: pages,
        pinned_pages,
        used_bytes,
        stack,
        birth: stack.map(|_| 7),
    };
    Pins {
        heap: ResidentHeap {
            resident_bytes: 5 * 4096,
            used_bytes: 4800,
            free_bytes: 4 * 4096 - 4800,
            free_page_bytes: 4096,
        },
        stacks: vec![stack(2, 800, 2 * 4096 - 800, 2), stack(1, 3600, 496, 1)],
        other_stacks: 3,
        other_used_bytes: 400,
        other_free_bytes: 4096 - 400,
        map: HeapMap {
            cell_pages: 2,
            cells: vec![
                cell(0x7000_0000, 2, 2, 800, Some(2)),
                cell(0x7000_2000, 2, 2, 4000, Some(1)),
                cell(0x7100_0000, 1, 0, 0, None),
            ],
        },
        ..Pins::default()
    }
}
