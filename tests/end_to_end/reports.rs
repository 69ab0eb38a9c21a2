//! Blocks that a pool of the program's own reports.

use crate::dumped::{Dump, total};
use crate::support::Lab;

#[test]
fn blocks_of_a_pool_are_exact_and_apart_from_the_heap() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["pool"]);
    // The slabs are the heap's, exact to the byte, with pool blocks at their addresses.
    let (_, truths) = recorded.expect_exact();
    let dump = Dump::of(&lab, &recorded);
    let reported = || dump.stacks.iter().filter(|stack| stack.kind == "reported");
    let keys = ["calls", "total", "frees", "live", "live_blocks"];
    let expected = keys.map(|key| truths.get(&format!("reported_{key}")));
    assert_eq!(total(reported()), expected);
    for stack in dump.stacks_with("pool_take") {
        assert_eq!(dump.stacks[stack].kind, "reported");
        assert_eq!(dump.names(stack)[0], "pool_take");
    }
    let heap = total(dump.stacks.iter().filter(|stack| stack.kind == "heap"));
    assert_eq!([heap[0], heap[2]], [dump.heap.calls, dump.heap.frees]);
    assert_eq!(
        [heap[3], heap[4]],
        [dump.heap.live_bytes, dump.heap.live_blocks]
    );
    assert_eq!(dump.heap.calls, truths.get("slab_make.calls"));
    let last = dump.timeline.moments.last().expect("the last moment");
    assert_eq!(last.live_bytes, Some(dump.heap.live_bytes));
}
