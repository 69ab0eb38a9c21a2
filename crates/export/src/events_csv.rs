//! Events as a table: one line each, with sizes and counters.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use residue_profile::timeline::{EventNumber, MomentKind, NameId};
use residue_profile::{EventCost, Profile, harmless};

use crate::bounds::expect_few_cells;

const COLUMNS: &str = "id,time_ns,vm_bytes,rss_bytes,live_bytes,mapped_bytes";
/// Where events have costs; see [`residue_profile::EventCost`].
const COST_COLUMNS: &str = ",wall_ns,cpu_ns,calls,total_bytes";

/// At the begin of each event that was kept, or at each tick, with what it cost until its end. Cells
/// without a number are empty.
pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let timeline = &profile.timeline;
    let counters: BTreeSet<NameId> = timeline.counts.iter().map(|count| count.name).collect();
    let counts: BTreeMap<(EventNumber, NameId), f64> = timeline
        .counts
        .iter()
        .map(|count| ((count.event, count.name), count.value))
        .collect();
    let costs: BTreeMap<EventNumber, EventCost> = timeline
        .event_costs()
        .into_iter()
        .map(|cost| (cost.event, cost))
        .collect();
    let is_spent = |cost: &EventCost| cost.cpu_ns.is_some() || cost.calls.is_some();
    let has_costs = costs.values().any(is_spent);
    expect_few_cells(timeline.moments.len(), counters.len())?;
    write!(out, "{COLUMNS}")?;
    for &counter in &counters {
        let name = timeline.names.get(counter as usize);
        write!(out, ",{}", quoted(name.map_or("?", String::as_str)))?;
    }
    writeln!(out, "{}", if has_costs { COST_COLUMNS } else { "" })?;
    let is_row = MomentKind::is_begin;
    for moment in timeline.moments.iter().filter(|moment| is_row(moment.kind)) {
        write!(out, "{},{}", moment.id, moment.time_ns)?;
        for size in [
            moment.vm_bytes,
            moment.rss_bytes,
            moment.live_bytes,
            moment.mapped_bytes,
        ] {
            write!(out, ",{}", cell(size))?;
        }
        for &counter in &counters {
            write!(out, ",{}", cell(counts.get(&(moment.event, counter))))?;
        }
        if has_costs {
            let cost = costs.get(&moment.event);
            let cells = [
                cost.map(|cost| cost.wall_ns),
                cost.and_then(|cost| cost.cpu_ns),
                cost.and_then(|cost| cost.calls),
                cost.and_then(|cost| cost.total_bytes),
            ];
            for number in cells {
                write!(out, ",{}", cell(number))?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

fn cell(value: Option<impl ToString>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// In quotes where it has to be; on one line always.
fn quoted(name: &str) -> String {
    let name = crate::plain::visible(name);
    let name = harmless::cell(&name);
    match name.contains([',', '"', ';']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn events_with_their_counters() {
        let table = "event,time_s,rss_kib,hits,\"a,b\"\n7,1,100,36180,\n8,1.5,,35264,0.5\n";
        let options = residue_import::Options::default();
        let path = Path::new("a.csv");
        let imported = residue_import::parse(path, table.as_bytes(), None, &options).unwrap();
        let mut out = Vec::new();
        write(&imported.profile, &mut out).unwrap();
        let expected = "id,time_ns,vm_bytes,rss_bytes,live_bytes,mapped_bytes,hits,\"a,b\"\n\
                        7,0,,102400,,,36180,\n8,500000000,,,,,35264,0.5\n";
        assert_eq!(String::from_utf8(out.clone()).unwrap(), expected);
        let again = residue_import::parse(path, &out, None, &options).unwrap();
        assert_eq!(again.profile.timeline, imported.profile.timeline);
    }
}
