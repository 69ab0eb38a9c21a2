//! Events that overlap on four streams, with tasks that change threads.

use crate::dumped::Dump;
use crate::support::Lab;
use std::collections::BTreeMap;

#[test]
fn what_overlapping_events_leave_is_exact_for_each() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["overlap", "400"]);
    let (_, truths) = recorded.expect_exact();
    let dump = Dump::of(&lab, &recorded);
    let about = &dump.timeline.about;
    assert_eq!(about.events, truths.get("events"));
    assert!((1..=4).contains(&about.streams));
    let ids: BTreeMap<u32, u64> = dump.events("begin").into_iter().collect();
    assert_eq!(ids.len(), 400);
    let mut ends: Vec<(u32, u64)> = dump.events("end");
    ends.sort();
    assert!(ends.into_iter().eq(ids.clone()));
    let births = dump.births(&dump.stacks_with("task_leak"));
    for (event, id) in ids {
        let left = truths.get(&format!("event.{id}.left"));
        assert_eq!(births[&event], (6, left), "event {event} with id {id}");
    }
    assert_eq!(births.len(), 400);
}
