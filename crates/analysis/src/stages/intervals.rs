//! Growth between stamps: of each interval, how much of it survives, and whom it makes guilty.
//!
//! ```text
//!   read      fit        next event
//!         ____/‾‾‾‾‾\_____             rises of 10 and of 100, then a fall of 98:
//!   _____/ 10   100   -98              2 of the 100 survive, and the 10
//! ```
//!
//! Readings are sums and do not say whose memory a fall gives back. What is freed is mostly what
//! was allocated for this event or the one before, and as much of it: so a fall is taken from the
//! rise nearest to it in size among those of these two events, then from the next nearest, and
//! only then from older ones. This is an assumption, and the only one. What nothing takes back
//! until the last event has survived; it adds up to the growth from the first event to the last,
//! and what is given back of the time before the first.

use std::cmp::Reverse;
use std::collections::HashMap;

use serde::Serialize;

use super::matrix::Matrix;
use super::series::Series;

/// The stretch from one stamp to the next. In events that lack its first stamp it
/// begins at the stamp they have before it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interval {
    pub from: String,
    pub to: String,
    /// From the last stamp of an event to the first of the next.
    pub outside: bool,
    /// Events after warm-up, not the last one, that have it.
    pub events: usize,
    /// Sum over those events.
    pub growth: i64,
    /// Per event, over all events after warm-up, so that intervals add up.
    pub mean: f64,
    /// The same of the events in which it rises alone, and what survives of that.
    pub rise_mean: f64,
    pub surviving_mean: f64,
    /// Part of all that survives; `None` where that is nothing.
    pub share: Option<f64>,
}

/// Which of the two differences to believe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Guilty {
    /// Index into [`super::Stages::intervals`].
    pub interval: usize,
    /// Per event, as in the interval.
    pub rise_mean: f64,
    pub surviving_mean: f64,
    pub share: f64,
    /// It is outside every stamped interval, where only another stamp can tell more.
    pub add_a_stamp: bool,
}

/// The intervals of all turns that are complete, those after warm-up.
pub fn of(matrix: &Matrix, warm_up_rows: usize) -> Vec<Interval> {
    let columns = matrix.columns.len();
    let mut within = vec![Sum::default(); columns];
    let mut outside = Sum::default();
    let mut outside_to = HashMap::new();
    let mut held = Held::default();
    let turns = matrix.rows.windows(2).skip(warm_up_rows);
    let turn_count = turns.len();
    for (number, turn) in turns.enumerate() {
        let (row, next) = (&turn[0], &turn[1]);
        for step in row.path.windows(2) {
            let cell = |column: usize| row.cells[column].unwrap_or(0);
            let growth = cell(step[1]) - cell(step[0]);
            within[step[1]].add(step[0], growth);
            held.change(number, step[1], growth);
        }
        if let (Some(&last), Some(&first)) = (row.path.last(), next.path.first()) {
            outside.add(last, next.first - row.last);
            held.change(number, columns, next.first - row.last);
            *outside_to.entry(first).or_default() += 1;
        }
    }
    let surviving = held.by_place(columns + 1);
    let whole: f64 = surviving.iter().sum();
    let interval = |sum: &Sum, to: usize, is_outside: bool| {
        let survives = surviving[if is_outside { columns } else { to }];
        Interval {
            from: matrix.columns[most_common(&sum.from)].clone(),
            to: matrix.columns[to].clone(),
            outside: is_outside,
            events: sum.events,
            growth: sum.growth,
            mean: sum.growth as f64 / turn_count as f64,
            rise_mean: sum.rises as f64 / turn_count as f64,
            surviving_mean: survives / turn_count as f64,
            share: (whole > 0.0).then(|| survives / whole),
        }
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
    /// Of the events in which it grew.
    rises: i64,
    events: usize,
    /// How often which column was the one before.
    from: HashMap<usize, usize>,
}

impl Sum {
    fn add(&mut self, from: usize, growth: i64) {
        self.growth = self.growth.saturating_add(growth);
        self.rises = self.rises.saturating_add(growth.max(0));
        self.events += 1;
        *self.from.entry(from).or_default() += 1;
    }
}

/// Rises that nothing has given back yet, in the order in which they came.
#[derive(Default)]
struct Held(Vec<Rise>);

struct Rise {
    turn: usize,
    /// The interval: its last column, or one more for the one outside.
    place: usize,
    bytes: u64,
}

impl Held {
    fn change(&mut self, turn: usize, place: usize, growth: i64) {
        if growth > 0 {
            let bytes = growth.unsigned_abs();
            self.0.push(Rise { turn, place, bytes });
        }
        let mut fall = growth.min(0).unsigned_abs();
        while let Some(nearest) = self.nearest(turn, fall).filter(|_| fall > 0) {
            let rise = &mut self.0[nearest];
            let part = fall.min(rise.bytes);
            fall -= part;
            rise.bytes -= part;
            if rise.bytes == 0 {
                self.0.remove(nearest);
            }
        }
    }

    /// The rise nearest in size, of this turn and the one before if there is any; the latest
    /// of several.
    fn nearest(&self, turn: usize, bytes: u64) -> Option<usize> {
        let oldest = self.0.last()?.turn.min(turn.saturating_sub(1));
        let recent = self.0.iter().enumerate().rev();
        let recent = recent.take_while(|(_, rise)| rise.turn >= oldest);
        let distance = |(_, rise): &(usize, &Rise)| rise.bytes.abs_diff(bytes);
        recent.min_by_key(distance).map(|(index, _)| index)
    }

    fn by_place(&self, places: usize) -> Vec<f64> {
        let mut sums = vec![0.0; places];
        for rise in &self.0 {
            sums[rise.place] += rise.bytes as f64;
        }
        sums
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

/// The interval of which most survives, where the whole grows for certain.
pub fn guilty(intervals: &[Interval], start_to_start: &Series) -> Option<Guilty> {
    let mean = start_to_start.mean_after_warm_up?;
    if mean <= CERTAIN_ERRORS * start_to_start.standard_error? {
        return None;
    }
    // The first of several that are equal.
    let later_first = intervals.iter().enumerate().rev();
    let (index, most) =
        later_first.max_by(|one, other| one.1.surviving_mean.total_cmp(&other.1.surviving_mean))?;
    Some(Guilty {
        interval: index,
        rise_mean: most.rise_mean,
        surviving_mean: most.surviving_mean,
        share: most.share?,
        add_a_stamp: most.outside,
    })
}
