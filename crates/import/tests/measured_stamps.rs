//! The founding users' stamps: what they found by hand comes out to the digit.

use std::path::Path;

use residue_analysis::stages::{Drift, Interval, Stages, Trust, Value, analyse, stamps_of};
use residue_import::{Format, Imported, Options, parse};
use residue_profile::timeline::{MomentKind, Source};
use residue_testkit::files::{numpy, sprof};

const KIB: i64 = 1024;

fn import(name: &str, text: &str) -> Imported {
    parse(Path::new(name), text.as_bytes(), None, &Options::default()).unwrap()
}

fn stages(imported: &Imported, value: Value) -> Stages {
    let (names, stamps) = stamps_of(&imported.profile.timeline);
    analyse(&names, &stamps, value).unwrap()
}

fn row_kib(stages: &Stages, row: usize) -> Vec<u64> {
    let cell = |cell: &Option<i64>| (cell.unwrap() / KIB) as u64;
    stages.rows[row].cells.iter().map(cell).collect()
}

fn guilty(stages: &Stages) -> &Interval {
    &stages.intervals[stages.guilty.as_ref().unwrap().interval]
}

/// To one digit behind the point, as the documents have them.
fn kib(bytes: Option<f64>) -> String {
    format!("{:.1}", bytes.unwrap() / KIB as f64)
}

#[test]
fn the_period_is_found_without_being_told() {
    let text = sprof::five_stamps();
    assert_eq!(text.len(), 270_109);
    let imported = import("SEvt__EndOfRun_SProf.txt", &text);
    assert_eq!(imported.format, Format::Stamps);
    assert_eq!(imported.period, Some(5));
    let timeline = &imported.profile.timeline;
    assert_eq!(timeline.about.source, Source::Imported);
    assert_eq!(timeline.about.events, 1000);
    assert_eq!(timeline.stamps.len(), 5002);
    assert_eq!(timeline.names.len(), 7);
    assert_eq!(timeline.moments.len(), 1000);
    let (first, last) = (&timeline.moments[0], &timeline.moments[999]);
    assert_eq!((first.kind, first.event), (MomentKind::Begin, 1));
    assert_eq!(
        first.time_ns,
        (1_706_856_261_841_716 - 1_706_856_131_162_134) * 1000
    );
    assert_eq!(first.vm_bytes, Some(10_408_836 << 10));
    assert_eq!(first.rss_bytes, Some(3_563_396 << 10));
    assert_eq!((last.event, last.rss_bytes), (1000, Some(5_762_232 << 10)));
    assert_eq!(
        imported.profile.meta.started_unix_ns,
        1_706_856_131_162_134_000
    );

    let stages = stages(&imported, Value::Rss);
    assert_eq!(stages.set_up_stamps, 2);
    assert_eq!(
        stages.columns,
        ["HEAD", "PREL", "POST", "DOWN", "TAIL"].map(|name| format!("QSim__simulate_{name}"))
    );
    assert_eq!(stages.rows.len(), 1000);
    assert_eq!(row_kib(&stages, 0), [0, 156, 2516, 4252, 4444]);
    assert_eq!(row_kib(&stages, 1), [0, 4, 4, 4, 104]);
    assert_eq!(row_kib(&stages, 2), [0, 16, 16, 16, 16]);
    for (index, row) in sprof::FIRST_ROWS.iter().enumerate() {
        assert_eq!(row_kib(&stages, index), row);
    }
    for (index, row) in sprof::LATE_ROWS.iter().enumerate() {
        assert_eq!(row_kib(&stages, sprof::LATE_FROM + index), row);
    }
    let growths = &stages.start_to_end.values;
    assert_eq!(growths[0], 4444 * KIB);
    assert_eq!(growths[1..].iter().max(), Some(&(116 * KIB)));
    assert_eq!(stages.warm_up_rows, 1);
}

#[test]
fn start_to_start_grows_evenly() {
    let stages = stages(&import("sprof.txt", &sprof::five_stamps()), Value::Rss);
    let series = &stages.start_to_start;
    assert_eq!(series.values.len(), 999);
    for (value, shown) in series.values.iter().zip(sprof::START_TO_START) {
        assert_eq!(*value, shown as i64 * KIB);
    }
    assert_eq!(
        series.values[..5],
        [6884, 2240, 2188, 2332, 2148].map(|kib| kib * KIB)
    );
    assert_eq!(
        series.values.iter().sum::<i64>(),
        (5_762_232 - 3_563_396) * KIB
    );
    assert_eq!(kib(series.mean), "2201.0");
    assert_eq!(kib(series.mean_after_warm_up), "2196.3");
    assert_eq!(series.drift, Some(Drift::Flat));
    assert_eq!(stages.trust, Trust::StartToStartMore);
}

#[test]
fn growth_outside_every_stamp_asks_for_a_stamp_there() {
    let stages = stages(&import("sprof.txt", &sprof::five_stamps()), Value::Rss);
    let outside = guilty(&stages);
    assert!(outside.outside);
    assert_eq!(outside.from, "QSim__simulate_TAIL");
    assert_eq!(outside.to, "QSim__simulate_HEAD");
    let verdict = stages.guilty.as_ref().unwrap();
    assert!(verdict.add_a_stamp);
    assert!((0.95..1.0).contains(&verdict.share), "{}", verdict.share);
    let mega = outside.mean / 1e6;
    assert!((2.15..2.25).contains(&mega), "{mega}");
    let growth: i64 = stages
        .intervals
        .iter()
        .map(|interval| interval.growth)
        .sum();
    assert_eq!(growth, (5_762_232 - 3_563_396 - 6884) * KIB);
    let shares: f64 = stages
        .intervals
        .iter()
        .filter_map(|interval| interval.share)
        .sum();
    assert!((shares - 1.0).abs() < 1e-12);
}

#[test]
fn two_more_stamps_find_the_interval() {
    let imported = import("sprof.txt", &sprof::seven_stamps());
    assert_eq!(imported.period, Some(7));
    assert_eq!(imported.profile.timeline.moments.len(), 1000);
    let stages = stages(&imported, Value::Rss);
    assert_eq!(stages.columns.len(), 7);
    assert_eq!(stages.columns[6], "QSim__reset_TAIL");
    assert!(stages.left_out.is_empty());
    assert_eq!(row_kib(&stages, 1), [0, 32, 32, 32, 132, 2200, 2264]);
    for (index, row) in sprof::SEVEN_ROWS.iter().enumerate() {
        assert_eq!(row_kib(&stages, index), row);
    }
    assert!(stages.rows[999].cells[6].is_some());
    let interval = guilty(&stages);
    assert!(!interval.outside);
    assert_eq!(interval.from, "QSim__simulate_TAIL");
    assert_eq!(interval.to, "QSim__reset_HEAD");
    let verdict = stages.guilty.as_ref().unwrap();
    assert!(verdict.share > 0.9 && !verdict.add_a_stamp);
    // The reset gives nothing back.
    let reset = &stages.intervals[5];
    assert_eq!(
        (reset.from.as_str(), reset.to.as_str()),
        ("QSim__reset_HEAD", "QSim__reset_TAIL")
    );
    assert!(reset.growth > 0);
    assert_eq!(stages.trust, Trust::Both);
}

#[test]
fn an_end_before_the_reset_misleads() {
    let imported = import("run_meta.txt", &sprof::run_meta());
    let timeline = &imported.profile.timeline;
    assert_eq!(timeline.moments.len(), 1000);
    assert_eq!((timeline.moments[7].event, timeline.moments[7].id), (8, 7));
    let notes = &imported.profile.meta.notes;
    assert!(notes.contains(&"\"GPUMeta:1:NVIDIA_TITAN_RTX\"".to_string()));
    let stages = stages(&imported, Value::Rss);
    assert_eq!(stages.columns, ["SEvt__setIndex", "SEvt__endIndex"]);
    assert_eq!(stages.set_up_stamps, 2);
    assert_eq!(stages.start_to_end.values[0], (3_578_172 - 3_571_360) * KIB);
    assert_eq!(
        stages.start_to_start.values[0],
        (3_578_244 - 3_571_360) * KIB
    );
    assert_eq!(stages.start_to_end.drift, Some(Drift::Declines));
    assert_eq!(stages.start_to_start.drift, Some(Drift::Flat));
    assert_eq!(stages.trust, Trust::StartToStartMore);
}

#[test]
fn numbers_in_notes_are_counters() {
    let text = "A000_head:1764835751800530,11365936,4651516\n\
                A000_tail:1764835776914707,31192844,6430056 # numPhoton=148793197,numHit=27471928\n\
                A001_head:1764835776914712,31192844,6430056\n\
                A001_tail:1764835776914892,31192844,6430056 # numPhoton=4, numHit=5 # slice=1\n";
    let imported = import("SProf.txt", text);
    let timeline = &imported.profile.timeline;
    let counts: Vec<(u32, &str, f64)> = timeline
        .counts
        .iter()
        .map(|count| {
            (
                count.event,
                timeline.names[count.name as usize].as_str(),
                count.value,
            )
        })
        .collect();
    assert_eq!(
        counts,
        [
            (1, "numPhoton", 148_793_197.0),
            (1, "numHit", 27_471_928.0),
            (2, "numPhoton", 4.0),
            (2, "numHit", 5.0),
            (2, "slice", 1.0)
        ]
    );
    let totals: Vec<(u32, f64)> = timeline
        .totals
        .iter()
        .map(|t| (t.moment, t.total))
        .collect();
    assert_eq!(totals, [(1, 148_793_197.0), (1, 27_471_928.0)]);
    assert_eq!(stages(&imported, Value::Rss).columns, ["head", "tail"]);
}

/// Time and virtual size of ten events, as their author's program printed them.
const TEN_EVENTS: [[f64; 4]; 10] = [
    [76319.516, 4580.335, 0.0, 0.0],
    [76319.547, 4589.772, 0.0, 0.0],
    [76319.570, 4589.772, 0.0, 0.0],
    [76319.609, 4602.355, 0.0, 0.0],
    [76319.609, 4602.355, 0.0, 0.0],
    [76319.648, 4602.355, 0.0, 0.0],
    [76319.664, 4602.355, 0.0, 0.0],
    [76319.828, 4677.853, 0.0, 0.0],
    [76319.836, 4677.853, 0.0, 0.0],
    [76319.844, 4677.853, 0.0, 0.0],
];

#[test]
fn an_array_of_ten_events_in_honest_units() {
    let rows: Vec<&[f64]> = TEN_EVENTS.iter().map(|row| row.as_slice()).collect();
    let bytes = numpy::npy("<f8", false, 1, &rows);
    let path = Path::new("G4OpticksProfilePlot.npy");
    let imported = parse(path, &bytes, None, &Options::default()).unwrap();
    assert_eq!(imported.profile.timeline.about.events, 10);
    let stages = stages(&imported, Value::Vm);
    // He divides KiB by 1000 and calls it MB: 97.518 and 10.8353 of those.
    let his_mb = |bytes: f64| format!("{:.4}", bytes / 1_024_000.0);
    let growth: i64 = stages.start_to_start.values.iter().sum();
    assert_eq!(his_mb(growth as f64), "97.5180");
    assert_eq!(his_mb(stages.start_to_start.mean.unwrap()), "10.8353");
    let steps: Vec<u32> = stages.jumps.iter().map(|jump| jump.event).collect();
    assert_eq!(steps, [7, 3, 1]);
    // Three steps and otherwise nothing: no growth that is certain.
    assert_eq!(stages.guilty, None);
}
