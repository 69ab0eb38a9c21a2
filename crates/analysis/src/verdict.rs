//! The verdict: does every event leave something behind, how much, and who left it?
//!
//! ```text
//!   stacks ──► shapes ──► those that leak, added up ──► rate and interval
//!                 │ none                                    LEAK
//!                 ├──► grow, and are freed after the last   FREED AT EXIT
//!                 ├──► grow ever more slowly                FILLING, GROWTH SLOWS
//!   resident ─────┴──► grows while the heap does not        FRAGMENTATION, GROWS
//!   live    ──────────► neither                             NO GROWTH, UNDETERMINED
//! ```
//!
//! Leaking stacks are judged one by one, where a small leak is not hidden by the
//! noise of the others, and then added up. Only if no single stack stands out does
//! the sum of all decide.

mod headline;
mod reason;
mod rows;
mod stacks;

use crate::account::{self, GrowthAccount};
use crate::churn::{self, Saving};
use crate::counters::Counters;
pub use crate::counters::Followed;
use crate::groups::Groups;
use crate::growth::{Growth, GrowthOptions, Outcome, assess};
use crate::history::{EventRange, History};
use crate::readings::Size;
use crate::series::Series;
use crate::shape::{self, Shape};
use crate::time::{self, Trend};
use headline::{NOTABLE_RSS_BYTES, Sizes, decide};
pub use reason::Reason;
use residue_profile::Profile;
use residue_profile::timeline::Source;
pub use rows::{RowShapes, shapes_of};
use rows::{call, judge_stacks, set_aside_exchanges, sum_of, tell_of_run};
use serde::Serialize;
pub use stacks::StackVerdict;
use stacks::stack_verdicts;

const PAGE_BYTES: f64 = 4096.0;
/// Share of events whose lines came too late from which on nothing is said.
const MOST_LATE_LINES: f64 = 0.05;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Headline {
    /// Events leave memory behind that is never freed.
    Leak,
    /// They do, but the program frees it after the last.
    FreedAtExit,
    /// The program holds no more than before, but its heap takes ever more memory.
    Fragmentation,
    /// The process grows, and not by its heap.
    Growth,
    /// It grows ever more slowly, and will end, as a cache that fills up does.
    Filling,
    /// It grows ever more slowly; whether it ends cannot be told.
    Slowing,
    NoGrowth,
    Undetermined,
}

/// What the headline's rate was measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// The sum of the stacks that leak.
    Stacks,
    /// All that is live.
    Live,
    Rss,
    Vm,
}

/// What the memory that is live is made of. What a program maps is part of it: its own
/// allocator may live there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiveOf {
    Heap,
    HeapAndMapped,
    /// No allocation was recorded.
    Mapped,
}

impl LiveOf {
    fn recorded(profile: &Profile) -> LiveOf {
        let moments = || profile.timeline.moments.iter();
        let has_heap =
            profile.heap.calls > 0 || moments().any(|moment| moment.live_bytes > Some(0));
        let has_mapped = moments().any(|moment| moment.mapped_bytes > Some(0));
        match (has_heap, has_mapped) {
            (_, false) => LiveOf::Heap,
            (true, true) => LiveOf::HeapAndMapped,
            (false, true) => LiveOf::Mapped,
        }
    }
}

#[derive(Debug, Clone)]
pub struct Verdict {
    pub source: Source,
    /// Events of the whole run.
    pub events: u64,
    pub headline: Headline,
    pub basis: Basis,
    /// Of the basis: rate, interval, warm-up, events used.
    pub growth: Growth,
    pub live: Option<Growth>,
    pub live_of: LiveOf,
    pub rss: Option<Growth>,
    pub vm: Option<Growth>,
    pub account: Option<GrowthAccount>,
    /// Those that leak first, by their rates; then others worth a word.
    pub stacks: Vec<StackVerdict>,
    /// The counter that the growth follows.
    pub counter: Option<Followed>,
    /// What stacks need not have allocated.
    pub churn: Vec<Saving>,
    /// The time of events, where that grows beyond doubt.
    pub slowing: Option<Trend>,
    pub reasons: Vec<Reason>,
    /// What the rows that it was made from are called; see [`shapes_of`].
    pub rows: RowShapes,
}

impl Verdict {
    /// By how much, at least, the resident size grows beyond what leaks and fills up; `None` where
    /// that is not certain or not worth a word.
    pub fn rss_beyond_leak(&self) -> Option<f64> {
        let rss = self.rss.as_ref()?;
        let is_leak = matches!(self.headline, Headline::Leak | Headline::FreedAtExit);
        let is_slower =
            |stack: &&StackVerdict| matches!(stack.verdict.shape, Shape::Filling | Shape::Slowing);
        let slower = self.stacks.iter().filter(is_slower);
        // Over all events, as that of the resident size.
        let slower: f64 = slower
            .map(|stack| stack.verdict.growth.end_to_end_rate)
            .sum();
        let beyond = rss.low - 2.0 * (self.growth.high.max(0.0) + slower);
        let events = rss.last_event.saturating_sub(rss.first_event) as f64;
        let is_notable = beyond * events >= NOTABLE_RSS_BYTES;
        (is_leak && rss.outcome == Outcome::Growing && is_notable).then_some(beyond)
    }
}

impl Headline {
    /// Whether it says more about growth than another.
    fn says_more_than(self, other: Headline) -> bool {
        let weight = |headline: Headline| match headline {
            Headline::NoGrowth | Headline::Undetermined => 0,
            Headline::Growth | Headline::Fragmentation | Headline::Filling | Headline::Slowing => 1,
            Headline::FreedAtExit => 2,
            Headline::Leak => 3,
        };
        weight(self) > weight(other)
    }
}

/// `None` where there are fewer than two events in the range.
pub fn verdict(profile: &Profile, range: EventRange) -> Option<Verdict> {
    let groups = Groups::of(profile);
    let run = match range {
        EventRange::ALL => None,
        _ => verdict_of(profile, &groups, EventRange::ALL, None),
    };
    verdict_of(profile, &groups, range, run.as_ref())
}

/// The same with groups that are known already. A range is told what the whole run says: it
/// cannot see what is freed after it, and growth of its own has to be called that.
pub fn verdict_of(
    profile: &Profile,
    groups: &Groups,
    range: EventRange,
    run: Option<&Verdict>,
) -> Option<Verdict> {
    let recorded = EventRange::recorded(profile);
    let range = range.within(recorded);
    let history = History::new(profile, groups, range)?;
    let mut judged = judge_stacks(&history);
    let live = history.series(|moment| {
        let mapped_bytes = moment.mapped_bytes.unwrap_or(0);
        Some(moment.live_bytes?.saturating_add(mapped_bytes) as f64)
    });
    let rss = history.readings(Size::Rss).series;
    let vm = history.readings(Size::Vm).series;
    let pages = GrowthOptions {
        granularity_bytes: PAGE_BYTES,
        ..GrowthOptions::default()
    };
    let assessed = |series: &Series, options: &GrowthOptions| {
        (series.len() >= 2).then(|| assess(series, options))
    };
    let live_growth = assessed(&live, &GrowthOptions::default());
    let rss_growth = assessed(&rss, &pages);
    let vm_growth = assessed(&vm, &pages);
    let from = match &live_growth {
        Some(growth) => growth.first_event as u32,
        None => history.first_event(),
    };
    let exchange = set_aside_exchanges(&mut judged, live_growth.as_ref());
    // The first account is of a program that has hardly begun; without it if possible.
    let account = account::account(&profile.timeline, from.saturating_add(1), range.to)
        .or_else(|| account::account(&profile.timeline, from, range.to));
    let sizes = Sizes {
        live: live_growth,
        rss: rss_growth,
        vm: vm_growth,
        rss_span: rss.span(),
    };
    let (mut headline, basis, growth, mut reasons) =
        decide(&mut judged, &sizes, account.as_ref(), &history, &live)?;
    if let Some((stacks, bytes_per_event)) = exchange {
        reasons.push(Reason::Exchange {
            stacks,
            bytes_per_event,
        });
    }
    let about = &profile.timeline.about;
    if about.late_lines as f64 > about.events as f64 * MOST_LATE_LINES {
        let growing = [
            Shape::Leak,
            Shape::ExitFreed,
            Shape::Filling,
            Shape::Slowing,
        ];
        call(
            &mut judged,
            &growing,
            Shape::Undetermined,
            shape::Reason::LateLines,
        );
        headline = Headline::Undetermined;
        reasons.push(Reason::LateLines {
            late_events: about.late_lines,
            events: about.events,
        });
    }
    if recorded != EventRange::ALL {
        reasons.push(Reason::PartlyRecorded {
            from: recorded.from.max(1),
            to: u64::from(recorded.to).min(about.events) as u32,
            events: about.events,
        });
    }
    if let Some(run) = run {
        // A range cannot tell of a sum what is freed after the last event.
        if (headline, basis, run.headline) == (Headline::Leak, Basis::Live, Headline::FreedAtExit) {
            headline = Headline::FreedAtExit;
        }
        tell_of_run(&mut judged, groups, &run.rows);
        if headline.says_more_than(run.headline) {
            reasons.push(Reason::OnlyInThisRange { run: run.headline });
        }
    }
    let mut verdict = Verdict {
        source: profile.timeline.about.source,
        events: profile.timeline.about.events,
        headline,
        basis,
        growth,
        live: sizes.live,
        live_of: LiveOf::recorded(profile),
        rss: sizes.rss,
        vm: sizes.vm,
        account,
        stacks: Vec::new(),
        counter: None,
        // Of the whole recording, whatever the range.
        churn: run.map_or_else(|| churn::savings(profile), |run| run.churn.clone()),
        slowing: time::slows_down(profile, range),
        reasons,
        rows: RowShapes::of(&judged, groups),
    };
    let basis_series = match basis {
        Basis::Stacks => sum_of(judged.iter().filter(|judged| judged.is_guilty(headline))),
        Basis::Live => live,
        Basis::Rss => rss,
        Basis::Vm => vm,
    };
    let counters = Counters::new(&history);
    if matches!(
        headline,
        Headline::Leak | Headline::FreedAtExit | Headline::Growth
    ) {
        verdict.counter = counters.followed(&basis_series, &verdict.growth);
    }
    verdict.stacks = stack_verdicts(profile, judged, &verdict, &counters);
    Some(verdict)
}
