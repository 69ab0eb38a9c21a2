//! Reasons in plain English: the only place where codes become sentences.
//!
//! A sentence has no capital and no full stop, as it stands in a line of its own or beside
//! others. `unit` is what one turn of the program is called: "event" or "tick".

mod pace;
pub mod time;

use crate::account;
use crate::growth::{self, Growth, Outcome};
use crate::shape::{self, Agreement, Shape, ShapeVerdict};
use crate::stages::{self, Value};
use crate::verdict::{self, Basis, Headline, LiveOf, Verdict};
pub use pace::end_of_filling;
use pace::fall;
use residue_profile::units::{count, counted, counted_units, fractional_bytes, share};

/// Why a run or a range has its headline, and what its rate was found from.
pub fn of_verdict(verdict: &Verdict) -> Vec<String> {
    let mut sentences = of_headline(verdict);
    sentences.extend(of_growth(&verdict.growth, verdict.source.unit()));
    sentences
}

/// Why it has its headline.
pub fn of_headline(verdict: &Verdict) -> Vec<String> {
    let reasons = verdict.reasons.iter();
    reasons.map(|reason| headline(reason, verdict)).collect()
}

/// Why the events do not decide, in one sentence; `None` where the verdict is not open.
pub fn why_undetermined(verdict: &Verdict) -> Option<String> {
    if verdict.headline != Headline::Undetermined {
        return None;
    }
    let is_why =
        |reason: &&verdict::Reason| !matches!(reason, verdict::Reason::PartlyRecorded { .. });
    if let Some(reason) = verdict.reasons.iter().find(is_why) {
        return Some(headline(reason, verdict));
    }
    let mut reasons = verdict.growth.reasons.iter();
    let doubt = reasons.find(|reason| is_doubt(reason))?;
    Some(series(doubt, verdict.source.unit()))
}

/// Whether it is what keeps a series from being called growing or not.
fn is_doubt(reason: &growth::Reason) -> bool {
    use growth::Reason::*;
    match reason {
        TooFewReadings { .. }
        | TooFewForNoise { .. }
        | FewReadingsAfterWarmUp { .. }
        | FewSteps
        | NotCertainEnough
        | NotInLastThird
        | FewJumpsExplain
        | StillLately
        | FellBackBefore
        | MayBeFillingUp => true,
        SpikesSetAside { .. }
        | WarmUpExcluded { .. }
        | AllReadingsEqual
        | UnchangedAtTheEnd { .. }
        | IncrementsEqual { .. }
        | IncrementsRepeat { .. }
        | BelowNegligible { .. }
        | EndsAndFitDiffer { .. }
        | RisesInSteps { .. }
        | RandomWalkNoise
        | CorrelatedNoise
        | GrewThenStopped { .. }
        | ShrankThenStopped { .. }
        | FilledUp => false,
    }
}

/// How a size went, to follow its name: `flat`, `+307 B/event`, `flat since event 45 (+8.60 MiB
/// before)`. From the readings alone, so that it holds under any headline.
pub fn course(growth: &Growth, unit: &str) -> String {
    let rate = || format!("{}/{unit}", signed_bytes(growth.rate));
    match growth.outcome {
        Outcome::Growing | Outcome::Shrinking => rate(),
        Outcome::Undetermined => format!("{} (uncertain)", rate()),
        Outcome::NoGrowth if growth.is_flat() => "flat".to_string(),
        Outcome::NoGrowth if growth.is_flat_after_warm_up() => {
            let before = growth.change_bytes() - growth.change_after_warm_up_bytes();
            format!(
                "flat since {unit} {} ({} before)",
                growth.first_event,
                signed_bytes(before)
            )
        }
        Outcome::NoGrowth => format!("{} in all, no trend", signed_bytes(growth.change_bytes())),
    }
}

/// A change with its sign: `+307 B`.
pub fn signed_bytes(bytes: f64) -> String {
    let text = fractional_bytes(bytes);
    let is_above_zero = bytes > 0.0 && !text.starts_with('~');
    format!("{}{text}", if is_above_zero { "+" } else { "" })
}

pub fn of_growth(growth: &Growth, unit: &str) -> Vec<String> {
    let reasons = growth.reasons.iter();
    reasons.map(|reason| series(reason, unit)).collect()
}

pub fn of_account(account: &account::GrowthAccount, unit: &str) -> Vec<String> {
    let reasons = account.reasons.iter();
    reasons.map(|reason| resident(reason, unit)).collect()
}

/// The numbers that decided a stack's shape, in one line.
pub fn of_shape(verdict: &ShapeVerdict, unit: &str) -> String {
    let reasons = verdict.reasons.iter();
    let sentences: Vec<String> = reasons.map(|reason| stack(reason, unit)).collect();
    sentences.join("; ")
}

/// Where the births of the survivors contradict the readings: what each says.
pub fn of_disagreement(verdict: &ShapeVerdict, unit: &str) -> Option<String> {
    let (Agreement::Disagrees(births), Some(by_births)) = (&verdict.agreement, verdict.by_births)
    else {
        return None;
    };
    let survivors = match births {
        shape::Reason::NoSurvivors => "nothing survives".to_string(),
        shape::Reason::SurvivorsOfLastEvents { events, of_events } => {
            format!("survivors come from only the last {events} of {of_events} {unit}s")
        }
        shape::Reason::SurvivorsOfFirstEvents { events, of_events } => {
            format!("survivors come from only the first {events} of {of_events} {unit}s")
        }
        shape::Reason::Survivors {
            from_events,
            of_events,
            ..
        } => {
            let only = if from_events < of_events { "only " } else { "" };
            format!("survivors come from {only}{from_events} of {of_events} {unit}s")
        }
        other => stack(other, unit),
    };
    Some(format!(
        "live bytes {}, but {survivors}, as in {}",
        look(verdict.by_series),
        noun(by_births)
    ))
}

fn look(shape: Shape) -> String {
    match shape {
        Shape::Flat => "are flat".to_string(),
        _ => format!("look like {}", noun(shape)),
    }
}

fn noun(shape: Shape) -> &'static str {
    match shape {
        Shape::Leak => "a leak",
        Shape::WarmUp => "a warm-up",
        Shape::Cache => "a cache",
        Shape::Plateau => "a plateau",
        Shape::Sawtooth => "a sawtooth",
        Shape::Filling => "a cache that fills up",
        Shape::Slowing => "growth that slows down",
        Shape::Step => "one step",
        Shape::Deferred => "deferred frees",
        Shape::ExitFreed => "memory freed at exit",
        Shape::Stopped => "a leak that stopped",
        Shape::Flat => "a flat heap",
        Shape::Undetermined => "no clear shape",
    }
}

/// What stages do not say, and why.
pub fn of_stages(reasons: &[stages::Reason]) -> Vec<String> {
    let sentence = |reason: &stages::Reason| match reason {
        stages::Reason::NotAlwaysRead {
            value,
            stamp,
            readings,
            stamps,
        } => {
            let value = match value {
                Value::Rss => "RSS",
                Value::Vm => "VM",
                Value::Live => "live heap",
                Value::Time => "time",
            };
            format!("{value} was read at {readings} of {stamps} \"{stamp}\": not compared")
        }
    };
    reasons.iter().map(sentence).collect()
}

fn headline(reason: &verdict::Reason, verdict: &Verdict) -> String {
    use verdict::Reason::*;
    let unit = verdict.source.unit();
    match reason {
        LateLines {
            late_events,
            events,
        } => format!(
            "{} of {} were over before their lines were read, so growth per {unit} is unknown; \
             use --event-function",
            count(*late_events),
            counted_units(*events, unit)
        ),
        SumMayBeAtRest => {
            "blocks survive, but their sum may be flat: its 95 % interval includes zero".to_string()
        }
        ManyPaths => "no single stack grows enough to tell; their sum does".to_string(),
        SizeMayGrow { basis, .. } => match &verdict.live {
            Some(live) => format!(
                "{} {}; {} may grow",
                size(Basis::Live, verdict),
                course(live, unit),
                size(*basis, verdict)
            ),
            None => format!("no heap data; {} may grow", size(*basis, verdict)),
        },
        Fills {
            first_bytes_per_event,
            ..
        }
        | SlowsDown {
            first_bytes_per_event,
        } => format!(
            "growth slows down: {}",
            fall(*first_bytes_per_event, verdict.growth.rate, unit)
        ),
        SteadyOrFilling { .. } => {
            "its rate may be constant, or fall as that of a filling cache".to_string()
        }
        AllStacksComeToRest => {
            "every stack that moved stopped growing or was freed again".to_string()
        }
        Exchange {
            stacks,
            bytes_per_event,
        } => {
            let stacks = counted(*stacks as u64, "stack grows", "stacks grow");
            let rate = fractional_bytes(*bytes_per_event);
            format!("{stacks} by {rate}/{unit}, but others shrink by as much")
        }
        PartlyRecorded { from, to, events } => format!(
            "only {unit}s {from}..{to} of {} were recorded, and only they are judged",
            count(*events)
        ),
        OnlyInThisRange { run } => {
            format!(
                "in this range only: the verdict of the whole run is {}",
                name(*run)
            )
        }
    }
}

/// What a rate was measured on.
pub fn size(basis: Basis, verdict: &Verdict) -> &'static str {
    match basis {
        Basis::Stacks | Basis::Live => match verdict.live_of {
            LiveOf::Heap => "live heap",
            LiveOf::HeapAndMapped => "live heap and mapped",
            LiveOf::Mapped => "mapped memory",
        },
        Basis::Rss => "RSS",
        Basis::Vm => "VM",
    }
}

/// A headline, as it is written in capitals elsewhere.
pub fn name(headline: Headline) -> &'static str {
    match headline {
        Headline::Leak => "LEAK",
        Headline::FreedAtExit => "FREED AT EXIT",
        Headline::Fragmentation => "FRAGMENTATION",
        Headline::Growth => "GROWS",
        Headline::Filling => "FILLING",
        Headline::Slowing => "GROWTH SLOWS",
        Headline::NoGrowth => "NO GROWTH",
        Headline::Undetermined => "UNDETERMINED",
    }
}

fn series(reason: &growth::Reason, unit: &str) -> String {
    use growth::Reason::*;
    let last = |after_warm_up: bool| if after_warm_up { "last " } else { "" };
    match reason {
        TooFewReadings { readings } => too_few(*readings),
        // How many events were left out stands in the headline.
        TooFewForNoise { readings } | FewReadingsAfterWarmUp { readings } => {
            format!("{} for this noise", too_few(*readings))
        }
        SpikesSetAside { readings } => {
            let outliers = counted(*readings as u64, "outlier", "outliers");
            format!("{outliers} ignored: a single reading far from its neighbours")
        }
        WarmUpExcluded {
            first_event,
            events,
        } => match events {
            1 => format!("{unit} {first_event} excluded as warm-up"),
            _ => {
                let last_event = first_event + events - 1;
                format!("{unit}s {first_event}..{last_event} excluded as warm-up")
            }
        },
        AllReadingsEqual => "all readings are equal".to_string(),
        UnchangedAtTheEnd { readings } => format!(
            "moved at first, unchanged over the last {}",
            counted(*readings as u64, "reading", "readings")
        ),
        IncrementsEqual {
            increments,
            after_warm_up,
        } => format!(
            "all {}{} are equal",
            last(*after_warm_up),
            counted(*increments as u64, "increment", "increments")
        ),
        IncrementsRepeat {
            period_events,
            adds_up_to_nothing,
            after_warm_up,
        } => {
            let sum = if *adds_up_to_nothing {
                " and add up to zero"
            } else {
                ""
            };
            let last = last(*after_warm_up);
            format!("the {last}increments repeat every {period_events} {unit}s{sum}")
        }
        BelowNegligible {
            negligible_bytes_per_event,
        } => format!(
            "growth below {}/{unit} counts as none",
            fractional_bytes(*negligible_bytes_per_event)
        ),
        EndsAndFitDiffer {
            end_to_end_bytes_per_event,
            line_fit_bytes_per_event,
            first_above_fit_bytes,
            last_above_fit_bytes,
        } => format!(
            "end to end {}/{unit}, line fit {}/{unit}: the first reading is {} the line, the \
             last {} it",
            fractional_bytes(*end_to_end_bytes_per_event),
            fractional_bytes(*line_fit_bytes_per_event),
            side(*first_above_fit_bytes),
            side(*last_above_fit_bytes)
        ),
        RisesInSteps {
            steps,
            mean_step_bytes,
        } => format!(
            "rises in {} of {} on average, flat in between",
            counted(*steps as u64, "step", "steps"),
            fractional_bytes(mean_step_bytes.round())
        ),
        RandomWalkNoise => "random-walk noise: the end points outweigh the line fit".to_string(),
        CorrelatedNoise => format!("the noise is correlated over several {unit}s"),
        GrewThenStopped { stopped_at_event } => {
            format!("grew up to {unit} {stopped_at_event}, not since")
        }
        ShrankThenStopped { stopped_at_event } => {
            format!("shrank up to {unit} {stopped_at_event}, not since")
        }
        FilledUp => "what is still added is negligible against what came before".to_string(),
        MayBeFillingUp => "growth is slowing down: it may be filling up".to_string(),
        NotInLastThird => format!("the last third of the {unit}s alone does not grow"),
        FewJumpsExplain => "a few jumps explain the readings as well as a steady rate".to_string(),
        StillLately => format!("unchanged in the last few {unit}s, as never before"),
        FellBackBefore => "it fell back before, as a sawtooth does".to_string(),
        FewSteps => "steps still occur, but too few to tell their rate".to_string(),
        NotCertainEnough => {
            "the 95 % interval excludes zero, the 99 % interval needed for a verdict does not"
                .to_string()
        }
    }
}

fn too_few(readings: usize) -> String {
    let readings = counted(readings as u64, "reading is", "readings are");
    format!("{readings} too few")
}

fn side(above_bytes: f64) -> String {
    let side = if above_bytes < 0.0 { "below" } else { "above" };
    format!("{} {side}", fractional_bytes(above_bytes.abs()))
}

/// A rate with its interval, where that is known: `64 B/event (60 B .. 68 B)`.
fn rate(bytes_per_event: f64, low: f64, high: f64, unit: &str) -> String {
    let rate = format!("{}/{unit}", fractional_bytes(bytes_per_event));
    match low.is_finite() && high.is_finite() && low != high {
        true => format!(
            "{rate} ({} .. {})",
            fractional_bytes(low),
            fractional_bytes(high)
        ),
        false => rate,
    }
}

fn stack(reason: &shape::Reason, unit: &str) -> String {
    use shape::Reason::*;
    match reason {
        Grows {
            bytes_per_event,
            low,
            high,
        } => format!("grows by {}", rate(*bytes_per_event, *low, *high, unit)),
        FreedAfterLastEvent {
            freed_bytes,
            left_bytes,
        } => format!(
            "{} of {} freed after the last {unit}",
            fractional_bytes(*freed_bytes as f64),
            fractional_bytes(*left_bytes as f64)
        ),
        FewReadings { readings } => too_few(*readings),
        FellBackOnce => "built up and fell back once".to_string(),
        FallsBackAgainAndAgain { times } => {
            let times = counted(*times as u64, "time", "times");
            format!("fell back {times} and built up again")
        }
        FreedInLaterEvents {
            blocks,
            mean_events,
            longest_events,
        } => format!(
            "{} freed {mean_events:.1} {unit}s after allocation on average, at most {longest_events:.0}",
            counted(*blocks, "block", "blocks")
        ),
        StaysAt { bytes } => format!("stays at {}", fractional_bytes(*bytes)),
        MovesWithoutDirection { range_bytes } => {
            format!("moves within {}, no trend", fractional_bytes(*range_bytes))
        }
        Rises {
            bytes,
            rises,
            most_by_reading,
            readings,
        } => format!(
            "{} in {}, 95 % by reading {most_by_reading} of {readings}",
            fractional_bytes(*bytes),
            counted(*rises as u64, "rise", "rises")
        ),
        GrowthUndetermined {
            bytes_per_event,
            low,
            high,
        } => format!(
            "growth undetermined: {}",
            rate(*bytes_per_event, *low, *high, unit)
        ),
        Fills {
            live_bytes,
            end_bytes,
            end_low,
            end_high,
            bytes_per_event,
            first_bytes_per_event,
        } => format!(
            "{}; {}",
            end_of_filling(*live_bytes, *end_bytes, *end_low, *end_high),
            fall(*first_bytes_per_event, *bytes_per_event, unit)
        ),
        SlowsDown {
            bytes_per_event,
            first_bytes_per_event,
            ..
        } => format!(
            "no end in sight; {}",
            fall(*first_bytes_per_event, *bytes_per_event, unit)
        ),
        SteadyOrFilling { needs_events } => format!(
            "a constant rate and a filling cache both fit; about {} would decide",
            counted_units(*needs_events, unit)
        ),
        Lost {
            lost_bytes,
            left_bytes,
            from_events,
        } => format!(
            "{} of it lost: nothing points to {} from {}, so it is a leak at any pace",
            share(*lost_bytes, *left_bytes),
            fractional_bytes(*lost_bytes as f64),
            counted_units(*from_events, unit)
        ),
        NoSurvivors => "no block is left at the end".to_string(),
        SurvivorsOfLastEvents { events, of_events } => {
            format!("survivors only from the last {events} of {of_events} {unit}s")
        }
        SurvivorsOfFirstEvents { events, of_events } => {
            format!("survivors only from the first {events} of {of_events} {unit}s")
        }
        Survivors {
            from_events,
            of_events,
            mean_bytes,
        } => format!(
            "survivors from {from_events} of {of_events} {unit}s, {} each on average",
            fractional_bytes(mean_bytes.round())
        ),
        Exchange => "other stacks shrink by as much: the program holds no more".to_string(),
        SumMayBeAtRest => "the sum of all that survives may be flat".to_string(),
        LateLines => format!("the lines that begin {unit}s were read too late to tell"),
        NotInVerdict => "too small to be judged beside the stacks that grew most".to_string(),
        OnlyInThisRange { run } => {
            format!("in this range only: {} over the whole run", noun(*run))
        }
    }
}

fn resident(reason: &account::Reason, unit: &str) -> String {
    use account::Reason::*;
    let rate = |bytes: &f64| format!("{}/{unit}", fractional_bytes(bytes.round()));
    match reason {
        LastMinusFirst {
            accounts,
            from_event,
            to_event,
        } => format!("last minus first of {accounts} accounts, {unit}s {from_event}..{to_event}"),
        LineFit {
            accounts,
            from_event,
            to_event,
        } => format!("line fit through {accounts} accounts, {unit}s {from_event}..{to_event}"),
        RssIsSumOfKinds => {
            "RSS is the sum of its parts: the kernel's total was not read each time".to_string()
        }
        AllocatorKeepsMore {
            slack_bytes_per_event,
            live_bytes_per_event,
        } => format!(
            "allocator slack grows by {}, the live heap by {}",
            rate(slack_bytes_per_event),
            rate(live_bytes_per_event)
        ),
        NeverWritten {
            untouched_bytes_per_event,
            live_bytes_per_event,
        } => format!(
            "the live heap grows by {}, of which at least {} was never written",
            rate(live_bytes_per_event),
            rate(untouched_bytes_per_event)
        ),
        LiveOutgrowsResidentHeap => {
            "the live heap grows more than the resident heap: free memory was reused, or new \
             memory not touched; no allocator statistics to tell which"
                .to_string()
        }
        NoAllocatorStatistics => {
            "no allocator statistics: block headers and rounding count as slack".to_string()
        }
        AllocatorStatisticsTooLow => {
            "allocator statistics ignored: they show less in use than is live".to_string()
        }
    }
}

#[cfg(test)]
mod tests;
