// One of everything that the page shows: an event loop with stages, counters, scopes, a
// worker thread, a snapshot, and memory of every shape.
//
//   detector [events=120] [from=41] [to=80] [pause_us=0]
//
// Before the first event: 2 MB of geometry, in the scope `geometry`. Event i counts
// p(i) = 20 + 7 i mod 13 photons and leaves 48 bytes for each (SEvt::keepPhoton): the leak.
// The first ten events fill a cache (Calibration::load, 32 KiB each). Each event makes hits
// that the next one frees (Hits::make, freed in Hits::release), a buffer of 256 bytes that
// is flushed every tenth event (Writer::append), temporaries in the scope `digitise`
// (Digitiser::scratch), blocks on the thread `worker` (Worker::work), and every twentieth
// another mapping of 64 KiB instead of the last (Mapper::map_region). The snapshot `half` is taken in event 60. Stages:
// generate, propagate, digitise, write; the leak is in propagate. `pause_us` is waited after
// each event, for those who watch it run.
//
// Truth: events, photons, photons_in_range; FUNCTION.*, and FUNCTION.range.bytes, .blocks:
// what was made less what was freed from the begin of event `from` to the end of event `to`.

#include "residue.h"
#include "truth.h"

#include <condition_variable>
#include <mutex>
#include <sys/mman.h>
#include <thread>
#include <vector>

namespace {

constexpr size_t PHOTON_BYTES = 48, HIT_BYTES = 96, CACHE_BYTES = 32768, BUFFER_BYTES = 256;
constexpr size_t GEOMETRY_BYTES = 20000, WORK_BYTES = 512, REGION_BYTES = 65536;
constexpr int GEOMETRY_BLOCKS = 100, CACHED_EVENTS = 10, HITS = 12, FLUSH_EVERY = 10;

struct Site {
    const char* name;
    tally now, from, to;
};

enum { KEEP, LOAD, MAKE, APPEND, SCRATCH, WORK, BUILD, SITES };

Site sites[SITES] = {
    {"SEvt::keepPhoton", {}, {}, {}},    {"Calibration::load", {}, {}, {}},
    {"Hits::make", {}, {}, {}},          {"Writer::append", {}, {}, {}},
    {"Digitiser::scratch", {}, {}, {}},  {"Worker::work", {}, {}, {}},
    {"Geometry::build", {}, {}, {}},
};

// Neither allocates, nor does what holds the blocks: the truth is of the sites alone.
void* hits[2][HITS];
void* buffers[FLUSH_EVERY];
int buffers_used = 0;

// In the function that uses it, whose name the stack shall show.
#define MADE(site, size)                                                                           \
    ({                                                                                             \
        void* block = malloc(size);                                                                \
        HIDE(block);                                                                               \
        tally_made(&sites[site].now, size);                                                        \
        block;                                                                                     \
    })

void drop(int site, void* block, size_t size) {
    if (!block) return;
    free(block);
    tally_freed(&sites[site].now, size);
}

u64 photons_of(u64 event) { return 20 + 7 * event % 13; }

} // namespace

struct Geometry {
    static void build();
};
struct SEvt {
    static void keepPhoton();
    static void* newPhoton();
};
struct Calibration {
    static void load();
};
struct Hits {
    static void* make();
    static void release(void** kept);
};
struct Writer {
    static void append();
    static void flush();
};
struct Digitiser {
    static void scratch(size_t size);
};
struct Mapper {
    static void map_region();
};
struct Worker {
    static void work();
};

NAMED void Geometry::build() { MADE(BUILD, GEOMETRY_BYTES); }
// One that is always inlined.
__attribute__((always_inline)) inline void* SEvt::newPhoton() { return MADE(KEEP, PHOTON_BYTES); }
NAMED void SEvt::keepPhoton() { newPhoton(); }
NAMED void Calibration::load() { MADE(LOAD, CACHE_BYTES); }
NAMED void* Hits::make() {
    void* hit = MADE(MAKE, HIT_BYTES);
    KEEP_FRAME();
    return hit;
}
NAMED void Hits::release(void** kept) {
    for (int i = 0; i < HITS; i++) {
        drop(MAKE, kept[i], HIT_BYTES);
        kept[i] = nullptr;
    }
}
NAMED void Writer::append() {
    buffers[buffers_used++] = MADE(APPEND, BUFFER_BYTES);
    KEEP_FRAME();
}
NAMED void Writer::flush() {
    while (buffers_used > 0) drop(APPEND, buffers[--buffers_used], BUFFER_BYTES);
}
NAMED void Digitiser::scratch(size_t size) {
    void* block = MADE(SCRATCH, size);
    drop(SCRATCH, block, size);
}
NAMED void Mapper::map_region() {
    void* region =
        mmap(nullptr, REGION_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (region == MAP_FAILED) return;
    memset(region, 1, REGION_BYTES);
    static void* last = nullptr;
    if (last) munmap(last, REGION_BYTES);
    last = region;
}
NAMED void Worker::work() {
    for (int i = 0; i < 5; i++) {
        void* block = MADE(WORK, WORK_BYTES);
        drop(WORK, block, WORK_BYTES);
    }
}

NAMED void generate(u64 event) {
    if (event <= CACHED_EVENTS) Calibration::load();
    KEEP_FRAME();
}
NAMED void propagate(u64 event) {
    for (u64 i = 0; i < photons_of(event); i++) SEvt::keepPhoton();
    for (int i = 0; i < HITS; i++) hits[event % 2][i] = Hits::make();
    Hits::release(hits[(event + 1) % 2]);
    KEEP_FRAME();
}
NAMED void digitise(u64 event) {
    residue_scope_begin("digitise");
    for (size_t i = 0; i < 40; i++) Digitiser::scratch(32 + 16 * ((event + i) % 32));
    residue_scope_end();
}
NAMED void write_out(u64 event) {
    Writer::append();
    if (event % FLUSH_EVERY == 0) Writer::flush();
    if (event % 20 == 0) Mapper::map_region();
}

namespace {

// One thread that works when it is told to, and tells when it is done.
struct Helper {
    std::mutex mutex;
    std::condition_variable changed;
    u64 asked = 0, done = 0;
    bool is_over = false;
    std::thread thread;

    void run() {
        pthread_setname_np(pthread_self(), "worker");
        std::unique_lock<std::mutex> lock(mutex);
        for (;;) {
            changed.wait(lock, [&] { return is_over || asked > done; });
            if (asked == done) return;
            Worker::work();
            done++;
            changed.notify_all();
        }
    }
    void ask() {
        std::unique_lock<std::mutex> lock(mutex);
        asked++;
        changed.notify_all();
        changed.wait(lock, [&] { return asked == done; });
    }
    void end() {
        {
            std::lock_guard<std::mutex> lock(mutex);
            is_over = true;
        }
        changed.notify_all();
        thread.join();
    }
};

} // namespace

NAMED void process(u64 event, Helper& helper) {
    u64 photons = photons_of(event);
    residue_stamp("generate");
    generate(event);
    residue_stamp("propagate");
    propagate(event);
    residue_stamp("digitise");
    digitise(event);
    residue_stamp("write");
    write_out(event);
    helper.ask();
    residue_count("photons", (double)photons);
    residue_count("hits", HITS);
    if (event == 60) residue_snapshot("half");
}

int main(int argc, char** argv) {
    u64 events = number_arg(argc, argv, 1, 120), from = number_arg(argc, argv, 2, 41);
    u64 to = number_arg(argc, argv, 3, 80), pause_us = number_arg(argc, argv, 4, 0);
    Helper helper;
    helper.thread = std::thread([&] { helper.run(); });
    residue_scope_begin("geometry");
    for (int i = 0; i < GEOMETRY_BLOCKS; i++) Geometry::build();
    residue_scope_end();
    u64 photons = 0, photons_in_range = 0;
    for (u64 event = 1; event <= events; event++) {
        if (event == from)
            for (Site& site : sites) site.from = site.now;
        residue_event_begin(event);
        process(event, helper);
        residue_event_end(event);
        if (event == to)
            for (Site& site : sites) site.to = site.now;
        photons += photons_of(event);
        if (event >= from && event <= to) photons_in_range += photons_of(event);
        if (pause_us) usleep((useconds_t)pause_us);
    }
    helper.end();
    truth("events", events);
    truth("photons", photons);
    truth("photons_in_range", photons_in_range);
    for (const Site& site : sites) {
        truth_tally(site.name, &site.now);
        u64 before = site.from.total - site.from.freed, after = site.to.total - site.to.freed;
        char line[128];
        snprintf(line, sizeof line, "truth %s.range.bytes %lld\n", site.name,
                 (long long)(after - before));
        say(line);
        u64 blocks_before = site.from.calls - site.from.frees;
        u64 blocks_after = site.to.calls - site.to.frees;
        snprintf(line, sizeof line, "truth %s.range.blocks %lld\n", site.name,
                 (long long)(blocks_after - blocks_before));
        say(line);
    }
    return 0;
}
