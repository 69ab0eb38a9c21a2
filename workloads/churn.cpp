// Who allocates most in each event, and could stop.
//
//   churn [events=20]
//
// Each event makes and frees
//   buffer_site   ten buffers of 4096 bytes, one after another; also thrice before the first event
//   mixed_site    five blocks of 100, 300, 500, 700 and 900 bytes, one after another
//   table_site    an unordered_map of 1000 entries, filled one by one, gone at the event's end
//   later_site    a block of 2000 bytes, which the next event frees; the last one stays
//
// Truth: events, buffers_in_setup; of each map table_arrays, table_buckets (bytes of its arrays of
// buckets) and table_reserved (bytes of one that is reserved); buffer_site.*, mixed_site.*,
// later_site.*

#include "residue.h"
#include "truth.h"

#include <unordered_map>

struct Hit {
    char payload[32];
};

using Map = std::unordered_map<unsigned, Hit>;

constexpr unsigned ENTRIES = 1000;
constexpr unsigned SETUP_ROUNDS = 3;
constexpr unsigned BUFFERS = 10;

static tally buffers, mixed, later;

static void make_and_free(tally* t, size_t size) {
    void* block = malloc(size);
    HIDE(block);
    tally_made(t, size);
    free(block);
    tally_freed(t, size);
}

NAMED void buffer_site() {
    for (unsigned i = 0; i < BUFFERS; i++) make_and_free(&buffers, 4096);
    KEEP_FRAME();
}

NAMED void mixed_site() {
    for (size_t size = 100; size < 1000; size += 200) make_and_free(&mixed, size);
    KEEP_FRAME();
}

NAMED void table_site(Map& map) {
    for (unsigned key = 0; key < ENTRIES; key++) map[key].payload[0] = char(key);
    KEEP_FRAME();
}

NAMED void* later_site() {
    void* block = malloc(2000);
    HIDE(block);
    tally_made(&later, 2000);
    return block;
}

// What the arrays of buckets are on the way to a full map, and what a reserved one has.
static void tell_buckets() {
    Map map;
    u64 bytes = 0, arrays = 0;
    size_t before = map.bucket_count();
    for (unsigned key = 0; key < ENTRIES; key++) {
        map[key];
        if (map.bucket_count() == before) continue;
        before = map.bucket_count();
        bytes += before * sizeof(void*);
        arrays += 1;
    }
    Map reserved;
    reserved.reserve(ENTRIES);
    truth("table_arrays", arrays);
    truth("table_buckets", bytes);
    truth("table_reserved", reserved.bucket_count() * sizeof(void*));
}

// The set-up, and then the events, make their buffers in the same call.
static void run(u64 events) {
    void* kept = nullptr;
    for (u64 round = 0; round < SETUP_ROUNDS + events; round++) {
        bool is_event = round >= SETUP_ROUNDS;
        if (is_event) residue_event_begin(round);
        buffer_site();
        HIDE(is_event);
        if (!is_event) continue;
        if (kept) free(kept), tally_freed(&later, 2000);
        mixed_site();
        {
            Map map;
            table_site(map);
        }
        kept = later_site();
        residue_event_end(round);
    }
}

int main(int argc, char** argv) {
    u64 events = number_arg(argc, argv, 1, 20);
    run(events);
    truth("events", events);
    truth("buffers_in_setup", SETUP_ROUNDS * BUFFERS);
    tell_buckets();
    truth_tally("buffer_site", &buffers);
    truth_tally("mixed_site", &mixed);
    truth_tally("later_site", &later);
}
