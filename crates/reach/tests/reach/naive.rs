//! Small memories at random, and what the slowest way says about them.

use crate::picture::{GLOBALS, Picture};
use residue_reach::{
    BlockId, Chains, Dominator, Dominators, Graph, Heap, Holder, Lost, Marks, Origins, Root,
    RootWords, Shapes, State, lost_cycles,
};
use residue_testkit::random::Random;

/// Who points to whom by trying all blocks for all words.
struct Naive {
    count: usize,
    /// From a block to the blocks that it holds.
    holds: Vec<Vec<bool>>,
    /// From a block to those whose start it points to, with a tag or without.
    starts: Vec<Vec<bool>>,
    /// By the words of the roots.
    roots: Vec<(u32, u64, usize)>,
    root_starts: Vec<bool>,
}

fn is_start(heap: &Heap, target: usize, word: u64) -> bool {
    let start = heap.block(BlockId(target as u32)).start;
    word == start || start.is_multiple_of(8) && word - start < 8
}

/// The smallest block that contains the address.
fn owner(heap: &Heap, address: u64) -> Option<usize> {
    let contains = |id: &BlockId| {
        let block = heap.block(*id);
        (block.start..block.start + block.bytes.max(1)).contains(&address)
    };
    let inside = heap.ids().filter(contains);
    // Of equal ones the last is taken for the inner one.
    inside
        .map(|id| (heap.bytes(id).max(1), std::cmp::Reverse(id.0)))
        .min()
        .map(|(_, id)| id.0 as usize)
}

fn word_at(picture: &Picture, address: u64) -> u64 {
    let mut bytes = [0; 8];
    residue_reach::Memory::read(picture, address, &mut bytes);
    u64::from_le_bytes(bytes)
}

impl Naive {
    fn new(picture: &Picture, heap: &Heap) -> Self {
        let count = heap.len();
        let mut holds = vec![vec![false; count]; count];
        let mut starts = holds.clone();
        for id in heap.ids() {
            let block = heap.block(id);
            let from = id.0 as usize;
            for address in block.start.next_multiple_of(8)..(block.start + block.bytes) {
                if address % 8 != 0 || (0..8).any(|byte| owner(heap, address + byte) != Some(from))
                {
                    continue;
                }
                let word = word_at(picture, address);
                if let Some(target) = owner(heap, word)
                    && target != from
                {
                    holds[from][target] = true;
                    starts[from][target] |= is_start(heap, target, word);
                }
            }
            // The smallest of those that come before it and contain it.
            let range = |id: BlockId| {
                let block = heap.block(id);
                (block.start, block.start + block.bytes.max(1))
            };
            let (start, end) = range(id);
            let outer = (0..id.0).rev().find(|&outer| {
                let (first, last) = range(BlockId(outer));
                first <= start && end <= last
            });
            if let Some(outer) = outer {
                holds[from][outer as usize] = true;
            }
        }
        let mut roots = Vec::new();
        let mut root_starts = vec![false; count];
        for (number, root) in (0..).zip(&picture.roots) {
            let words: Vec<(u64, u64)> = match &root.words {
                RootWords::Values(values) => (0..).zip(values.iter().copied()).collect(),
                RootWords::Range(range) => {
                    let addresses = range.clone().step_by(8);
                    addresses.map(|at| (at, word_at(picture, at))).collect()
                }
            };
            for (at, word) in words {
                if let Some(target) = owner(heap, word) {
                    root_starts[target] |= is_start(heap, target, word);
                    roots.push((number, at, target));
                }
            }
        }
        Naive {
            count,
            holds,
            starts,
            roots,
            root_starts,
        }
    }

    /// How far each block is from the nearest of these, without going through one.
    fn distances(&self, from: &[usize], without: Option<usize>) -> Vec<Option<u32>> {
        let mut distances = vec![None; self.count];
        let mut level: Vec<usize> = from.to_vec();
        let mut distance = 0;
        while !level.is_empty() {
            let mut next = Vec::new();
            for &block in &level {
                if distances[block].is_none() && Some(block) != without {
                    distances[block] = Some(distance);
                    next.extend((0..self.count).filter(|&to| self.holds[block][to]));
                }
            }
            level = next;
            distance += 1;
        }
        distances
    }

    fn root_targets(&self, without: Option<(u32, u64)>) -> Vec<usize> {
        let words = self.roots.iter();
        let words = words.filter(|&&(root, at, _)| Some((root, at)) != without);
        words.map(|&(_, _, target)| target).collect()
    }

    /// The lowest rank of a root that reaches each block, and how far it is from those.
    fn ranked_distances(&self, roots: &[Root]) -> Vec<Option<(u8, u32)>> {
        let mut ranked = vec![None; self.count];
        for rank in 0..2 {
            let words = self
                .roots
                .iter()
                .filter(|word| roots[word.0 as usize].rank == rank);
            let from: Vec<usize> = words.map(|&(_, _, target)| target).collect();
            for (slot, distance) in ranked.iter_mut().zip(self.distances(&from, None)) {
                *slot = slot.or(distance.map(|distance| (rank, distance)));
            }
        }
        ranked
    }

    fn states(&self) -> Vec<State> {
        let held = self.distances(&self.root_targets(None), None);
        let reach: Vec<_> = (0..self.count)
            .map(|block| self.distances(&[block], None))
            .collect();
        let state = |block: usize| {
            if held[block].is_some() {
                return State::Held;
            }
            let above: Vec<usize> = (0..self.count)
                .filter(|&other| other != block && held[other].is_none())
                .filter(|&other| reach[other][block].is_some())
                .collect();
            if above.is_empty() {
                State::Lost
            } else if above.iter().all(|&other| reach[block][other].is_some()) {
                State::LostInCycle
            } else {
                State::HeldByLost
            }
        };
        (0..self.count).map(state).collect()
    }
}

fn random_picture(random: &mut Random) -> Picture {
    let mut picture = Picture::new();
    // A few words of roots, else nothing is ever lost.
    picture.roots.clear();
    picture.root(1, GLOBALS, 8 * random.below(6));
    let count = random.below(24) + 1;
    let mut places: Vec<(u64, u64)> = Vec::new();
    for number in 0..count {
        let stack = random.below(5) as u32;
        let into = if random.one_in(3) && !places.is_empty() {
            Some(random.pick(&places))
        } else {
            None
        };
        match into {
            // Inside another, in a part that no other inner block has.
            Some((start, bytes)) if bytes >= 68 => {
                let offset = 16 * random.below(2) + 4 * random.below(2);
                let inner = picture.block_at(start + offset, 8 + random.below(40), stack);
                places.retain(|&(known, _)| known != start);
                places.push((inner, 0));
            }
            _ => {
                let bytes = random.below(30) * 4;
                let start = 0x20_0000 + number * 256 + 4 * random.below(4);
                places.push((picture.block_at(start, bytes, stack), bytes));
            }
        }
        picture.blocks.last_mut().unwrap().birth = random.below(3) as u32;
    }
    let blocks = picture.blocks.clone();
    let pointer = |random: &mut Random| {
        let block = random.pick(&blocks);
        block.start
            + if random.one_in(3) {
                random.below(block.bytes + 9)
            } else {
                0
            }
    };
    let density = random.pick(&[2, 8, 16]);
    for block in &blocks {
        for offset in (0..block.bytes.saturating_sub(7)).step_by(4) {
            if random.one_in(density) {
                let word = pointer(random);
                picture.put(block.start + offset, word);
            }
        }
    }
    if let RootWords::Range(range) = picture.roots[0].words.clone() {
        for at in range.step_by(8) {
            let word = pointer(random);
            picture.put(at, word);
        }
    }
    if random.one_in(2) {
        let values = vec![pointer(random), 5, pointer(random)];
        picture.roots.push(Root {
            id: 2,
            rank: random.below(2) as u8,
            words: RootWords::Values(values),
        });
    }
    picture
}

#[test]
fn random_memories_get_the_answers_of_the_slowest_way() {
    let mut random = Random::new(20);
    let mut seen = [0; 4];
    for round in 0..1500 {
        let picture = random_picture(&mut random);
        let graph = picture.graph();
        let naive = Naive::new(&picture, graph.heap());
        let marks = Marks::new(&graph);
        let expected = naive.states();
        let states: Vec<State> = graph.heap().ids().map(|id| marks.state(id)).collect();
        assert_eq!(states, expected, "round {round}");
        for &state in &states {
            seen[state as usize] += 1;
        }
        compare_interior(&graph, &marks, &naive, &states);
        compare_holders(&graph, &marks, &naive);
        compare_dominators(&graph, &naive);
        compare_sums(&graph, &marks);
        Shapes::new(&graph);
    }
    // The memories are not all alike.
    assert!(seen.iter().all(|&blocks| blocks > 100), "{seen:?}");
}

/// Of what is held only pointers count that are held themselves.
fn compare_interior(graph: &Graph, marks: &Marks, naive: &Naive, states: &[State]) {
    for id in graph.heap().ids() {
        let block = id.0 as usize;
        let is_held = |block: usize| states[block] == State::Held;
        let mut from = (0..naive.count).filter(|&from| is_held(from) || !is_held(block));
        let is_start = naive.root_starts[block] || from.any(|from| naive.starts[from][block]);
        let expected = !is_start && states[block] != State::Lost;
        assert_eq!(marks.is_interior_only(id), expected);
    }
}

/// Every held block is one step further from a root than its holder, and as near as it can be.
fn compare_holders(graph: &Graph, marks: &Marks, naive: &Naive) {
    let distances = naive.ranked_distances(graph.roots());
    for id in graph.heap().ids() {
        let block = id.0 as usize;
        match marks.holder(id) {
            Some(Holder::Root(word)) => {
                assert_eq!(distances[block].unwrap().1, 0);
                assert_eq!(graph.root_words()[word].target, id);
            }
            Some(Holder::Block(holder)) => {
                let holder = holder.0 as usize;
                assert!(naive.holds[holder][block]);
                if let Some((rank, distance)) = distances[block] {
                    assert_eq!(distances[holder], Some((rank, distance - 1)));
                }
            }
            None => assert_eq!(distances[block], None),
        }
    }
}

fn compare_dominators(graph: &Graph, naive: &Naive) {
    let origins = Origins::each_word(graph);
    let dominators = Dominators::new(graph, &origins);
    let held = naive.distances(&naive.root_targets(None), None);
    let by_block = |by: usize| naive.distances(&naive.root_targets(None), Some(by));
    let by_origin = |origin: u32| {
        let word = graph.root_words()[origins.words(origin)[0] as usize];
        naive.distances(&naive.root_targets(Some((word.root, word.at))), None)
    };
    let blocks = (0..naive.count).map(|by| (Dominator::Block(BlockId(by as u32)), by_block(by)));
    let words = (0..origins.len() as u32).map(|by| (Dominator::Origin(by), by_origin(by)));
    let mut dominates = vec![Vec::new(); naive.count];
    for (by, rest) in blocks.chain(words) {
        let mut retained = 0;
        for block in (0..naive.count).filter(|&block| held[block].is_some()) {
            let id = BlockId(block as u32);
            let is_dominated = rest[block].is_none();
            assert_eq!(dominators.is_dominated(id, by), is_dominated);
            if is_dominated {
                dominates[block].push(by);
                retained += own_bytes(graph.heap(), id);
            }
        }
        assert_eq!(dominators.retained_bytes(by), retained);
    }
    // The immediate one is dominated by all others but the block itself.
    for (block, above) in dominates.iter().enumerate() {
        let id = BlockId(block as u32);
        let immediate = dominators.dominator(id);
        assert_eq!(immediate.is_some(), above.len() > 1);
        for &other in above.iter().filter(|&&other| other != Dominator::Block(id)) {
            let nearest = immediate.unwrap();
            let is_above = match nearest {
                Dominator::Block(nearest) => dominators.is_dominated(nearest, other),
                Dominator::Origin(_) => nearest == other,
            };
            assert!(is_above);
        }
    }
    for head in dominators.heads() {
        assert!(head.dominated.bytes * 2 > head.all.bytes);
        let of_stack = graph
            .heap()
            .ids()
            .filter(|&id| graph.heap().stack(id) == head.stack);
        let below = of_stack.filter(|&id| dominators.is_dominated(id, head.head));
        let bytes: u64 = below.map(|id| graph.heap().bytes(id)).sum();
        assert_eq!(head.dominated.bytes, bytes);
    }
}

fn own_bytes(heap: &Heap, id: BlockId) -> u64 {
    let inner = heap.ids().filter(|&inner| heap.outer(inner) == Some(id));
    heap.bytes(id) - inner.map(|inner| heap.bytes(inner)).sum::<u64>()
}

/// Nothing is counted twice or left out.
fn compare_sums(graph: &Graph, marks: &Marks) {
    let all: u64 = graph.heap().ids().map(|id| graph.heap().bytes(id)).sum();
    let lost = Lost::new(graph, marks);
    assert_eq!(
        lost.sums().iter().map(|sum| sum.amount.bytes).sum::<u64>(),
        all
    );
    assert_eq!(
        lost.stacks()
            .iter()
            .map(|sums| sums.all().bytes)
            .sum::<u64>(),
        all
    );
    let held: u64 = lost.stacks().iter().map(|sums| sums.held.bytes).sum();
    let origins = Origins::each_word(graph);
    let mut in_chains = 0;
    for stack in Chains::new(graph, marks, &origins, 2).stacks() {
        let shown: u64 = stack.chains.iter().map(|chain| chain.amount().bytes).sum();
        assert_eq!(shown + stack.left_out.bytes, stack.amount.bytes);
        assert!(stack.chains.len() <= 2);
        in_chains += stack.amount.bytes;
    }
    assert_eq!(in_chains, held);
    let cycles: u64 = lost_cycles(graph, marks)
        .iter()
        .map(|kind| kind.amount.bytes)
        .sum();
    let in_cycle: u64 = lost
        .stacks()
        .iter()
        .map(|sums| sums.lost_in_cycle.bytes)
        .sum();
    assert_eq!(cycles, in_cycle);
}
