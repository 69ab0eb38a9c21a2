// A small leak beside a great deal of churn: every event allocates and frees 200 MB, in
// blocks from 16 bytes to 8 MB, and leaves 100 bytes.
//
//   needle [events=1000]
//
// Truth: events, churn_bytes_per_event, needle_leak.*, churn_block.*

#include "residue.h"
#include "truth.h"

#include <algorithm>
#include <vector>

constexpr u64 CHURN_BYTES = 200000000;
constexpr size_t LEAKED_BYTES = 100;

struct Part {
    u64 blocks;
    size_t smallest, largest;
};

// Mostly large blocks, so that an event takes about a millisecond.
constexpr Part PARTS[] = {{3000, 16, 512}, {500, 512, 16384}, {60, 16384, 1 << 20}};
constexpr size_t LARGE_SMALLEST = 1 << 20, LARGE_LARGEST = 8 << 20;

static tally leaked, churned;
static u64 random_state = 28;

struct Block {
    void* start;
    size_t bytes;
};

NAMED void needle_leak() {
    void* block = malloc(LEAKED_BYTES);
    HIDE(block);
    memset(block, 1, LEAKED_BYTES);
    tally_made(&leaked, LEAKED_BYTES);
}

NAMED void* churn_block(size_t bytes) {
    char* block = (char*)malloc(bytes);
    HIDE(block);
    block[0] = block[bytes - 1] = 1;
    tally_made(&churned, bytes);
    return block;
}

static size_t between(size_t low, size_t high) { return low + random_next(&random_state) % (high - low + 1); }

static void churn(std::vector<Block>& blocks) {
    u64 wanted = CHURN_BYTES;
    auto add = [&](size_t bytes) {
        blocks.push_back({churn_block(bytes), bytes});
        wanted -= bytes;
    };
    for (const Part& part : PARTS) {
        for (u64 i = 0; i < part.blocks; i++) add(between(part.smallest, part.largest));
    }
    while (wanted > 0) add(std::min<u64>(wanted, between(LARGE_SMALLEST, LARGE_LARGEST)));
}

static void release(std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
        tally_freed(&churned, block.bytes);
        free(block.start);
    }
    blocks.clear();
}

static void run_event(std::vector<Block>& blocks) {
    churn(blocks);
    needle_leak();
    release(blocks);
}

int main(int argc, char** argv) {
    u64 events = number_arg(argc, argv, 1, 1000);
    std::vector<Block> blocks;
    blocks.reserve(8192);
    for (u64 event = 0; event < events; event++) {
        residue_event_begin(event);
        run_event(blocks);
        residue_event_end(event);
    }
    truth("events", events);
    truth("churn_bytes_per_event", CHURN_BYTES);
    truth_tally("needle_leak", &leaked);
    truth_tally("churn_block", &churned);
}
