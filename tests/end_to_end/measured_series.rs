//! What the founding users measured, as files, through the commands they would use.

use crate::support::Lab;
use crate::verdicts::{leaks_json, said, said_json};
use residue_testkit::files::{numpy, sprof};
use residue_testkit::random::Random;
use serde_json::Value;

const KIB: f64 = 1024.0;
/// What G4Opticks calls MB: kibibytes divided by 1000.
const THEIR_MB: f64 = 1_024_000.0;
const STAMPS: &str = "SEvt__EndOfRun_SProf.txt";
const ARRAY: &str = "G4OpticksProfilePlot.npy";

fn lab_with(name: &str, content: impl AsRef<[u8]>) -> Lab {
    let lab = Lab::new();
    std::fs::write(lab.path(name), content).expect("a file can be made in the lab");
    lab
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

/// To one digit behind the point, as the documents have them.
fn kib(value: &Value) -> String {
    format!("{:.1}", number(value) / KIB)
}

fn expect_lines(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(
            text.lines().any(|found| found == *line),
            "no {line:?} in\n{text}"
        );
    }
}

#[test]
fn the_period_of_five_stamps_is_found_and_rows_are_right_to_the_digit() {
    let lab = lab_with(STAMPS, sprof::five_stamps());
    let imported = said(&lab, &["import", STAMPS]);
    expect_lines(
        &imported,
        &["stamps     5 002 stamps in 1 000 events, period 5, 2 before the first"],
    );
    let text = said(&lab, &["stages", STAMPS]);
    expect_lines(
        &text,
        &[
            "1 000 events of 5 stamps; resident size in KiB, relative to each event's first stamp",
            "ignored 2 stamps before the first event",
            "event  HEAD  PREL  POST  DOWN  TAIL  next event",
            "    1     0   156  2516  4252  4444        6884",
            "warm-up ends",
            "    2     0     4     4     4   104        2240",
            "    3     0    16    16    16    16        2188",
            "    4     0    12    12    12   116        2332",
            "    5     0    12    12    12    12        2148",
        ],
    );
    let document = said_json(&lab, &["stages", STAMPS, "--json"]);
    assert_eq!(document["format"], "residue-stages");
    assert_eq!(document["unit"], "bytes");
    let stages = &document["stages"];
    assert_eq!(stages["set_up_stamps"], 2);
    let row = |row: usize| -> Vec<f64> {
        let cells = stages["rows"][row]["cells"].as_array().expect("cells");
        cells.iter().map(|cell| number(cell) / KIB).collect()
    };
    assert_eq!(row(0), [0.0, 156.0, 2516.0, 4252.0, 4444.0]);
    assert_eq!(row(1), [0.0, 4.0, 4.0, 4.0, 104.0]);
    assert_eq!(row(2), [0.0, 16.0, 16.0, 16.0, 16.0]);
    let within = stages["start_to_end"]["values"].as_array().expect("values");
    let most = within[1..].iter().map(number).fold(0.0, f64::max);
    assert_eq!(most, 116.0 * KIB);
}

#[test]
fn start_to_start_is_trusted_and_the_gap_between_events_is_guilty() {
    let lab = lab_with(STAMPS, sprof::five_stamps());
    let stages = &said_json(&lab, &["stages", STAMPS, "--json"])["stages"];
    let turns = stages["start_to_start"]["values"]
        .as_array()
        .expect("values");
    let first: Vec<f64> = turns[..5].iter().map(|turn| number(turn) / KIB).collect();
    assert_eq!(first, [6884.0, 2240.0, 2188.0, 2332.0, 2148.0]);
    assert_eq!(turns.len(), 999);
    assert_eq!(kib(&stages["start_to_start"]["mean"]), "2201.0");
    assert_eq!(
        kib(&stages["start_to_start"]["mean_after_warm_up"]),
        "2196.3"
    );
    assert_eq!(stages["start_to_start"]["drift"], "flat");
    assert_eq!(stages["trust"], "start-to-start-more");
    assert_eq!(stages["guilty"]["add_a_stamp"], true);
    assert_eq!(stages["intervals"][4]["outside"], true);
    assert_eq!(stages["guilty"]["interval"], 4);

    let text = said(&lab, &["stages", STAMPS]);
    for part in [
        "start to start      2201.0 KiB/event, 2196.3 after warm-up; flat (",
        "\ntrust start to start: it covers the whole turn; start to end misses 2135.2 KiB/event \
         that appears after the last stamp of each event\n",
        "\nlargest rise: +2.09 MiB/event, of which 2.09 MiB survive: 97.2 % of the growth, \
         outside every stamped interval: \
         between QSim__simulate_TAIL of one event and QSim__simulate_HEAD of the next; \
         add a stamp there\n",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn the_verdict_on_a_file_of_stamps_is_growth_of_rss() {
    let lab = lab_with(STAMPS, sprof::five_stamps());
    let verdict = leaks_json(&lab, STAMPS);
    assert_eq!(verdict["verdict"], "growth");
    assert_eq!(verdict["basis"], "rss");
    assert_eq!(verdict["events"], 1000);
    let ends = &verdict["series"]["rss"]["end_to_end_rate"];
    assert_eq!(kib(ends), "2201.0");
    let (rate, low, high) = interval(&verdict);
    assert!((rate / KIB - 2196.3).abs() < 1.0, "{rate}");
    assert!(low < 2196.34 * KIB && 2196.34 * KIB < high, "{low} {high}");
    let text = said(&lab, &["leaks", STAMPS]);
    assert!(
        text.starts_with("GROWS  RSS 2.14 MiB/event  (95 %: "),
        "{text}"
    );
    // A part of the run says the same.
    let part = leaks_json(&lab, &format!("{STAMPS}@501..end"));
    assert_eq!(
        (&part["first_event"], &part["last_event"]),
        (&501.into(), &1000.into())
    );
    assert!((interval(&part).0 / KIB - 2196.3).abs() < 5.0, "{part}");
}

fn interval(verdict: &Value) -> (f64, f64, f64) {
    (
        number(&verdict["rate_bytes_per_event"]),
        number(&verdict["low"]),
        number(&verdict["high"]),
    )
}

#[test]
fn two_more_stamps_blame_what_happens_before_the_reset() {
    let lab = lab_with(STAMPS, sprof::seven_stamps());
    let text = said(&lab, &["stages", STAMPS]);
    for part in [
        "1 000 events of 7 stamps; ",
        "    2              0             32             32             32            132        2200        2264 ",
        "\nlargest rise: QSim__simulate_TAIL -> QSim__reset_HEAD, +2.06 MiB/event, of which 2.06 MiB \
         survive: 95.3 % of the growth\n",
        "\nQSim__reset_HEAD -> QSim__reset_TAIL gives nothing back: it adds 53.2 KiB/event\n",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    let stages = &said_json(&lab, &["stages", STAMPS, "--json"])["stages"];
    let guilty = stages["guilty"]["interval"].as_u64().expect("an interval");
    let guilty = &stages["intervals"][guilty as usize];
    assert_eq!(guilty["from"], "QSim__simulate_TAIL");
    assert_eq!(guilty["to"], "QSim__reset_HEAD");
    assert_eq!(stages["guilty"]["add_a_stamp"], false);
    // The renamed last line is in its column.
    assert!(stages["left_out"].as_array().expect("names").is_empty());
    assert!(stages["rows"][999]["cells"][6].is_number());
}

/// Bytes for each hit, and some for every event; 64 hits make a page.
const HIT_BYTES: u64 = 64;
const EVENT_BYTES: u64 = 1 << 20;

#[test]
fn growth_that_follows_the_hits_in_the_notes() {
    let mut random = Random::new(23);
    let mut text = "Create:1706856131162134,4,4\n".to_string();
    let mut bytes: u64 = 3_563_396 << 10;
    for event in 0..300_u64 {
        let hits = 64 * (312 + random.below(626));
        let time = 1_706_856_261_841_716 + event * 41_000;
        let rss = bytes / 4096 * 4;
        text += &format!("simulate_HEAD:{time},12892796,{rss}\n");
        text += &format!(
            "simulate_TAIL:{},12892796,{rss} # numHit={hits}\n",
            time + 9000
        );
        bytes += HIT_BYTES * hits + EVENT_BYTES;
    }
    let lab = lab_with(STAMPS, text);
    let verdict = leaks_json(&lab, STAMPS);
    assert_eq!(verdict["verdict"], "growth");
    let counter = &verdict["counter"];
    assert_eq!(counter["name"], "numHit");
    assert_eq!(counter["dependence"], "both");
    for (member, truth) in [
        ("bytes_per_unit", HIT_BYTES),
        ("bytes_per_unit_low", HIT_BYTES),
        ("bytes_per_unit_high", HIT_BYTES),
        ("constant_bytes", EVENT_BYTES),
    ] {
        let error = number(&counter[member]) / truth as f64 - 1.0;
        assert!(error.abs() < 1e-6, "{member}: {counter}");
    }
    assert!(number(&counter["correlation"]) > 0.999_999, "{counter}");
    // 40 000 hits an event make 2.44 of 3.44 MiB.
    let share = number(&counter["explained_share"]);
    assert!((0.69..0.73).contains(&share), "{counter}");
    let line = format!(
        "  follows 64 B per numHit + 1.00 MiB/event (counter \"numHit\", r² = 1.00; accounts for {:.0} % of the rate)",
        100.0 * share
    );
    expect_lines(&said(&lab, &["leaks", STAMPS]), &[&line]);
}

/// Times and sizes as G4Opticks saves them: four columns of single precision.
fn array(rows: &[[f64; 2]]) -> Vec<u8> {
    let rows: Vec<[f64; 4]> = (0..)
        .zip(rows)
        .map(|(at, [vm, rss])| [75665.9 + 0.78 * f64::from(at), *vm, *rss, 0.0])
        .collect();
    let rows: Vec<&[f64]> = rows.iter().map(|row| row.as_slice()).collect();
    numpy::npy("<f4", false, 1, &rows)
}

/// A thousand readings: three at each end, the fit's slope and its intercept are
/// given; between them a line under noise, moved so that the fit comes out.
fn thousand_readings() -> Vec<[f64; 2]> {
    const FIRST: [f64; 3] = [21316.36, 21279.992, 21247.656];
    const LAST: [f64; 3] = [24906.477, 24900.863, 24830.473];
    let line = |at: usize| 21284.92 + 3.62 * at as f64;
    let mut random = Random::new(25);
    let mut noise = 0.0;
    let mut distances: Vec<f64> = (0..1000)
        .map(|_| {
            noise = 0.7 * noise + 25.0 * random.normal();
            noise
        })
        .collect();
    for (at, size) in FIRST.iter().enumerate() {
        distances[at] = size - line(at);
        distances[997 + at] = LAST[at] - line(997 + at);
    }
    // The distances' sum and first moment must vanish: a shift and a tilt of those
    // between the ends do that.
    let moment = |power: i32| (3..997).map(|at| f64::from(at).powi(power)).sum::<f64>();
    let (count, first, second) = (moment(0), moment(1), moment(2));
    let sum: f64 = distances.iter().sum();
    let tilted: f64 = (0..).zip(&distances).map(|(at, d)| f64::from(at) * d).sum();
    let determinant = count * second - first * first;
    let shift = (sum * second - tilted * first) / determinant;
    let tilt = (tilted * count - sum * first) / determinant;
    for (at, distance) in distances.iter_mut().enumerate().take(997).skip(3) {
        *distance -= shift + tilt * at as f64;
    }
    let sizes = distances.iter().enumerate();
    sizes
        .map(|(at, distance)| [line(at) + distance, 0.0])
        .collect()
}

#[test]
fn a_thousand_readings_grow_and_both_slopes_are_shown_with_the_reason() {
    let lab = lab_with(ARRAY, array(&thousand_readings()));
    let verdict = leaks_json(&lab, ARRAY);
    assert_eq!(verdict["verdict"], "growth");
    assert_eq!(verdict["basis"], "vm");
    assert_eq!(verdict["series"]["rss"], Value::Null);
    let vm = &verdict["series"]["vm"];
    let ends = number(&vm["end_to_end_rate"]) / THEIR_MB;
    let fit = number(&vm["line_fit_rate"]) / THEIR_MB;
    // The document divided 3514.11 by the number of calls and not of intervals.
    assert!((ends * 999.0 / 1000.0 - 3.514).abs() < 1e-3, "{ends}");
    assert!((fit - 3.62).abs() < 1e-4, "{fit}");
    // At event 1, the first.
    let intercept = (number(&vm["line_fit_intercept"]) + number(&vm["line_fit_rate"])) / THEIR_MB;
    assert!((intercept - 21284.92).abs() < 0.01, "{intercept}");
    let (_, low, high) = interval(&verdict);
    let (low, high) = (low / THEIR_MB, high / THEIR_MB);
    assert!(
        3.5 < low && low < 3.62 && 3.62 < high && high < 3.75,
        "{low} {high}"
    );
    let text = said(&lab, &["leaks", ARRAY]);
    assert!(text.starts_with("GROWS  VM 3.5"), "{text}");
    for part in ["end to end", "line fit", "above the line", "below it"] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn ten_readings_are_undetermined_and_it_is_said_how_many_would_do() {
    const SIZES: [f64; 10] = [
        21316.4, 21280.0, 21247.7, 21301.2, 21338.8, 21290.5, 21322.3, 21275.9, 21340.1, 21329.1734,
    ];
    let lab = lab_with(ARRAY, array(&SIZES.map(|size| [size, 0.0])));
    let verdict = leaks_json(&lab, ARRAY);
    assert_eq!(verdict["verdict"], "undetermined");
    let ends = number(&verdict["series"]["vm"]["end_to_end_rate"]) / THEIR_MB;
    assert!((ends - 1.42).abs() < 0.01, "{ends}");
    let (_, low, high) = interval(&verdict);
    assert!(low < 0.0 && high > 3.51 * THEIR_MB, "{verdict}");
    let needs = verdict["needs_events"]
        .as_u64()
        .expect("a number of events");
    assert!((30..1000).contains(&needs), "{needs}");
    let text = said(&lab, &["leaks", ARRAY]);
    let head = format!(
        "UNDETERMINED  needs about {needs} events, has 10: 10 readings are too few for this noise; \
         so far "
    );
    assert!(text.starts_with(&head), "{text}");
}

#[test]
fn virtual_size_may_fall_while_the_resident_one_rises_and_that_counts() {
    let rows: [[f64; 2]; 10] = [
        [21317.0, 1745.910],
        [21312.4, 1747.752],
        [21313.1, 1749.361],
        [21309.8, 1751.270],
        [21310.2, 1752.804],
        [21306.5, 1754.691],
        [21306.9, 1756.388],
        [21303.3, 1758.159],
        [21301.7, 1759.972],
        [21317.0 - 17.0352, 1745.910 + 15.764],
    ];
    let lab = lab_with(ARRAY, array(&rows));
    let verdict = leaks_json(&lab, ARRAY);
    assert_eq!(
        (&verdict["verdict"], &verdict["basis"]),
        (&"growth".into(), &"rss".into())
    );
    let change = |size: &str| 9.0 * number(&verdict["series"][size]["end_to_end_rate"]) / THEIR_MB;
    // Single precision leaves four digits behind the point of these.
    assert!((change("vm") + 17.0352).abs() < 0.01, "{}", change("vm"));
    assert!((change("rss") - 15.764).abs() < 0.01, "{}", change("rss"));
    let text = said(&lab, &["leaks", ARRAY]);
    assert!(text.starts_with("GROWS  RSS "), "{text}");
    expect_lines(
        &text,
        &[
            "  VM changed by -1.85 MiB/event and RSS by 1.71 MiB/event: RSS counts, as it is what \
           the machine runs out of",
        ],
    );
}

#[test]
fn a_hundred_equal_readings_say_what_they_would_have_seen() {
    let lab = lab_with(ARRAY, array(&[[20009.0, 1745.91]; 100]));
    let verdict = leaks_json(&lab, ARRAY);
    assert_eq!(verdict["verdict"], "no-growth");
    assert_eq!(interval(&verdict), (0.0, 0.0, 0.0));
    // A page in the whole run.
    let visible = number(&verdict["smallest_visible_bytes_per_event"]);
    assert_eq!(visible, 4096.0 / 99.0);
    let text = said(&lab, &["leaks", ARRAY]);
    let head =
        "NO GROWTH  RSS flat (detection limit 41.4 B/event); no heap data  (events 1..100)\n";
    assert!(text.starts_with(head), "{text}");
}

#[test]
fn a_bound_that_is_not_known_is_null() {
    let lab = lab_with(
        ARRAY,
        array(&[[20009.0, 0.0], [20011.0, 0.0], [20010.0, 0.0]]),
    );
    let verdict = leaks_json(&lab, ARRAY);
    assert_eq!(verdict["verdict"], "undetermined");
    for member in ["low", "high", "smallest_visible_bytes_per_event"] {
        assert_eq!(verdict[member], Value::Null, "{member}");
    }
    assert_eq!(verdict["needs_events"], 30);
    let text = said(&lab, &["leaks", ARRAY]);
    assert!(
        text.starts_with(
            "UNDETERMINED  needs about 30 events, has 3: 3 readings are too few for this noise; \
             so far 500 KiB/event  ("
        ),
        "{text}"
    );
    assert!(text.contains("95 %: unknown"), "{text}");
}
