//! How long it takes and how much memory it needs, for two million blocks in a gigabyte, or as
//! many as the environment says:
//!
//! ```text
//! cargo test --release -p residue-reach --test reach -- --ignored --nocapture large
//! REACH_BLOCKS=4000000 REACH_GIB=4 cargo test ...
//! ```

use residue_reach::{
    Block, Chains, Dominators, Graph, Heap, Lost, Marks, Memory, Origins, Root, RootWords, Shapes,
};
use residue_testkit::random::Random;

const START: u64 = 0x7f00_0000_0000;
/// A few stacks make most blocks, and up to this many bits of them there are.
const STACK_BITS: u64 = 14;
const ROOT_WORDS: u64 = 10_000;

/// The first page is the root.
struct Gigabyte(Vec<u8>);

impl Memory for Gigabyte {
    fn read(&self, address: u64, into: &mut [u8]) -> usize {
        let from = (address - START) as usize;
        let bytes = into.len().min(self.0.len().saturating_sub(from));
        into[..bytes].copy_from_slice(&self.0[from..from + bytes]);
        bytes
    }
}

impl Gigabyte {
    fn put(&mut self, address: u64, word: u64) {
        let from = (address - START) as usize;
        self.0[from..from + 8].copy_from_slice(&word.to_le_bytes());
    }
}

fn number_in_environment(key: &str) -> Option<u64> {
    std::env::var(key).ok()?.parse().ok()
}

/// Most blocks are small, most bytes in large ones. Of small ones every eighth word is a
/// pointer, of large ones every 64th; the others look like numbers, like text, or are zero.
fn made_up(count: u64, memory_bytes: u64) -> (Gigabyte, Vec<Block>) {
    let large_bits = u64::from((memory_bytes / count).ilog2()) + 7;
    let mut random = Random::new(8);
    let mut memory = Gigabyte(vec![0; memory_bytes as usize]);
    let mut blocks = Vec::new();
    let mut at = START + ROOT_WORDS * 8;
    let end = START + memory_bytes;
    while (blocks.len() as u64) < count && at + (1 << large_bits) + 4096 < end {
        let bytes = if random.one_in(16) {
            random.skewed(large_bits)
        } else {
            16 + random.below(200)
        };
        blocks.push(Block {
            start: at,
            bytes,
            stack: random.skewed(STACK_BITS) as u32,
            birth: (blocks.len() as u64 * 1000 / count) as u32,
        });
        at += (bytes + 8).next_multiple_of(16).max(32);
        // Room that is free.
        if random.one_in(8) {
            at += random.below(1700) & !15;
        }
    }
    for place in 0..blocks.len() {
        let block = blocks[place];
        for word in 0..block.bytes / 8 {
            let is_sparse = block.bytes > 1024 && !random.one_in(8);
            let value = match random.below(16) {
                0 | 1 if !is_sparse => pointer(&mut random, &blocks, place),
                0..8 => random.skewed(40),
                8..12 => random.bits() & 0x7f7f_7f7f_7f7f_7f7f,
                _ => 0,
            };
            memory.put(block.start + word * 8, value);
        }
    }
    for word in 0..ROOT_WORDS {
        let place = random.index(blocks.len());
        memory.put(START + word * 8, blocks[place].start);
    }
    (memory, blocks)
}

/// Half of them are near, a few point behind the start.
fn pointer(random: &mut Random, blocks: &[Block], from: usize) -> u64 {
    let place = if random.one_in(2) {
        (from + random.index(100)).min(blocks.len() - 1)
    } else {
        random.index(blocks.len())
    };
    let inside = if random.one_in(10) {
        random.below(64)
    } else {
        0
    };
    blocks[place].start + inside
}

/// Of this process, from what Linux says.
fn status_bytes(key: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(key));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number.and_then(|number| number.parse().ok()).unwrap_or(0) * 1024
}

/// Of this process in user mode and in the kernel: other processes do not count.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, in brackets, may have blanks.
    let fields = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace();
    let ticks: u64 = fields
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    // Of 10 ms, on every Linux there is.
    ticks as f64 / 100.0
}

struct Table {
    before_bytes: u64,
    blocks: u64,
    gigabytes: f64,
}

impl Table {
    /// One step, with its time and the highest memory until its end.
    fn row<T>(&self, name: &str, step: impl FnOnce() -> T) -> T {
        // Begin the peak anew; where that is forbidden it is that of all steps so far.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        let start = cpu_seconds();
        let result = step();
        let seconds = cpu_seconds() - start;
        let per_block = |key| (status_bytes(key).saturating_sub(self.before_bytes)) / self.blocks;
        println!(
            "{name:12} {seconds:8.2} CPU s {:8.2} s/GB {:6} B/block at its peak {:6} B/block after",
            seconds / self.gigabytes,
            per_block("VmHWM"),
            per_block("VmRSS"),
        );
        result
    }
}

#[test]
#[ignore = "measures; needs 1.5 GiB"]
fn large_memories() {
    let count = number_in_environment("REACH_BLOCKS").unwrap_or(2_000_000);
    let memory_bytes = number_in_environment("REACH_GIB").unwrap_or(1) << 30;
    let (memory, blocks) = made_up(count, memory_bytes);
    let given_bytes = (blocks.capacity() * size_of::<Block>()) as u64;
    let table = Table {
        before_bytes: status_bytes("VmRSS").saturating_sub(given_bytes),
        blocks: blocks.len() as u64,
        gigabytes: memory_bytes as f64 / 1e9,
    };
    println!("{} blocks, {memory_bytes} bytes of memory", blocks.len());
    let roots = vec![Root {
        id: 1,
        rank: 0,
        words: RootWords::Range(START..START + ROOT_WORDS * 8),
    }];
    let heap = table.row("Heap", || Heap::new(blocks));
    let graph = table.row("Graph", || Graph::scan(heap, roots, &memory, &|_, _| ()));
    let counts = graph.counts();
    let pointers = counts.start_pointers + counts.tagged_pointers + counts.interior_pointers;
    println!(
        "{} bytes scanned, {pointers} pointers, {} bytes kept",
        counts.block_bytes,
        graph.heap_bytes()
    );
    let marks = table.row("Marks", || Marks::new(&graph));
    println!("{} held", marks.held_blocks());
    table.row("Lost", || Lost::new(&graph, &marks));
    let origins = Origins::each_word(&graph);
    table.row("Chains", || Chains::new(&graph, &marks, &origins, 3));
    table.row("Dominators", || Dominators::new(&graph, &origins));
    table.row("Shapes", || Shapes::new(&graph));
}
