/* The resident set grows by heap blocks that are touched and never freed.
 *
 *   account_leak [events=200] [bytes=65536]
 *
 * Truth: as account_kit.h has it; leak_block.*. */

#include "account_kit.h"

enum { BLOCKS_PER_EVENT = 16 };

static size_t block_bytes;
static struct tally blocks;

NAMED void *leak_block(size_t bytes) {
    void *block = malloc(bytes);
    HIDE(block);
    memset(block, 1, bytes);
    tally_made(&blocks, bytes);
    return block;
}

static void event(u64 number) {
    (void)number;
    for (int i = 0; i < BLOCKS_PER_EVENT; i++) leak_block(block_bytes);
}

int main(int argc, char **argv) {
    u64 events = number_arg(argc, argv, 1, 200), bytes = number_arg(argc, argv, 2, 65536);
    block_bytes = bytes / BLOCKS_PER_EVENT;
    struct account truths = {.heap = block_bytes * BLOCKS_PER_EVENT};
    account_run(events, event, &truths);
    truth_tally("leak_block", &blocks);
    return 0;
}
