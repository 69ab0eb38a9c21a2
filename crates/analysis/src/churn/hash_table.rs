//! Hash tables of libstdc++, filled one by one: how many elements they held.
//!
//! Such a table gets one array of buckets after another, each with a known number of them
//! ([`super::bucket_counts`]), when it has more elements than buckets (a load factor of 1, which
//! is the default). So the exact sum of the arrays' bytes proves what they are, and the last two
//! arrays of a table say between which limits its elements lie.
//!
//! Each element is a node, a block of its own, which the same call of `insert` or `operator[]`
//! makes: its stack parts from that of the buckets a few frames above both. The nearest stack
//! whose blocks all have the size that a node can have, as many of them at once as the buckets
//! allow, counts the elements. Where stacks equally near say different numbers, none is taken.

use super::bucket_counts::{grown, reserved};
use super::growing::{Evidence, FEWEST_STEPS, Growing, bits};
use super::{Blocks, Limits};
use residue_profile::{NodeId, Profile, ROOT};
use rustc_hash::FxHashMap;

/// A pointer.
const BUCKET_BYTES: u64 = 8;
/// A pointer to the next, and an element.
const SMALLEST_NODE_BYTES: u64 = 16;
/// Frames from an allocation up to the function in which the paths of buckets and nodes part:
/// nine where nothing is inlined.
const NEAREST_FRAMES: usize = 12;

/// Tables of one stack, by how far they went.
pub struct Tables(Vec<Ended>);

/// Tables that ended with the same array.
#[derive(Clone, Copy)]
struct Ended {
    tables: u64,
    buckets: u64,
    /// Of the array before, which had become too small.
    buckets_before: u64,
}

impl Tables {
    pub fn of(blocks: &Blocks<'_>) -> Option<Tables> {
        let first = blocks.total.first()?.blocks;
        if blocks.total.len() < FEWEST_STEPS
            || blocks.reallocations() > 0
            || !blocks.can_be(first)
            || blocks.is_held(first)
        {
            return None;
        }
        let mut ended: Vec<Ended> = Vec::new();
        let mut sum_bytes = 0_u64;
        let mut buckets_before = 0;
        let mut counts = grown();
        for (place, bin) in blocks.total.iter().enumerate() {
            let buckets = counts.next()?;
            let array_bytes = buckets * BUCKET_BYTES;
            let went_on = blocks.total.get(place + 1).map_or(0, |next| next.blocks);
            if bin.bits != bits(array_bytes) {
                return None;
            }
            sum_bytes = sum_bytes.checked_add(array_bytes.checked_mul(bin.blocks)?)?;
            // More arrays than of the size before are no growth.
            match bin.blocks.checked_sub(went_on)? {
                0 => (),
                tables => ended.push(Ended {
                    tables,
                    buckets,
                    buckets_before,
                }),
            }
            buckets_before = buckets;
        }
        (sum_bytes == blocks.counters.total_bytes).then_some(Tables(ended))
    }

    /// What the arrays alone say.
    pub fn growing(&self) -> Growing {
        Growing {
            evidence: Evidence::HashTable,
            containers: Some(self.count()),
            final_bytes: Limits::exactly(self.sum(|ended| ended.buckets * BUCKET_BYTES)),
            elements: Some(Limits {
                low: self.sum(|ended| ended.buckets_before + 1),
                high: self.sum(|ended| ended.buckets),
            }),
            reserved_bytes: Limits {
                low: self.sum(|ended| match ended.buckets_before {
                    // A table of few elements may need no array.
                    0 => 0,
                    before => reserved(before + 1).unwrap_or(0) * BUCKET_BYTES,
                }),
                high: self.sum(|ended| ended.buckets * BUCKET_BYTES),
            },
        }
    }

    fn count(&self) -> u64 {
        self.sum(|_| 1)
    }

    /// No more than the sum of all arrays, which is known to be a number.
    fn sum(&self, of_one: impl Fn(&Ended) -> u64) -> u64 {
        let of_all = |ended: &Ended| ended.tables.saturating_mul(of_one(ended));
        self.0.iter().map(of_all).fold(0, u64::saturating_add)
    }

    /// The elements of each table, where these are its nodes and all tables held as many.
    fn elements_of_each(&self, nodes: &Nodes) -> Option<u64> {
        let [ended] = self.0[..] else {
            return None;
        };
        let is_each = match ended.tables {
            1 => true,
            // The fullest held no more than all of them on average.
            tables => nodes.most.checked_mul(tables) == Some(nodes.calls),
        };
        let is_possible = (ended.buckets_before + 1..=ended.buckets).contains(&nodes.most);
        (is_each && is_possible).then_some(nodes.most)
    }
}

/// Blocks of one size that may be the nodes of a table.
#[derive(Clone, Copy)]
struct Nodes {
    calls: u64,
    /// At once.
    most: u64,
}

impl Nodes {
    fn of(blocks: &Blocks<'_>) -> Option<Nodes> {
        let node_bytes = blocks.mean_bytes()?;
        let peak_bytes = blocks.counters.peak_bytes;
        let is_node = node_bytes >= SMALLEST_NODE_BYTES
            && node_bytes.is_multiple_of(BUCKET_BYTES)
            && peak_bytes.is_multiple_of(node_bytes)
            && blocks.reallocations() == 0;
        is_node.then(|| Nodes {
            calls: blocks.counters.calls,
            most: peak_bytes / node_bytes,
        })
    }
}

/// Gives hash tables the number of their elements, where nodes tell it.
pub fn count_elements(
    profile: &Profile,
    stacks: &[Blocks<'_>],
    growing: &mut [(Blocks<'_>, Growing)],
) {
    let mut tables: Vec<(&Blocks<'_>, &mut Growing, Tables)> = Vec::new();
    for (blocks, growing) in growing {
        if growing.evidence == Evidence::HashTable
            && let Some(of_stack) = Tables::of(blocks)
        {
            tables.push((blocks, growing, of_stack));
        }
    }
    let mut near: FxHashMap<NodeId, Vec<Nodes>> = FxHashMap::default();
    for (blocks, ..) in &tables {
        near.extend(callers(profile, blocks).map(|caller| (caller, Vec::new())));
    }
    if near.is_empty() {
        return;
    }
    for blocks in stacks {
        let Some(nodes) = Nodes::of(blocks) else {
            continue;
        };
        for caller in callers(profile, blocks) {
            near.entry(caller).and_modify(|found| found.push(nodes));
        }
    }
    for (blocks, growing, tables) in tables {
        let found = callers(profile, blocks).find_map(|caller| {
            let mut each = near[&caller]
                .iter()
                .filter_map(|nodes| tables.elements_of_each(nodes));
            let first = each.next()?;
            Some(each.all(|other| other == first).then_some(first))
        });
        if let Some(Some(each)) = found
            && let Some(buckets) = reserved(each)
        {
            let of_all = |of_one: u64| Limits::exactly(tables.sum(|_| of_one));
            growing.elements = Some(of_all(each));
            growing.reserved_bytes = of_all(buckets * BUCKET_BYTES);
        }
    }
}

/// The frames that called, the nearest first.
fn callers<'a>(profile: &'a Profile, blocks: &Blocks<'_>) -> impl Iterator<Item = NodeId> + 'a {
    let leaf = profile.stacks[blocks.stack as usize].node;
    let parent = |&node: &NodeId| Some(profile.nodes.get(node as usize)?.parent);
    let with_leaf = std::iter::successors(Some(leaf), parent);
    with_leaf
        .take_while(|&node| node != ROOT)
        .skip(1)
        .take(NEAREST_FRAMES)
}
