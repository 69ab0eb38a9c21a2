//! Of very many events, all are counted, the first and the last are whole, and ever
//! fewer of those between.

use crate::dumped::Dump;
use crate::support::{Lab, process};
use residue_arena::moments::{KEPT_PER_STRIDE, LATEST_ROWS, WHOLE_EVENTS};
use serde_json::Value;
use std::collections::BTreeSet;

const EVENTS: u64 = 20_000;

/// The events that are kept for good, and the stride at the end.
fn kept_events() -> (Vec<u32>, u64) {
    let mut events: Vec<u32> = (1..=WHOLE_EVENTS as u32).collect();
    let (mut stride, mut kept) = (1, 0);
    for event in WHOLE_EVENTS + 1..=EVENTS {
        if event % stride == 0 {
            events.push(event as u32);
            kept += 1;
        }
        if kept == KEPT_PER_STRIDE {
            (stride, kept) = (2 * stride, 0);
        }
    }
    (events, stride)
}

#[test]
fn of_twenty_thousand_events_the_ends_are_whole() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["marks_c", &EVENTS.to_string()]);
    recorded.expect_exact();
    let dump = Dump::of(&lab, &recorded);
    let about = &dump.timeline.about;
    assert_eq!(about.events, EVENTS);
    let (kept, stride) = kept_events();
    assert_eq!(u64::from(about.stride), stride);
    for kind in ["begin", "end"] {
        let of_kind = dump.moments(kind);
        let whole = of_kind.iter().filter(|moment| moment.has_changes);
        assert!(
            whole.map(|moment| moment.event).eq(kept.iter().copied()),
            "{kind}"
        );
        // Six rows an event in the ring; the very first of them may be cut.
        let latest = (LATEST_ROWS / 6) as u32 - 1;
        let there: BTreeSet<u32> = of_kind.iter().map(|moment| moment.event).collect();
        let last = EVENTS as u32;
        assert!(
            (last - latest..=last).all(|event| there.contains(&event)),
            "{kind}"
        );
    }
    let most = 2 * kept.len() as u64 + LATEST_ROWS + 2;
    assert!((dump.timeline.moments.len() as u64) < most);
    // Between two kept ends lie as many leaks as events began there.
    let leak = dump.stacks_with("leak_here");
    let changes = dump.timeline.changes.iter();
    let mut blocks_until = 0;
    for change in changes.filter(|change| leak.contains(&change.stack)) {
        blocks_until += change.blocks;
        let moment = &dump.timeline.moments[change.moment];
        if moment.kind == "end" {
            assert_eq!(blocks_until, i64::from(moment.event));
        }
    }
    // One survivor in each event, told apart to the last.
    let births = dump.births(&leak);
    let bins = births.keys().copied().collect::<Vec<_>>();
    assert!(
        births
            .values()
            .all(|&(blocks, bytes)| bytes == 1000 * blocks)
    );
    assert_eq!(
        births.values().map(|(blocks, _)| blocks).sum::<u64>(),
        EVENTS
    );
    let whole = WHOLE_EVENTS as usize;
    assert!(bins[..whole].iter().copied().eq(1..=whole as u32));
    let (first, last) = (&bins[..whole], &bins[bins.len() - whole..]);
    assert!(first.iter().chain(last).all(|bin| births[bin].0 == 1));
}

/// A leak in every hundredth event and a counter that goes its own way.
#[test]
fn survivors_and_counters_of_a_thinned_run_are_exact() {
    for blocks in ["1", "5"] {
        let lab = Lab::new();
        let recorded = lab.record(&[], &["thinned_leak", "99990", "100", blocks]);
        let (_, truths) = recorded.expect_exact();
        let mut leaks = lab.residue();
        leaks.args(["leaks", "--json"]).arg(&recorded.profile);
        let output = process::finish(leaks);
        let leaks: Value = serde_json::from_slice(&output.stdout).unwrap();
        let stack = &leaks["stacks"][0];
        assert_eq!(leaks["verdict"], "leak", "{leaks}");
        assert_eq!(stack["counter"], Value::Null, "{stack}");
        let reasons = stack["reason_codes"].as_array().unwrap().iter();
        let survivors: Vec<u64> = reasons
            .filter(|reason| reason["code"] == "survivors")
            .filter_map(|reason| reason["from_events"].as_u64())
            .collect();
        assert_eq!(survivors, [truths.get("leaking_events")], "{stack}");
        let dump = Dump::of(&lab, &recorded);
        let totals = &dump.timeline.totals;
        let last = totals.iter().rfind(|total| total.name == "hits").unwrap();
        assert_eq!(last.total, truths.get("hits") as f64);
        assert_eq!(last.moment, dump.timeline.moments.len() - 1);
    }
}
