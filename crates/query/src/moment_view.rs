//! A profile as it was at one moment, or as it changed between two.
//!
//! Of a moment only what was live is known, not what had been allocated by then.

use residue_profile::{Counter, Counters, Profile, Ragged, Span, StackKind, Totals};

/// What a stack holds, or by how much that changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Live {
    pub bytes: i64,
    pub blocks: i64,
    /// CPU time, where that is what the stack has.
    pub cpu_ns: i64,
}

impl Live {
    /// The value of a counter that is known of moments.
    pub fn value(&self, counter: Counter) -> i64 {
        match counter {
            Counter::LiveBlocks => self.blocks,
            Counter::Cpu => self.cpu_ns,
            _ => self.bytes,
        }
    }
}

/// What each stack came to hold in a span, exactly: less than nothing where it fell.
pub fn live(profile: &Profile, span: Span) -> Vec<Live> {
    let mut live = vec![Live::default(); profile.stacks.len()];
    for change in profile.timeline.changes_between(span.from, span.to) {
        if let Some(sum) = live.get_mut(change.stack as usize) {
            sum.bytes = sum.bytes.saturating_add(change.bytes);
            sum.blocks = sum.blocks.saturating_add(change.blocks);
        }
    }
    for time in profile.timeline.cpu_between(span.from, span.to) {
        if let Some(sum) = live.get_mut(time.stack as usize) {
            let ns = i64::try_from(time.ns).unwrap_or(i64::MAX);
            sum.cpu_ns = sum.cpu_ns.saturating_add(ns);
        }
    }
    live
}

/// What changed in a span.
pub fn of(mut view: Profile, span: Span) -> Profile {
    let mut fallen_bytes = 0_u64;
    let live = live(&view, span);
    for (stack, live) in view.stacks.iter_mut().zip(live) {
        stack.counters = Counters {
            live_bytes: u64::try_from(live.bytes).unwrap_or(0),
            live_blocks: u64::try_from(live.blocks).unwrap_or(0),
            cpu_ns: u64::try_from(live.cpu_ns).unwrap_or(0),
            ..Counters::default()
        };
        fallen_bytes = fallen_bytes.saturating_add(live.bytes.min(0).unsigned_abs());
    }
    view.heap = totals(&view, StackKind::is_heap);
    view.mappings = totals(&view, |kind| kind == StackKind::Mapping);
    view.sizes_total = Ragged::default();
    view.sizes_live = Ragged::default();
    view.births = Ragged::default();
    // Which thread did what is known of the whole recording only.
    view.threads.clear();
    view.by_thread = Ragged::default();
    view.meta.notes.push(
        "this is a moment of the recording: only live bytes and blocks of its stacks, and CPU time, are known"
            .to_string(),
    );
    if fallen_bytes > 0 {
        view.meta.notes.push(format!(
            "stacks that shrank are shown as zero; they shrank by {fallen_bytes} bytes"
        ));
    }
    view
}

fn totals(profile: &Profile, is_meant: fn(StackKind) -> bool) -> Totals {
    let stacks = profile.stacks.iter();
    stacks
        .filter(|stack| is_meant(stack.kind))
        .fold(Totals::default(), |sum, stack| Totals {
            live_bytes: sum.live_bytes.saturating_add(stack.counters.live_bytes),
            live_blocks: sum.live_blocks.saturating_add(stack.counters.live_blocks),
            ..sum
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_profile::timeline::Change;
    use residue_testkit::sample;

    fn change(moment: u32, stack: u32, bytes: i64) -> Change {
        Change {
            moment,
            stack,
            bytes,
            blocks: bytes.signum(),
        }
    }

    fn profile() -> Profile {
        let mut profile = sample::profile();
        profile.timeline.changes = vec![
            change(0, 0, 100),
            change(1, 1, 7),
            change(2, 0, -30),
            change(2, 1, 5),
            change(4, 0, 1),
            // Of a stack that is not there.
            change(5, 999, 1),
        ];
        profile
    }

    fn bytes(from: Option<u32>, to: Option<u32>) -> [i64; 2] {
        let live = live(&profile(), Span { from, to });
        [live[0].bytes, live[1].bytes]
    }

    #[test]
    fn spans_are_sums_of_changes_after_the_first_and_up_to_the_second() {
        assert_eq!(bytes(None, None), [71, 12]);
        assert_eq!(bytes(None, Some(0)), [100, 0]);
        assert_eq!(bytes(None, Some(1)), [100, 7]);
        assert_eq!(bytes(Some(1), Some(3)), [-30, 5]);
        assert_eq!(bytes(Some(1), None), [-29, 5]);
        assert_eq!(bytes(Some(5), None), [0, 0]);
        assert_eq!(bytes(Some(3), Some(1)), [0, 0]);
    }

    #[test]
    fn a_view_has_no_less_than_nothing_and_says_so() {
        let span = Span {
            from: Some(1),
            to: None,
        };
        let view = of(profile(), span);
        assert_eq!(view.stacks[0].counters.live_bytes, 0);
        assert_eq!(view.stacks[1].counters.live_bytes, 5);
        assert_eq!(view.stacks[1].counters.live_blocks, 1);
        assert_eq!(view.stacks[1].counters.calls, 0);
        let note = view.meta.notes.last().unwrap();
        assert!(note.ends_with("they shrank by 29 bytes"), "{note}");
    }
}
