//! Input that no program makes: nothing may panic, and everything comes to an end.

use residue_reach::{
    Block, Chains, Dominators, Graph, Heap, Lost, Marks, Memory, Origins, Root, RootWords, Shapes,
};
use residue_testkit::random::Random;

/// Every word is the same function of its address, or is not there.
struct Anything {
    seed: u64,
    targets: Vec<u64>,
}

impl Memory for Anything {
    fn read(&self, address: u64, into: &mut [u8]) -> usize {
        let mut random = Random::new(address ^ self.seed);
        if random.one_in(8) {
            return 0;
        }
        // Sometimes more than was asked for, which cannot be.
        let bytes = random.index(into.len() + 1);
        for word in into.chunks_exact_mut(8) {
            let target = if random.one_in(3) {
                random.bits()
            } else {
                random.pick(&self.targets).wrapping_add(random.below(20))
            };
            word.copy_from_slice(&target.to_le_bytes());
        }
        if random.one_in(100) {
            usize::MAX
        } else {
            bytes
        }
    }

    fn next_readable(&self, address: u64) -> u64 {
        let mut random = Random::new(address);
        let further = address.wrapping_add(1 << random.below(63));
        // Even where that leads back.
        random.pick(&[0, address, further, u64::MAX])
    }
}

fn ask_everything(graph: &Graph) {
    let marks = Marks::new(graph);
    let origins = Origins::by(graph, |word| word.at % 3);
    Lost::new(graph, &marks);
    Chains::new(graph, &marks, &origins, 1);
    Chains::new(graph, &marks, &origins, 0);
    Dominators::new(graph, &origins).largest(3);
    Shapes::new(graph);
    for id in graph.heap().ids() {
        marks.offset_in_holder(graph, id);
    }
}

#[test]
fn blocks_and_memory_at_random() {
    let mut random = Random::new(6);
    for seed in 0..400 {
        let width = random.pick(&[10, 20, 64]);
        let address = |random: &mut Random| match random.below(10) {
            0 => u64::MAX - random.below(100),
            _ if width == 64 => random.bits(),
            _ => 0x1000_0000 + random.below(1 << width),
        };
        let count = random.below(60);
        let blocks: Vec<Block> = (0..count)
            .map(|_| Block {
                start: address(&mut random),
                bytes: if random.one_in(20) {
                    random.skewed(24)
                } else {
                    random.below(200)
                },
                stack: random.below(4) as u32,
                birth: random.bits() as u32,
            })
            .collect();
        let mut targets: Vec<u64> = blocks.iter().map(|block| block.start).collect();
        targets.push(0);
        let start = address(&mut random);
        let roots = vec![
            Root {
                id: 1,
                rank: 0,
                words: RootWords::Range(start..start.saturating_add(random.below(500))),
            },
            Root {
                id: 1,
                rank: 0,
                words: RootWords::Values(targets[..targets.len().min(3)].to_vec()),
            },
            // The wrong way round.
            #[expect(clippy::reversed_empty_ranges)]
            Root {
                id: 3,
                rank: 0,
                words: RootWords::Range(5000..3),
            },
        ];
        let memory = Anything { seed, targets };
        ask_everything(&Graph::scan(Heap::new(blocks), roots, &memory, &|_, _| ()));
    }
}

struct Nothing;

impl Memory for Nothing {
    fn read(&self, _: u64, _: &mut [u8]) -> usize {
        0
    }
}

#[test]
fn claims_of_the_whole_address_space() {
    let block = |start: u64| Block {
        start,
        bytes: u64::MAX,
        stack: 0,
        birth: 0,
    };
    let blocks = (0..2000).map(|place| block(place << 50)).collect();
    let roots = vec![Root {
        id: 0,
        rank: 0,
        words: RootWords::Range(0..u64::MAX),
    }];
    let graph = Graph::scan(Heap::new(blocks), roots, &Nothing, &|_, _| ());
    ask_everything(&graph);
    // They all end where addresses do.
    assert_eq!(graph.heap().overlapped_blocks(), 0);
}

#[test]
fn the_same_block_again_and_again() {
    let block = Block {
        start: 0x1000,
        bytes: 64,
        stack: 1,
        birth: 1,
    };
    let graph = Graph::scan(
        Heap::new(vec![block; 300_000]),
        vec![],
        &Nothing,
        &|_, _| (),
    );
    ask_everything(&graph);
    let outermost = graph.heap().ids().next().unwrap();
    assert_eq!(graph.heap().outer(outermost), None);
}

#[test]
fn blocks_that_all_overlap() {
    let blocks = (0..300_000).map(|place| Block {
        start: 0x1000 + place * 8,
        bytes: 1 << 30,
        stack: 1,
        birth: 1,
    });
    let graph = Graph::scan(Heap::new(blocks.collect()), vec![], &Nothing, &|_, _| ());
    ask_everything(&graph);
    assert_eq!(graph.heap().overlapped_blocks(), 299_999);
}

#[test]
fn nothing_at_all() {
    let graph = Graph::scan(Heap::new(vec![]), vec![], &Nothing, &|_, _| ());
    ask_everything(&graph);
    assert!(graph.heap().is_empty());
}
