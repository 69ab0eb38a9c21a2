//! What a question about functions is about: which stacks, and which number of each.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use regex::Regex;
use residue_analysis::history::EventRange;
use residue_calltree::Detail;
use residue_profile::units::Unit;
use residue_profile::{Counter, Measured, MemoryKind, Profile, ThreadCounters};

use super::opened::Opened;
use super::question::Question;
use super::tree::ShownTree;
use super::values::{Values, Wanted};
use crate::moment_view;
use residue_profile::Span;

/// What is known of every range of events: what the range left, and the CPU time that it took.
pub const RANGE_COUNTERS: [Counter; 3] = [Counter::Live, Counter::LiveBlocks, Counter::Cpu];
/// What is known of ranges whose ends have totals.
pub const TOTALS_COUNTERS: [Counter; 4] = [
    Counter::Total,
    Counter::Calls,
    Counter::Frees,
    Counter::Temporaries,
];

/// Stacks by the functions on them: `--focus` and `--ignore` of the command.
#[derive(Debug, Clone, Default)]
pub struct StackFilter {
    /// Only stacks with a function that matches.
    pub focus: Option<Regex>,
    /// Without those with a function that matches.
    pub ignore: Option<Regex>,
}

impl StackFilter {
    pub fn of(question: &Question) -> Result<StackFilter> {
        Ok(StackFilter {
            focus: question.pattern("focus")?,
            ignore: question.pattern("ignore")?,
        })
    }

    /// The patterns themselves, to know an equal filter by.
    pub fn patterns(&self) -> [Option<String>; 2] {
        let text = |regex: &Regex| regex.as_str().to_string();
        [&self.focus, &self.ignore].map(|regex| regex.as_ref().map(text))
    }

    /// Which stacks of a profile pass.
    pub fn admits(&self, opened: &Opened) -> impl Fn(usize) -> bool + use<> {
        let with = |regex: &Regex| opened.tree(Detail::Function).with_match(regex);
        let focus = self.focus.as_ref().map(with);
        let ignore = self.ignore.as_ref().map(with);
        move |stack: usize| {
            focus.as_ref().is_none_or(|with| with[stack])
                && ignore.as_ref().is_none_or(|with| !with[stack])
        }
    }
}

pub struct Selection<'a> {
    pub opened: &'a Opened,
    pub kind: MemoryKind,
    pub filter: StackFilter,
    pub counter: Counter,
    pub events: Option<EventRange>,
    /// The kernel's number of a thread. Several that had it in turn are one here.
    pub thread: Option<u32>,
}

impl<'a> Selection<'a> {
    pub fn of(opened: &'a Opened, question: &Question) -> Result<Selection<'a>> {
        let thread = match question.number("thread")? {
            None => None,
            Some(tid) => Some(known_thread(&opened.profile, tid)?),
        };
        let counter = question.counter()?;
        let selection = Selection {
            opened,
            kind: question.kind()?.counting(counter),
            filter: StackFilter::of(question)?,
            counter,
            events: question.events("events")?,
            thread,
        };
        selection.check()?;
        Ok(selection)
    }

    /// Whether its counter is known of what it is about.
    pub fn check(&self) -> Result<()> {
        let name = self.counter.name();
        if self.thread.is_some() && self.events.is_some() {
            bail!("thread: not recorded between moments, only for the whole run");
        }
        let (profile, whole) = (&self.opened.profile, Measured::Everything);
        if !whole.has(profile, self.counter) {
            bail!("`{name}` {}", whole.why_not(profile, self.counter));
        }
        if self.thread.is_some() && self.of_thread().is_none() {
            bail!("`{name}` is not known by thread, only calls, total, frees, cpu and largest");
        }
        if let Some(span) = self.span()? {
            let measured = moment_view::measured(profile, span);
            if !measured.has(profile, self.counter) {
                bail!(
                    "`{name}` is not known of this range of events, only {}",
                    words(measured, profile)
                );
            }
        }
        Ok(())
    }

    pub fn unit(&self) -> Unit {
        self.counter.unit()
    }

    pub fn span(&self) -> Result<Option<Span>> {
        let span = |events| self.opened.span(Some(events));
        self.events.map(span).transpose()
    }

    /// Events that lie in it.
    pub fn event_count(&self) -> Result<u64> {
        let timeline = &self.opened.profile.timeline;
        Ok(match self.span()? {
            Some(span) => timeline.events_in(span),
            None => timeline.about.events,
        })
    }

    /// The sums over a tree of the same profile.
    pub fn values(&self, tree: &ShownTree) -> Result<Arc<Values>> {
        let wanted = Wanted {
            kind: self.kind,
            filter: self.filter.patterns(),
            counter: self.counter,
            span: self.span()?,
            thread: self.thread,
        };
        let number = self.number()?;
        Ok(tree.values(&wanted, number))
    }

    /// The number of each stack: nothing of one that is not meant.
    pub fn number(&self) -> Result<impl Fn(usize) -> i64 + use<'a>> {
        let profile = &self.opened.profile;
        let admits = self.admits();
        let live = self.span()?.map(|span| self.opened.live(span));
        let of_thread = self.of_thread().zip(self.thread);
        let counter = self.counter;
        Ok(move |stack: usize| {
            if !admits(stack) {
                return 0;
            }
            if let Some(live) = &live {
                return live[stack].value(counter);
            }
            let value = match of_thread {
                Some((of_part, tid)) => {
                    let is_meant = |part: &&ThreadCounters| {
                        let thread = profile.threads.get(part.thread as usize);
                        thread.is_some_and(|thread| thread.tid == tid)
                    };
                    let parts = profile.by_thread.row(stack).iter().filter(is_meant);
                    counter.merge().all(parts.map(of_part))
                }
                None => counter.value(&profile.stacks[stack]),
            };
            i64::try_from(value).unwrap_or(i64::MAX)
        })
    }

    /// Which stacks are meant.
    pub fn admits(&self) -> impl Fn(usize) -> bool + use<'a> {
        let profile = &self.opened.profile;
        let kind = self.kind;
        let admits = self.filter.admits(self.opened);
        move |stack: usize| kind.holds(profile.stacks[stack].kind) && admits(stack)
    }

    /// The counter as far as threads are told apart.
    fn of_thread(&self) -> Option<fn(&ThreadCounters) -> u64> {
        Some(match self.counter {
            Counter::Calls => |part| part.calls,
            Counter::Total => |part| part.total_bytes,
            Counter::Frees => |part| part.frees,
            Counter::Cpu => |part| part.cpu_ns,
            Counter::Largest => |part| part.largest_bytes,
            _ => return None,
        })
    }
}

/// The counters that are known, as a list.
fn words(measured: Measured, profile: &Profile) -> String {
    let is_known = |&it: &Counter| measured.has(profile, it);
    let known = Counter::ALL.into_iter().filter(is_known);
    let names: Vec<&str> = known.map(Counter::name).collect();
    match names.split_last() {
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => "nothing".to_string(),
    }
}

fn known_thread(profile: &Profile, tid: u64) -> Result<u32> {
    let mut tids = profile.threads.iter().map(|thread| thread.tid);
    tids.find(|known| u64::from(*known) == tid)
        .with_context(|| format!("thread: there is none with number {tid}"))
}
