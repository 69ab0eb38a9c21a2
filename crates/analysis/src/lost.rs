//! What a picture of the program's memory says of growth: memory that nothing points to is a leak,
//! at whatever pace it grows; no cache fills with it.
//!
//! The search for pointers errs to one side. A word that only looks like a pointer makes a lost
//! block seem held, and then there is no evidence, which is what there was before. To the other
//! side it errs where pointers are not kept as such (in half a word, XOR-ed, tagged in their high
//! bits), and then all that a container holds seems lost. What guards against that:
//!
//! - nothing counts that is younger than two events, and no picture that is not whole;
//! - nine tenths of the rest must be lost: a mixture of both is no evidence;
//! - they must come from eight events, and be half of what the range added: one event that lost
//!   much, or a picture of the beginning, does not judge the growth;
//! - nobody may have freed a block of the stack two events after its birth or later, and what is
//!   lost must still be there when the process ends: who frees a block had its address.
//!
//! A container that hides its pointers and frees nothing, neither in the run nor at its end, is
//! told as a leak, as every search for leaks does.

use crate::growth::Growth;
use crate::shape::{Reason, StackHistory};
use residue_profile::holders::{HeldSum, Picture};
use residue_profile::timeline::StackId;
use std::collections::BTreeSet;

/// Blocks younger than this, in events, may still be in use.
const YOUNG_EVENTS: u32 = 2;
const MOSTLY: f64 = 0.9;
const FEWEST_EVENTS: u64 = 8;
const LEAST_OF_GROWTH: f64 = 0.5;

/// What of a group's memory is lost, of events in a range that are old enough.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LostPart {
    pub lost_bytes: u64,
    pub left_bytes: u64,
    /// Events that left something lost.
    pub from_events: u64,
}

impl LostPart {
    /// `None` where there is no picture that says it.
    pub fn of(
        picture: Option<&Picture>,
        stacks: &[StackId],
        first_event: u32,
        last_event: u32,
    ) -> Option<LostPart> {
        let picture = picture.filter(|it| is_whole(it))?;
        let oldest_young = picture.event.checked_sub(YOUNG_EVENTS - 1)?;
        let mut part = LostPart::default();
        let mut events = BTreeSet::new();
        for &stack in stacks {
            let from = picture.sums.partition_point(|sum| sum.stack < stack);
            let of_stack = picture.sums[from..].iter();
            let is_meant = |sum: &&HeldSum| {
                (first_event..=last_event).contains(&sum.birth) && sum.birth < oldest_young
            };
            for sum in of_stack
                .take_while(|sum| sum.stack == stack)
                .filter(is_meant)
            {
                part.left_bytes = part.left_bytes.saturating_add(sum.bytes);
                if sum.state.is_lost() {
                    part.lost_bytes = part.lost_bytes.saturating_add(sum.bytes);
                    events.insert(sum.birth);
                }
            }
        }
        part.from_events = events.len() as u64;
        Some(part)
    }
}

fn is_whole(picture: &Picture) -> bool {
    picture.trouble.is_empty()
        && !picture.others_ran
        && !picture.is_incomplete
        && picture.unread_bytes == 0
}

/// Why what grows is a leak, whatever its pace; `None` where that is not known.
pub(crate) fn evidence(history: &StackHistory, growth: &Growth) -> Option<Reason> {
    let LostPart {
        lost_bytes,
        left_bytes,
        from_events,
    } = history.lost?;
    let lost = lost_bytes as f64;
    let freed_late = history
        .deferral
        .is_some_and(|deferral| deferral.longest_events >= f64::from(YOUNG_EVENTS));
    // All that the range added: the fit may leave out a begin that grew at another rate.
    let first = history.live.values().first().copied().unwrap_or(0.0);
    let added = history.end_of_range_bytes as f64 - first;
    let is_evidence = lost >= MOSTLY * left_bytes as f64
        && from_events >= FEWEST_EVENTS
        && growth.rate > 0.0
        && lost >= LEAST_OF_GROWTH * added
        && !freed_late
        && history.at_exit_bytes >= lost_bytes;
    is_evidence.then_some(Reason::Lost {
        lost_bytes,
        left_bytes,
        from_events,
    })
}
