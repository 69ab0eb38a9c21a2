//! The stamps of a recording, with what else in it can serve as stamps.

use std::borrow::Cow;

use crate::readings::program_rss_bytes;
use residue_profile::Timeline;
use residue_profile::timeline::{Moment, MomentKind, NameId, Source, Stamp};

/// A program's own stamps, between the begins and ends of its events. Where the
/// data came from another tool, begins were made from stamps and are left out,
/// unless there is nothing else.
///
/// Resident sizes are without the recorder's memory.
pub fn stamps_of(timeline: &Timeline) -> (Cow<'_, [String]>, Cow<'_, [Stamp]>) {
    let own_marks = timeline.about.source != Source::Imported;
    if !timeline.stamps.is_empty() && !own_marks {
        return ((&timeline.names).into(), (&timeline.stamps).into());
    }
    let mut names = timeline.names.clone();
    let begin = names.len() as NameId;
    names.extend(["begin".to_string(), "end".to_string()]);
    let mut stamps: Vec<(u64, u8, Stamp)> = timeline
        .moments
        .iter()
        .filter_map(|moment| match moment.kind {
            MomentKind::Begin => Some((moment.time_ns, 0, as_stamp(moment, begin))),
            MomentKind::End => Some((moment.time_ns, 2, as_stamp(moment, begin + 1))),
            MomentKind::Tick | MomentKind::Snapshot | MomentKind::Last => None,
        })
        .chain(
            timeline
                .stamps
                .iter()
                .map(|stamp| (stamp.time_ns, 1, without_recorder(stamp, timeline))),
        )
        .collect();
    stamps.sort_by_key(|&(time_ns, place, _)| (time_ns, place));
    let stamps: Vec<Stamp> = stamps.into_iter().map(|(_, _, stamp)| stamp).collect();
    (names.into(), stamps.into())
}

fn without_recorder(stamp: &Stamp, timeline: &Timeline) -> Stamp {
    Stamp {
        rss_bytes: program_rss_bytes(timeline, stamp),
        ..*stamp
    }
}

fn as_stamp(moment: &Moment, name: NameId) -> Stamp {
    Stamp {
        name,
        event: moment.event,
        time_ns: moment.time_ns,
        vm_bytes: moment.vm_bytes,
        rss_bytes: moment
            .rss_bytes
            .map(|rss| rss.saturating_sub(moment.recorder_bytes)),
        live_bytes: moment.live_bytes,
        spent: moment.spent,
    }
}
