//! A heap, replayed from its allocations and frees in their order.
//!
//! Exact for every stack: calls, total, live, its own peak, what it held when the
//! whole heap was highest, and what changed from moment to moment.

use residue_profile::Counters;
use residue_profile::timeline::StackId;

use crate::stacks::{Blocks, Stacks};
use crate::ticks::StackChange;

/// Blocks of one size from one stack; heaptrack's allocation info.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Class {
    pub stack: StackId,
    pub size_bytes: u64,
    calls: u64,
    live_blocks: u64,
}

/// Index into [`Replay::classes`].
pub(crate) type ClassId = usize;

#[derive(Default)]
pub(crate) struct Replay {
    classes: Vec<Class>,
    ledgers: Vec<Ledger>,
    live_bytes: u64,
    peak_bytes: u64,
    /// Counts the moments at which the heap was higher than ever before.
    peaks: u64,
    /// Stacks that allocated or freed since the last moment.
    touched: Vec<StackId>,
}

#[derive(Default, Clone)]
struct Ledger {
    counters: Counters,
    /// How many peaks of the heap `counters.at_peak_bytes` knows of.
    peaks_seen: u64,
    told_bytes: u64,
    told_blocks: u64,
    is_touched: bool,
}

impl Ledger {
    /// What was live until now was so at the last peak. Called before every change.
    fn see_peak(&mut self, peaks: u64) {
        if self.peaks_seen < peaks {
            self.peaks_seen = peaks;
            self.counters.at_peak_bytes = self.counters.live_bytes;
            self.counters.at_peak_blocks = self.counters.live_blocks;
        }
    }
}

impl Replay {
    pub fn add_class(&mut self, stack: StackId, size_bytes: u64) -> ClassId {
        if self.ledgers.len() <= stack as usize {
            self.ledgers.resize(stack as usize + 1, Ledger::default());
        }
        self.classes.push(Class {
            stack,
            size_bytes,
            calls: 0,
            live_blocks: 0,
        });
        self.classes.len() - 1
    }

    /// Fails, with the reason, for a class that is none and for sums beyond 63 bits.
    pub fn allocate(&mut self, class: ClassId) -> Result<(), &'static str> {
        let known = self.classes.get_mut(class);
        let known = known.ok_or("no such allocation was described")?;
        let size_bytes = known.size_bytes;
        let too_large = "more bytes are allocated than 63 bits can count";
        let sum = |bytes: u64| {
            let sum = bytes.checked_add(size_bytes);
            sum.filter(|sum| i64::try_from(*sum).is_ok())
                .ok_or(too_large)
        };
        let live_bytes = sum(self.live_bytes)?;
        let ledger = &mut self.ledgers[known.stack as usize];
        let total_bytes = sum(ledger.counters.total_bytes)?;
        known.calls += 1;
        known.live_blocks += 1;
        let stack = known.stack;
        ledger.see_peak(self.peaks);
        let counters = &mut ledger.counters;
        counters.calls += 1;
        counters.total_bytes = total_bytes;
        counters.live_blocks += 1;
        counters.live_bytes += size_bytes;
        counters.peak_bytes = counters.peak_bytes.max(counters.live_bytes);
        self.live_bytes = live_bytes;
        if live_bytes > self.peak_bytes {
            self.peak_bytes = live_bytes;
            self.peaks += 1;
        }
        self.touch(stack);
        Ok(())
    }

    /// Fails, with the reason, where no such block is live.
    pub fn free(&mut self, class: ClassId, is_temporary: bool) -> Result<(), &'static str> {
        let known = self.classes.get_mut(class);
        let known = known.ok_or("no such allocation was described")?;
        let live_blocks = known.live_blocks.checked_sub(1);
        known.live_blocks = live_blocks.ok_or("a block is freed that is not there")?;
        let (stack, size_bytes) = (known.stack, known.size_bytes);
        let ledger = &mut self.ledgers[stack as usize];
        ledger.see_peak(self.peaks);
        let counters = &mut ledger.counters;
        counters.frees += 1;
        counters.live_blocks -= 1;
        counters.live_bytes -= size_bytes;
        counters.temporaries += u64::from(is_temporary);
        self.live_bytes -= size_bytes;
        self.touch(stack);
        Ok(())
    }

    fn touch(&mut self, stack: StackId) {
        let ledger = &mut self.ledgers[stack as usize];
        if !ledger.is_touched {
            ledger.is_touched = true;
            self.touched.push(stack);
        }
    }

    pub fn live_bytes(&self) -> u64 {
        self.live_bytes
    }

    /// What changed since this was asked last, by stack.
    pub fn take_changes(&mut self) -> Vec<StackChange> {
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        let changes = touched.into_iter().filter_map(|stack| {
            let ledger = &mut self.ledgers[stack as usize];
            let (bytes, blocks) = (ledger.counters.live_bytes, ledger.counters.live_blocks);
            let change = StackChange {
                stack,
                bytes: bytes as i64 - ledger.told_bytes as i64,
                blocks: blocks as i64 - ledger.told_blocks as i64,
            };
            (ledger.told_bytes, ledger.told_blocks) = (bytes, blocks);
            ledger.is_touched = false;
            (change.bytes != 0 || change.blocks != 0).then_some(change)
        });
        changes.collect()
    }

    /// Writes what was counted into the stacks.
    pub fn settle(mut self, stacks: &mut Stacks) {
        for (stack, ledger) in (0..).zip(&mut self.ledgers) {
            ledger.see_peak(self.peaks);
            *stacks.counters(stack) = ledger.counters;
        }
        for class in &self.classes {
            let size = class.size_bytes;
            stacks.add_size(class.stack, Blocks::Made, size, class.calls);
            stacks.add_size(class.stack, Blocks::Live, size, class.live_blocks);
        }
        stacks.heap_peak_bytes = self.peak_bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(steps: &[(char, ClassId)]) -> (Vec<Counters>, u64) {
        let mut stacks = Stacks::default();
        let mut replay = Replay::default();
        for (name, size_bytes) in [("a", 10), ("a", 30), ("b", 5)] {
            let frame = stacks.named_frame(name.as_bytes());
            let node = stacks.path([frame]);
            let stack = stacks.heap_stack(node);
            replay.add_class(stack, size_bytes);
        }
        for &(step, class) in steps {
            match step {
                '+' => replay.allocate(class).unwrap(),
                '-' => replay.free(class, false).unwrap(),
                _ => replay.free(class, true).unwrap(),
            }
        }
        replay.settle(&mut stacks);
        let counters = stacks.ledgers().map(|counters| *counters).collect();
        (counters, stacks.heap_peak_bytes)
    }

    #[test]
    fn peaks_of_the_heap_and_of_each_stack() {
        let steps = [
            ('+', 0),
            ('+', 1), // 40, of a
            ('t', 1),
            ('+', 2),
            ('+', 2),
            ('+', 1), // 50: a holds 40, b 10
            ('-', 0),
            ('-', 2),
            ('+', 2), // 40
        ];
        let (counters, peak_bytes) = settled(&steps);
        assert_eq!(peak_bytes, 50);
        let a = Counters {
            calls: 3,
            frees: 2,
            total_bytes: 70,
            live_bytes: 30,
            live_blocks: 1,
            peak_bytes: 40,
            at_peak_bytes: 40,
            at_peak_blocks: 2,
            temporaries: 1,
            ..Counters::default()
        };
        let b = Counters {
            calls: 3,
            frees: 1,
            total_bytes: 15,
            live_bytes: 10,
            live_blocks: 2,
            peak_bytes: 10,
            at_peak_bytes: 10,
            at_peak_blocks: 2,
            ..Counters::default()
        };
        assert_eq!(counters, [a, b]);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let mut replay = Replay::default();
        assert!(replay.allocate(0).is_err() && replay.free(0, false).is_err());
        let large = replay.add_class(0, i64::MAX as u64);
        assert!(replay.free(large, false).is_err(), "never made");
        replay.allocate(large).unwrap();
        assert!(replay.allocate(large).is_err(), "63 bits");
        assert_eq!(replay.live_bytes(), i64::MAX as u64);
    }
}
