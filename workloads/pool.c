/* A pool that reports its blocks: they lie in a slab from malloc, the first where the slab
 * begins.
 *
 *   pool [blocks=100]
 *
 * Every third block is given back; the last place is given out again. One block was never
 * reported, and is given back all the same. The slab is freed at the end, the pool's
 * blocks are not given back before: as far as the pool has told, they are in use.
 * Truth: slab_make.* of the heap; reported_calls, reported_total, reported_frees,
 * reported_live, reported_live_blocks of pool_take. */

#include "truth.h"

#include "../include/residue.h"

enum { PLACE_BYTES = 64 };

static struct tally slabs, reported;

NAMED char *slab_make(size_t bytes) {
    char *slab = malloc(bytes);
    HIDE(slab);
    tally_made(&slabs, bytes);
    return slab;
}

NAMED void *pool_take(char *slab, u64 place, size_t bytes) {
    void *block = slab + place * PLACE_BYTES;
    residue_allocated(block, bytes);
    tally_made(&reported, bytes);
    return block;
}

static void pool_give(void *block, size_t bytes) {
    residue_freed(block);
    tally_freed(&reported, bytes);
}

int main(int argc, char **argv) {
    u64 blocks = number_arg(argc, argv, 1, 100);
    char *slab = slab_make(blocks * PLACE_BYTES);
    char *kept_slab = slab_make(PLACE_BYTES);
    pool_take(kept_slab, 0, 33);
    for (u64 i = 0; i < blocks; i++) {
        size_t bytes = 1 + i % PLACE_BYTES;
        void *block = pool_take(slab, i, bytes);
        if (i % 3 == 1 || i == blocks - 1) pool_give(block, bytes);
    }
    pool_take(slab, blocks - 1, 50);
    residue_freed(slab + 7 * PLACE_BYTES + 16);
    free(slab);
    tally_freed(&slabs, blocks * PLACE_BYTES);
    truth_tally("slab_make", &slabs);
    truth("reported_calls", reported.calls);
    truth("reported_total", reported.total);
    truth("reported_frees", reported.frees);
    truth("reported_live", reported.total - reported.freed);
    truth("reported_live_blocks", reported.calls - reported.frees);
    return 0;
}
