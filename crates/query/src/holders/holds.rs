//! From a stack down: which blocks chains reach through its own.
//!
//! ```text
//!   root ──► A ──► B ──► C ──► C     A holds B directly, and C over B;
//!                                    nodes of C that hold each other are one
//! ```

use residue_profile::holders::{Chain, Step};
use residue_profile::timeline::StackId;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Blocks of a stack that are reached through those of another.
#[derive(Debug, PartialEq)]
pub struct Held<'a> {
    pub stack: StackId,
    pub blocks: u64,
    pub bytes: u64,
    /// Stacks on the shortest way between.
    pub between: usize,
    /// The other's step, on the way that most of them are reached by.
    pub by: &'a Step,
}

/// Of all chains through a stack where they lead, most bytes first. Of one stack those with the most
/// bytes come first.
pub fn of(chains: &[Chain], stack: StackId) -> Vec<Held<'_>> {
    let mut held: BTreeMap<StackId, Held<'_>> = BTreeMap::new();
    for chain in chains.iter().filter(|chain| chain.stack != stack) {
        let Some(place) = chain.steps.iter().rposition(|step| step.stack == stack) else {
            continue;
        };
        let behind = chain.steps[place + 1..].iter();
        let between = behind.filter(|step| step.stack != chain.stack).count();
        let of = held.entry(chain.stack).or_insert(Held {
            stack: chain.stack,
            blocks: 0,
            bytes: 0,
            between,
            by: &chain.steps[place],
        });
        of.blocks = of.blocks.saturating_add(chain.blocks);
        of.bytes = of.bytes.saturating_add(chain.bytes);
        of.between = of.between.min(between);
    }
    let mut held: Vec<Held<'_>> = held.into_values().collect();
    held.sort_by_key(|of| (Reverse(of.bytes), of.stack));
    held
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_profile::holders::Holder;

    fn step(stack: StackId) -> Step {
        Step {
            stack,
            offset: Some(8 * u64::from(stack)),
            is_repeated: false,
            shape: None,
            elements: 0,
        }
    }

    fn chain(stack: StackId, blocks: u64, steps: &[StackId]) -> Chain {
        Chain {
            stack,
            blocks,
            bytes: 100 * blocks,
            root: Holder::default(),
            steps: steps.iter().map(|&stack| step(stack)).collect(),
        }
    }

    #[test]
    fn chains_are_followed_down() {
        let chains = [
            chain(1, 2, &[]),
            chain(2, 3, &[1]),
            chain(3, 50, &[1, 2, 3]),
            chain(3, 4, &[9, 1, 3]),
            chain(4, 60, &[9]),
        ];
        let of = |stack| {
            let found = of(&chains, stack).into_iter();
            let rows = found.map(|of| (of.stack, of.blocks, of.bytes, of.between, of.by.stack));
            rows.collect::<Vec<_>>()
        };
        assert_eq!(of(1), [(3, 54, 5400, 0, 1), (2, 3, 300, 0, 1)]);
        assert_eq!(of(2), [(3, 50, 5000, 0, 2)]);
        assert_eq!(of(9), [(4, 60, 6000, 0, 9), (3, 4, 400, 1, 9)]);
        // What it holds of its own is no other's.
        assert_eq!(of(3), []);
        assert_eq!(of(7), []);
    }
}
