//! Where in a recording: one vocabulary of time for every command and for the page.
//!
//! ```text
//!   events        |-- 1 --|  |-- 2 --|  |-- 3 --|
//!   moments       B1      E1 B2      E2 B3      E3      exit
//!
//!   2             the state at B2, where event 2 begins
//!   2..3          from B2 to B3: event 2 and what follows it until the next begins
//!   2..  2..end   from B2 to E3, where the last event ends
//!   2..exit       from B2 to the end of the recording
//!   ..2           from the start of the recording to B2
//!   id:7          the event that the program itself calls 7
//!   NAME          a snapshot
//! ```
//!
//! What happens between two events belongs to the one before, so a span of whole events
//! ends where the event after it begins. Only the last event ends where it ends itself.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::timeline::{EventNumber, Moment, MomentId, MomentKind, Timeline};

/// A moment by the name it is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Point {
    /// The begin of an event.
    Event(EventNumber),
    /// The begin of the event that the program gave this id.
    Id(u64),
    /// A snapshot.
    Named(String),
    /// Where the last event ends.
    End,
    /// Where the recording ends.
    Exit,
}

/// A part of a recording: one moment, or what lies between two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    At(Point),
    /// From the start of the recording where `from` is `None`.
    Between {
        from: Option<Point>,
        to: Point,
    },
}

impl FromStr for Point {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Point, Infallible> {
        let id = text.strip_prefix("id:").and_then(|id| id.parse().ok());
        Ok(match (text, id, text.parse()) {
            ("end", ..) => Point::End,
            ("exit", ..) => Point::Exit,
            (_, Some(id), _) => Point::Id(id),
            (_, None, Ok(number)) => Point::Event(number),
            _ => Point::Named(text.to_string()),
        })
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Point::Event(number) => write!(f, "{number}"),
            Point::Id(id) => write!(f, "id:{id}"),
            Point::Named(name) => f.write_str(name),
            Point::End => f.write_str("end"),
            Point::Exit => f.write_str("exit"),
        }
    }
}

impl FromStr for Part {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Part, Infallible> {
        let Some((from, to)) = text.split_once("..") else {
            return Ok(Part::At(text.parse()?));
        };
        Ok(Part::Between {
            from: match from {
                "" => None,
                from => Some(from.parse()?),
            },
            to: match to {
                "" => Point::End,
                to => to.parse()?,
            },
        })
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::At(point) => write!(f, "{point}"),
            Part::Between { from: None, to } => write!(f, "..{to}"),
            Part::Between {
                from: Some(from),
                to,
            } => write!(f, "{from}..{to}"),
        }
    }
}

/// What came after one moment and up to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// `None` for the start of the recording.
    pub from: Option<MomentId>,
    /// `None` for its end.
    pub to: Option<MomentId>,
}

impl Span {
    /// The whole recording.
    pub const WHOLE: Span = Span {
        from: None,
        to: None,
    };
}

/// Why a part of a recording cannot be shown.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SpanError {
    #[error("there is no {unit} 0: {unit}s are numbered from 1")]
    Zero { unit: &'static str },
    #[error("there is no {unit} {number}; the last is {last}")]
    NoEvent {
        unit: &'static str,
        number: EventNumber,
        last: u64,
    },
    #[error("no {unit} has the id {id}")]
    NoId { unit: &'static str, id: u64 },
    #[error("there is no snapshot `{name}`{}", known_names(known))]
    NoSnapshot { name: String, known: Vec<String> },
    #[error(
        "{unit} {number} was not kept: of a long run the recorder keeps one {unit} in several; \
         the {which} that was kept is {kept}"
    )]
    NotKept {
        unit: &'static str,
        number: EventNumber,
        /// `next`, or `last` where none follows.
        which: &'static str,
        kept: EventNumber,
    },
    #[error("`{part}` runs backwards: {from} comes after {to}", from = .ends[0], to = .ends[1])]
    Backwards { part: String, ends: [String; 2] },
    #[error("`{part}`: nothing was measured between the two, so what was left is not known")]
    NotMeasured { part: String },
    #[error(
        "`{point}` is one moment, and this needs two: `..{point}` for what came before it, `{point}..` for what came after"
    )]
    OneMoment { point: String },
}

fn known_names(names: &[String]) -> String {
    match names.is_empty() {
        true => "; the recording has none".to_string(),
        false => format!("; there are {}", names.join(", ")),
    }
}

/// Snapshots that are named where another was asked for.
const NAMED_SNAPSHOTS: usize = 8;

impl Timeline {
    /// Begins of events (or ticks) at which stacks are known, in the order of time.
    pub fn begins(&self) -> impl DoubleEndedIterator<Item = (MomentId, &Moment)> {
        self.moments
            .iter()
            .enumerate()
            .filter(|(_, moment)| moment.kind.is_begin() && moment.has_changes)
            .map(|(id, moment)| (id as MomentId, moment))
    }

    /// Events whose begin is known, ascending, and the moments at which they begin.
    pub fn event_begins(&self) -> Vec<(EventNumber, MomentId)> {
        let mut known: Vec<(EventNumber, MomentId)> = Vec::new();
        for (id, moment) in self.begins() {
            if known.last().is_none_or(|(last, _)| moment.event > *last) {
                known.push((moment.event, id));
            }
        }
        known
    }

    /// The first and the last event whose begin is known.
    pub fn known_events(&self) -> Option<(EventNumber, EventNumber)> {
        let numbers = || self.begins().map(|(_, moment)| moment.event);
        Some((numbers().min()?, numbers().max()?))
    }

    /// Where the last event ends, as far as stacks are known.
    pub fn last_end(&self) -> Option<MomentId> {
        let is_end = |moment: &Moment| {
            moment.has_changes && !matches!(moment.kind, MomentKind::Last | MomentKind::Snapshot)
        };
        let place = self.moments.iter().rposition(is_end)?;
        Some(place as MomentId)
    }

    /// The moment of a point; `None` for the end of the recording.
    pub fn moment_of(&self, point: &Point) -> Result<Option<MomentId>, SpanError> {
        match point {
            Point::Exit => Ok(None),
            // Without events the recording has no other end.
            Point::End => Ok(self.last_end()),
            Point::Event(number) => self.begin_of(*number).map(Some),
            Point::Id(id) => {
                let number = self.event_with_id(*id)?;
                self.begin_of(number).map(Some)
            }
            Point::Named(name) => match self.snapshot(name) {
                Some(moment) => Ok(Some(moment)),
                None => Err(self.no_snapshot(name)),
            },
        }
    }

    /// The span that a part stands for: all up to a moment, or between two.
    pub fn span_of(&self, part: &Part) -> Result<Span, SpanError> {
        let span = match part {
            Part::At(point) => Span {
                from: None,
                to: self.moment_of(point)?,
            },
            Part::Between { from, to } => Span {
                from: match from {
                    Some(from) => self.span_start(from)?.or(Some(self.exit())),
                    None => None,
                },
                to: self.span_end(to)?,
            },
        };
        self.check(span, part)?;
        Ok(span)
    }

    /// Where a span begins: at a point, or at the nearest event before it that was kept.
    fn span_start(&self, point: &Point) -> Result<Option<MomentId>, SpanError> {
        match self.moment_of(point) {
            Err(SpanError::NotKept { number, .. }) => self.widened_from(number).map(Some),
            other => other,
        }
    }

    /// Where it ends: at a point, or at the nearest event after it that was kept.
    fn span_end(&self, point: &Point) -> Result<Option<MomentId>, SpanError> {
        match self.moment_of(point) {
            Err(SpanError::NotKept { number, .. }) => {
                Ok(self.begin_at_or_after(number).or_else(|| self.last_end()))
            }
            other => other,
        }
    }

    fn begin_at_or_after(&self, number: EventNumber) -> Option<MomentId> {
        let mut later = self.begins().filter(|(_, moment)| moment.event >= number);
        later.next().map(|(id, _)| id)
    }

    /// The begin of an event, or of the nearest before it that was kept.
    fn widened_from(&self, number: EventNumber) -> Result<MomentId, SpanError> {
        let mut earlier = self.begins().filter(|(_, moment)| moment.event <= number);
        let from = match earlier.next_back() {
            Some((id, moment)) if moment.event == number => Some(id),
            // One that was not kept is followed by others.
            Some((id, _)) => self.begin_at_or_after(number).map(|_| id),
            None => self.begin_at_or_after(number),
        };
        from.ok_or_else(|| self.no_begin(number))
    }

    /// The span of whole events, both included. Where its ends were not kept it is wider,
    /// up to the nearest that were: what events left is never hidden.
    pub fn span_of_events(&self, first: EventNumber, last: EventNumber) -> Result<Span, SpanError> {
        let part = Part::Between {
            from: Some(Point::Event(first)),
            to: Point::Event(last.saturating_add(1)),
        };
        let from = self.widened_from(first)?;
        let next = last.checked_add(1);
        let next = next.and_then(|next| self.begin_at_or_after(next));
        let span = Span {
            from: Some(from),
            to: next.or_else(|| self.last_end()).or(Some(from)),
        };
        self.check(span, &part)?;
        Ok(span)
    }

    /// The whole events of a part that lies between two moments, both included. They need
    /// no stacks: a log of another tool has events too.
    pub fn events_of(&self, part: &Part) -> Result<(EventNumber, EventNumber), SpanError> {
        let Part::Between { from, to } = part else {
            let point = part.to_string();
            return Err(SpanError::OneMoment { point });
        };
        let first = match from {
            Some(from) => self.event_at(from)?,
            None => 0,
        };
        let last = match to {
            Point::End | Point::Exit => EventNumber::MAX,
            to => self.event_at(to)?.saturating_sub(1),
        };
        match first <= last {
            true => Ok((first, last)),
            false => Err(self.empty(part)),
        }
    }

    /// The first event that begins at a point or after it.
    pub fn event_at(&self, point: &Point) -> Result<EventNumber, SpanError> {
        let number = match point {
            Point::End | Point::Exit => return Ok(EventNumber::MAX),
            Point::Event(number) => *number,
            Point::Id(id) => self.event_with_id(*id)?,
            Point::Named(_) => {
                let moment = self.moment_of(point)?.unwrap_or(MomentId::MAX);
                let begun = self.events_begun(moment).saturating_add(1);
                return Ok(EventNumber::try_from(begun).unwrap_or(EventNumber::MAX));
            }
        };
        match number {
            0 => Err(self.zero()),
            number if u64::from(number) > self.about.events => Err(self.no_event(number)),
            number => Ok(number),
        }
    }

    /// Events that began in a span.
    pub fn events_in(&self, span: Span) -> u64 {
        let begun = |moment: MomentId| self.events_begun(moment);
        let from = span.from.map_or(0, begun);
        let to = span.to.map_or(self.about.events, begun);
        to.saturating_sub(from)
    }

    /// The first and the last of these events: a span that was widened to what was kept, or
    /// that ends before its last event does, is of others than were asked for.
    pub fn events_covered(&self, span: Span) -> (u64, u64) {
        let last = self.events_in(Span { from: None, ..span });
        (last.saturating_sub(self.events_in(span)) + 1, last)
    }

    /// That the span of a part holds other events than were asked for, where it does.
    pub fn other_events(&self, part: &Part, span: Span) -> Option<String> {
        let [from, to] = self.numbers(part)?.map(u64::from);
        let (first, last) = self.events_covered(span);
        let next = last + 1;
        let unit = self.about.source.unit();
        if first < from || next > to {
            return Some(format!(
                "`{part}` is widened to `{first}..{next}`: of a long run the recorder keeps one \
                 {unit} in several"
            ));
        }
        (next < to)
            .then(|| format!("`{part}` is cut to `{first}..{next}`: no later {unit} was kept"))
    }

    /// Which events what was allocated is known between, where it is not known of a span: the nearest
    /// moments with totals around it.
    pub fn nearest_totals(&self, span: Span) -> Option<String> {
        let with_totals = |(id, moment): (usize, &Moment)| {
            (moment.has_totals && moment.kind.is_begin()).then_some((id as MomentId, moment.event))
        };
        let mut known = self.moments.iter().enumerate().filter_map(with_totals);
        let end = span.to.unwrap_or_else(|| self.exit());
        let start = span.from.unwrap_or(0);
        let before = known.clone().take_while(|(id, _)| *id <= start).last();
        let (_, first) = before.or_else(|| known.clone().next())?;
        let last = known.find(|(id, _)| *id >= end);
        let last = last.map_or("exit".to_string(), |(_, event)| event.to_string());
        Some(format!("; allocations are known of `{first}..{last}`"))
    }

    fn exit(&self) -> MomentId {
        self.moments.len() as MomentId
    }

    fn check(&self, span: Span, part: &Part) -> Result<(), SpanError> {
        let end = span.to.unwrap_or_else(|| self.exit());
        let is_empty = span.from.is_some_and(|start| start >= end);
        // One that was widened is not empty, though what was asked for may be.
        match is_empty || self.numbers(part).is_some_and(|[from, to]| from >= to) {
            true => Err(self.empty(part)),
            false => Ok(()),
        }
    }

    /// The numbers of the events at both ends, where these are events.
    fn numbers(&self, part: &Part) -> Option<[EventNumber; 2]> {
        let number = |point: &Point| match point {
            Point::Event(_) | Point::Id(_) => self.event_at(point).ok(),
            Point::Named(_) | Point::End | Point::Exit => None,
        };
        match part {
            Part::Between {
                from: Some(from),
                to,
            } => Some([number(from)?, number(to)?]),
            _ => None,
        }
    }

    /// Why there is nothing in a part.
    fn empty(&self, part: &Part) -> SpanError {
        let name = part.to_string();
        let Part::Between {
            from: Some(from),
            to,
        } = part
        else {
            return SpanError::NotMeasured { part: name };
        };
        let place = |point: &Point| {
            let moment = self.moment_of(point).ok().flatten();
            moment.unwrap_or_else(|| self.exit())
        };
        let is_backwards = match self.numbers(part) {
            Some([from, to]) => from > to,
            None => place(from) > place(to),
        };
        match is_backwards {
            true => SpanError::Backwards {
                part: name,
                ends: [from.to_string(), to.to_string()],
            },
            false => SpanError::NotMeasured { part: name },
        }
    }

    fn zero(&self) -> SpanError {
        SpanError::Zero {
            unit: self.about.source.unit(),
        }
    }

    /// Events that had begun before a moment. An event whose begin it is has not: nothing
    /// of it has happened.
    fn events_begun(&self, moment: MomentId) -> u64 {
        let Some(here) = self.moments.get(moment as usize) else {
            return self.about.events;
        };
        let is_begin = match here.kind {
            MomentKind::Begin | MomentKind::Tick => true,
            // Those that are named by the event are taken as it begins.
            MomentKind::Snapshot => {
                let name = here.name.and_then(|name| self.names.get(name as usize));
                name.is_some_and(|name| *name == here.event.to_string())
            }
            MomentKind::End | MomentKind::Last => false,
        };
        u64::from(here.event).saturating_sub(u64::from(is_begin))
    }

    /// A snapshot that is named by an event's number was taken as that event began, and
    /// serves where the begin itself was not kept.
    fn begin_of(&self, number: EventNumber) -> Result<MomentId, SpanError> {
        let mut begins = self.begins().filter(|(_, moment)| moment.event >= number);
        match begins.next() {
            _ if number == 0 => Err(self.zero()),
            Some((id, moment)) if moment.event == number => Ok(id),
            _ => self
                .snapshot(&number.to_string())
                .ok_or_else(|| self.no_begin(number)),
        }
    }

    /// Why the begin of an event is not known.
    fn no_begin(&self, number: EventNumber) -> SpanError {
        let mut begins = self.begins().map(|(_, moment)| moment.event);
        let next = begins.find(|event| *event >= number).map(|it| ("next", it));
        let known = next.or_else(|| Some(("last", self.known_events()?.1)));
        match known {
            Some((which, kept)) if u64::from(number) <= self.about.events => SpanError::NotKept {
                unit: self.about.source.unit(),
                number,
                which,
                kept,
            },
            _ => self.no_event(number),
        }
    }

    fn event_with_id(&self, id: u64) -> Result<EventNumber, SpanError> {
        let unit = self.about.source.unit();
        let is_begin = |moment: &&Moment| moment.kind == MomentKind::Begin && moment.id == id;
        let found = self.moments.iter().find(is_begin);
        found
            .map(|moment| moment.event)
            .ok_or(SpanError::NoId { unit, id })
    }

    /// The last snapshot of that name.
    fn snapshot(&self, name: &str) -> Option<MomentId> {
        let is_meant = |moment: &Moment| {
            let named = moment.name.and_then(|name| self.names.get(name as usize));
            moment.kind == MomentKind::Snapshot && named.is_some_and(|named| named == name)
        };
        let place = self.moments.iter().rposition(is_meant)?;
        Some(place as MomentId)
    }

    fn no_event(&self, number: EventNumber) -> SpanError {
        SpanError::NoEvent {
            unit: self.about.source.unit(),
            number,
            last: self.about.events,
        }
    }

    fn no_snapshot(&self, name: &str) -> SpanError {
        let snapshots = self.snapshots.iter();
        let known = snapshots.filter_map(|snapshot| self.names.get(snapshot.name as usize));
        SpanError::NoSnapshot {
            name: name.to_string(),
            known: known.take(NAMED_SNAPSHOTS).cloned().collect(),
        }
    }
}

#[cfg(test)]
mod tests;
