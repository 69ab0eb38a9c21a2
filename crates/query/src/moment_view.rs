//! A profile as it was at one moment, or as it changed between two.
//!
//! What was live is known of every moment that was kept; what had been allocated by then, of those
//! with totals.

use residue_profile::{Counter, Counters, Measured, Profile, Ragged, Span, StackKind, Totals};

/// What a stack holds, or by how much that changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Live {
    pub bytes: i64,
    pub blocks: i64,
    /// CPU time, where that is what the stack has.
    pub cpu_ns: i64,
    /// What was allocated meanwhile; nothing where that is not known, see [`measured`].
    pub made_blocks: i64,
    pub made_bytes: i64,
    pub temporaries: i64,
}

impl Live {
    /// The value of a counter that is known of moments.
    pub fn value(&self, counter: Counter) -> i64 {
        match counter {
            Counter::LiveBlocks => self.blocks,
            Counter::Cpu => self.cpu_ns,
            Counter::Calls => self.made_blocks,
            Counter::Total => self.made_bytes,
            Counter::Frees => self.frees(),
            Counter::Temporaries => self.temporaries,
            _ => self.bytes,
        }
    }

    /// Blocks that were made and are not there.
    fn frees(&self) -> i64 {
        self.made_blocks.saturating_sub(self.blocks)
    }
}

/// What is known of a span.
pub fn measured(profile: &Profile, span: Span) -> Measured {
    match profile.timeline.allocated_between(span.from, span.to) {
        Some(_) => Measured::WithTotals,
        None => Measured::LiveOnly,
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
    let allocated = profile.timeline.allocated_between(span.from, span.to);
    for made in allocated.unwrap_or_default() {
        if let Some(sum) = live.get_mut(made.stack as usize) {
            let add = |sum: &mut i64, more: u64| {
                *sum = sum.saturating_add(i64::try_from(more).unwrap_or(i64::MAX));
            };
            add(&mut sum.made_blocks, made.calls);
            add(&mut sum.made_bytes, made.bytes);
            add(&mut sum.temporaries, made.temporaries);
        }
    }
    live
}

/// What changed in a span, and which counters are known of it.
pub fn of(mut view: Profile, span: Span) -> (Profile, Measured) {
    let mut fallen_bytes = 0_u64;
    let measured = measured(&view, span);
    // Nothing that is written from it shall take a zero for a largest block.
    view.forget_largest();
    let live = live(&view, span);
    for (stack, live) in view.stacks.iter_mut().zip(live) {
        let value = |counter| u64::try_from(live.value(counter)).unwrap_or(0);
        stack.counters = Counters {
            live_bytes: value(Counter::Live),
            live_blocks: value(Counter::LiveBlocks),
            cpu_ns: value(Counter::Cpu),
            ..Counters::default()
        };
        if measured == Measured::WithTotals && stack.kind != StackKind::Cpu {
            stack.counters = Counters {
                calls: value(Counter::Calls),
                total_bytes: value(Counter::Total),
                frees: value(Counter::Frees),
                temporaries: value(Counter::Temporaries),
                ..stack.counters
            };
        }
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
    view.meta.notes.push(match measured {
        Measured::WithTotals => {
            "this is a part of the recording: the highest that was live in it is not known"
                .to_string()
        }
        _ => format!(
            "this is a moment of the recording: only live bytes and blocks of its stacks, and CPU time, are known{}",
            view.timeline.nearest_totals(span).unwrap_or_default()
        ),
    });
    if fallen_bytes > 0 {
        view.meta.notes.push(format!(
            "stacks that shrank are shown as zero; they shrank by {fallen_bytes} bytes"
        ));
    }
    (view, measured)
}

fn totals(profile: &Profile, is_meant: fn(StackKind) -> bool) -> Totals {
    let stacks = profile.stacks.iter();
    stacks
        .filter(|stack| is_meant(stack.kind))
        .fold(Totals::default(), |sum, stack| Totals {
            live_bytes: sum.live_bytes.saturating_add(stack.counters.live_bytes),
            live_blocks: sum.live_blocks.saturating_add(stack.counters.live_blocks),
            calls: sum.calls.saturating_add(stack.counters.calls),
            total_bytes: sum.total_bytes.saturating_add(stack.counters.total_bytes),
            frees: sum.frees.saturating_add(stack.counters.frees),
            temporaries: sum.temporaries.saturating_add(stack.counters.temporaries),
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
        let (view, measured) = of(profile(), span);
        assert_eq!(measured, Measured::LiveOnly);
        assert!(!view.has_largest);
        assert_eq!(view.stacks[0].counters.live_bytes, 0);
        assert_eq!(view.stacks[1].counters.live_bytes, 5);
        assert_eq!(view.stacks[1].counters.live_blocks, 1);
        assert_eq!(view.stacks[1].counters.calls, 0);
        let note = view.meta.notes.last().unwrap();
        assert!(note.ends_with("they shrank by 29 bytes"), "{note}");
    }
}
