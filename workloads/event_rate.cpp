// What do marked events cost? A loop of short events, each of which allocates on many
// call paths: about half a microsecond of work a path, or none.
//
//   event_rate [events=20000] [stacks=200] [--no-marks | --no-work]
//
// One path in eight keeps its block until the next event, so its level changes from one
// event to the next; the others free theirs at once.
//
// Truth: events, stacks, path_block.*; and lines `loop_s X` and `events_per_s X`.

#include "residue.h"
#include "truth.h"

#include <chrono>
#include <vector>

constexpr int BITS = 20; // of a path's number: each is a call to the left or to the right
constexpr u64 KEEPS = 8;

static std::vector<void*> kept;
static std::vector<size_t> kept_bytes;
static tally blocks;
static int work_rounds = 160;

NAMED u64 some_work(u64 value) {
    for (int i = 0; i < work_rounds; i++) value = random_next(&value);
    return value;
}

NAMED void* path_block(size_t bytes) {
    void* block = malloc(bytes);
    HIDE(block);
    tally_made(&blocks, bytes);
    return block;
}

static void release(void* block, size_t bytes) {
    tally_freed(&blocks, bytes);
    free(block);
}

static void at_the_end(u64 path, u64 event) {
    size_t bytes = 32 + (path * 13 + event * 7) % 480;
    void* block = path_block(bytes);
    memset(block, int(some_work(path + event)), 32);
    if (path % KEEPS != 0) {
        release(block, bytes);
        return;
    }
    if (kept[path]) release(kept[path], kept_bytes[path]);
    kept[path] = block;
    kept_bytes[path] = bytes;
}

static void step(u64 path, u64 event, int bits);

NAMED void left(u64 path, u64 event, int bits) {
    step(path, event, bits);
    KEEP_FRAME();
}

NAMED void right(u64 path, u64 event, int bits) {
    step(path, event, bits);
    KEEP_FRAME();
}

static inline void step(u64 path, u64 event, int bits) {
    if (bits == 0) at_the_end(path, event);
    else if (path >> (bits - 1) & 1) right(path, event, bits - 1);
    else left(path, event, bits - 1);
}

static int bits_for(u64 stacks) {
    int bits = 1;
    while (bits < BITS && (u64(1) << bits) < stacks) bits++;
    return bits;
}

static void run(u64 events, u64 stacks, bool marked) {
    int bits = bits_for(stacks);
    for (u64 event = 0; event < events; event++) {
        if (marked) residue_event_begin(event);
        for (u64 path = 0; path < stacks; path++) step(path, event, bits);
        if (marked) residue_event_end(event);
    }
}

int main(int argc, char** argv) {
    u64 events = number_arg(argc, argv, 1, 20000), stacks = number_arg(argc, argv, 2, 200);
    bool marked = argc <= 3 || strcmp(argv[3], "--no-marks") != 0;
    if (argc > 3 && !strcmp(argv[3], "--no-work")) work_rounds = 0;
    if (stacks == 0 || stacks > u64(1) << BITS) {
        fprintf(stderr, "event_rate: 1 to %llu stacks\n", u64(1) << BITS);
        return 2;
    }
    kept.resize(stacks);
    kept_bytes.resize(stacks);

    auto start = std::chrono::steady_clock::now();
    run(events, stacks, marked);
    std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;

    char line[128];
    snprintf(line, sizeof line, "loop_s %.6f\nevents_per_s %.1f\n", wall.count(), double(events) / wall.count());
    say(line);
    truth("events", events);
    truth("stacks", stacks);
    truth_tally("path_block", &blocks);
}
