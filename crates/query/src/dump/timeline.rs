//! The timeline, list by list. Names are written out; what the kernel said at snapshots is
//! not, only its lengths.

use std::io;

use residue_analysis::history::EventRange;
use residue_profile::timeline::*;
use serde::Serialize;

use super::DumpForm;

/// A row with the name that it has by number.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Named<'a, T> {
    name: Option<&'a str>,
    #[serde(flatten)]
    row: T,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SnapshotRow {
    moment: MomentId,
    maps_bytes: usize,
    smaps_bytes: usize,
    numa_maps_bytes: usize,
}

/// A moment; where others are left out, with its number, which rows of other lists point to.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct MomentRow<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    moment: Option<MomentId>,
    #[serde(flatten)]
    row: &'a Moment,
}

/// What is written, member by member.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(rename = "Timeline")]
#[expect(dead_code, reason = "only its schema is made")]
pub struct Whole<'a> {
    about: About,
    moments: Vec<Named<'a, MomentRow<'a>>>,
    stamps: Vec<Named<'a, &'a Stamp>>,
    counts: Vec<Named<'a, &'a Count>>,
    totals: Vec<Named<'a, &'a CounterTotal>>,
    changes: Vec<&'a Change>,
    cpu: Vec<&'a CpuTime>,
    allocated: Vec<&'a Allocated>,
    accounts: Vec<&'a Account>,
    snapshots: Vec<Named<'a, SnapshotRow>>,
    deferrals: Vec<&'a Deferral>,
}

/// Writes what belongs to these events; deferrals belong to none and are always there.
pub fn write(timeline: &Timeline, events: EventRange, form: &mut impl DumpForm) -> io::Result<()> {
    form.facts("about", &timeline.about)?;
    let name = |id: NameId| timeline.names.get(id as usize).map(String::as_str);
    let is_whole = events == EventRange::ALL;
    let holds = |event: EventNumber| is_whole || (events.from..=events.to).contains(&event);
    let holds_moment = |moment: MomentId| {
        let moment = timeline.moments.get(moment as usize);
        is_whole || moment.is_some_and(|moment| holds(moment.event))
    };
    let moments = (0..).zip(&timeline.moments);
    let moments = moments.filter(|(_, row)| holds(row.event));
    let moments = moments.map(|(id, row)| Named {
        name: row.name.and_then(name),
        row: MomentRow {
            moment: (!is_whole).then_some(id),
            row,
        },
    });
    form.rows("moments", moments)?;
    let stamps = timeline.stamps.iter().filter(|row| holds(row.event));
    let stamps = stamps.map(|row| Named {
        name: name(row.name),
        row,
    });
    form.rows("stamps", stamps)?;
    let counts = timeline.counts.iter().filter(|row| holds(row.event));
    let counts = counts.map(|row| Named {
        name: name(row.name),
        row,
    });
    form.rows("counts", counts)?;
    let totals = timeline
        .totals
        .iter()
        .filter(|row| holds_moment(row.moment));
    let totals = totals.map(|row| Named {
        name: name(row.name),
        row,
    });
    form.rows("totals", totals)?;
    let changes = timeline.changes.iter();
    form.rows("changes", changes.filter(|row| holds_moment(row.moment)))?;
    let cpu = timeline.cpu.iter();
    form.rows("cpu", cpu.filter(|row| holds_moment(row.moment)))?;
    let allocated = timeline.allocated.iter();
    form.rows(
        "allocated",
        allocated.filter(|row| holds_moment(row.moment)),
    )?;
    let accounts = timeline.accounts.iter();
    form.rows("accounts", accounts.filter(|row| holds_moment(row.moment)))?;
    let snapshots = timeline.snapshots.iter();
    let snapshots = snapshots.filter(|row| holds_moment(row.moment));
    let snapshots = snapshots.map(|snapshot| Named {
        name: name(snapshot.name),
        row: SnapshotRow {
            moment: snapshot.moment,
            maps_bytes: snapshot.maps.len(),
            smaps_bytes: snapshot.smaps.len(),
            numa_maps_bytes: snapshot.numa_maps.len(),
        },
    });
    form.rows("snapshots", snapshots)?;
    form.rows("deferrals", timeline.deferrals.iter())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dump::Json;
    use residue_testkit::sample::timeline;
    use serde_json::{Value, json};

    fn dump(timeline: &Timeline) -> Value {
        dump_events(timeline, EventRange::ALL)
    }

    fn dump_events(timeline: &Timeline, events: EventRange) -> Value {
        let mut out = b"{".to_vec();
        let mut json = Json {
            out: &mut out,
            is_first: true,
        };
        write(timeline, events, &mut json).unwrap();
        out.push(b'}');
        serde_json::from_slice(&out).unwrap()
    }

    #[test]
    fn one_of_everything() {
        let dump = dump(&timeline());
        assert_eq!(dump["about"]["source"], "marks");
        assert_eq!(dump["about"]["misuse"]["scope_end_without_begin"], 4);
        assert_eq!(
            dump["moments"][1],
            json!({
                "kind": "end", "event": 1, "id": 700, "stream": 2, "name": null,
                "time_ns": 2_500_000, "vm_bytes": null, "rss_bytes": null,
                "shared_bytes": null, "live_bytes": 5000, "mapped_bytes": 0,
                "recorder_bytes": 300_000, "threads": 1, "has_changes": false,
                "has_totals": false, "calls": null, "total_bytes": null,
                "thread_cpu_ns": null, "process_cpu_ns": null,
            })
        );
        assert_eq!(dump["moments"][2]["name"], "ha\nlf");
        assert_eq!(
            dump["stamps"],
            json!([{
                "name": null, "event": 1, "time_ns": 1_600_000, "vm_bytes": null,
                "rss_bytes": 4096, "live_bytes": 10, "calls": null, "total_bytes": null,
                "thread_cpu_ns": null, "process_cpu_ns": null,
            }])
        );
        assert_eq!(
            dump["counts"],
            json!([{"event": 1, "name": "hits", "value": 3.5}])
        );
        assert_eq!(
            dump["totals"],
            json!([{"moment": 1, "name": "hits", "total": 3.5}])
        );
        assert_eq!(
            dump["changes"][1],
            json!({"moment": 0, "stack": 4, "bytes": -64, "blocks": -2})
        );
        assert_eq!(dump["accounts"][0]["allocator"]["free_bytes"], 11);
        assert_eq!(
            dump["snapshots"],
            json!([{
                "name": "ha\nlf", "moment": 2, "maps_bytes": 4, "smaps_bytes": 10,
                "numa_maps_bytes": 0,
            }])
        );
        assert_eq!(
            dump["deferrals"],
            json!([{
                "stack": 3, "frees": 10, "events": 20, "longest_events": 3, "freed_at": 7,
            }])
        );
    }

    #[test]
    fn some_events_alone_keep_the_numbers_of_their_moments() {
        let moment = |event| Moment {
            has_changes: true,
            ..Moment::unread(MomentKind::Begin, event, 0)
        };
        let change = |moment| Change {
            moment,
            stack: 0,
            bytes: 64,
            blocks: 1,
        };
        let timeline = Timeline {
            moments: (1..=5).map(moment).collect(),
            changes: (0..5).map(change).collect(),
            ..Timeline::default()
        };
        let dump = dump_events(&timeline, EventRange { from: 3, to: 4 });
        let of = |list: &str, member: &str| -> Vec<u64> {
            let rows = dump[list].as_array().unwrap().iter();
            rows.map(|row| row[member].as_u64().unwrap()).collect()
        };
        assert_eq!(of("moments", "event"), [3, 4]);
        assert_eq!(of("moments", "moment"), [2, 3]);
        assert_eq!(of("changes", "moment"), [2, 3]);
    }

    #[test]
    fn an_empty_timeline_has_all_members() {
        let dump = dump(&Timeline::default());
        assert_eq!(dump["about"]["source"], "none");
        for list in ["moments", "stamps", "counts", "totals", "changes"] {
            assert_eq!(dump[list], json!([]), "{list}");
        }
        for list in ["accounts", "snapshots", "deferrals"] {
            assert_eq!(dump[list], json!([]), "{list}");
        }
    }
}
