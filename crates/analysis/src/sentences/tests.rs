use super::*;

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
    assert_eq!(text(too_few), "1 reading: too few");
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
