// Threads free each other's blocks: every new block is swapped into a random slot
// of a mailbox, without locks, and what was there, whoever made it, is freed.
//
//   crossfree [threads=64] [ops=20000000]     ops: mallocs in all; nearly as many frees
//
// Truth: make_block.*. What stays in the mailbox, and every 1000th block, is live.
// Calls and total are the same each time; which blocks stay live is chance, but
// each thread counts what it frees, so live is exact as well.

#include "truth.h"

#include <atomic>
#include <thread>
#include <vector>

struct Block {
    size_t size;
};

constexpr size_t SLOTS = 4096;
static std::atomic<Block*> mailbox[SLOTS];
static std::atomic<bool> go;

NAMED Block* make_block(size_t size) {
    auto* block = (Block*)malloc(size);
    HIDE(block);
    block->size = size;
    return block;
}

NAMED void free_block(Block* block) {
    free(block);
    KEEP_FRAME();
}

static void work(u64 seed, u64 calls, tally* result) {
    tally mine{};
    while (!go.load()) std::this_thread::yield();
    for (u64 i = 1; i <= calls; i++) {
        u64 r = random_next(&seed);
        size_t size = sizeof(Block) + (r >> 16) % 512;
        Block* block = make_block(size);
        tally_made(&mine, size);
        if (i % 1000 == 0) continue;
        if (Block* old = mailbox[r % SLOTS].exchange(block, std::memory_order_acq_rel)) {
            tally_freed(&mine, old->size);
            free_block(old);
        }
    }
    *result = mine;
}

int main(int argc, char** argv) {
    u64 count = number_arg(argc, argv, 1, 64);
    u64 ops = number_arg(argc, argv, 2, 20000000);
    std::vector<tally> results(count);
    std::vector<std::thread> threads;
    for (u64 t = 0; t < count; t++) {
        u64 calls = ops / count + (t < ops % count);
        threads.emplace_back(work, t * 1000003, calls, &results[t]);
    }
    go = true;
    for (auto& thread : threads) thread.join();

    tally sum{};
    for (auto& result : results) tally_add(&sum, &result);
    truth("threads", count);
    truth_tally("make_block", &sum);
}
