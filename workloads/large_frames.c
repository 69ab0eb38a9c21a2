/* Pairs of malloc and free at the end of call paths whose frames are larger than 16 KiB,
 * without frame pointers.
 *
 *   large_frames [depth=60] [allocs_per_path=25] [pairs=1000000]
 *
 * A path is a chain of `depth` frames of four functions, with 20 KiB of local variables each.
 * Its leaf does allocs_per_path pairs; then the stack goes back to a random level and
 * another path is taken from there. After 2048 paths all begins anew, so the number of
 * stacks is bounded.
 *
 * Truth: pairs; large_leaf.*. Also prints `ns_per_pair X`. */

#include "truth.h"

#include <time.h>

enum { FRAME = 20 << 10, FUNCTIONS = 4, PATHS = 2048, SIZE = 64, SEED = 29, DEEPEST = 300 };

static u64 depth, allocs_per_path;
static u64 left; /* pairs still to do */
static u64 path, randomness = SEED;
static u64 back_to; /* frames deeper than this level must return; all where done */
static int done;
static struct tally made;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void next_path(void) {
    done = left == 0;
    back_to = random_next(&randomness) % depth;
    if (++path % PATHS == 0) back_to = 0, randomness = SEED;
}

NAMED void large_leaf(void) {
    u64 count = left < allocs_per_path ? left : allocs_per_path;
    for (u64 i = 0; i < count; i++) {
        void *block = malloc(SIZE);
        HIDE(block);
        tally_made(&made, SIZE);
        free(block);
        tally_freed(&made, SIZE);
    }
    left -= count;
    next_path();
}

typedef void step(u64 level);
NAMED step large_0, large_1, large_2, large_3;
static step *const steps[FUNCTIONS] = {large_0, large_1, large_2, large_3};

/* The frame at `level` calls the next one of each path that begins with it. */
static inline void descend(u64 level) {
    do {
        if (level == depth)
            large_leaf();
        else
            steps[random_next(&randomness) % FUNCTIONS](level + 1);
        KEEP_FRAME();
    } while (!done && back_to >= level);
}

#define STEP(name)                          \
    void name(u64 level) {                  \
        char local[FRAME], *hidden = local; \
        HIDE(hidden);                       \
        descend(level);                     \
    }
STEP(large_0)
STEP(large_1)
STEP(large_2)
STEP(large_3)

int main(int argc, char **argv) {
    depth = number_arg(argc, argv, 1, 60);
    allocs_per_path = number_arg(argc, argv, 2, 25);
    u64 pairs = left = number_arg(argc, argv, 3, 1000000);
    if (depth < 1 || depth > DEEPEST || allocs_per_path < 1 || pairs < 1) return 2;
    double start = now();
    descend(0);
    double seconds = now() - start;

    char line[64];
    truth("pairs", made.calls);
    truth_tally("large_leaf", &made);
    snprintf(line, sizeof line, "ns_per_pair %.2f\n", 1e9 * seconds / (double)pairs);
    say(line);
    return 0;
}
