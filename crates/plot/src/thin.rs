//! Fewer numbers, so that a picture of a million events is no larger than one of a
//! thousand.

/// Points whose line looks the same as that of `points` where `columns` stand for the
/// whole width: of each column its lowest and its highest, in their order. They must
/// ascend in x.
pub fn envelope(points: &[(f64, f64)], columns: usize) -> Vec<(f64, f64)> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Vec::new();
    };
    if points.len() <= 2 * columns.max(1) {
        return points.to_vec();
    }
    let width = (last.0 - first.0) / columns.max(1) as f64;
    let column = |x: f64| ((x - first.0) / width) as usize;
    let mut thinned = vec![*first];
    for group in points.chunk_by(|one, next| column(one.0) == column(next.0)) {
        let by_height = |one: &&(f64, f64), other: &&(f64, f64)| one.1.total_cmp(&other.1);
        let lowest = group.iter().min_by(by_height).unwrap_or(&group[0]);
        let highest = group.iter().max_by(by_height).unwrap_or(&group[0]);
        let (one, other) = if lowest.0 <= highest.0 {
            (lowest, highest)
        } else {
            (highest, lowest)
        };
        thinned.extend([*one, *other]);
    }
    thinned.push(*last);
    thinned.dedup();
    thinned
}

/// Equal bins of whole numbers: how many each holds, so that there are at most `most`.
pub fn per_bin(count: u64, most: u64) -> u64 {
    count.div_ceil(most.max(1)).max(1)
}

/// Places for labels that are wanted at `wanted`, at least `gap` apart, between `low`
/// and `high` as far as there is room; in the order given.
pub fn spread(wanted: &[f64], gap: f64, low: f64, high: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&one, &other| wanted[one].total_cmp(&wanted[other]));
    let mut places = vec![0.0; wanted.len()];
    let mut next = low;
    for &label in &order {
        places[label] = wanted[label].max(next);
        next = places[label] + gap;
    }
    let mut last = high;
    for &label in order.iter().rev() {
        places[label] = places[label].min(last);
        last = places[label] - gap;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_line_is_kept_as_it_is() {
        let points = [(1.0, 5.0), (2.0, 6.0), (9.0, 0.0)];
        assert_eq!(envelope(&points, 2), points);
        assert_eq!(envelope(&[], 2), []);
    }

    #[test]
    fn a_long_line_keeps_its_ends_and_its_peaks() {
        let mut points: Vec<(f64, f64)> = (0..1000).map(|x| (f64::from(x), 10.0)).collect();
        points[567].1 = 99.0;
        points[568].1 = 1.0;
        let thinned = envelope(&points, 10);
        assert_eq!(thinned.len(), 21);
        assert_eq!((thinned[0], thinned[20]), ((0.0, 10.0), (999.0, 10.0)));
        assert!(thinned.contains(&(567.0, 99.0)) && thinned.contains(&(568.0, 1.0)));
        assert!(thinned.is_sorted_by(|one, next| one.0 <= next.0));
    }

    #[test]
    fn bins_cover_everything() {
        assert_eq!(
            [1, 200, 201, 4000].map(|count| per_bin(count, 200)),
            [1, 1, 2, 20]
        );
        assert_eq!(per_bin(0, 0), 1);
    }

    #[test]
    fn labels_keep_apart_and_inside() {
        assert_eq!(
            spread(&[50.0, 52.0, 10.0], 10.0, 0.0, 100.0),
            [50.0, 60.0, 10.0]
        );
        assert_eq!(spread(&[99.0, 98.0], 10.0, 0.0, 100.0), [100.0, 90.0]);
        assert!(spread(&[], 10.0, 0.0, 100.0).is_empty());
    }
}
