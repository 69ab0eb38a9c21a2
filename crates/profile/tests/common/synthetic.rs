//! Large profiles with the skew of real ones: deep shared call paths, few hot
//! stacks and many cold ones, most blocks freed again.

use std::collections::HashMap;

use residue_profile::*;

pub struct Random(u64);

impl Random {
    pub fn new() -> Self {
        Random::with_seed(1)
    }

    /// Any but zero.
    pub fn with_seed(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    /// As often between 1 and 2 as between 1000 and 2000: a long tail.
    pub fn skewed(&mut self, max_bits: u64) -> u64 {
        let bits = self.below(max_bits + 1);
        self.below(1 << bits)
    }
}

pub fn large(stacks: usize, nodes: usize) -> Profile {
    let mut random = Random::new();
    let mut profile = super::sample();
    let functions = nodes / 30;
    let frames = nodes / 10;
    profile.functions = (0..functions)
        .map(|index| {
            let namespace = index / 40;
            let class = random.below(300);
            format!("_ZN6server{namespace}5Class{class}I4ItemE12method_{index}ERKSt6vectorIiE")
        })
        .collect();
    profile.frames = (0..frames)
        .map(|_| Frame {
            module: random.skewed(1) as u32,
            address: random.below(40 << 20),
            function: random.below(functions as u64) as u32,
        })
        .collect();
    profile.nodes = vec![Node {
        parent: ROOT,
        frame: NONE,
    }];
    let mut seen = HashMap::new();
    for index in 1..nodes as u64 {
        // Mostly one call deeper than the node before, at times a branch far up.
        let reach = 1 << random.below(20);
        let back = match random.below(3) {
            0 => 1 + random.below(index.min(reach)),
            _ => 1,
        };
        let parent = (index - back) as u32;
        // Each frame calls few others, and frames are numbered as they appear.
        let caller = u64::from(profile.nodes[parent as usize].frame);
        let callee = Random(1 + caller * 1024 + random.skewed(6)).below(frames as u64);
        let next = seen.len() as u32;
        profile.nodes.push(Node {
            parent,
            frame: *seen.entry(callee).or_insert(next),
        });
    }
    profile.stacks.clear();
    profile.sizes_total = Ragged::default();
    profile.sizes_live = Ragged::default();
    profile.births = Ragged::default();
    for index in 0..stacks {
        let node = (index * nodes / stacks) as u64 + random.below(nodes as u64 / stacks as u64);
        add_stack(&mut profile, node as u32, &mut random);
    }
    profile
}

fn add_stack(profile: &mut Profile, node: NodeId, random: &mut Random) {
    let size = 16 + 8 * random.skewed(12);
    let calls = 1 + random.skewed(24);
    let live = match random.below(4) {
        0 => random.below(calls.min(200)),
        _ => 0,
    };
    let peak = live + random.below(calls - live);
    profile.stacks.push(Stack {
        node,
        kind: StackKind::Heap,
        counters: Counters {
            calls,
            frees: calls - live,
            total_bytes: calls * size,
            live_bytes: live * size,
            live_blocks: live,
            peak_bytes: peak * size,
            at_peak_bytes: live * size,
            at_peak_blocks: live,
            reallocs_in_place: random.skewed(2),
            reallocs_moved: random.skewed(4),
            temporaries: random.below(calls),
        },
    });
    let bits = (64 - size.leading_zeros()) as u8;
    let bins = 1 + random.skewed(2);
    profile.sizes_total.push_row((0..bins).map(|bin| SizeBin {
        bits: bits + bin as u8,
        blocks: calls / bins,
    }));
    profile
        .sizes_live
        .push_row((live > 0).then_some(SizeBin { bits, blocks: live }));
    let mut births: Vec<u32> = (0..live.min(8))
        .map(|_| random.below(3600) as u32)
        .collect();
    births.sort_unstable();
    profile
        .births
        .push_row(births.into_iter().map(|birth| BirthBin {
            birth,
            blocks: 1 + live / 8,
            bytes: (1 + live / 8) * size,
        }));
}
