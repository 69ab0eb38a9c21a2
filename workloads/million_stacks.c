/* As many distinct call stacks as wanted, one leak of 16 to 80 bytes on each: four
 * functions call one another along a path given by two bits of a counter a level.
 *
 *   million_stacks [stacks=1000000]
 *
 * Truth: stacks; million_leak.*. */

#include "truth.h"

static struct tally made;

NAMED void million_leak(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    tally_made(&made, size);
}

typedef void step(u64 path, unsigned left, size_t size);
NAMED step path_0, path_1, path_2, path_3;
static step *const paths[4] = {path_0, path_1, path_2, path_3};

static inline void go_on(u64 path, unsigned left, size_t size) {
    if (left == 0)
        million_leak(size);
    else
        paths[path % 4](path / 4, left - 1, size);
    KEEP_FRAME();
}

void path_0(u64 path, unsigned left, size_t size) { go_on(path, left, size); }
void path_1(u64 path, unsigned left, size_t size) { go_on(path, left, size); }
void path_2(u64 path, unsigned left, size_t size) { go_on(path, left, size); }
void path_3(u64 path, unsigned left, size_t size) { go_on(path, left, size); }

int main(int argc, char **argv) {
    u64 stacks = number_arg(argc, argv, 1, 1000000);
    unsigned depth = 10; /* 4^10 = 1048576 */
    while (depth < 31 && (1ull << 2 * depth) < stacks) depth++;
    for (u64 i = 0; i < stacks; i++) go_on(i, depth, 16 + i % 65);
    truth("stacks", stacks);
    truth_tally("million_leak", &made);
    return 0;
}
