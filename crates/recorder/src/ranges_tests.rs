use super::*;

fn empty() -> Box<Ranges> {
    // SAFETY: zeros are an empty one.
    unsafe { Box::<Ranges>::new_zeroed().assume_init() }
}

fn range(start: usize, origin: u32) -> Range {
    Range {
        start,
        end: start + 10,
        record: start as u64,
        stack: 7,
        birth: 1,
        origin,
    }
}

fn all(ranges: &Ranges) -> Vec<usize> {
    ranges
        .from(ranges.first_after(0))
        .map(|range| range.start)
        .collect()
}

/// Numbers that look like chance.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1);
        (self.0 >> 33) as usize % limit
    }
}

#[test]
fn ranges_that_come_and_go_at_random_stay_sorted() {
    let (mut ranges, mut random) = (empty(), Random(5));
    let mut expected = std::collections::BTreeSet::new();
    for step in 0..40_000 {
        // More and more, then fewer and fewer.
        let is_new = random.below(3) != if step < 20_000 { 0 } else { 1 } && step < 30_000;
        let start = random.below(3000) * 10 + 100;
        let found = ranges.first_after(start);
        let is_there = ranges.get(found).is_some_and(|found| found.start == start);
        assert_eq!(is_there, expected.contains(&start));
        if is_new && !is_there {
            let origin = ranges.new_origin().unwrap();
            assert!(ranges.insert(range(start, origin)));
            expected.insert(start);
        } else if is_there {
            let origin = ranges.get(found).unwrap().origin;
            let next = ranges.remove(found);
            expected.remove(&start);
            let after = expected.range(start..).next().copied();
            assert_eq!(ranges.get(next).map(|next| next.start), after);
            assert!(ranges.is_over(origin));
        }
        assert_eq!(ranges.count(), expected.len());
        if step % 1000 == 0 {
            assert_eq!(all(&ranges), Vec::from_iter(expected.iter().copied()));
        }
    }
    for start in expected {
        let at = ranges.first_after(start);
        ranges.remove(at);
    }
    assert_eq!((ranges.count(), ranges.used, all(&ranges)), (0, 0, vec![]));
}

#[test]
fn as_many_ranges_as_there_may_be_have_room_in_any_order() {
    // Upwards, downwards, and from both ends.
    let orders: [fn(usize) -> usize; 3] = [
        |index| index,
        |index| MOST_RANGES - 1 - index,
        |index| match index % 2 {
            0 => index / 2,
            _ => MOST_RANGES - 1 - index / 2,
        },
    ];
    for order in orders {
        let mut ranges = empty();
        for index in 0..MOST_RANGES {
            let origin = ranges.new_origin().unwrap();
            assert!(ranges.insert(range(order(index) * 10, origin)), "{index}");
        }
        assert_eq!(ranges.new_origin(), None);
        assert!(!ranges.insert(range(MOST_RANGES * 10, 0)));
        assert!(all(&ranges).is_sorted() && all(&ranges).len() == MOST_RANGES);
    }
}

#[test]
fn what_many_ranges_left_leaves_room_for_as_many_elsewhere() {
    let mut ranges = empty();
    for index in 0..MOST_RANGES {
        assert!(ranges.insert(range(index * 1_000_000, 0)));
    }
    // One of so many stays, all over the chunks.
    for index in (0..MOST_RANGES).filter(|index| index % 100 != 0) {
        ranges.remove(ranges.first_after(index * 1_000_000));
    }
    for index in ranges.count()..MOST_RANGES {
        assert!(ranges.insert(range(5_000 + index * 10, 0)), "{index}");
    }
    assert!(all(&ranges).is_sorted() && all(&ranges).len() == MOST_RANGES);
}

#[test]
fn an_origin_is_over_when_its_last_piece_is_gone() {
    let mut ranges = empty();
    let (one, other) = (ranges.new_origin().unwrap(), ranges.new_origin().unwrap());
    for (start, origin) in [(100, one), (200, one), (150, other)] {
        assert!(ranges.insert(range(start, origin)));
    }
    let first = ranges.remove(ranges.first_after(100));
    assert!(!ranges.is_over(one));
    // The other lies between the two.
    assert_eq!(ranges.get(first), Some(range(150, other)));
    ranges.remove(ranges.next(first));
    assert!(ranges.is_over(one));
    assert!(!ranges.is_over(other));
    // Its number is given out again.
    assert_eq!(ranges.new_origin(), Some(one));
}
