/* Recursion to a given depth, with an allocation at every so many levels, on the way down and
 * again on the way up.
 *
 *   deep_and_back [depth=10000] [every=10]
 *
 * Truth: down_leaf.* and up_leaf.* */

#include "truth.h"

static struct tally down, up;
static u64 every;

NAMED void down_leaf(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    tally_made(&down, size);
}

NAMED void up_leaf(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    tally_made(&up, size);
}

NAMED void deep_level(u64 left) {
    if (left % every == 0) down_leaf(24);
    if (left > 0) deep_level(left - 1);
    if (left % every == 0) up_leaf(24);
    KEEP_FRAME();
}

int main(int argc, char **argv) {
    u64 depth = number_arg(argc, argv, 1, 10000);
    every = number_arg(argc, argv, 2, 10);
    deep_level(depth);
    truth_tally("down_leaf", &down);
    truth_tally("up_leaf", &up);
    return 0;
}
