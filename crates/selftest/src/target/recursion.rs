//! Allocations at all depths of a recursion through three functions whose frames
//! have different sizes.

use std::hint::black_box;

const DEEPEST: u64 = 160;

pub struct Done {
    pub allocations: u64,
    /// Calls of the recursion that the deepest allocation was made through.
    pub deepest_calls: u64,
}

/// Goes down to every depth, and allocates at the bottom and on the way back.
pub fn allocate_at_all_depths() -> Done {
    let allocations = (1..=DEEPEST).map(narrow).sum();
    Done {
        allocations,
        deepest_calls: DEEPEST,
    }
}

macro_rules! level {
    ($name:ident, $frame_bytes:literal, $next:ident) => {
        /// Returns the number of allocations.
        #[inline(never)]
        fn $name(calls_left: u64) -> u64 {
            let frame = black_box([0_u8; $frame_bytes]);
            let below = if calls_left > 1 {
                $next(black_box(calls_left - 1))
            } else {
                0
            };
            allocate(calls_left + u64::from(black_box(&frame)[0]));
            below + 1
        }
    };
}

level!(narrow, 8, middling);
level!(middling, 200, wide);
level!(wide, 3000, narrow);

#[inline(never)]
fn allocate(bytes: u64) {
    drop(black_box(Vec::<u8>::with_capacity(bytes as usize)));
}
