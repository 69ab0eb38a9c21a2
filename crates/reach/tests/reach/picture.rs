//! Memory made up for a test: pages, blocks in them, and roots.

use residue_reach::{Block, BlockId, Graph, Heap, Marks, Memory, Root, RootWords, State};
use std::collections::BTreeMap;

const PAGE: u64 = 4096;

#[derive(Default)]
pub struct Picture {
    pages: BTreeMap<u64, Vec<u8>>,
    pub blocks: Vec<Block>,
    pub roots: Vec<Root>,
    next: u64,
}

/// Where globals are; the addresses of blocks given by `allocate` are above.
pub const GLOBALS: u64 = 0x10_0000;
pub const GLOBALS_ID: u32 = 77;

impl Picture {
    pub fn new() -> Self {
        let mut picture = Picture {
            next: 0x5555_0000_0000,
            ..Picture::default()
        };
        picture.root(GLOBALS_ID, GLOBALS, 0x1_0000);
        picture
    }

    pub fn map(&mut self, start: u64, bytes: u64) {
        let end = start + bytes.max(1);
        for page in start / PAGE..=(end - 1) / PAGE {
            self.pages.entry(page).or_insert_with(|| vec![0; 4096]);
        }
    }

    pub fn unmap(&mut self, start: u64, bytes: u64) {
        for page in start / PAGE..(start + bytes).div_ceil(PAGE) {
            self.pages.remove(&page);
        }
    }

    pub fn root(&mut self, id: u32, start: u64, bytes: u64) {
        self.map(start, bytes);
        self.roots.push(Root {
            id,
            rank: 0,
            words: RootWords::Range(start..start + bytes),
        });
    }

    pub fn block_at(&mut self, start: u64, bytes: u64, stack: u32) -> u64 {
        self.map(start, bytes);
        self.blocks.push(Block {
            start,
            bytes,
            stack,
            birth: 1,
        });
        start
    }

    /// As an allocator would: aligned to 16, with a header in between.
    pub fn allocate(&mut self, bytes: u64, stack: u32) -> u64 {
        let start = self.next;
        self.next += (bytes + 8).next_multiple_of(16).max(32);
        self.block_at(start, bytes, stack)
    }

    pub fn put(&mut self, address: u64, word: u64) {
        for (place, byte) in (address..).zip(word.to_le_bytes()) {
            let page = self
                .pages
                .get_mut(&(place / PAGE))
                .expect("a page that is there");
            page[(place % PAGE) as usize] = byte;
        }
    }

    /// The word of that number among the globals.
    pub fn global(&mut self, number: u64, word: u64) {
        self.put(GLOBALS + number * 8, word);
    }

    pub fn graph(&self) -> Graph {
        let heap = Heap::new(self.blocks.clone());
        Graph::scan(heap, self.roots.clone(), self, &|_, _| ())
    }

    pub fn marked(&self) -> Marked {
        let graph = self.graph();
        let marks = Marks::new(&graph);
        Marked { graph, marks }
    }
}

impl Memory for Picture {
    fn read(&self, address: u64, into: &mut [u8]) -> usize {
        let mut done = 0;
        while done < into.len() {
            let at = address + done as u64;
            let Some(page) = self.pages.get(&(at / PAGE)) else {
                break;
            };
            let from = (at % PAGE) as usize;
            let bytes = (page.len() - from).min(into.len() - done);
            into[done..done + bytes].copy_from_slice(&page[from..from + bytes]);
            done += bytes;
        }
        done
    }
}

pub struct Marked {
    pub graph: Graph,
    pub marks: Marks,
}

impl Marked {
    pub fn id(&self, address: u64) -> BlockId {
        self.graph.heap().block_at(address).expect("a block there")
    }

    pub fn state(&self, address: u64) -> State {
        self.marks.state(self.id(address))
    }
}
