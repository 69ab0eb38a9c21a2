//! Runs written out: what every event adds to each call path.

use residue_profile::timeline::{Change, Moment, MomentKind, Source, Timeline};
use residue_profile::{BirthBin, Counters, Profile};
use residue_testkit::builder::Builder;
use residue_testkit::random::Random;

/// A call path `main > function`, and by how much each event changes what it holds.
pub struct Site {
    function: String,
    change_bytes: Vec<i64>,
    pub is_freed_at_exit: bool,
}

pub fn site(function: &str, events: u32, change_bytes: impl FnMut(u32) -> i64) -> Site {
    Site {
        function: function.to_string(),
        change_bytes: (1..=events).map(change_bytes).collect(),
        is_freed_at_exit: false,
    }
}

/// A size that wanders between zero and `highest` as chance has it.
pub fn wandering(function: &str, events: u32, highest: u64, seed: u64) -> Site {
    let mut random = Random::new(seed);
    let mut held = 0;
    site(function, events, |_| {
        let next = random.below(highest) as i64;
        let change = next - held;
        held = next;
        change
    })
}

fn moment(kind: MomentKind, event: u32, live_bytes: i64, rss_bytes: Option<u64>) -> Moment {
    Moment {
        id: u64::from(event),
        rss_bytes,
        live_bytes: Some(live_bytes as u64),
        mapped_bytes: Some(0),
        ..Moment::unread(kind, event, u64::from(event) * 1_000_000)
    }
}

/// A run of the sites, a block for every byte that stays, and the resident size at
/// each begin.
pub fn run(sites: &[Site], rss_bytes: impl Fn(u32) -> Option<u64>) -> Profile {
    let mut built = Builder::new();
    let events = sites[0].change_bytes.len() as u32;
    let mut timeline = Timeline::default();
    timeline.about.source = Source::Marks;
    timeline.about.events = u64::from(events);
    for site in sites {
        let births = survivors(site);
        let live_bytes = births.iter().map(|bin| bin.bytes).sum();
        built.profile.births.push_row(births);
        let counters = Counters {
            calls: u64::from(events),
            live_bytes,
            live_blocks: live_bytes,
            ..Counters::default()
        };
        built.stack(&format!("main;{}", site.function), counters);
    }
    let mut live = 0;
    for event in 1..=events + 1 {
        // Changes of the event before are those at this begin, or at the last end.
        let at = timeline.moments.len() as u32;
        if event > 1 {
            for (stack, site) in (0..).zip(sites) {
                let bytes = site.change_bytes[event as usize - 2];
                live += bytes;
                if bytes != 0 {
                    timeline.changes.push(Change {
                        moment: at,
                        stack,
                        bytes,
                        blocks: bytes,
                    });
                }
            }
        }
        timeline.moments.push(match event > events {
            true => moment(MomentKind::End, events, live, None),
            false => moment(MomentKind::Begin, event, live, rss_bytes(event)),
        });
    }
    built.profile.timeline = timeline;
    built.profile
}

/// What is left of each event, where the newest blocks are freed first.
fn survivors(site: &Site) -> Vec<BirthBin> {
    let mut left: Vec<BirthBin> = Vec::new();
    for (birth, &change) in (1..).zip(&site.change_bytes) {
        if change > 0 {
            left.push(BirthBin {
                birth,
                blocks: change as u64,
                bytes: change as u64,
            });
        }
        let mut freed = change.min(0).unsigned_abs();
        while let Some(newest) = left.last_mut().filter(|_| freed > 0) {
            let part = freed.min(newest.bytes);
            freed -= part;
            newest.bytes -= part;
            newest.blocks -= part;
            if newest.bytes == 0 {
                left.pop();
            }
        }
    }
    match site.is_freed_at_exit {
        true => Vec::new(),
        false => left,
    }
}
