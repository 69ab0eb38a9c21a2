use super::*;
use crate::series::Series;

fn witness(values: Vec<f64>) -> Witness {
    let series = Series::consecutive(1, values);
    let parts = Parts::of(&series, 0, &|event| event).unwrap();
    let (from, to) = parts.span();
    Witness {
        amounts: parts.rises(&series),
        from,
        to,
        is_in_bytes: true,
    }
}

fn pace(values: impl Iterator<Item = f64>) -> Pace {
    let values: Vec<f64> = values.collect();
    let events = values.len() as f64 - 1.0;
    judge(&[witness(values)], events, 0.0)
}

#[test]
fn a_line_is_steady() {
    assert_eq!(pace((0..300).map(|i| 64.0 * f64::from(i))), Pace::Steady);
    let pace = pace((0..300).map(|i| 64.0 * f64::from(i) + if i > 3 { 1e6 } else { 0.0 }));
    assert_eq!(pace, Pace::Steady, "after warm-up");
}

#[test]
fn an_exponential_approach_has_an_end() {
    let Pace::Slows(slowdown) = pace((0..300).map(|i| 1e6 * -(-f64::from(i) / 150.0).exp_m1()))
    else {
        panic!();
    };
    let added = -(-299.0_f64 / 150.0).exp_m1();
    let end = slowdown.end.unwrap();
    assert!((end.added * added - 1.0).abs() < 0.03, "{end:?}");
    assert!(end.low * added < 1.0 && 1.0 < end.high * added, "{end:?}");
    assert!(slowdown.rate < 0.2 * slowdown.first_rate);
}

#[test]
fn roots_and_logarithms_have_none() {
    for curve in [|t: f64| t.sqrt(), |t: f64| (t / 30.0).ln_1p()] {
        let Pace::Slows(slowdown) = pace((0..300).map(|i| 1e6 * curve(f64::from(i)))) else {
            panic!();
        };
        assert_eq!(slowdown.end, None);
    }
}

#[test]
fn what_few_blocks_cannot_tell_is_open() {
    // A block now and then: 12 in all.
    let blocks = |event: i32| f64::from(event * 7 / 170) * 4096.0;
    let Pace::Open { needs_events } = pace((0..300).map(blocks)) else {
        panic!("{:?}", pace((0..300).map(blocks)));
    };
    assert!((600..20_000).contains(&needs_events), "{needs_events}");
}

#[test]
fn nothing_added_is_unknown() {
    assert_eq!(pace((0..100).map(|_| 5.0)), Pace::Unknown);
    assert_eq!(judge(&[], 100.0, 0.0), Pace::Unknown);
}
