// What events leave behind, beside all that a job sets up once.
//
//   event_residue [events=150] [from=51]
//
// Before the first event: 4 MB in make_geometry, 100 buffers of 1000 bytes in make_buffer.
// The first ten events fill a cache, 64 KiB each in fill_cache. Event i, from 1, makes and
// frees in scratch, leaves 1 + i % 3 hits (store::leave_hit, under simulate), and, if i is
// even, a log (store::leave_log, under digitise). Events 61 to 80 free a buffer each.
// With -DRELEASE=2 some of this is otherwise: event_residue.hpp.
//
// Truth: events; FUNCTION.*, and FUNCTION.since.made_bytes, .made_blocks, .freed_bytes,
// .freed_blocks: what happened from the begin of event `from` to the end of the last.

#include "event_residue.hpp"
#include "residue.h"

#ifndef SEPARATE_STORE
#include "event_residue_store.cpp"
#endif

namespace {

constexpr int GEOMETRY_BLOCKS = 200, BUFFERS = 100, CACHED_EVENTS = 10;
constexpr size_t GEOMETRY_BYTES = 20000, BUFFER_BYTES = 1000, TRACE_BYTES = 32;
constexpr size_t CACHE_BYTES = RELEASE == 1 ? 65536 : 32768;

struct Site {
    const char* name;
    tally* now;
    tally then;
};

tally make_geometry_tally, make_buffer_tally, fill_cache_tally, scratch_tally, leave_trace_tally;

Site sites[] = {
    {"make_geometry", &make_geometry_tally, {}},
    {"make_buffer", &make_buffer_tally, {}},
    {"fill_cache", &fill_cache_tally, {}},
    {"scratch", &scratch_tally, {}},
    {"leave_trace", &leave_trace_tally, {}},
    {"store::leave_hit", &store::leave_hit_tally, {}},
    {"store::leave_log", &store::leave_log_tally, {}},
};

void* buffers[BUFFERS];

} // namespace

NAMED void make_geometry() {
    void* block = malloc(GEOMETRY_BYTES);
    HIDE(block);
    tally_made(&make_geometry_tally, GEOMETRY_BYTES);
}

NAMED void* make_buffer() {
    void* block = malloc(BUFFER_BYTES);
    HIDE(block);
    tally_made(&make_buffer_tally, BUFFER_BYTES);
    return block;
}

NAMED void fill_cache() {
    void* block = malloc(CACHE_BYTES);
    HIDE(block);
    tally_made(&fill_cache_tally, CACHE_BYTES);
}

NAMED void scratch(size_t size) {
    void* block = malloc(size);
    HIDE(block);
    tally_made(&scratch_tally, size);
    free(block);
    tally_freed(&scratch_tally, size);
}

NAMED void leave_trace() {
    void* block = malloc(TRACE_BYTES);
    HIDE(block);
    tally_made(&leave_trace_tally, TRACE_BYTES);
}

NAMED void set_up() {
    for (int i = 0; i < GEOMETRY_BLOCKS; i++) make_geometry();
    for (void*& buffer : buffers) buffer = make_buffer();
}

NAMED void simulate(u64 event) {
    if (event <= CACHED_EVENTS) fill_cache();
    for (size_t i = 0; i < 100; i++) scratch(16 + 8 * i);
    for (u64 i = 0; i < 1 + event % 3; i++) store::leave_hit();
    if (RELEASE == 2) leave_trace();
    KEEP_FRAME();
}

NAMED void digitise(u64 event) {
    if (event % 2 == 0) {
        void* log = store::leave_log();
        if (RELEASE == 2) store::drop_log(log);
    }
    KEEP_FRAME();
}

NAMED void process(u64 event) {
    simulate(event);
    digitise(event);
    if (event > 60 && event <= 80) {
        free(buffers[event]);
        tally_freed(&make_buffer_tally, BUFFER_BYTES);
    }
}

int main(int argc, char** argv) {
    u64 events = number_arg(argc, argv, 1, 150), from = number_arg(argc, argv, 2, 51);
    set_up();
    for (u64 event = 1; event <= events; event++) {
        if (event == from)
            for (Site& site : sites) site.then = *site.now;
        residue_event_begin(event);
        process(event);
        residue_event_end(event);
    }
    truth("events", events);
    for (const Site& site : sites) {
        truth_tally(site.name, site.now);
        truth_of(site.name, "since.made_bytes", site.now->total - site.then.total);
        truth_of(site.name, "since.made_blocks", site.now->calls - site.then.calls);
        truth_of(site.name, "since.freed_bytes", site.now->freed - site.then.freed);
        truth_of(site.name, "since.freed_blocks", site.now->frees - site.then.frees);
    }
    return 0;
}
