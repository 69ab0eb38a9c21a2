//! Single readings that stick out and are gone in the next: a temporary that happened to be alive.
//!
//! One such reading can weigh more than all the noise. A reading is set to the median of the five
//! around it when it lies above or below both neighbours by most of its distance to that median,
//! and this distance is far outside what is usual in the series. If there are many, they are not
//! accidents but how the program behaves, and all are kept.

use crate::series::Series;

/// Distance from the local median, in units of what is usual.
const FAR: f64 = 8.0;
/// A spike sticks out of its neighbours by this share of its distance.
const ALONE: f64 = 0.8;
/// Largest share of readings that may be spikes.
const MOST_SHARE: f64 = 0.02;

/// The series without its spikes, and how many there were.
pub(super) fn without_spikes(series: &Series) -> (Series, usize) {
    let values = series.values();
    let medians: Vec<f64> = values.windows(5).map(median_of_five).collect();
    if medians.is_empty() {
        return (series.clone(), 0);
    }
    let distances = medians.iter().zip(&values[2..]).map(|(m, v)| (v - m).abs());
    let changes = values.windows(2).map(|v| (v[1] - v[0]).abs());
    // A spike moves the medians beside it by about one ordinary change, which is no distance.
    let usual = (1.4826 * median(distances.collect())).max(median(changes.collect()));
    let mut cleaned = values.to_vec();
    let mut count = 0;
    for (index, median) in medians.iter().enumerate() {
        let at = index + 2;
        let distance = values[at] - median;
        let out =
            |neighbour: f64| (values[at] - neighbour) * distance.signum() >= ALONE * distance.abs();
        if distance.abs() > FAR * usual
            && distance != 0.0
            && out(values[at - 1])
            && out(values[at + 1])
        {
            cleaned[at] = *median;
            count += 1;
        }
    }
    if count as f64 > (MOST_SHARE * values.len() as f64).max(1.0) {
        return (series.clone(), 0);
    }
    (Series::new(series.events().to_vec(), cleaned), count)
}

fn median(mut values: Vec<f64>) -> f64 {
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

fn median_of_five(window: &[f64]) -> f64 {
    let mut sorted = [window[0], window[1], window[2], window[3], window[4]];
    sorted.sort_by(f64::total_cmp);
    sorted[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(values: Vec<f64>) -> (Vec<f64>, usize) {
        let (series, count) = without_spikes(&Series::consecutive(0, values));
        (series.values().to_vec(), count)
    }

    #[test]
    fn one_spike_is_set_to_its_surroundings() {
        let line: Vec<f64> = (0..60).map(f64::from).collect();
        let mut spiked = line.clone();
        spiked[30] = 5000.0;
        let (values, count) = cleaned(spiked);
        assert_eq!(count, 1);
        assert_eq!(values[30], 31.0);
        assert_eq!(values[..30], line[..30]);
    }

    #[test]
    fn steps_teeth_and_frequent_spikes_stay() {
        let steps: Vec<f64> = (0..60).map(|i| f64::from(i / 20) * 100.0).collect();
        assert_eq!(cleaned(steps.clone()), (steps, 0));
        let teeth: Vec<f64> = (0..60).map(|i| f64::from(i % 20)).collect();
        assert_eq!(cleaned(teeth.clone()), (teeth, 0));
        let spikes: Vec<f64> = (0..60).map(|i| f64::from(u8::from(i % 6 == 3))).collect();
        assert_eq!(cleaned(spikes.clone()), (spikes, 0));
        assert_eq!(cleaned(vec![1.0, 9.0]), (vec![1.0, 9.0], 0));
    }
}
