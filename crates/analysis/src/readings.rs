//! The sizes of the process, one reading an event.
//!
//! Reading them takes longer than a short event, so a recording has them at some begins only; a
//! stamp always has them. A series is made of readings at one place of the event: its begin, or
//! the stamp of one name, whichever was read in most events. Never of several: an event holds
//! more in its middle than where it begins.

use crate::series::Series;
use residue_profile::Timeline;
use residue_profile::timeline::{EventNumber, Moment, NameId, Stamp};
use std::collections::BTreeMap;

/// A size that the kernel tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Resident, without the recorder's own memory.
    Rss,
    Vm,
}

#[derive(Debug, Clone, Default)]
pub struct Readings {
    pub series: Series,
    /// The stamp they were taken at; `None` for the begins of events.
    pub stamp: Option<NameId>,
}

impl Readings {
    /// Of the events that begin at some moments, in their order.
    pub(crate) fn of(timeline: &Timeline, begins: &[&Moment], size: Size) -> Readings {
        let at_begins = begins.iter().filter_map(|moment| {
            let bytes = match size {
                Size::Rss => moment.rss_bytes?.saturating_sub(moment.recorder_bytes),
                Size::Vm => moment.vm_bytes?,
            };
            Some((moment.event, bytes))
        });
        let mut best = Readings {
            series: series(at_begins),
            stamp: None,
        };
        // Where every begin was read there is nothing to gain.
        if best.series.len() < begins.len() {
            for (stamp, readings) in at_stamps(timeline, begins, size) {
                let series = series(readings.into_iter());
                if series.len() > best.series.len() {
                    best = Readings {
                        series,
                        stamp: Some(stamp),
                    };
                }
            }
        }
        best
    }
}

/// By name: the first stamp of each event that has the size.
fn at_stamps(
    timeline: &Timeline,
    begins: &[&Moment],
    size: Size,
) -> BTreeMap<NameId, BTreeMap<EventNumber, u64>> {
    let mut by_name: BTreeMap<NameId, BTreeMap<EventNumber, u64>> = BTreeMap::new();
    for stamp in &timeline.stamps {
        let is_asked = begins
            .binary_search_by_key(&stamp.event, |moment| moment.event)
            .is_ok();
        let bytes = match size {
            Size::Rss => program_rss_bytes(timeline, stamp),
            Size::Vm => stamp.vm_bytes,
        };
        if let (true, Some(bytes)) = (is_asked, bytes) {
            let readings = by_name.entry(stamp.name).or_default();
            readings.entry(stamp.event).or_insert(bytes);
        }
    }
    by_name
}

fn series(readings: impl Iterator<Item = (EventNumber, u64)>) -> Series {
    let (events, values) = readings
        .map(|(event, bytes)| (f64::from(event), bytes as f64))
        .unzip();
    Series::new(events, values)
}

/// The resident size at a stamp without the recorder's memory. Moments say what that was; a
/// stamp does not, and takes what the last moment before it said: what the recorder took since
/// then is still in the stamp's reading.
pub(crate) fn program_rss_bytes(timeline: &Timeline, stamp: &Stamp) -> Option<u64> {
    let moments = &timeline.moments;
    let later = moments.partition_point(|moment| moment.time_ns <= stamp.time_ns);
    let before = later.checked_sub(1).and_then(|place| moments.get(place));
    let own_bytes = before.map_or(0, |moment| moment.recorder_bytes);
    Some(stamp.rss_bytes?.saturating_sub(own_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_profile::timeline::MomentKind;

    fn begin(event: EventNumber, rss_bytes: Option<u64>) -> Moment {
        Moment {
            id: u64::from(event),
            rss_bytes,
            recorder_bytes: 10,
            ..Moment::unread(MomentKind::Begin, event, u64::from(event) * 100)
        }
    }

    fn stamp(name: NameId, event: EventNumber, rss_bytes: u64) -> Stamp {
        Stamp {
            spent: residue_profile::timeline::Spent::default(),
            name,
            event,
            time_ns: u64::from(event) * 100 + 50,
            vm_bytes: None,
            rss_bytes: Some(rss_bytes),
            live_bytes: None,
        }
    }

    fn readings(timeline: &Timeline) -> Readings {
        let begins: Vec<&Moment> = timeline.moments.iter().collect();
        Readings::of(timeline, &begins, Size::Rss)
    }

    #[test]
    fn a_stamp_stands_for_events_whose_begins_were_not_read() {
        let mut timeline = Timeline::default();
        for event in 1..=30 {
            let rss = (event % 10 == 1).then_some(1000);
            timeline.moments.push(begin(event, rss));
            // Twice in an event; the first stands for it.
            timeline.stamps.push(stamp(3, event, 1510));
            timeline.stamps.push(stamp(3, event, 9999));
            if event > 1 {
                timeline.stamps.push(stamp(1, event, 1700));
            }
        }
        let read = readings(&timeline);
        assert_eq!(read.stamp, Some(3));
        // Without the recorder's 10, and never the begin's 990.
        assert_eq!(read.series.values(), [1500.0; 30]);
        assert_eq!(read.series.events()[29], 30.0);
    }

    #[test]
    fn begins_are_taken_where_they_were_read_as_often() {
        let mut timeline = Timeline::default();
        for event in 1..=5 {
            timeline.moments.push(begin(event, Some(1010)));
            timeline.stamps.push(stamp(0, event, 2000));
        }
        // Of an event that is not asked for.
        timeline.stamps.push(stamp(0, 9, 2000));
        let read = readings(&timeline);
        assert_eq!((read.stamp, read.series.len()), (None, 5));
        assert_eq!(read.series.values(), [1000.0; 5]);
        assert!(readings(&Timeline::default()).series.is_empty());
    }
}
