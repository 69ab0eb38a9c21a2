//! Stage matrices of small, written-out runs.

use residue_analysis::history::EventRange;
use residue_analysis::sentences;
use residue_analysis::stages::{
    Missing, Reason, Stages, Trust, Value, analyse, find_turns, of_events, stamps_of,
};
use residue_profile::Timeline;
use residue_profile::timeline::{About, Moment, MomentKind, Source, Stamp};

/// Stamps from `name value` pairs, a byte of RSS each, a nanosecond apart.
fn stamps(pairs: &[(&str, u64)]) -> (Vec<String>, Vec<Stamp>) {
    let mut names: Vec<String> = Vec::new();
    let mut stamps = Vec::new();
    for (index, (name, rss_bytes)) in pairs.iter().enumerate() {
        let name = match names.iter().position(|known| known == name) {
            Some(known) => known,
            None => {
                names.push(name.to_string());
                names.len() - 1
            }
        };
        stamps.push(Stamp {
            spent: residue_profile::timeline::Spent::default(),
            name: name as u32,
            event: 0,
            time_ns: index as u64,
            vm_bytes: None,
            rss_bytes: Some(*rss_bytes),
            live_bytes: None,
        });
    }
    (names, stamps)
}

fn events_of(order: &str) -> Option<Vec<u32>> {
    let pairs: Vec<(&str, u64)> = order.split(' ').map(|name| (name, 0)).collect();
    let (names, stamps) = stamps(&pairs);
    Some(find_turns(&names, &stamps)?.of_stamp)
}

fn rss(pairs: &[(&str, u64)]) -> Stages {
    let (names, stamps) = stamps(pairs);
    analyse(&names, &stamps, Value::Rss).unwrap()
}

fn cells(stages: &Stages) -> Vec<Vec<Option<i64>>> {
    stages.rows.iter().map(|row| row.cells.clone()).collect()
}

#[test]
fn turns_are_found_by_names_that_come_back() {
    let found = |order| events_of(order).unwrap();
    assert_eq!(found("a b a b"), [1, 1, 2, 2]);
    assert_eq!(found("x y a b a b a b"), [0, 0, 1, 1, 2, 2, 3, 3]);
    assert_eq!(found("a a a"), [1, 2, 3]);
    // A name twice in a turn.
    assert_eq!(found("a b a c a b a c"), [1, 1, 1, 1, 2, 2, 2, 2]);
    // Neither once or twice in a turn: only all five together come back.
    assert_eq!(
        found("a b a b b a b a b b a b a b b"),
        [1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3]
    );
}

#[test]
fn turns_survive_holes_extra_lines_and_tails() {
    let found = |order| events_of(order).unwrap();
    assert_eq!(
        found("a b c a b c a c a b c"),
        [1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4]
    );
    assert_eq!(found("a b a b a x b a b"), [1, 1, 2, 2, 3, 3, 3, 4, 4]);
    assert_eq!(found("a b a b a b end"), [1, 1, 2, 2, 3, 3, 3]);
    assert_eq!(found("a b c a b c a b"), [1, 1, 1, 2, 2, 2, 3, 3]);
}

#[test]
fn turns_are_found_by_numbers_in_names() {
    assert_eq!(
        events_of("start A000_h A000_t A001_h A001_t end").unwrap(),
        [0, 1, 1, 2, 2, 2]
    );
    let (names, stamps) = stamps(&[("s_A010", 0), ("e_A010", 0), ("s_A020", 0)]);
    let turns = find_turns(&names, &stamps).unwrap();
    assert_eq!(turns.of_stamp, [1, 1, 2]);
    assert_eq!(turns.ids, Some(vec![10, 20]));
}

#[test]
fn names_that_never_come_back_make_no_events() {
    assert_eq!(events_of("a b c d"), None);
    assert_eq!(events_of("a"), None);
    assert_eq!(events_of("a b c d e e f g h i j k l m"), None);
    let (names, stamps) = stamps(&[("a", 1), ("b", 2)]);
    assert_eq!(analyse(&names, &stamps, Value::Rss), Err(Missing::Events));
    assert_eq!(analyse(&names, &[], Value::Rss), Err(Missing::Stamps));
}

#[test]
fn a_long_period_is_found() {
    let names: Vec<String> = (0..500).map(|index| format!("m{index}")).collect();
    let pairs: Vec<(&str, u64)> = ["setup"]
        .into_iter()
        .chain((0..4).flat_map(|_| names.iter().map(String::as_str)))
        .map(|name| (name, 0))
        .collect();
    let (names, stamps) = stamps(&pairs);
    let turns = find_turns(&names, &stamps).unwrap();
    assert_eq!(turns.period, Some(500));
    assert_eq!(turns.of_stamp.last(), Some(&4));
    assert_eq!(turns.of_stamp[500], 1);
    assert_eq!(turns.of_stamp[501], 2);
}

#[test]
fn values_are_relative_to_the_first_stamp_and_holes_stay() {
    let stages = rss(&[
        ("a", 10),
        ("b", 12),
        ("c", 15),
        ("a", 20),
        ("c", 21),
        ("a", 30),
        ("b", 30),
        ("c", 38),
        ("a", 40),
        ("b", 41),
        ("c", 42),
    ]);
    assert_eq!(stages.columns, ["a", "b", "c"]);
    assert_eq!(
        cells(&stages),
        [
            vec![Some(0), Some(2), Some(5)],
            vec![Some(0), None, Some(1)],
            vec![Some(0), Some(0), Some(8)],
            vec![Some(0), Some(1), Some(2)],
        ]
    );
    assert_eq!(stages.start_to_start.values, [10, 10, 10]);
    assert_eq!(stages.start_to_end.values, [5, 1, 8, 2]);
    assert_eq!(stages.column_means, [Some(0.0), Some(1.0), Some(4.0)]);
    // a -> b: 2 + 0; b -> c: 3 + 1 + 8; c -> a: 5 + 9 + 2; together 30.
    let growths: Vec<(&str, &str, i64, usize)> = stages
        .intervals
        .iter()
        .map(|i| (i.from.as_str(), i.to.as_str(), i.growth, i.events))
        .collect();
    assert_eq!(
        growths,
        [("a", "b", 2, 2), ("b", "c", 12, 3), ("c", "a", 16, 3)]
    );
    assert!(stages.intervals[2].outside);
    let guilty = stages.guilty.unwrap();
    assert_eq!((guilty.interval, guilty.add_a_stamp), (2, true));
    assert_eq!(guilty.share, 16.0 / 30.0);
}

#[test]
fn a_renamed_last_stamp_is_in_its_column() {
    let stages = rss(&[
        ("head", 1),
        ("tail", 2),
        ("head", 3),
        ("tail", 4),
        ("head", 5),
        ("tail_DUMMY_LAST", 7),
    ]);
    assert_eq!(stages.columns, ["head", "tail"]);
    assert_eq!(stages.rows[2].cells, [Some(0), Some(2)]);
    assert!(stages.left_out.is_empty());
}

#[test]
fn stamps_of_one_event_only_are_left_out() {
    let stages = rss(&[
        ("a", 1),
        ("b", 2),
        ("a", 3),
        ("odd", 900),
        ("b", 4),
        ("a", 5),
        ("b", 6),
        ("bye", 7),
    ]);
    assert_eq!(stages.columns, ["a", "b"]);
    assert_eq!(stages.left_out, ["odd", "bye"]);
    assert_eq!(stages.start_to_end.values, [1, 1, 1]);
}

#[test]
fn numbers_in_names_do_not_make_columns() {
    let stages = rss(&[
        ("s_A000", 0),
        ("e_A000", 3),
        ("s_A001", 10),
        ("e_A001", 13),
        ("s_A002", 20),
        ("e_A002", 23),
    ]);
    assert_eq!(stages.columns, ["s", "e"]);
    assert_eq!(stages.start_to_start.values, [10, 10]);
}

#[test]
fn a_name_twice_in_an_event_is_two_columns() {
    let stages = rss(&[
        ("a", 0),
        ("b", 1),
        ("a", 2),
        ("c", 3),
        ("a", 4),
        ("b", 5),
        ("a", 6),
        ("c", 7),
    ]);
    assert_eq!(stages.columns, ["a", "b", "a (2)", "c"]);
    assert_eq!(stages.rows[1].cells, [Some(0), Some(1), Some(2), Some(3)]);
}

#[test]
fn what_is_given_back_after_the_last_stamp_is_not_growth() {
    let turn = |event: u64| [("start", event * 10), ("end", event * 10 + 100_000)];
    let pairs: Vec<(&str, u64)> = (0..20).flat_map(turn).collect();
    let stages = rss(&pairs);
    assert_eq!(stages.start_to_start.mean, Some(10.0));
    assert_eq!(stages.start_to_end.mean, Some(100_000.0));
    assert_eq!(stages.trust, Trust::StartToStartLess);
    let flat: Vec<(&str, u64)> = (0..20).flat_map(|_| [("start", 5), ("end", 9)]).collect();
    let stages = rss(&flat);
    assert_eq!(stages.trust, Trust::Both);
    assert_eq!(stages.guilty, None);
    assert_eq!(stages.intervals[0].share, None);
}

#[test]
fn time_has_intervals_but_nobody_is_guilty() {
    let pairs: Vec<(&str, u64)> = (0..10).flat_map(|_| [("a", 0), ("b", 0)]).collect();
    let (names, mut stamps) = stamps(&pairs);
    for stamp in &mut stamps {
        stamp.time_ns *= 1000;
    }
    let stages = analyse(&names, &stamps, Value::Time).unwrap();
    assert_eq!(stages.start_to_start.mean, Some(2000.0));
    assert_eq!(stages.intervals[0].mean, 1000.0);
    assert_eq!(stages.guilty, None);
    assert_eq!(analyse(&names, &stamps, Value::Vm), Err(Missing::Values));
}

#[test]
fn begins_and_ends_are_stamps_of_a_recorded_program() {
    let moment = |kind, event, time_ns, rss| Moment {
        id: u64::from(event),
        rss_bytes: Some(rss),
        ..Moment::unread(kind, event, time_ns)
    };
    let stamp = |event, time_ns, rss| Stamp {
        spent: residue_profile::timeline::Spent::default(),
        name: 0,
        event,
        time_ns,
        vm_bytes: None,
        rss_bytes: Some(rss),
        live_bytes: None,
    };
    let mut timeline = Timeline {
        about: About {
            source: Source::Marks,
            ..About::default()
        },
        names: vec!["middle".to_string()],
        moments: vec![
            moment(MomentKind::Begin, 1, 10, 100),
            moment(MomentKind::End, 1, 30, 300),
            moment(MomentKind::Begin, 2, 40, 400),
            moment(MomentKind::End, 2, 60, 600),
            moment(MomentKind::Last, 2, 70, 600),
        ],
        stamps: vec![stamp(1, 20, 150), stamp(2, 50, 450)],
        ..Timeline::default()
    };
    let (names, stamps) = stamps_of(&timeline);
    let stages = analyse(&names, &stamps, Value::Rss).unwrap();
    assert_eq!(stages.columns, ["begin", "middle", "end"]);
    assert_eq!(stages.rows[1].cells, [Some(0), Some(50), Some(200)]);
    timeline.about.source = Source::Imported;
    let (_, stamps) = stamps_of(&timeline);
    assert_eq!(stamps.len(), 2);
}

#[test]
fn the_largest_turns_say_where_they_grew() {
    let stages = rss(&[
        ("a", 0),
        ("b", 1),
        ("a", 10),
        ("b", 40),
        ("a", 50),
        ("b", 50),
        ("a", 50),
        ("b", 51),
        ("a", 45),
        ("b", 46),
    ]);
    let jumps: Vec<(u32, i64, &str, i64, bool)> = stages
        .jumps
        .iter()
        .map(|jump| {
            (
                jump.event,
                jump.growth,
                jump.to.as_str(),
                jump.part,
                jump.outside,
            )
        })
        .collect();
    assert_eq!(jumps, [(2, 40, "b", 30, false), (1, 10, "a", 9, true)]);
}

/// The rises and what survives of them, by interval.
fn survival(stages: &Stages) -> Vec<(f64, f64)> {
    let intervals = stages.intervals.iter();
    intervals
        .map(|it| (it.rise_mean, it.surviving_mean))
        .collect()
}

#[test]
fn a_fall_gives_back_the_rise_nearest_in_size() {
    // read +10, fit +100, write +5, and 98 of these are freed after the event.
    let turn = |event: u64| {
        let start = 1000 + 17 * event;
        [
            ("begin", start),
            ("read", start + 10),
            ("fit", start + 110),
            ("write", start + 115),
        ]
    };
    let pairs: Vec<(&str, u64)> = (0..51).flat_map(turn).collect();
    let stages = rss(&pairs);
    assert_eq!(
        survival(&stages),
        [(10.0, 10.0), (100.0, 2.0), (5.0, 5.0), (0.0, 0.0)]
    );
    let shares: Vec<f64> = stages.intervals.iter().filter_map(|it| it.share).collect();
    assert_eq!(shares, [10.0 / 17.0, 2.0 / 17.0, 5.0 / 17.0, 0.0]);
    let guilty = stages.guilty.unwrap();
    assert_eq!((guilty.interval, guilty.rise_mean), (0, 10.0));
    assert_eq!(guilty.surviving_mean, 10.0);
}

#[test]
fn what_the_next_event_frees_does_not_survive() {
    // Hits of one event are freed at the start of the next; the fit leaks 8 bytes.
    let turn = |event: u64| {
        let held = 8 * event;
        let before = if event == 0 { 0 } else { 500 };
        [
            ("begin", held + before),
            ("cleared", held),
            ("hits", held + 500),
            ("fit", held + 508),
        ]
    };
    let pairs: Vec<(&str, u64)> = (0..201).flat_map(turn).collect();
    let stages = rss(&pairs);
    let by_end: Vec<(&str, f64)> = stages
        .intervals
        .iter()
        .map(|it| (it.to.as_str(), it.surviving_mean.round()))
        .collect();
    // The last event's hits are still there: 500 bytes of 200 events.
    assert_eq!(by_end[1], ("hits", 3.0));
    assert_eq!(by_end[2], ("fit", 8.0));
    let whole: f64 = stages.intervals.iter().filter_map(|it| it.share).sum();
    assert!((whole - 1.0).abs() < 1e-9);
    assert!(
        stages
            .intervals
            .iter()
            .all(|it| it.surviving_mean <= it.rise_mean)
    );
}

fn recorded(rss_at_begin: impl Fn(u32) -> Option<u64>) -> Timeline {
    let moment = |kind, event: u32, time_ns, live: u64, rss_bytes| Moment {
        id: u64::from(event),
        rss_bytes,
        live_bytes: Some(live),
        recorder_bytes: 1000 * u64::from(event),
        ..Moment::unread(kind, event, time_ns)
    };
    let mut timeline = Timeline {
        about: About {
            source: Source::Marks,
            ..About::default()
        },
        names: vec!["fit".to_string()],
        ..Timeline::default()
    };
    for event in 1..=20 {
        let (time_ns, live) = (u64::from(event) * 100, u64::from(event) * 64);
        let rss = 1_000_000 + 1096 * u64::from(event);
        timeline.moments.push(moment(
            MomentKind::Begin,
            event,
            time_ns,
            live,
            rss_at_begin(event).map(|more| rss + more),
        ));
        timeline.stamps.push(Stamp {
            spent: residue_profile::timeline::Spent::default(),
            name: 0,
            event,
            time_ns: time_ns + 50,
            vm_bytes: None,
            rss_bytes: Some(rss + 40),
            live_bytes: Some(live + 64),
        });
    }
    timeline
}

#[test]
fn the_live_heap_is_compared_and_the_resident_size_stands_beside_it() {
    let stages = of_events(&recorded(|_| Some(0)), EventRange::ALL, None).unwrap();
    assert_eq!(stages.value, Value::Live);
    assert_eq!(survival(&stages), [(64.0, 64.0), (0.0, 0.0)]);
    // Of 1096 bytes an event 1000 are the recorder's.
    let resident = stages.resident.unwrap();
    assert_eq!(resident.mean, Some(96.0));
    assert_eq!(resident.interval_means, [Some(40.0), Some(56.0)]);
    assert!(resident.reasons.is_empty());
}

#[test]
fn begins_that_were_read_at_times_are_not_mixed_with_those_that_were_not() {
    let at_times = recorded(|event| (event % 5 == 1).then_some(0));
    let stages = of_events(&at_times, EventRange::ALL, None).unwrap();
    let resident = stages.resident.unwrap();
    assert_eq!(resident.mean, Some(96.0));
    assert_eq!(resident.interval_means, [None, None]);
    assert_eq!(
        sentences::of_stages(&resident.reasons),
        ["RSS was read at 4 of 20 \"begin\": not compared"]
    );
    let rss = of_events(&at_times, EventRange::ALL, Some(Value::Rss)).unwrap();
    assert_eq!(rss.columns, ["fit"]);
    let mut unread = at_times;
    for stamp in &mut unread.stamps {
        stamp.rss_bytes = stamp.rss_bytes.filter(|_| stamp.event > 10);
    }
    let missing = of_events(&unread, EventRange::ALL, Some(Value::Rss)).unwrap_err();
    let reason = |stamp: &str, readings| Reason::NotAlwaysRead {
        value: Value::Rss,
        stamp: stamp.to_string(),
        readings,
        stamps: 20,
    };
    let reasons = vec![reason("fit", 10), reason("begin", 4)];
    assert_eq!(missing, Missing::NotAlwaysRead(reasons));
    let none = of_events(&unread, EventRange::ALL, Some(Value::Vm));
    assert_eq!(none, Err(Missing::Values));
}
