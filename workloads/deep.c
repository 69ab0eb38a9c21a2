/* Recursion to a given depth, and allocations at its end.
 *
 *   deep [depth=1000] [allocations=100]
 *
 * Truth: deep_leaf.*; deep_root.*, the same, at the other end of the recursion;
 * depth, the number of deep_step frames between them. */

#include "truth.h"

static struct tally made;
static u64 allocations;

NAMED void deep_leaf(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    tally_made(&made, size);
}

NAMED void deep_step(u64 left) {
    if (left > 1)
        deep_step(left - 1);
    else
        for (u64 i = 0; i < allocations; i++) deep_leaf(10 + i);
    KEEP_FRAME();
}

NAMED void deep_root(u64 depth) {
    deep_step(depth);
    KEEP_FRAME();
}

int main(int argc, char **argv) {
    u64 depth = number_arg(argc, argv, 1, 1000);
    allocations = number_arg(argc, argv, 2, 100);
    deep_root(depth);
    truth("depth", depth);
    truth_tally("deep_leaf", &made);
    truth_tally("deep_root", &made);
    return 0;
}
