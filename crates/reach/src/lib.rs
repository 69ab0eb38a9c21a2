//! Which live blocks are lost, which are held, and who holds them.
//!
//! ```text
//!   blocks --> Heap --+                        +--> Lost         by stack, birth and state
//!   roots ------------+--> Graph --> Marks ----+--> Chains       from a root to each stack
//!   Memory -----------+      |                 +--> Dominators   on what the bytes hang
//!                            +--> Shapes                         lists, maps, arrays of pointers
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
//! Kept for each block: 24 bytes for the block itself, 1 for the index, 5 and about 5 for
//! each pointer in it for its row, 9 for marks; 8 more where blocks lie inside blocks. The
//! analyses need more while they run and say how much.
//!
//! It reads nothing itself and knows no process: tests hand in memories made up for them.
#![forbid(unsafe_code)]

mod ancestors;
mod bits;
mod block;
mod chains;
mod components;
mod counts;
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
pub use dominators::{Dominator, Dominators, Head};
pub use graph::{Graph, Pointer};
pub use heap::Heap;
pub use lost::{Amount, Lost, StackSums, Sum};
pub use marks::{Holder, Marks, State};
pub use memory::Memory;
pub use origins::Origins;
pub use root::{Root, RootWord, RootWords};
pub use shapes::{LargestArray, Shape, Shapes, StackShape};
