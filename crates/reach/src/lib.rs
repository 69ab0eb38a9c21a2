//! Which live blocks are lost, which are held, and who holds them.
//!
//! ```text
//!   blocks --> Heap --+             +--> Marks --+--> Lost         by stack, birth and state
//!   roots ------------+--> Graph ---+            +--> lost_cycles  by the stacks in them
//!   Memory -----------+             |            +--> Chains       from a root to each stack
//!                                   +--> Dominators                on what the bytes hang
//!                                   +--> Shapes                    lists, maps, arrays
//! ```
//!
//! The memory is read once, for the graph; then the program may go on.
//!
//! ```
//! use residue_reach::{Block, Graph, Heap, Lost, Marks, Memory, Root, RootWords};
//!
//! /// Words from address 0x1000 on.
//! struct Words([u64; 8]);
//!
//! impl Memory for Words {
//!     fn read(&self, address: u64, into: &mut [u8]) -> usize {
//!         let bytes = self.0.iter().flat_map(|word| word.to_le_bytes());
//!         let from = bytes.skip(address.wrapping_sub(0x1000) as usize);
//!         into.iter_mut().zip(from).map(|(to, byte)| *to = byte).count()
//!     }
//! }
//!
//! let block = |start| Block { start, bytes: 16, stack: 7, birth: 1 };
//! let heap = Heap::new(vec![block(0x1010), block(0x1020)]);
//! let roots = vec![Root { id: 1, rank: 0, words: RootWords::Range(0x1000..0x1010) }];
//! let memory = Words([0x1020, 0, 0, 0, 0, 0, 0, 0]);
//!
//! let graph = Graph::scan(heap, roots, &memory, &|_bytes, _of| ());
//! let marks = Marks::new(&graph);
//! let lost = Lost::new(&graph, &marks);
//! assert_eq!(lost.of_stack(7).unwrap().lost.bytes, 16);
//! assert_eq!(lost.of_stack(7).unwrap().held.bytes, 16);
//! ```
//!
//! The search is conservative: every aligned word whose value lies inside a block is taken
//! for a pointer. So what is called lost is lost, as far as pointers are kept as they are;
//! what is called held may be held by a number that looks like an address.
//!
//! Not seen: pointers that are not aligned to 8 bytes, packed into less than 8, scrambled
//! (`XOR` lists, `PTR_MANGLE`) or tagged in their high bits; tags of low bits that lead out
//! of the block, which must then be smaller than 8 bytes; pointers one past the end of a
//! block. A pointer to a start plus 1 to 7 is taken for the start with a tag.
//!
//! Seen though they hold nothing: pointers that containers leave behind in room they no
//! longer use, that functions leave on the stack, that freed blocks leave in new ones.
//!
//! Kept for each block: 24 bytes for the block itself, 1 for the index, 5 for the place of
//! its row and 2 to 6 for each pointer in it, 9 for marks; 8 more where blocks lie inside
//! blocks. The analyses need more while they run, and each says how much.
//!
//! A mapping may be a block and a thread's stack at once; the words of the block below the
//! stack pointer are dead. Whoever hands in the memory says that they are not there.
//!
//! It reads nothing itself and knows no process: tests hand in memories made up for them.
#![forbid(unsafe_code)]

mod ancestors;
mod bits;
mod block;
mod chains;
mod components;
mod counts;
mod cycles;
mod dominators;
mod finder;
mod graph;
mod heap;
mod index;
mod lost;
mod marks;
mod memory;
mod origins;
mod root;
mod rows;
mod scan;
mod shapes;

pub use block::{Block, BlockId, PointerKind};
pub use chains::{Chain, Chains, Offset, Repeat, StackChains, Step};
pub use counts::{Counts, Progress};
pub use cycles::{CycleKind, lost_cycles};
pub use dominators::{Dominator, Dominators, Head};
pub use graph::{Graph, Pointer};
pub use heap::Heap;
pub use lost::{Amount, Lost, StackSums, Sum, TakenAlong};
pub use marks::{Holder, Marks, State};
pub use memory::Memory;
pub use origins::Origins;
pub use root::{Root, RootWord, RootWords};
pub use shapes::{LargestArray, Shape, Shapes, StackShape};
