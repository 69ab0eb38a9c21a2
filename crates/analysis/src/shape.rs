//! The shape of one call stack's live memory over the events: a leak, a cache, a warm-up, …
//!
//! Two independent witnesses are heard. The *series* of live bytes at event begins shows how the
//! level moved. The *births* of the blocks that are live at the end show which events left
//! something behind: survivors from every event are a leak, from early events only a warm-up,
//! from the last few only deferred freeing. Where both speak and contradict each other the verdict
//! says so. Births are unknown when the program freed its memory after the last event.
//!
//! What grows is then asked for its *pace* (`by_pace`): a leak has a constant one, a cache that
//! fills up a falling one, and a short run may not tell them apart. A picture of the program's
//! memory may (`lost`): what nothing points to is a leak at any pace.

mod by_births;
mod by_pace;
mod by_series;
mod reason;

use crate::counters::Counters;
use crate::growth::{Growth, GrowthOptions, Outcome, assess};
use crate::lost::LostPart;
use crate::series::Series;
pub(crate) use by_pace::{SlowCourse, pace_of_sum};
pub use reason::Reason;
use serde::Serialize;

/// Blocks that are live at the end and were born in one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Birth {
    pub event: u64,
    pub bytes: u64,
    pub blocks: u64,
}

/// Frees in a later event than the birth of the block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deferral {
    pub frees: u64,
    /// Events from birth to free.
    pub mean_events: f64,
    pub longest_events: f64,
}

/// What is known about one stack.
#[derive(Debug, Clone, Default)]
pub struct StackHistory {
    /// Live bytes when each event begins (single stream).
    pub live: Series,
    /// Live bytes after the last event of the range.
    pub end_of_range_bytes: u64,
    /// Live bytes after the last event of the run.
    pub end_of_run_bytes: u64,
    /// Live bytes when the process ended.
    pub at_exit_bytes: u64,
    /// Survivors at the end, by ascending event of birth.
    pub births: Vec<Birth>,
    /// False when the program freed most of its memory after its last event.
    pub births_known: bool,
    pub deferral: Option<Deferral>,
    /// Number of events of the run.
    pub events: u32,
    /// Blocks that the stack ever allocated.
    pub blocks: u64,
    /// What a picture of the program's memory says; `None` where there is none.
    pub lost: Option<LostPart>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Every event, or every k-th, leaves something behind.
    Leak,
    /// Grew in the first events only.
    WarmUp,
    /// Fills up, or sits at its limit and turns over.
    Cache,
    /// High-water steps, rarer and rarer.
    Plateau,
    /// Builds up and is flushed.
    Sawtooth,
    /// One jump.
    Step,
    /// Grows ever more slowly and will end, as a cache that fills up does.
    Filling,
    /// Grows ever more slowly; whether it ends cannot be told.
    Slowing,
    /// Blocks live over one or a few events and are freed.
    Deferred,
    /// Grows in every event and is freed after the last.
    #[serde(rename = "freed-at-exit")]
    ExitFreed,
    /// Grew like a leak, then stopped.
    Stopped,
    Flat,
    Undetermined,
}

/// Whether the births of the survivors fit the readings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    Agrees,
    BirthsUnknown,
    /// What the births say instead.
    Disagrees(Reason),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    Low,
    Medium,
    High,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShapeVerdict {
    pub shape: Shape,
    pub by_series: Shape,
    pub by_births: Option<Shape>,
    pub agreement: Agreement,
    pub growth: Growth,
    /// The numbers that decided.
    #[serde(rename = "reason_codes")]
    pub reasons: Vec<Reason>,
    pub confidence: Confidence,
}

/// Events from which on a verdict that both witnesses support is certain.
const MANY_EVENTS: u32 = 100;

/// Finds the shape of one stack's history in a run with these counters.
pub fn classify(history: &StackHistory, counters: &Counters) -> ShapeVerdict {
    let growth = assess(&history.live, &GrowthOptions::default());
    let (by_series, series_reasons) = by_series::shape(history, &growth);
    let witness = history.births_known.then(|| by_births::shape(history));
    let by_births = witness.as_ref().map(|(shape, _)| *shape);
    let agreement = match &witness {
        None => Agreement::BirthsUnknown,
        Some((births, _)) if compatible(by_series, *births) => Agreement::Agrees,
        Some((_, reason)) => Agreement::Disagrees(*reason),
    };
    let (shape, reasons) = match (by_series, witness) {
        // Blocks of all parts of the run are still there: the readings only hid it in noise.
        (Shape::Undetermined | Shape::Flat | Shape::Leak, Some((Shape::Leak, reason))) => {
            (Shape::Leak, vec![reason])
        }
        (Shape::Undetermined, Some((births, reason))) if history.events >= MANY_EVENTS => {
            (births, vec![reason])
        }
        (shape, _) => (shape, series_reasons),
    };
    let (shape, reasons, growth) = by_pace::judge(history, counters, shape, reasons, growth);
    // Readings that grow ever more slowly, and survivors that thin out, say the same.
    let agreement = match (agreement, by_births) {
        (Agreement::Disagrees(_), Some(births)) if slows(shape) && compatible(shape, births) => {
            Agreement::Agrees
        }
        (Agreement::Disagrees(_), Some(births))
            if is_lost(&reasons) && compatible(Shape::Slowing, births) =>
        {
            Agreement::Agrees
        }
        (agreement, _) => agreement,
    };
    let confidence = match (&agreement, history.events >= MANY_EVENTS) {
        _ if shape == Shape::Undetermined => Confidence::Low,
        (Agreement::Agrees, true) => Confidence::High,
        (Agreement::Agrees, false) | (Agreement::BirthsUnknown, true) => Confidence::Medium,
        _ => Confidence::Low,
    };
    ShapeVerdict {
        shape,
        by_series,
        by_births,
        agreement,
        growth,
        reasons,
        confidence,
    }
}

fn is_lost(reasons: &[Reason]) -> bool {
    reasons
        .iter()
        .any(|reason| matches!(reason, Reason::Lost { .. }))
}

fn slows(shape: Shape) -> bool {
    matches!(shape, Shape::Filling | Shape::Slowing)
}

/// Whether both can be true of one stack. Survivors tell less than the readings: what is flushed,
/// turned over or freed late all leaves recent births; what has stopped leaves old ones.
fn compatible(by_series: Shape, by_births: Shape) -> bool {
    use Shape::*;
    if by_series == by_births || by_births == Undetermined {
        return true;
    }
    match by_series {
        Leak => false,
        Deferred | Sawtooth => matches!(by_births, Deferred | Cache | Flat | Step),
        Cache => matches!(by_births, Deferred | WarmUp | Stopped | Plateau | Flat),
        Plateau | Step => matches!(by_births, Plateau | Step | WarmUp | Deferred | Stopped),
        WarmUp => matches!(by_births, Cache | Step | Plateau),
        Stopped => matches!(by_births, Cache | WarmUp),
        Flat => matches!(by_births, WarmUp | Deferred),
        ExitFreed => by_births == Leak,
        Filling | Slowing => matches!(by_births, Leak | Cache | Plateau | Stopped),
        Undetermined => true,
    }
}
