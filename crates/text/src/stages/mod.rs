//! The stage matrix in lines: events, means, growth between stamps, the largest rise.

pub mod table;

use std::io::{self, Write};

use residue_analysis::stages::{Drift, Jump, Series, Stages, Value};

use residue_profile::units::{counted, fractional_bytes};
use residue_query::stages::{Scale, interval_name, percent, resident, trust, verdict};
use residue_query::visible::visible;

/// Intervals that are shown; a job with hundreds of modules has as many.
const SHOWN_INTERVALS: usize = 16;

/// `rows` events from the start and from the end; `per` is what one of them is called.
pub fn write(stages: &Stages, per: &str, rows: usize, out: &mut dyn Write) -> io::Result<()> {
    let scale = Scale::of(stages);
    for line in head(stages, per, &scale) {
        writeln!(out, "{line}")?;
    }
    writeln!(out)?;
    for line in table::lines(stages, per, rows, &scale) {
        writeln!(out, "{line}")?;
    }
    writeln!(out)?;
    for line in differences(stages, per, &scale) {
        writeln!(out, "{line}")?;
    }
    writeln!(out)?;
    for line in intervals(stages, per, &scale) {
        writeln!(out, "{line}")?;
    }
    if stages.value != Value::Time {
        for line in jumps(stages, per) {
            writeln!(out, "{line}")?;
        }
    }
    for line in verdict(stages, per)
        .into_iter()
        .chain(resident(stages, per))
    {
        writeln!(out, "\n{line}")?;
    }
    Ok(())
}

fn head(stages: &Stages, per: &str, scale: &Scale) -> Vec<String> {
    let what = match stages.value {
        Value::Rss => "resident size",
        Value::Vm => "virtual size",
        Value::Live => "live heap",
        Value::Time => "time",
    };
    let events = counted(stages.rows.len() as u64, per, &format!("{per}s"));
    let stamps = counted(stages.columns.len() as u64, "stamp", "stamps");
    let unit = scale.unit;
    let mut lines = vec![format!(
        "{events} of {stamps}; {what} in {unit}, relative to each {per}'s first stamp"
    )];
    if stages.set_up_stamps > 0 {
        let before = counted(stages.set_up_stamps as u64, "stamp", "stamps");
        lines.push(format!("ignored {before} before the first {per}"));
    }
    if let Some(first) = stages.left_out.first() {
        let names = counted(stages.left_out.len() as u64, "name", "names");
        let first = visible(first);
        lines.push(format!("ignored {names} of a single {per}: {first}, …"));
    }
    lines
}

fn differences(stages: &Stages, per: &str, scale: &Scale) -> Vec<String> {
    let line = |name: &str, series: &Series| {
        let (Some(mean), Some(after)) = (series.mean, series.mean_after_warm_up) else {
            return format!("{name:<15} unknown: a single {per}");
        };
        let unit = scale.unit;
        let mean = scale.mean(mean);
        let mut text = format!("{name:<15} {mean:>10} {unit}/{per}");
        if stages.warm_up_rows > 0 {
            text += &format!(", {} after warm-up", scale.mean(after));
        }
        if let (Some(drift), Some(early), Some(late)) =
            (series.drift, series.early_mean, series.late_mean)
        {
            let drift = match drift {
                Drift::Rises => "rises",
                Drift::Flat => "flat",
                Drift::Declines => "declines",
            };
            let (early, late) = (scale.mean(early), scale.mean(late));
            text += &format!("; {drift} ({early} in the first fifth, {late} in the last)");
        }
        text
    };
    let mut lines = vec![
        line("start to start", &stages.start_to_start),
        line("start to end", &stages.start_to_end),
    ];
    lines.extend(trust(stages, per, scale));
    lines
}

fn intervals(stages: &Stages, per: &str, scale: &Scale) -> Vec<String> {
    if stages.intervals.is_empty() {
        return vec![format!(
            "growth between stamps: unknown from a single {per}"
        )];
    }
    let (unit, after) = (
        scale.unit,
        match stages.warm_up_rows {
            0 => "",
            _ => ", after warm-up",
        },
    );
    let mut order: Vec<usize> = (0..stages.intervals.len()).collect();
    let what = match stages.value {
        Value::Time => "time",
        Value::Rss | Value::Vm | Value::Live => "growth",
    };
    let mut heading = format!("{what} of each interval in {unit}/{per}{after}");
    if order.len() > SHOWN_INTERVALS {
        order.sort_by_key(|&index| std::cmp::Reverse(stages.intervals[index].growth.abs()));
        order.truncate(SHOWN_INTERVALS);
        let all = stages.intervals.len();
        heading = format!("{heading}: the {SHOWN_INTERVALS} largest of {all}");
    }
    let mut lines = vec![heading];
    for index in order {
        let interval = &stages.intervals[index];
        let share = interval.share.map_or("-".to_string(), percent);
        let path = interval_name(&interval.from, &interval.to, interval.outside, per);
        lines.push(format!(
            "{:>12} {share:>8}  {path}",
            scale.mean(interval.mean)
        ));
    }
    lines
}

fn jumps(stages: &Stages, per: &str) -> Vec<String> {
    let line = |jump: &Jump| {
        let (from, to) = (visible(&jump.from), visible(&jump.to));
        let growth = fractional_bytes(jump.growth as f64);
        let part = fractional_bytes(jump.part as f64);
        let place = if jump.outside { " of the next" } else { "" };
        // More may rise in one place than is left of the whole.
        let of_it = if jump.part > jump.growth {
            ""
        } else {
            " of it"
        };
        format!(
            "{per} {}: {growth}, {part}{of_it} {from} -> {to}{place}",
            jump.event
        )
    };
    let mut lines: Vec<String> = stages.jumps.iter().map(line).collect();
    if !lines.is_empty() {
        lines.insert(
            0,
            format!("\nthe largest growth from one {per} to the next"),
        );
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_analysis::stages::{analyse, stamps_of};
    use std::path::Path;

    fn shown(text: &str, value: Value, rows: usize) -> String {
        let options = residue_import::Options::default();
        let imported =
            residue_import::parse(Path::new("a.txt"), text.as_bytes(), None, &options).unwrap();
        let (names, stamps) = stamps_of(&imported.profile.timeline);
        let stages = analyse(&names, &stamps, value).unwrap();
        let mut out = Vec::new();
        write(&stages, "event", rows, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// Events that keep 100 KiB after their last stamp, the first one more.
    fn growing() -> String {
        let mut text = "create:1,4,4\n".to_string();
        let mut start = 1000;
        for event in 0..10 {
            let time = 10 + event * 10;
            text += &format!("sim_head:{time},4096,{start}\n");
            text += &format!("sim_tail:{},4096,{}\n", time + 4, start + 8);
            start += if event == 0 { 500 } else { 100 };
        }
        text
    }

    #[test]
    fn growth_outside_every_stamp() {
        let expected = "\
10 events of 2 stamps; resident size in KiB, relative to each event's first stamp
ignored 1 stamp before the first event

names begin with sim_
event  head  tail  next event
    1     0     8         500
warm-up ends
    2     0     8         100
    3     0     8         100
    …
    9     0     8         100
   10     0     8           -
 mean   0.0   8.0       100.0

start to start       144.4 KiB/event, 100.0 after warm-up
start to end           8.0 KiB/event, 8.0 after warm-up
trust start to start: it covers the whole turn; start to end misses 92.0 KiB/event that appears \
after the last stamp of each event

growth of each interval in KiB/event, after warm-up
         8.0    8.0 %  sim_head -> sim_tail
        92.0   92.0 %  outside: sim_tail -> sim_head of the next event

the largest growth from one event to the next
event 1: 500 KiB, 492 KiB of it sim_tail -> sim_head of the next
event 2: 100 KiB, 92.0 KiB of it sim_tail -> sim_head of the next
event 3: 100 KiB, 92.0 KiB of it sim_tail -> sim_head of the next

largest rise: +92.0 KiB/event, of which 92.0 KiB survive: 92.0 % of the growth, outside every \
stamped interval: between sim_tail of one event and sim_head of the next; add a stamp there
";
        assert_eq!(shown(&growing(), Value::Rss, 2), expected);
    }

    #[test]
    fn no_growth_is_said() {
        let text = shown(&growing(), Value::Vm, 1);
        assert!(text.ends_with("\nno growth from event to event that is more than its noise\n"));
        assert!(text.contains("both say the same"));
        assert!(!text.contains("largest rise"));
    }

    #[test]
    fn time_is_shown_without_a_verdict() {
        let text = shown(&growing(), Value::Time, 1);
        assert!(text.contains("time in µs"));
        assert!(text.contains("       4.0   40.0 %  sim_head -> sim_tail\n"));
        assert!(text.contains("start to end leaves out 6.0 µs/event"));
        assert!(!text.contains("growth from"));
    }
}
