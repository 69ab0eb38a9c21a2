//! The numbers of every path, added up over many profiles.

use std::collections::HashMap;

use residue_profile::timeline::StackId;
use residue_profile::{
    BirthBin, Counters, NodeId, Profile, ROOT, Ragged, SizeBin, Stack, StackKind, Thread,
    ThreadCounters,
};

#[derive(Default)]
pub struct Ledgers {
    stacks: Vec<Stack>,
    numbers: HashMap<(NodeId, StackKindKey), StackId>,
    rows: Rows,
}

/// What stacks have lists of.
#[derive(Default)]
pub struct Rows {
    pub sizes_total: Pile<SizeBin>,
    pub sizes_live: Pile<SizeBin>,
    pub births: Pile<BirthBin>,
    pub by_thread: Pile<ThreadCounters>,
    /// Of all processes, one after the other.
    pub threads: Vec<Thread>,
}

impl Ledgers {
    /// `nodes` are the numbers in the sum of the profile's nodes.
    pub fn add(&mut self, profile: &Profile, nodes: &[NodeId]) {
        let first_thread = self.rows.threads.len() as u32;
        self.rows.threads.extend_from_slice(&profile.threads);
        for (index, stack) in profile.stacks.iter().enumerate() {
            let node = nodes.get(stack.node as usize).copied().unwrap_or(ROOT);
            let number = self.number(node, stack.kind);
            self.stacks[number as usize].counters.add(&stack.counters);
            let rows = &mut self.rows;
            rows.sizes_total.add(number, profile.sizes_total.row(index));
            rows.sizes_live.add(number, profile.sizes_live.row(index));
            rows.births.add(number, profile.births.row(index));
            for row in profile.by_thread.row(index) {
                let thread = row.thread.saturating_add(first_thread);
                rows.by_thread
                    .add(number, &[ThreadCounters { thread, ..*row }]);
            }
        }
    }

    fn number(&mut self, node: NodeId, kind: StackKind) -> StackId {
        *self.numbers.entry((node, key(kind))).or_insert_with(|| {
            self.stacks.push(Stack {
                node,
                kind,
                counters: Counters::default(),
            });
            (self.stacks.len() - 1) as StackId
        })
    }

    pub fn finish(self) -> (Vec<Stack>, Rows) {
        (self.stacks, self.rows)
    }
}

type StackKindKey = std::mem::Discriminant<StackKind>;

fn key(kind: StackKind) -> StackKindKey {
    std::mem::discriminant(&kind)
}

/// A row of a stack's list, and how two with the same key become one.
pub trait MergedBin: Copy {
    fn key(&self) -> u32;
    fn add(&mut self, more: &Self);
}

impl MergedBin for SizeBin {
    fn key(&self) -> u32 {
        u32::from(self.bits)
    }

    fn add(&mut self, more: &Self) {
        self.blocks = self.blocks.saturating_add(more.blocks);
    }
}

impl MergedBin for BirthBin {
    fn key(&self) -> u32 {
        self.birth
    }

    fn add(&mut self, more: &Self) {
        self.blocks = self.blocks.saturating_add(more.blocks);
        self.bytes = self.bytes.saturating_add(more.bytes);
    }
}

impl MergedBin for ThreadCounters {
    fn key(&self) -> u32 {
        self.thread
    }

    fn add(&mut self, more: &Self) {
        ThreadCounters::add(self, more);
    }
}

/// Rows as they come. They are put together whenever there are twice as many as were
/// left the last time, so that the memory grows with the sum and not with the number
/// of profiles, and the time with the rows.
pub struct Pile<T> {
    rows: Vec<(StackId, T)>,
    put_together_at: usize,
}

/// Below this, putting together is not worth the time.
const FEW_ROWS: usize = 1 << 16;

impl<T> Default for Pile<T> {
    fn default() -> Self {
        Pile {
            rows: Vec::new(),
            put_together_at: FEW_ROWS,
        }
    }
}

impl<T: MergedBin> Pile<T> {
    fn add(&mut self, stack: StackId, rows: &[T]) {
        self.rows.extend(rows.iter().map(|&row| (stack, row)));
        if self.rows.len() >= self.put_together_at {
            self.put_together();
            self.put_together_at = FEW_ROWS.max(2 * self.rows.len());
        }
    }

    fn put_together(&mut self) {
        self.rows
            .sort_unstable_by_key(|(stack, row)| (*stack, row.key()));
        self.rows.dedup_by(|(stack, row), (kept_stack, kept)| {
            let is_same = stack == kept_stack && row.key() == kept.key();
            if is_same {
                kept.add(row);
            }
            is_same
        });
    }

    /// One row of the table for every stack.
    pub fn finish(mut self, stacks: usize) -> Ragged<T> {
        self.put_together();
        Ragged::from_sorted(stacks, self.rows)
    }
}
