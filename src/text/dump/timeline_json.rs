//! The timeline of a profile as members of a JSON object; the schema is in
//! docs/COMMANDS.md. Names are written out; the kernel's papers are not, only
//! their lengths.

use std::io::{self, Write};

use residue_profile::timeline::*;
use serde::Serialize;

use crate::text::dump::json::{array, json};

#[derive(Serialize)]
struct MomentRow<'a> {
    kind: MomentKind,
    event: EventNumber,
    id: u64,
    stream: u32,
    name: Option<&'a str>,
    time_ns: u64,
    vm_bytes: Option<u64>,
    rss_bytes: Option<u64>,
    shared_bytes: Option<u64>,
    live_bytes: Option<u64>,
    mapped_bytes: Option<u64>,
    recorder_bytes: u64,
    threads: u32,
    has_changes: bool,
}

#[derive(Serialize)]
struct StampRow<'a> {
    name: Option<&'a str>,
    event: EventNumber,
    time_ns: u64,
    vm_bytes: Option<u64>,
    rss_bytes: Option<u64>,
    live_bytes: Option<u64>,
}

#[derive(Serialize)]
struct CountRow<'a> {
    event: EventNumber,
    name: Option<&'a str>,
    value: f64,
}

#[derive(Serialize)]
struct TotalRow<'a> {
    moment: MomentId,
    name: Option<&'a str>,
    total: f64,
}

#[derive(Serialize)]
struct ChangeRow {
    moment: MomentId,
    stack: StackId,
    bytes: i64,
    blocks: i64,
}

#[derive(Serialize)]
struct SnapshotRow<'a> {
    name: Option<&'a str>,
    moment: MomentId,
    maps_bytes: usize,
    smaps_bytes: usize,
    numa_maps_bytes: usize,
}

#[derive(Serialize)]
struct DeferralRow {
    stack: StackId,
    frees: u64,
    events: u64,
    longest_events: u32,
    freed_at: Option<u32>,
}

pub fn write_members(timeline: &Timeline, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"\"about\":")?;
    json(out, &timeline.about)?;
    let name = |id: NameId| timeline.names.get(id as usize).map(String::as_str);
    let moments = timeline.moments.iter().map(|moment| MomentRow {
        kind: moment.kind,
        event: moment.event,
        id: moment.id,
        stream: moment.stream,
        name: moment.name.and_then(name),
        time_ns: moment.time_ns,
        vm_bytes: moment.vm_bytes,
        rss_bytes: moment.rss_bytes,
        shared_bytes: moment.shared_bytes,
        live_bytes: moment.live_bytes,
        mapped_bytes: moment.mapped_bytes,
        recorder_bytes: moment.recorder_bytes,
        threads: moment.threads,
        has_changes: moment.has_changes,
    });
    rows(out, "moments", moments)?;
    let stamps = timeline.stamps.iter().map(|stamp| StampRow {
        name: name(stamp.name),
        event: stamp.event,
        time_ns: stamp.time_ns,
        vm_bytes: stamp.vm_bytes,
        rss_bytes: stamp.rss_bytes,
        live_bytes: stamp.live_bytes,
    });
    rows(out, "stamps", stamps)?;
    let counts = timeline.counts.iter().map(|count| CountRow {
        event: count.event,
        name: name(count.name),
        value: count.value,
    });
    rows(out, "counts", counts)?;
    let totals = timeline.totals.iter().map(|total| TotalRow {
        moment: total.moment,
        name: name(total.name),
        total: total.total,
    });
    rows(out, "totals", totals)?;
    let changes = timeline.changes.iter().map(|change| ChangeRow {
        moment: change.moment,
        stack: change.stack,
        bytes: change.bytes,
        blocks: change.blocks,
    });
    rows(out, "changes", changes)?;
    rows(out, "accounts", timeline.accounts.iter())?;
    let snapshots = timeline.snapshots.iter().map(|snapshot| SnapshotRow {
        name: name(snapshot.name),
        moment: snapshot.moment,
        maps_bytes: snapshot.maps.len(),
        smaps_bytes: snapshot.smaps.len(),
        numa_maps_bytes: snapshot.numa_maps.len(),
    });
    rows(out, "snapshots", snapshots)?;
    let deferrals = timeline.deferrals.iter().map(|deferral| DeferralRow {
        stack: deferral.stack,
        frees: deferral.frees,
        events: deferral.events,
        longest_events: deferral.longest_events,
        freed_at: deferral.freed_at,
    });
    rows(out, "deferrals", deferrals)
}

fn rows(
    out: &mut dyn Write,
    name: &str,
    rows: impl Iterator<Item = impl Serialize>,
) -> io::Result<()> {
    array(out, name, rows, |out, row| json(out, &row))
}

#[cfg(test)]
mod tests {
    use super::super::timeline::tests::timeline;
    use super::*;
    use serde_json::{Value, json};

    fn dump(timeline: &Timeline) -> Value {
        let mut out = b"{".to_vec();
        write_members(timeline, &mut out).unwrap();
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
            })
        );
        assert_eq!(dump["moments"][2]["name"], "ha\nlf");
        assert_eq!(
            dump["stamps"],
            json!([{
                "name": null, "event": 1, "time_ns": 1_600_000, "vm_bytes": null,
                "rss_bytes": 4096, "live_bytes": 10,
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
