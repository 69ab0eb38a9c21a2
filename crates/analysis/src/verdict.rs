//! The verdict: does every event leave something behind, how much, and who left it?
//!
//! ```text
//!   stacks ──► shapes ──► those that leak, added up ──► rate and interval
//!                 │ none                                    LEAK
//!                 ├──► grow, and are freed after the last   FREED AT EXIT
//!   resident ─────┴──► grows while the heap does not        FRAGMENTATION, GROWS
//!   live    ──────────► neither                             NO GROWTH, UNDETERMINED
//! ```
//!
//! Leaking stacks are judged one by one, where a small leak is not hidden by the
//! noise of the others, and then added up. Only if no single stack stands out does
//! the sum of all decide.

use crate::account::{self, GrowthAccount};
use crate::churn::{self, Growing};
use crate::counters::Counters;
pub use crate::counters::Followed;
use crate::groups::{GroupId, Groups};
use crate::growth::{Growth, GrowthOptions, Outcome, assess};
use crate::history::{EventRange, History};
use crate::judged::{Judged, judge};
use crate::series::Series;
use crate::shape::{Shape, ShapeVerdict};
use residue_profile::timeline::{Source, StackId};
use residue_profile::{NodeId, Profile, StackKind};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

/// Stacks judged one by one: those that grew most, and those that moved most.
const MOST_GROWN: usize = 400;
const MOST_MOVED: usize = 100;
/// Growth of the resident size over the whole run below this is a few pages.
const NOTABLE_RSS_BYTES: f64 = 256.0 * 1024.0;
const PAGE_BYTES: f64 = 4096.0;
/// Stacks that jump once each, from which on all together are looked at.
const MANY_JUMPS: usize = 8;
/// Share of events whose lines came too late from which on nothing is said.
const MOST_LATE_LINES: f64 = 0.05;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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
    NoGrowth,
    Undetermined,
}

/// What the headline's rate was measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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
    pub rss: Option<Growth>,
    pub vm: Option<Growth>,
    pub account: Option<GrowthAccount>,
    /// Those that leak first, by their rates; then others worth a word.
    pub stacks: Vec<StackVerdict>,
    /// The counter that the growth follows.
    pub counter: Option<Followed>,
    pub churn: Vec<Growing>,
    pub reasons: Vec<String>,
}

impl Verdict {
    /// By how much, at least, the resident size grows beyond what leaks; `None` where
    /// that is not certain or not worth a word.
    pub fn rss_beyond_leak(&self) -> Option<f64> {
        let rss = self.rss.as_ref()?;
        let is_leak = matches!(self.headline, Headline::Leak | Headline::FreedAtExit);
        let beyond = rss.low - 2.0 * self.growth.high.max(0.0);
        let events = rss.last_event.saturating_sub(rss.first_event) as f64;
        let is_notable = beyond * events >= NOTABLE_RSS_BYTES;
        (is_leak && rss.outcome == Outcome::Growing && is_notable).then_some(beyond)
    }
}

#[derive(Debug, Clone)]
pub struct StackVerdict {
    /// The largest of those through the same functions, and how many there are.
    pub stack: StackId,
    pub lines: usize,
    pub kind: StackKind,
    pub verdict: ShapeVerdict,
    /// Part of the headline's rate.
    pub share: Option<f64>,
    pub blocks_per_event: f64,
    pub counter: Option<Followed>,
    /// Path of a late free.
    pub freed_at: Option<NodeId>,
    /// Live bytes at every begin, thinned to at most 60: for a small picture.
    pub sparkline: Vec<f64>,
}

/// `None` where there are fewer than two events in the range.
pub fn verdict(profile: &Profile, range: EventRange) -> Option<Verdict> {
    verdict_of(profile, &Groups::of(profile), range)
}

/// The same with groups that are known already.
pub fn verdict_of(profile: &Profile, groups: &Groups, range: EventRange) -> Option<Verdict> {
    let history = History::new(profile, groups, range)?;
    let mut judged = judge_stacks(profile, &history);
    let live = history
        .series(|moment| Some((moment.live_bytes? + moment.mapped_bytes.unwrap_or(0)) as f64));
    let rss =
        history.series(|moment| Some(moment.rss_bytes? as f64 - moment.recorder_bytes as f64));
    let vm = history.series(|moment| Some(moment.vm_bytes? as f64));
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
    set_aside_exchanges(&mut judged, live_growth.as_ref());
    // The first account is of a program that has hardly begun; without it if possible.
    let account = account::account(&profile.timeline, from.saturating_add(1), range.to)
        .or_else(|| account::account(&profile.timeline, from, range.to));
    let sizes = Sizes {
        live: live_growth,
        rss: rss_growth,
        vm: vm_growth,
        rss_span: rss.span(),
    };
    let (mut headline, basis, growth, mut reasons) = headline(&judged, &sizes, account.as_ref())?;
    let about = &profile.timeline.about;
    if about.late_lines as f64 > about.events as f64 * MOST_LATE_LINES {
        headline = Headline::Undetermined;
        reasons.push(format!(
            "{} of {} events were over before their lines could be read, so what each left cannot \
             be told; use --event-function",
            about.late_lines, about.events
        ));
    }
    let mut verdict = Verdict {
        source: profile.timeline.about.source,
        events: profile.timeline.about.events,
        headline,
        basis,
        growth,
        live: sizes.live,
        rss: sizes.rss,
        vm: sizes.vm,
        account,
        stacks: Vec::new(),
        counter: None,
        churn: churn::growing(profile),
        reasons,
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

/// The sizes of the process, judged; those that were not read are missing.
struct Sizes {
    live: Option<Growth>,
    rss: Option<Growth>,
    vm: Option<Growth>,
    rss_span: f64,
}

fn judge_stacks(profile: &Profile, history: &History) -> Vec<Judged> {
    let movements = history.movements();
    let groups = history.groups;
    let mut chosen: Vec<GroupId> = (0..movements.len() as GroupId)
        .filter(|&group| {
            let stack = groups.members(group)[0];
            let is_reported = profile.stacks[stack as usize].kind == StackKind::Reported;
            movements[group as usize].is_touched && !is_reported
        })
        .collect();
    let grown = |group: &GroupId| {
        let movement = &movements[*group as usize];
        movement.start_bytes.saturating_sub(movement.end_bytes)
    };
    let moved = |group: &GroupId| {
        let movement = &movements[*group as usize];
        movement.lowest_bytes.saturating_sub(movement.highest_bytes)
    };
    if chosen.len() > MOST_GROWN + MOST_MOVED {
        chosen.sort_by_key(grown);
        let mut rest = chosen.split_off(MOST_GROWN);
        rest.sort_by_key(moved);
        rest.truncate(MOST_MOVED);
        chosen.extend(rest);
    }
    chosen.sort_unstable();
    judge(history, &chosen)
}

/// The sum of several series over the same events.
fn sum_of<'a>(judged: impl Iterator<Item = &'a Judged>) -> Series {
    let mut sum: Option<Series> = None;
    for judged in judged {
        sum = Some(match sum {
            None => judged.course.live.clone(),
            Some(sum) => {
                let values = sum.values().iter().zip(judged.course.live.values());
                let values = values.map(|(one, other)| one + other).collect();
                Series::new(sum.events().to_vec(), values)
            }
        });
    }
    sum.unwrap_or_default()
}

/// What some stacks gain others may lose: then memory changes hands, and the program
/// holds no more than before. None of them leaks.
fn set_aside_exchanges(judged: &mut [Judged], live: Option<&Growth>) {
    let leaking = |judged: &Judged| judged.verdict.shape == Shape::Leak;
    let sum = sum_of(judged.iter().filter(|judged| leaking(judged)));
    let Some(live) = live.filter(|_| sum.len() >= 2) else {
        return;
    };
    let is_flat = matches!(live.outcome, Outcome::NoGrowth | Outcome::Shrinking);
    let growth = assess(&sum, &GrowthOptions::default());
    if is_flat && live.high < growth.low / 2.0 {
        for judged in judged.iter_mut().filter(|judged| leaking(judged)) {
            judged.verdict.shape = Shape::Flat;
        }
    }
}

type Decision = (Headline, Basis, Growth, Vec<String>);

fn headline(judged: &[Judged], sizes: &Sizes, account: Option<&GrowthAccount>) -> Option<Decision> {
    for headline in [Headline::Leak, Headline::FreedAtExit] {
        let guilty = sum_of(judged.iter().filter(|judged| judged.is_guilty(headline)));
        if guilty.len() >= 2 {
            let growth = assess(&guilty, &GrowthOptions::default());
            // Survivors alone do not make a leak while the sum may as well be falling.
            if growth.low <= 0.0 {
                let reason = "blocks survive, but their sum may as well be at rest".to_string();
                let undetermined = Headline::Undetermined;
                return Some((undetermined, Basis::Stacks, growth, vec![reason]));
            }
            return Some((headline, Basis::Stacks, growth, Vec::new()));
        }
    }
    if let Some(growth) = &sizes.live
        && growth.outcome == Outcome::Growing
        && is_explained_by_no_shape(judged)
    {
        let reason = "no single stack stands out; all together they grow".to_string();
        return Some((Headline::Leak, Basis::Live, growth.clone(), vec![reason]));
    }
    let resident = sizes.rss.as_ref().or(sizes.vm.as_ref());
    let basis = match &sizes.rss {
        Some(_) => Basis::Rss,
        None => Basis::Vm,
    };
    if let Some(growth) = resident
        && growth.outcome == Outcome::Growing
        && growth.rate * sizes.rss_span.max(1.0) >= NOTABLE_RSS_BYTES
    {
        // Without knowledge of the heap, growth is all that can be said.
        let headline = match account.is_some_and(|account| account.is_fragmentation) {
            true => Headline::Fragmentation,
            false => Headline::Growth,
        };
        return Some((headline, basis, growth.clone(), Vec::new()));
    }
    // Too few readings of a size that seems to grow leave the question open.
    if let Some(growth) = resident
        && growth.outcome == Outcome::Undetermined
        && growth.low * sizes.rss_span.max(1.0) >= NOTABLE_RSS_BYTES
    {
        let reason = "what is live does not grow, but the resident size may".to_string();
        return Some((Headline::Undetermined, basis, growth.clone(), vec![reason]));
    }
    let (basis, growth) = match (&sizes.live, resident) {
        (Some(live), _) => (Basis::Live, live),
        (None, Some(resident)) => (basis, resident),
        (None, None) => return None,
    };
    let mut reasons = Vec::new();
    let is_open = match growth.outcome {
        Outcome::NoGrowth | Outcome::Shrinking => false,
        // The whole cannot tell, but each of its parts can.
        Outcome::Growing | Outcome::Undetermined => {
            let is_settled = !judged.is_empty() && !judged.iter().any(is_open_question);
            if is_settled {
                reasons.push("every stack that moved comes to rest or is freed again".to_string());
            }
            !is_settled
        }
    };
    let headline = if is_open {
        Headline::Undetermined
    } else {
        Headline::NoGrowth
    };
    Some((headline, basis, growth.clone(), reasons))
}

/// Whether a stack may yet turn out to leak.
fn is_open_question(judged: &Judged) -> bool {
    judged.verdict.shape == Shape::Undetermined
}

/// Whether growth of the whole cannot be put down to stacks that come to rest.
fn is_explained_by_no_shape(judged: &[Judged]) -> bool {
    let net = |judged: &Judged| {
        let movement = &judged.course.movement;
        movement
            .end_bytes
            .saturating_sub(movement.start_bytes)
            .max(0)
    };
    let sum = |nets: &mut dyn Iterator<Item = i64>| nets.map(i128::from).sum::<i128>();
    let whole = sum(&mut judged.iter().map(net));
    let jumps = judged
        .iter()
        .filter(|judged| judged.verdict.shape == Shape::Step)
        .count();
    let is_open = |judged: &&Judged| match judged.verdict.shape {
        Shape::Undetermined | Shape::Flat => true,
        // One that jumped is at rest; one after another they are a leak on many paths.
        Shape::Step => jumps >= MANY_JUMPS,
        _ => false,
    };
    let open = sum(&mut judged.iter().filter(is_open).map(net));
    open * 2 > whole
}

/// Of the stacks that were judged: the path of a late free, with its place among all. One
/// pass, as there are far more late frees than stacks that are judged.
fn late_frees(profile: &Profile, judged: &[Judged]) -> FxHashMap<StackId, (usize, NodeId)> {
    let stacks = judged.iter().flat_map(|judged| &judged.stacks);
    let is_judged: FxHashSet<StackId> = stacks.copied().collect();
    let mut known = FxHashMap::default();
    for (place, deferral) in profile.timeline.deferrals.iter().enumerate() {
        if let Some(node) = deferral.freed_at
            && is_judged.contains(&deferral.stack)
        {
            known.entry(deferral.stack).or_insert((place, node));
        }
    }
    known
}

fn stack_verdicts(
    profile: &Profile,
    judged: Vec<Judged>,
    verdict: &Verdict,
    counters: &Counters,
) -> Vec<StackVerdict> {
    let freed_at = late_frees(profile, &judged);
    let mut stacks: Vec<StackVerdict> = judged
        .into_iter()
        .filter(|judged| judged.verdict.shape != Shape::Flat)
        .map(|judged| {
            let is_guilty = judged.is_guilty(verdict.headline);
            let movement = &judged.course.movement;
            let grown_blocks = movement.end_blocks.saturating_sub(movement.start_blocks);
            let grown_bytes = movement.end_bytes.saturating_sub(movement.start_bytes);
            let growth = &judged.verdict.growth;
            let bytes_per_block = grown_bytes as f64 / (grown_blocks as f64).max(1.0);
            let freeing = judged.stacks.iter().filter_map(|stack| freed_at.get(stack));
            let freed_at = freeing
                .min_by_key(|(place, _)| place)
                .map(|(_, node)| *node);
            StackVerdict {
                stack: judged.stacks[0],
                lines: judged.stacks.len(),
                kind: profile.stacks[judged.stacks[0] as usize].kind,
                share: (is_guilty && verdict.growth.rate > 0.0)
                    .then(|| growth.rate / verdict.growth.rate),
                blocks_per_event: match bytes_per_block > 0.0 {
                    true => growth.rate / bytes_per_block,
                    false => 0.0,
                },
                counter: is_guilty
                    .then(|| counters.followed(&judged.course.live, growth))
                    .flatten(),
                freed_at,
                sparkline: judged.course.live.evenly(60).0,
                verdict: judged.verdict,
            }
        })
        .collect();
    let rank = |stack: &StackVerdict| match stack.verdict.shape {
        Shape::Leak => 0,
        Shape::ExitFreed => 1,
        Shape::Undetermined => 2,
        _ => 3,
    };
    let weight = |stack: &StackVerdict| match rank(stack) {
        0..=2 => stack.verdict.growth.rate,
        _ => stack.sparkline.iter().copied().fold(0.0, f64::max),
    };
    stacks.sort_by(|one, other| {
        rank(one)
            .cmp(&rank(other))
            .then(weight(other).total_cmp(&weight(one)))
            .then(one.stack.cmp(&other.stack))
    });
    stacks
}
