//! A series as a row of bars.

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Means of equal parts of a series, at most so many.
pub fn means(values: &[f64], most: usize) -> Vec<f64> {
    let parts = most.min(values.len());
    let start = |part: usize| part * values.len() / parts;
    (0..parts)
        .map(|part| &values[start(part)..start(part + 1)])
        .map(|part| part.iter().sum::<f64>() / part.len() as f64)
        .collect()
}

/// A series as bars from zero to its highest.
pub fn sparkline(values: &[f64]) -> String {
    let highest = values.iter().copied().fold(0.0, f64::max);
    values
        .iter()
        .map(|value| {
            let level = value.max(0.0) / highest.max(f64::MIN_POSITIVE) * 7.0;
            BARS[(level.round() as usize).min(7)]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_goes_from_zero_to_the_highest() {
        assert_eq!(sparkline(&[0.0, 1.0, 3.0, 7.0]), "▁▂▄█");
        assert_eq!(sparkline(&[5.0, 5.0]), "██");
        assert_eq!(sparkline(&[0.0, -1.0, f64::NAN]), "▁▁▁");
        assert_eq!(sparkline(&[]), "");
    }

    #[test]
    fn a_series_is_shortened_to_the_means_of_its_parts() {
        let values: Vec<f64> = (0..60).map(f64::from).collect();
        let expected = [3.0, 10.5, 18.0, 25.5, 33.0, 40.5, 48.0, 55.5];
        assert_eq!(means(&values, 8), expected);
        assert_eq!(means(&values[..3], 8), [0.0, 1.0, 2.0]);
        assert!(means(&[], 8).is_empty());
    }
}
