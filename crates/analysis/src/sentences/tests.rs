use super::*;
use crate::series::Series;

#[test]
fn one_of_a_thing_is_not_several() {
    let warm_up = |first_event, events| growth::Reason::WarmUpExcluded {
        first_event,
        events,
    };
    let text = |reason| series(&reason, "event");
    assert_eq!(text(warm_up(1, 1)), "event 1 excluded as warm-up");
    assert_eq!(text(warm_up(51, 24)), "events 51..74 excluded as warm-up");
    let too_few = growth::Reason::TooFewReadings { readings: 1 };
    assert_eq!(text(too_few), "1 reading is too few");
    let rises = |rises| shape::Reason::Rises {
        bytes: 128.0,
        rises,
        most_by_reading: 4,
        readings: 200,
    };
    let one = "128 B in 1 rise, 95 % by reading 4 of 200";
    assert_eq!(stack(&rises(1), "event"), one);
    assert!(stack(&rises(2), "event").starts_with("128 B in 2 rises,"));
}

#[test]
fn a_run_with_ticks_speaks_of_ticks() {
    let grows = shape::Reason::Grows {
        bytes_per_event: 64.25,
        low: 60.0,
        high: 2_201.0 * 1024.0,
    };
    let text = "grows by 64.2 B/tick (60 B .. 2.15 MiB)";
    assert_eq!(stack(&grows, "tick"), text);
    let unknown = shape::Reason::GrowthUndetermined {
        bytes_per_event: 0.0,
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
    };
    assert_eq!(stack(&unknown, "tick"), "growth undetermined: 0 B/tick");
}

#[test]
fn a_size_is_called_flat_only_where_its_readings_are() {
    let course_of = |values: &[f64]| {
        let events = (1..=values.len()).map(|event| event as f64).collect();
        let options = growth::GrowthOptions::default();
        let growth = growth::assess(&Series::new(events, values.to_vec()), &options);
        course(&growth, "event")
    };
    let flat = vec![2_400_000.0; 100];
    assert_eq!(course_of(&flat), "flat");
    // From 2.4 to 11 MB, then at rest: no growth, but not flat.
    let mut filled: Vec<f64> = (0..20)
        .map(|at| 2_400_000.0 + 430_000.0 * f64::from(at))
        .collect();
    filled.extend(vec![11_000_000.0; 180]);
    assert_eq!(course_of(&filled), "flat since event 21 (+8.20 MiB before)");
    let growing: Vec<f64> = (0..100).map(|at| 307.0 * f64::from(at)).collect();
    assert_eq!(course_of(&growing), "+307 B/event");
    let falling: Vec<f64> = growing.iter().map(|value| -value).collect();
    assert_eq!(course_of(&falling), "-307 B/event");
    assert_eq!(course_of(&[5.0, 9.0, 4.0]), "-0.50 B/event (uncertain)");
}

#[test]
fn codes_are_words_and_numbers() {
    let json = |reason| serde_json::to_value::<growth::Reason>(reason).unwrap();
    let expected = serde_json::json!({"code": "warm-up-excluded", "first_event": 1, "events": 3});
    let warm_up = growth::Reason::WarmUpExcluded {
        first_event: 1,
        events: 3,
    };
    assert_eq!(json(warm_up), expected);
    let expected = serde_json::json!({"code": "random-walk-noise"});
    assert_eq!(json(growth::Reason::RandomWalkNoise), expected);
}
