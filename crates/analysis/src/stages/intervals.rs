//! Growth between stamps: of each interval, and whom it makes guilty.

use std::cmp::Reverse;
use std::collections::HashMap;

use serde::Serialize;

use super::matrix::Matrix;
use super::series::Series;

/// The stretch from one stamp to the next. In events that lack its first stamp it
/// begins at the stamp they have before it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Interval {
    pub from: String,
    pub to: String,
    /// From the last stamp of an event to the first of the next.
    pub outside: bool,
    /// Events after the warm-up, not the last one, that have it.
    pub events: usize,
    /// Sum over those events.
    pub growth: i64,
    /// Per event, over all events after the warm-up, so that intervals add up.
    pub mean: f64,
    /// Part of the growth from start to start; `None` where that is nothing.
    pub share: Option<f64>,
}

/// Which of the two differences to believe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trust {
    /// Start to start: start to end misses what grows after the last stamp.
    StartToStartMore,
    /// Start to start: start to end counts what is given back after the last stamp.
    StartToStartLess,
    /// Nothing changes after the last stamp, so both say the same.
    Both,
    /// There are too few events to say.
    Neither,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Guilty {
    /// Index into [`super::Stages::intervals`].
    pub interval: usize,
    pub share: f64,
    /// It is outside every stamped interval, where only another stamp can tell more.
    pub add_a_stamp: bool,
}

/// The intervals of all turns that are complete, those after the warm-up.
pub fn of(matrix: &Matrix, warm_up_rows: usize) -> Vec<Interval> {
    let columns = matrix.columns.len();
    let mut within = vec![Sum::default(); columns];
    let mut outside = Sum::default();
    let mut outside_to = HashMap::new();
    let turns = matrix.rows.windows(2).skip(warm_up_rows);
    let turn_count = turns.len();
    for turn in turns {
        let (row, next) = (&turn[0], &turn[1]);
        for step in row.path.windows(2) {
            let cell = |column: usize| row.cells[column].unwrap_or(0);
            within[step[1]].add(step[0], cell(step[1]) - cell(step[0]));
        }
        if let (Some(&last), Some(&first)) = (row.path.last(), next.path.first()) {
            outside.add(last, next.first - row.last);
            *outside_to.entry(first).or_default() += 1;
        }
    }
    let growths = within.iter().chain([&outside]).map(|sum| sum.growth);
    let whole = growths.fold(0_i64, i64::saturating_add);
    let interval = |sum: &Sum, to: usize, is_outside: bool| Interval {
        from: matrix.columns[most_common(&sum.from)].clone(),
        to: matrix.columns[to].clone(),
        outside: is_outside,
        events: sum.events,
        growth: sum.growth,
        mean: sum.growth as f64 / turn_count as f64,
        share: (whole != 0).then(|| sum.growth as f64 / whole as f64),
    };
    let mut intervals: Vec<Interval> = within
        .iter()
        .enumerate()
        .filter(|(_, sum)| sum.events > 0)
        .map(|(column, sum)| interval(sum, column, false))
        .collect();
    if outside.events > 0 {
        intervals.push(interval(&outside, most_common(&outside_to), true));
    }
    intervals
}

/// What went into one column.
#[derive(Clone, Default)]
struct Sum {
    growth: i64,
    events: usize,
    /// How often which column was the one before.
    from: HashMap<usize, usize>,
}

impl Sum {
    fn add(&mut self, from: usize, growth: i64) {
        self.growth = self.growth.saturating_add(growth);
        self.events += 1;
        *self.from.entry(from).or_default() += 1;
    }
}

/// The column that was counted most; the first of several.
fn most_common(counts: &HashMap<usize, usize>) -> usize {
    let by_count = |&(&column, &count): &(&usize, &usize)| (count, Reverse(column));
    counts
        .iter()
        .max_by_key(by_count)
        .map_or(0, |(&column, _)| column)
}

/// What happens after the last stamp is nothing below this share of the whole.
const NOTHING_SHARE: f64 = 0.05;
const PAGE_BYTES: f64 = 4096.0;

pub fn trust(intervals: &[Interval], start_to_start: &Series) -> Trust {
    let outside = intervals.iter().find(|interval| interval.outside);
    let (Some(outside), Some(whole)) = (outside, start_to_start.mean_after_warm_up) else {
        return Trust::Neither;
    };
    let nothing = (NOTHING_SHARE * whole.abs()).max(PAGE_BYTES);
    match outside.mean {
        mean if mean.abs() <= nothing => Trust::Both,
        0.0.. => Trust::StartToStartMore,
        _ => Trust::StartToStartLess,
    }
}

/// Growth within so many standard errors may be chance.
const CERTAIN_ERRORS: f64 = 3.0;

/// The interval that grows most, where the whole grows for certain.
pub fn guilty(intervals: &[Interval], start_to_start: &Series) -> Option<Guilty> {
    let mean = start_to_start.mean_after_warm_up?;
    if mean <= CERTAIN_ERRORS * start_to_start.standard_error? {
        return None;
    }
    let grown = |&(index, interval): &(usize, &Interval)| (interval.growth, Reverse(index));
    let (index, most) = intervals.iter().enumerate().max_by_key(grown)?;
    Some(Guilty {
        interval: index,
        share: most.share?,
        add_a_stamp: most.outside,
    })
}
