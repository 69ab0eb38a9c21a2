//! The table of stacks: those through the same functions are one row, as the verdict
//! judges them.

use anyhow::{Context, Result, bail};
use residue_analysis::groups::GroupId;
use residue_analysis::history::EventRange;
use residue_profile::{Counter, Measured};
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::stack_row::{self, StackRow};
use crate::moment_view::Live;
use crate::page::open_profiles::OpenProfiles;
use crate::page::opened::Opened;
use crate::page::question::Question;
use crate::page::selection::{Selection, StackFilter};

const USUAL_ROWS: usize = 50;
const MOST_ROWS: usize = 200;
/// Rows that are judged when one shape is asked for.
const MOST_JUDGED: usize = 500;

/// Answers `api/stacks`. Parameters: side, events, kind, focus, ignore, sort, ascending (1), shape,
/// offset, limit (most 200, default 50).
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Stacks {
    /// Groups of stacks through the same functions that pass the filters.
    found: usize,
    offset: usize,
    /// Sums over all that were found. Growth is net: what fell is taken off.
    sums: StackNumbers,
    /// Bytes by which stacks that shrank fell in the range.
    fallen_bytes: u64,
    /// Events in the range, or of the recording.
    events: u64,
    /// Of a range: the events that it really is of, both included.
    first_event: Option<u64>,
    last_event: Option<u64>,
    rows: Vec<StackRow>,
    /// Rows that were looked at for their shape, if one is asked for.
    looked_at: Option<usize>,
}

/// What is known of one stack, or of several together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StackNumbers {
    /// Change of live memory in the range; of the whole recording: what is live.
    pub growth_bytes: i64,
    pub growth_blocks: i64,
    /// Of the whole recording, always, as all that follows.
    pub live_bytes: u64,
    pub live_blocks: u64,
    pub total_bytes: u64,
    pub calls: u64,
    pub frees: u64,
    /// Bytes allocated and freed again: total − live.
    pub churn_bytes: u64,
    pub temporaries: u64,
    pub reallocs: u64,
    /// Zero in sums: peaks fall on different moments.
    pub peak_bytes: u64,
    pub at_peak_bytes: u64,
    /// The largest single block; of several stacks the largest of theirs. Null where it was not
    /// recorded.
    pub largest_bytes: Option<u64>,
}

impl StackNumbers {
    /// Of one stack; `live` is what it came to hold in the range, if there is one.
    pub fn of(opened: &Opened, stack: usize, live: Option<&[Live]>) -> StackNumbers {
        let profile = &opened.profile;
        let counters = &profile.stacks[stack].counters;
        let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        let grown = match live {
            Some(live) => live[stack],
            None => Live {
                bytes: signed(counters.live_bytes),
                blocks: signed(counters.live_blocks),
                ..Live::default()
            },
        };
        StackNumbers {
            growth_bytes: grown.bytes,
            growth_blocks: grown.blocks,
            live_bytes: counters.live_bytes,
            live_blocks: counters.live_blocks,
            total_bytes: counters.total_bytes,
            calls: counters.calls,
            frees: counters.frees,
            churn_bytes: counters.total_bytes.saturating_sub(counters.live_bytes),
            temporaries: counters.temporaries,
            reallocs: counters.reallocs(),
            peak_bytes: counters.peak_bytes,
            at_peak_bytes: counters.at_peak_bytes,
            largest_bytes: profile.has_largest.then_some(counters.largest_bytes),
        }
    }

    pub fn add(&mut self, other: &StackNumbers) {
        self.growth_bytes = self.growth_bytes.saturating_add(other.growth_bytes);
        self.growth_blocks = self.growth_blocks.saturating_add(other.growth_blocks);
        let numbers = [
            (&mut self.live_bytes, other.live_bytes),
            (&mut self.live_blocks, other.live_blocks),
            (&mut self.total_bytes, other.total_bytes),
            (&mut self.calls, other.calls),
            (&mut self.frees, other.frees),
            (&mut self.churn_bytes, other.churn_bytes),
            (&mut self.temporaries, other.temporaries),
            (&mut self.reallocs, other.reallocs),
            (&mut self.peak_bytes, other.peak_bytes),
            (&mut self.at_peak_bytes, other.at_peak_bytes),
        ];
        for (sum, more) in numbers {
            *sum = sum.saturating_add(more);
        }
        self.largest_bytes = self.largest_bytes.max(other.largest_bytes);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    Growth,
    GrowthBlocks,
    Live,
    LiveBlocks,
    Total,
    Calls,
    Churn,
    Peak,
    AtPeak,
    Temporaries,
    Largest,
}

impl Sort {
    pub const ALL: [(&'static str, Sort); 11] = [
        ("growth", Sort::Growth),
        ("growth-blocks", Sort::GrowthBlocks),
        ("live", Sort::Live),
        ("live-blocks", Sort::LiveBlocks),
        ("total", Sort::Total),
        ("calls", Sort::Calls),
        ("churn", Sort::Churn),
        ("peak", Sort::Peak),
        ("at-peak", Sort::AtPeak),
        ("temporaries", Sort::Temporaries),
        ("largest", Sort::Largest),
    ];

    fn read(question: &Question, opened: &Opened) -> Result<Sort> {
        let word = question.word("sort", &Sort::ALL.map(|(name, _)| name))?;
        let known = Sort::ALL.into_iter().find(|(name, _)| *name == word);
        let sort = known.map_or(Sort::Growth, |(_, sort)| sort);
        let (profile, whole) = (&opened.profile, Measured::Everything);
        if sort == Sort::Largest && !whole.has(profile, Counter::Largest) {
            bail!("`largest` {}", whole.why_not(profile, Counter::Largest));
        }
        Ok(sort)
    }

    fn value(self, numbers: &StackNumbers) -> i64 {
        let unsigned = match self {
            Sort::Growth => return numbers.growth_bytes,
            Sort::GrowthBlocks => return numbers.growth_blocks,
            Sort::Live => numbers.live_bytes,
            Sort::LiveBlocks => numbers.live_blocks,
            Sort::Total => numbers.total_bytes,
            Sort::Calls => numbers.calls,
            Sort::Churn => numbers.churn_bytes,
            Sort::Peak => numbers.peak_bytes,
            Sort::AtPeak => numbers.at_peak_bytes,
            Sort::Temporaries => numbers.temporaries,
            Sort::Largest => numbers.largest_bytes.unwrap_or(0),
        };
        i64::try_from(unsigned).unwrap_or(i64::MAX)
    }

    /// What two stacks of one row come to.
    fn joined(self, value: i64, more: i64) -> i64 {
        match self {
            Sort::Largest => value.max(more),
            _ => value.saturating_add(more),
        }
    }
}

/// Groups that come first, each with its place.
pub type Named = FxHashMap<GroupId, usize>;

/// Groups that are found, with what they are ordered by.
pub struct Found {
    groups: Vec<(i64, GroupId)>,
    pub sums: StackNumbers,
    fallen_bytes: u64,
}

impl Found {
    /// The first of them: those that are named, in their order, then the highest.
    pub fn first(mut self, most: usize, is_ascending: bool, named: &Named) -> Vec<GroupId> {
        let order = |&(value, group): &(i64, GroupId)| {
            let place = named.get(&group).copied();
            let value = match is_ascending {
                true => i128::from(value),
                false => -i128::from(value),
            };
            (place.unwrap_or(named.len()), value, group)
        };
        if most > 0 && most < self.groups.len() {
            self.groups.select_nth_unstable_by_key(most - 1, order);
        }
        self.groups.truncate(most);
        self.groups.sort_unstable_by_key(order);
        self.groups.into_iter().map(|(_, group)| group).collect()
    }
}

pub fn stacks(profiles: &OpenProfiles, question: &Question) -> Result<Stacks> {
    let opened = profiles.side(question)?;
    let selection = Selection {
        opened,
        kind: question.kind()?,
        filter: StackFilter::of(question)?,
        counter: Counter::Live,
        events: question.events("events")?,
        thread: None,
    };
    let sort = Sort::read(question, opened)?;
    let shape = question.text("shape");
    let offset = question.limit("offset", 0, usize::MAX)?;
    let limit = question.limit("limit", USUAL_ROWS, MOST_ROWS)?;

    let span = selection.span()?;
    let covered = span.map(|span| opened.profile.timeline.events_covered(span));
    let live = span.map(|span| opened.live(span));
    let live = live.as_ref().map(|live| live.as_slice());
    let found = find(&selection, sort, live);
    let found_groups = found.groups.len();
    let (sums, fallen_bytes) = (found.sums, found.fallen_bytes);
    let (skipped, wanted) = match shape {
        Some(_) => (0, MOST_JUDGED),
        None => (offset, offset.saturating_add(limit)),
    };
    let named = named_groups(opened, question)?;
    let mut groups = found.first(wanted, question.is_set("ascending"), &named);
    groups.drain(..skipped.min(groups.len()));
    let mut rows = stack_row::rows(opened, &groups, live, selection.events, &selection.admits());
    if let Some(shape) = shape {
        rows.retain(|row| row.has_shape(shape));
    }
    Ok(Stacks {
        found: match shape {
            Some(_) => rows.len(),
            None => found_groups,
        },
        offset,
        sums,
        fallen_bytes,
        events: selection.event_count()?,
        first_event: covered.map(|(first, _)| first),
        last_event: covered.map(|(_, last)| last),
        rows: match shape {
            Some(_) => rows.into_iter().skip(offset).take(limit).collect(),
            None => rows,
        },
        looked_at: shape.map(|_| groups.len()),
    })
}

/// Groups of the stacks that are to come first, such as those that a verdict names.
fn named_groups(opened: &Opened, question: &Question) -> Result<Named> {
    let stacks = question.text("first").unwrap_or_default().split(',');
    let mut groups = Named::default();
    for text in stacks.filter(|text| !text.is_empty()).take(MOST_ROWS) {
        let stack: usize = text
            .parse()
            .with_context(|| format!("first: `{text}` is not the number of a stack"))?;
        if let Some(&group) = opened.groups().of_stack.get(stack) {
            let place = groups.len();
            groups.entry(group).or_insert(place);
        }
    }
    Ok(groups)
}

/// All groups that pass the filters.
pub fn find(selection: &Selection<'_>, sort: Sort, live: Option<&[Live]>) -> Found {
    let opened = selection.opened;
    let groups = opened.groups();
    let admits = selection.admits();
    let mut sums = StackNumbers::default();
    let mut fallen_bytes = 0_u64;
    // Per group: what it is ordered by, and whether it is there at all.
    let mut values = vec![(0_i64, false); groups.count()];
    for (stack, &group) in groups.of_stack.iter().enumerate() {
        if !admits(stack) {
            continue;
        }
        let numbers = StackNumbers::of(opened, stack, live);
        sums.add(&numbers);
        fallen_bytes = fallen_bytes.saturating_add(numbers.growth_bytes.min(0).unsigned_abs());
        // Of a range only those that it left something of, or took something from.
        let is_moved = live.is_none() || numbers.growth_bytes != 0 || numbers.growth_blocks != 0;
        let (value, is_there) = &mut values[group as usize];
        *value = sort.joined(*value, sort.value(&numbers));
        *is_there |= is_moved;
    }
    // Peaks fall on different moments and have no sum.
    sums.peak_bytes = 0;
    let values = values.into_iter().zip(0..);
    Found {
        groups: values
            .filter(|((_, is_there), _)| *is_there)
            .map(|((value, _), group)| (value, group))
            .collect(),
        sums,
        fallen_bytes,
    }
}

/// The row that a stack is part of.
pub fn row_of_stack(opened: &Opened, stack: u32, events: Option<EventRange>) -> Result<StackRow> {
    let live = events.map(|events| opened.span(Some(events))).transpose()?;
    let live = live.map(|span| opened.live(span));
    let group = opened.groups().of_stack[stack as usize];
    let live = live.as_ref().map(|live| live.as_slice());
    let mut rows = stack_row::rows(opened, &[group], live, events, &|_| true);
    rows.pop()
        .ok_or_else(|| anyhow::anyhow!("there is no stack {stack}"))
}
