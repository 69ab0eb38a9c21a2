//! A range of events, as the two moments between which it lies.
//!
//! ```text
//!   events 2..3       B1 ... B2 ... B3 ... B4 ...
//!                            |_____________|           from the begin of 2 to that of 4
//! ```
//!
//! What happens between two events belongs to the one before, so a range ends where the
//! event after it begins; the last one ends where it ends itself.

use anyhow::{Context, Result};
use residue_analysis::history::EventRange;
use residue_profile::timeline::{EventNumber, Moment, MomentId, MomentKind, Timeline};

use crate::text::moments::Span;

/// Begins of events (or ticks) at which stacks are known.
fn begins(timeline: &Timeline) -> impl DoubleEndedIterator<Item = (MomentId, &Moment)> {
    let moments = timeline.moments.iter().enumerate();
    let is_begin = |moment: &Moment| moment.kind.is_begin() && moment.has_changes;
    moments
        .filter(move |(_, moment)| is_begin(moment))
        .map(|(id, moment)| (id as MomentId, moment))
}

/// Events whose begin is known, ascending, and the moments at which they begin.
pub fn event_begins(timeline: &Timeline) -> Vec<(EventNumber, MomentId)> {
    let mut known: Vec<(EventNumber, MomentId)> = Vec::new();
    for (id, moment) in begins(timeline) {
        if known.last().is_none_or(|(last, _)| moment.event > *last) {
            known.push((moment.event, id));
        }
    }
    known
}

/// Where the last event ends, as far as stacks are known.
pub fn last_end(timeline: &Timeline) -> Option<MomentId> {
    let is_end = |moment: &Moment| {
        moment.has_changes && !matches!(moment.kind, MomentKind::Last | MomentKind::Snapshot)
    };
    let place = timeline.moments.iter().rposition(is_end)?;
    Some(place as MomentId)
}

/// The first and the last event whose begin is known.
pub fn known_events(timeline: &Timeline) -> Option<(EventNumber, EventNumber)> {
    let numbers = || begins(timeline).map(|(_, moment)| moment.event);
    Some((numbers().min()?, numbers().max()?))
}

/// The moments of a range. Where its ends were thinned out it is wider, up to the next
/// events that were kept: what events left is never hidden.
pub fn span(timeline: &Timeline, range: EventRange) -> Result<Span> {
    let begin = |number: EventNumber| {
        let mut later = begins(timeline).filter(|(_, moment)| moment.event >= number);
        later.next().map(|(id, _)| id)
    };
    let mut earlier = begins(timeline).filter(|(_, moment)| moment.event <= range.from);
    let from = match earlier.next_back() {
        Some((id, moment)) if moment.event == range.from => Some(id),
        // One that was thinned out is followed by others.
        Some((id, _)) => begin(range.from).map(|_| id),
        None => begin(range.from),
    };
    let last = || timeline.about.events;
    let from =
        from.with_context(|| format!("there is no event {}; the last is {}", range.from, last()))?;
    let next = range.to.checked_add(1).and_then(begin);
    let to = next.or_else(|| last_end(timeline).map(|end| end.max(from)));
    Ok(Span {
        from: Some(from),
        to,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::sample::NO_MOMENT;

    fn timeline(moments: &[(MomentKind, EventNumber, bool)]) -> Timeline {
        let moment = |&(kind, event, has_changes): &(MomentKind, EventNumber, bool)| Moment {
            kind,
            event,
            has_changes,
            ..NO_MOMENT
        };
        let mut timeline = Timeline {
            moments: moments.iter().map(moment).collect(),
            ..Timeline::default()
        };
        timeline.about.events = 9;
        timeline
    }

    #[test]
    fn a_range_lies_between_the_begin_of_its_first_and_of_the_next_event() {
        use MomentKind::{Begin, End, Last, Snapshot};
        let timeline = timeline(&[
            (Begin, 1, true),
            (End, 1, true),
            (Begin, 2, true),
            (End, 2, true),
            // Thinned out: its changes are part of the next moment's.
            (Begin, 3, false),
            (Begin, 5, true),
            (Snapshot, 5, true),
            (End, 5, true),
            (Last, 5, true),
        ]);
        let of = |from, to| {
            let span = span(&timeline, EventRange { from, to }).unwrap();
            (span.from, span.to)
        };
        assert_eq!(of(1, 1), (Some(0), Some(2)));
        assert_eq!(of(1, 2), (Some(0), Some(5)));
        assert_eq!(of(2, 5), (Some(2), Some(7)));
        assert_eq!(of(3, 3), (Some(2), Some(5)));
        assert_eq!(of(4, 5), (Some(2), Some(7)));
        assert_eq!(of(5, 5), (Some(5), Some(7)));
        assert_eq!(of(0, u32::MAX), (Some(0), Some(7)));
        assert!(span(&timeline, EventRange { from: 6, to: 7 }).is_err());
        assert_eq!(known_events(&timeline), Some((1, 5)));
        assert_eq!(event_begins(&timeline), [(1, 0), (2, 2), (5, 5)]);
        assert_eq!(known_events(&Timeline::default()), None);
    }
}
