//! Series that users measured, with what must come out of them. Where a document gives only some
//! of the readings, the rest is made so that the sums and fits it states come out to the digit.

use residue_analysis::growth::{Growth, GrowthOptions, Method, Outcome, Reason, assess};
use residue_analysis::sentences;
use residue_analysis::series::Series;
use residue_testkit::random::Random;

fn judge(values: Vec<f64>) -> Growth {
    assess(&Series::consecutive(0, values), &GrowthOptions::default())
}

/// Resident KiB at the start of each of 1000 events: 2.2 MB an event outside every stamped interval.
/// The first 128 differences are the printed ones.
fn resident_at_event_starts() -> Vec<f64> {
    const PRINTED: [i64; 128] = [
        6884, 2240, 2188, 2332, 2148, 2228, 2180, 2236, 2248, 2220, 2172, 2244, 2220, 2176, 2208,
        2108, 2164, 2236, 2172, 2252, 2220, 2196, 2248, 2184, 2212, 2196, 2164, 2232, 2216, 2184,
        2192, 2232, 2212, 2208, 2256, 2268, 2272, 2260, 2180, 2232, 2092, 2192, 2132, 2128, 2152,
        2132, 2172, 2116, 2108, 2144, 2268, 2192, 2156, 2128, 2232, 2252, 2140, 2128, 2236, 2216,
        2192, 2160, 2252, 2204, 2168, 2244, 2244, 2132, 2144, 2240, 2192, 2200, 2248, 2236, 2252,
        2200, 2200, 2124, 2096, 2144, 2200, 2204, 2244, 2168, 2148, 2204, 2256, 2312, 2232, 2140,
        2184, 2248, 2156, 2144, 2168, 2140, 2208, 2228, 2204, 2184, 2180, 2176, 2156, 2160, 2188,
        2188, 2280, 2188, 2148, 2248, 2260, 2236, 2212, 2352, 2188, 2204, 2188, 2092, 2208, 2200,
        2176, 2188, 2228, 2244, 2208, 2248, 2256, 2084,
    ];
    const LAST: [i64; 4] = [5_755_584, 5_757_844, 5_760_012, 5_762_232];
    let mut readings = vec![3_563_396];
    for difference in PRINTED {
        readings.push(readings[readings.len() - 1] + difference);
    }
    // Pages of 4 KiB, the same spread as the printed differences, and the sum that is left.
    let unknown = 1000 - readings.len() - LAST.len();
    let from = readings[readings.len() - 1];
    let mut random = Random::new(20);
    let draws: Vec<f64> = (0..=unknown).map(|_| 13.0 * random.normal()).collect();
    let drawn: f64 = draws.iter().sum();
    let pages = ((LAST[0] - from) / 4) as f64;
    let mut sum = 0.0;
    for draw in &draws[..unknown] {
        sum += (pages - drawn) / (unknown + 1) as f64 + draw;
        readings.push(from + 4 * sum.round() as i64);
    }
    readings.extend(LAST);
    readings.iter().map(|kib| *kib as f64).collect()
}

#[test]
fn resident_size_grows_2196_kib_an_event_after_one_event_of_warm_up() {
    let growth = judge(resident_at_event_starts());
    assert_eq!(growth.outcome, Outcome::Growing);
    assert_eq!(growth.warm_up_events, 1);
    assert_eq!((growth.first_event, growth.last_event), (1, 999));
    assert!(
        (growth.end_to_end_rate - 2201.04).abs() < 0.01,
        "{growth:?}"
    );
    assert!(
        (growth.end_to_end_after_warm_up - 2196.34).abs() < 0.01,
        "{growth:?}"
    );
    assert!((growth.rate - 2196.3).abs() < 1.0, "{growth:?}");
    assert!(growth.low < 2196.3 && 2196.3 < growth.high, "{growth:?}");
    assert!(growth.high - growth.low < 15.0, "{growth:?}");
}

/// Virtual MB of 1000 calls: three readings at each end, the line fit 3.62 and 21284.92 are given;
/// the rest is a line under noise with a memory, moved so that the fit of all comes out.
fn virtual_size_of_calls() -> Vec<f64> {
    const FIRST: [f64; 3] = [21316.36, 21279.992, 21247.656];
    const LAST: [f64; 3] = [24906.477, 24900.863, 24830.473];
    const FIT: (f64, f64) = (3.62, 21284.92);
    let n = 1000;
    let mut random = Random::new(25);
    let mut noise = 0.0;
    let mut values: Vec<f64> = (0..n)
        .map(|i| {
            noise = 0.7 * noise + 25.0 * random.normal();
            FIT.1 + FIT.0 * i as f64 + noise
        })
        .collect();
    values[..3].copy_from_slice(&FIRST);
    values[n - 3..].copy_from_slice(&LAST);
    // Two unknowns, a shift and a tilt of the middle readings, bring the residuals' sum and first
    // moment to zero, which is what defines the fit.
    let middle = 3..n - 3;
    let (count, sum_x, sum_xx) = middle.clone().fold((0.0, 0.0, 0.0), |(c, x, xx), i| {
        let at = i as f64;
        (c + 1.0, x + at, xx + at * at)
    });
    let residual = |i: usize, value: f64| value - FIT.1 - FIT.0 * i as f64;
    let sum: f64 = values
        .iter()
        .enumerate()
        .map(|(i, v)| residual(i, *v))
        .sum();
    let moment: f64 = values
        .iter()
        .enumerate()
        .map(|(i, v)| residual(i, *v) * i as f64)
        .sum();
    let determinant = count * sum_xx - sum_x * sum_x;
    let shift = (sum * sum_xx - moment * sum_x) / determinant;
    let tilt = (moment * count - sum * sum_x) / determinant;
    for i in middle {
        values[i] -= shift + tilt * i as f64;
    }
    values
}

#[test]
fn ends_and_fit_of_a_thousand_calls_differ_and_it_is_said_why() {
    let growth = judge(virtual_size_of_calls());
    assert_eq!(growth.outcome, Outcome::Growing);
    // 3514.11 MB over 999 intervals; the document divided by the 1000 calls and wrote 3.51.
    assert!((growth.end_to_end_rate * 999.0 - 3514.113).abs() < 1e-6);
    assert!((growth.line_fit_rate - 3.62).abs() < 1e-9, "{growth:?}");
    assert!(
        (growth.line_fit_intercept - 21284.92).abs() < 1e-6,
        "{growth:?}"
    );
    assert!(growth.low < 3.62 && 3.62 < growth.high, "{growth:?}");
    assert!(growth.low > 3.5 && growth.high < 3.75, "{growth:?}");
    let explained = "end to end 3.52 B/event, line fit 3.62 B/event: the first reading is 31.4 B above the \
                     line, the last 70.8 B below it";
    let told = sentences::of_growth(&growth, "event");
    assert!(told.iter().any(|reason| reason == explained), "{told:?}");
}

#[test]
fn ten_calls_are_too_few_and_it_is_said_how_many_are_needed() {
    // 1.42 MB a call over nine intervals, with the noise of the longer run.
    let values = vec![
        21316.4, 21280.0, 21247.7, 21301.2, 21338.8, 21290.5, 21322.3, 21275.9, 21340.1, 21329.1734,
    ];
    let growth = judge(values);
    assert!((growth.end_to_end_rate - 1.41927).abs() < 1e-4);
    assert_eq!(growth.outcome, Outcome::Undetermined);
    assert!(growth.low < 0.0 && growth.high > 3.51, "{growth:?}");
    let needed = growth.needs_events.unwrap();
    assert!((30..1000).contains(&needed), "{growth:?}");
}

#[test]
fn a_hundred_equal_readings_are_no_growth_down_to_a_page_in_the_run() {
    let series = Series::consecutive(0, vec![20009.0 * 1048576.0; 100]);
    let options = GrowthOptions {
        granularity_bytes: 4096.0,
        ..GrowthOptions::default()
    };
    let growth = assess(&series, &options);
    assert_eq!(growth.outcome, Outcome::NoGrowth);
    assert_eq!(growth.method, Method::Exact);
    assert_eq!((growth.rate, growth.low, growth.high), (0.0, 0.0, 0.0));
    assert_eq!(growth.smallest_visible, 4096.0 / 99.0);
    assert_eq!(growth.needs_events, None);
}

#[test]
fn high_water_steps_of_ten_events_are_not_growth() {
    let growth = judge(vec![
        4580.335, 4589.772, 4589.772, 4602.355, 4602.355, 4602.355, 4602.355, 4677.853, 4677.853,
        4677.853,
    ]);
    assert_eq!(growth.outcome, Outcome::Undetermined);
    assert!((growth.end_to_end_rate - 10.8353).abs() < 1e-4);
}

#[test]
fn an_exact_leak_after_warm_up_has_its_exact_rate() {
    let mut values: Vec<f64> = vec![0.0, 5000.0, 5700.0];
    values.extend((1..=30).map(|i| 5700.0 + 64.0 * f64::from(i)));
    let growth = judge(values);
    assert_eq!(
        (growth.outcome, growth.method),
        (Outcome::Growing, Method::Exact)
    );
    assert_eq!((growth.rate, growth.low, growth.high), (64.0, 64.0, 64.0));
    assert_eq!(growth.warm_up_events, 2);
    assert_eq!(growth.smallest_visible, 1.0 / 30.0);
}

#[test]
fn thinned_events_keep_an_exact_rate() {
    let events: Vec<f64> = (0..40)
        .map(|i| f64::from(if i < 20 { i } else { 20 + (i - 20) * 16 }))
        .collect();
    let values = events.iter().map(|e| 1000.0 + 96.0 * e).collect();
    let growth = assess(&Series::new(events, values), &GrowthOptions::default());
    assert_eq!((growth.rate, growth.low, growth.high), (96.0, 96.0, 96.0));
    assert_eq!(growth.last_event, 324);
}

#[test]
fn thinned_events_under_noise_keep_their_rate() {
    let mut random = Random::new(11);
    let events: Vec<f64> = (0..400)
        .map(|i| f64::from(if i < 200 { i } else { 200 + (i - 200) * 8 }))
        .collect();
    let values = events
        .iter()
        .map(|e| 1e6 + 100.0 * e + 500.0 * random.normal())
        .collect();
    let growth = assess(&Series::new(events, values), &GrowthOptions::default());
    assert_eq!(growth.outcome, Outcome::Growing);
    assert!(
        growth.low < 100.0 && 100.0 < growth.high && growth.high - growth.low < 2.0,
        "{growth:?}"
    );
}

#[test]
fn a_shrinking_series_shrinks() {
    let mut random = Random::new(12);
    let values = (0..300)
        .map(|i| 1e6 - 50.0 * f64::from(i) + 100.0 * random.normal())
        .collect();
    let growth = judge(values);
    assert_eq!(growth.outcome, Outcome::Shrinking);
    assert!(growth.low < -50.0 && -50.0 < growth.high);
}

#[test]
fn one_wild_reading_changes_nothing() {
    let mut random = Random::new(13);
    let mut values: Vec<f64> = (0..300)
        .map(|i| 100.0 * f64::from(i) + 50.0 * random.normal())
        .collect();
    let before = judge(values.clone());
    values[250] += 1e9;
    let after = judge(values);
    assert_eq!(after.outcome, Outcome::Growing);
    assert!(
        (after.rate - before.rate).abs() < 0.1,
        "{before:?} {after:?}"
    );
    let spike = Reason::SpikesSetAside { readings: 1 };
    assert!(after.reasons.contains(&spike));
}

#[test]
fn growth_below_what_is_negligible_is_none() {
    let series = Series::consecutive(0, (0..50).map(|i| 3.0 * f64::from(i)).collect());
    let options = GrowthOptions {
        negligible_rate: 10.0,
        ..GrowthOptions::default()
    };
    assert_eq!(assess(&series, &options).outcome, Outcome::NoGrowth);
}

#[test]
fn hardly_any_readings_are_undetermined() {
    for values in [
        vec![],
        vec![1.0],
        vec![1.0, 2.0],
        vec![5.0, 1.0, 9.0, 3.0, 7.0],
    ] {
        let growth = judge(values);
        assert_eq!(growth.outcome, Outcome::Undetermined);
        assert_eq!(growth.needs_events, Some(30));
        assert!(!growth.reasons.is_empty());
    }
}

#[test]
fn any_readings_give_finite_rates_inside_their_interval() {
    let mut random = Random::new(99);
    for round in 0..2000 {
        let length = random.below(40) as usize;
        let scale = [0.0, 1.0, 4096.0, 1e18][round % 4];
        let mut event = 0.0;
        let (mut events, mut values) = (Vec::new(), Vec::new());
        for _ in 0..length {
            event += 1.0 + random.below(3) as f64 * random.below(50) as f64;
            events.push(event);
            values.push((scale * random.uniform()).floor() * (random.below(4) / 2) as f64);
        }
        let growth = assess(
            &Series::new(events, values.clone()),
            &GrowthOptions::default(),
        );
        assert!(growth.rate.is_finite(), "{values:?} {growth:?}");
        assert!(
            growth.low <= growth.rate && growth.rate <= growth.high,
            "{values:?} {growth:?}"
        );
        assert!(growth.smallest_visible >= 0.0, "{values:?} {growth:?}");
        assert_eq!(
            growth.needs_events.is_some(),
            growth.outcome == Outcome::Undetermined
        );
    }
}
