//! Ranges of addresses, and what is left of one where others are taken out.

use std::ops::Range;

/// In order and apart from each other, so that their ends are in order too.
pub fn joined(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_unstable_by_key(|range| range.start);
    ranges.dedup_by(|next, before| {
        let is_joined = next.start <= before.end;
        if is_joined {
            before.end = before.end.max(next.end);
        }
        is_joined
    });
    ranges
}

/// The parts of a range that none of the holes covers; they are as [`joined`] makes them.
pub fn without(range: Range<u64>, holes: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut parts = Vec::new();
    let mut at = range.start;
    let first = holes.partition_point(|hole| hole.end <= at);
    for hole in holes[first..].iter().take_while(|it| it.start < range.end) {
        if hole.start > at {
            parts.push(at..hole.start);
        }
        at = at.max(hole.end);
    }
    if at < range.end {
        parts.push(at..range.end);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_taken_out() {
        let holes = joined(vec![70..80, 10..20, 15..30, 30..31, 90..95]);
        assert_eq!(holes, [10..31, 70..80, 90..95]);
        let left = |range| {
            let parts = without(range, &holes).into_iter();
            parts.map(|it| (it.start, it.end)).collect::<Vec<_>>()
        };
        assert_eq!(left(0..100), [(0, 10), (31, 70), (80, 90), (95, 100)]);
        assert_eq!(left(12..31), []);
        assert_eq!(left(31..70), [(31, 70)]);
        assert_eq!(left(20..75), [(31, 70)]);
    }
}
