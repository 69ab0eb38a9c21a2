// Event loops of one behaviour each, against which the verdicts are measured.
//
//   shapes SHAPE EVENTS SEED      shapes (alone) lists the shapes
//
// Sizes, rates and phases are drawn from the seed. Every event also does some ordinary
// work that leaves nothing; there is a set-up before the loop, and the first event makes
// a table that stays. The blocks that matter are made in site_SHAPE (with _ for -).
//
// Truth: one line of JSON.
//   class                          what a verdict ought to say
//   expected_rate_bytes_per_event  what one event leaves in the long run, and
//   true_rate_bytes_per_event      what was left in fact, both over the events
//   first_leaking_event .. last_leaking_event    (0: none leaves anything)
//   random                         whether chance is in the rate
//   trend                          whether the rate is not the same at the begin and at the end
//   end_bytes                      what a cache holds when it is full (0: none, or not known)
//   open                           whether too few blocks tell, so that no verdict is right too

#include "shapes_bounded.hpp"
#include "shapes_filling.hpp"
#include "shapes_fragmentation.hpp"
#include "shapes_leaks.hpp"
#include "shapes_threads.hpp"

using Maker = std::unique_ptr<Shape> (*)(const Job& job);

template <typename Kind> std::unique_ptr<Shape> maker(const Job& job) { return std::make_unique<Kind>(job); }

struct Entry {
    const char *name, *truth_class;
    Maker make;
    // Whether runs of any length may leave the question open: what tells is the number of blocks.
    bool is_open = false;
};

static const Entry ENTRIES[] = {
    {"leak", "leak", maker<Leak>},
    {"counter", "leak", maker<Counter>},
    {"counter-trend", "leak", maker<CounterTrend>},
    {"every-k", "leak", maker<EveryK>},
    {"one-thread", "leak", maker<OneThread>},
    {"one-of-eight", "leak", maker<OneOfEight>},
    {"tiny", "leak", maker<Tiny>},
    {"mmap", "leak", maker<Mmap>},
    {"slow-start", "leak", maker<SlowStart>},
    {"beside-caches", "leak", maker<BesideCaches>},
    {"stops", "stopped", maker<Stops>},
    {"warm-up", "warm-up", maker<WarmUp>},
    {"cache-saturates", "cache", maker<CacheSaturates>},
    {"lru", "cache", maker<Lru>},
    {"connection", "cache", maker<Connections>},
    {"fills-300", "filling", maker<Fills300>},
    {"fills-3000", "filling", maker<Fills3000>},
    {"fills-unequal", "filling", maker<FillsUnequal>},
    {"fills-half", "filling", maker<FillsHalf>, true},
    {"logarithm", "slowing", maker<Logarithm>},
    {"square-root", "slowing", maker<SquareRoot>},
    {"flushed", "sawtooth", maker<Flushed>},
    {"sawtooth", "sawtooth", maker<Sawtooth>},
    {"high-water", "plateau", maker<HighWater>},
    {"pool", "plateau", maker<Pool>},
    {"deferred-1", "deferred", maker<Deferred1>},
    {"deferred-5", "deferred", maker<Deferred5>},
    {"exit-freed", "freed-at-exit", maker<ExitFreed>},
    {"fragmentation", "fragmentation", maker<Fragmentation>},
    {"flat", "flat", maker<Flat>},
    {"noisy", "cache", maker<Noisy>},
};

static constexpr u64 FEWEST_EVENTS = 10;

static u64 hash_of(const char* text) {
    u64 hash = 0;
    for (; *text; text++) hash = hash * 31 + u64(*text);
    return hash;
}

static void tell(const Entry& entry, const Shape& shape, const Job& job) {
    char site[64], line[512];
    snprintf(site, sizeof site, "site_%s", entry.name);
    std::replace(site, site + strlen(site), '-', '_');
    snprintf(line, sizeof line,
             "{\"shape\": \"%s\", \"class\": \"%s\", \"events\": %llu, \"seed\": %llu, \"site\": \"%s\", "
             "\"true_rate_bytes_per_event\": %.6f, \"expected_rate_bytes_per_event\": %.6f, \"random\": %s, "
             "\"trend\": %s, \"end_bytes\": %.0f, \"open\": %s, "
             "\"first_leaking_event\": %llu, \"last_leaking_event\": %llu}\n",
             entry.name, entry.truth_class, job.events, job.seed, site, shape.realised_rate(), shape.expected_rate,
             shape.is_random ? "true" : "false", shape.has_trend ? "true" : "false", shape.end_bytes,
             entry.is_open ? "true" : "false", shape.first_leaking, shape.last_leaking);
    say(line);
}

int main(int argc, char** argv) {
    if (argc == 1) {
        for (const Entry& entry : ENTRIES) {
            say(entry.name);
            say("\n");
        }
        return 0;
    }
    const Entry* entry = std::find_if(std::begin(ENTRIES), std::end(ENTRIES),
                                      [&](const Entry& e) { return strcmp(e.name, argv[1]) == 0; });
    Job job{number_arg(argc, argv, 2, 300), number_arg(argc, argv, 3, 1), hash_of(argv[1])};
    if (entry == std::end(ENTRIES) || job.events < FEWEST_EVENTS) {
        fprintf(stderr, "usage: shapes SHAPE EVENTS SEED; at least %llu events; no argument: all shapes\n",
                FEWEST_EVENTS);
        return 2;
    }
    SetUp set_up;
    std::unique_ptr<Shape> shape = entry->make(job);
    shape->run();
    shape->finish();
    tell(*entry, *shape, job);
}
