//! A series of memory readings, one per event.
//!
//! Event numbers increase strictly but may have gaps, because long runs are thinned. All
//! functions here are O(n) and describe; they do not judge.

/// Readings in bytes, each with the number of its event.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    events: Vec<f64>,
    values: Vec<f64>,
}

/// A least-squares line through a series; the intercept is its value at event number 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    pub rate: f64,
    pub intercept: f64,
}

impl Series {
    /// Pairs the readings with their events. A reading that is not finite, or whose event number
    /// does not lie above the one before, is left out; surplus entries of the longer list too.
    pub fn new(events: Vec<f64>, values: Vec<f64>) -> Self {
        let mut series = Self::default();
        for (event, value) in events.into_iter().zip(values) {
            let follows = series.events.last().is_none_or(|&last| event > last);
            if event.is_finite() && value.is_finite() && follows {
                series.events.push(event);
                series.values.push(value);
            }
        }
        series
    }

    /// Readings of consecutive events, the first of which has the number `first_event`.
    pub fn consecutive(first_event: u64, values: Vec<f64>) -> Self {
        let events = (0..values.len()).map(|i| (first_event + i as u64) as f64);
        Self::new(events.collect(), values)
    }

    pub fn events(&self) -> &[f64] {
        &self.events
    }

    pub fn values(&self) -> &[f64] {
        &self.values
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Number of events between the first and the last reading.
    pub fn span(&self) -> f64 {
        match (self.events.first(), self.events.last()) {
            (Some(first), Some(last)) => last - first,
            _ => 0.0,
        }
    }

    /// The series without its first `count` readings.
    pub fn skip(&self, count: usize) -> Self {
        let from = count.min(self.len());
        Self {
            events: self.events[from..].to_vec(),
            values: self.values[from..].to_vec(),
        }
    }

    /// Change per event between neighbouring readings.
    pub fn increments(&self) -> Vec<f64> {
        let steps = self.values.windows(2).zip(self.events.windows(2));
        steps.map(|(v, e)| (v[1] - v[0]) / (e[1] - e[0])).collect()
    }

    /// How many events lie between one reading and the next.
    pub fn steps(&self) -> Vec<f64> {
        let steps = self.events.windows(2);
        steps.map(|events| events[1] - events[0]).collect()
    }

    /// Last reading minus the first, per event.
    pub fn end_to_end_rate(&self) -> f64 {
        match (self.values.first(), self.values.last()) {
            (Some(first), Some(last)) if self.span() > 0.0 => (last - first) / self.span(),
            _ => 0.0,
        }
    }

    /// The least-squares line.
    pub fn line_fit(&self) -> Line {
        let (event_mean, value_mean) = (mean(&self.events), mean(&self.values));
        let (mut sxx, mut sxy) = (0.0, 0.0);
        for (event, value) in self.events.iter().zip(&self.values) {
            sxx += (event - event_mean) * (event - event_mean);
            sxy += (event - event_mean) * (value - value_mean);
        }
        let rate = if sxx > 0.0 { sxy / sxx } else { 0.0 };
        Line {
            rate,
            intercept: value_mean - rate * event_mean,
        }
    }

    /// At most `most` values at equal distances in events, and that distance. A short series of
    /// consecutive events comes back as it is; a longer one as means of equal blocks, for which
    /// up to a block's worth of readings is dropped at the *front*; one with gaps as means of
    /// the straight lines between its readings.
    pub fn evenly(&self, most: usize) -> (Vec<f64>, f64) {
        let n = self.len();
        if n < 2 {
            return (self.values.clone(), 1.0);
        }
        let spacing = self.span() / (n - 1) as f64;
        let even = self
            .events
            .windows(2)
            .all(|e| (e[1] - e[0] - spacing).abs() <= 1e-9 * spacing);
        if !even {
            return self.interpolated(most.min(n));
        }
        let block = n.div_ceil(most.max(1));
        let blocks = self.values[n % block..].chunks_exact(block);
        (blocks.map(mean).collect(), spacing * block as f64)
    }

    /// Means over `count` equal blocks of the polygon through the readings.
    fn interpolated(&self, count: usize) -> (Vec<f64>, f64) {
        let width = self.span() / count as f64;
        let mut means = Vec::with_capacity(count);
        let mut segment = 0;
        let last_segment = self.len() - 2;
        let start = self.events[0];
        for block in 0..count {
            let end = start + width * (block + 1) as f64;
            let mut at = start + width * block as f64;
            let mut area = 0.0;
            while at < end {
                while segment < last_segment && self.events[segment + 1] <= at {
                    segment += 1;
                }
                let next = if segment < last_segment {
                    end.min(self.events[segment + 1])
                } else {
                    end
                };
                let middle = 0.5 * (at + next);
                let share = (middle - self.events[segment])
                    / (self.events[segment + 1] - self.events[segment]);
                let rise = self.values[segment + 1] - self.values[segment];
                area += (self.values[segment] + share * rise) * (next - at);
                at = next;
            }
            means.push(area / width);
        }
        (means, width)
    }
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusable_readings_are_left_out() {
        let series = Series::new(
            vec![1.0, 2.0, 2.0, f64::NAN, 5.0],
            vec![10.0, f64::INFINITY, 20.0, 30.0, 40.0],
        );
        assert_eq!(series.events(), [1.0, 2.0, 5.0]);
        assert_eq!(series.values(), [10.0, 20.0, 40.0]);
    }

    #[test]
    fn a_line_with_gaps_keeps_its_rate_and_intercept() {
        let events = vec![0.0, 1.0, 2.0, 4.0, 8.0, 16.0];
        let values = events.iter().map(|e| 5.0 + 3.0 * e).collect();
        let series = Series::new(events, values);
        assert_eq!(series.end_to_end_rate(), 3.0);
        let line = series.line_fit();
        assert!((line.rate - 3.0).abs() < 1e-12 && (line.intercept - 5.0).abs() < 1e-12);
        let (means, spacing) = series.evenly(4);
        assert_eq!(spacing, 4.0);
        assert_eq!(means, [11.0, 23.0, 35.0, 47.0]);
    }

    #[test]
    fn blocks_drop_readings_at_the_front() {
        let series = Series::consecutive(0, (0..7).map(f64::from).collect());
        assert_eq!(series.evenly(3), (vec![2.0, 5.0], 3.0));
        assert_eq!(series.evenly(7).0.len(), 7);
    }
}
