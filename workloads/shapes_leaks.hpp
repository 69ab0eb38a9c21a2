// Shapes that leave more with every event, for the whole run or for a part of it.
#ifndef SHAPES_LEAKS_HPP
#define SHAPES_LEAKS_HPP

#include "shapes_kit.hpp"

#include <sys/mman.h>

// The same blocks in every event.
SITE(site_leak)
class Leak : public Shape {
public:
    Leak(const Job& job) : Shape(job) { leaks_from(1, double(blocks * bytes), false); }

    void event(u64) override {
        for (u64 i = 0; i < blocks; i++) make(site_leak, bytes);
        leave(blocks * bytes);
    }

private:
    const u64 blocks = random.between(1, 8), bytes = random.spread(48, 8192);
};

// A block for every hit; the number of hits is random and told by a counter.
SITE(site_counter)
class Counter : public Shape {
public:
    Counter(const Job& job) : Shape(job) {
        leaks_from(1, double((FEWEST + most) * bytes_per_hit) / 2, true);
    }

    void event(u64) override {
        u64 hits = random.between(FEWEST, most);
        for (u64 i = 0; i < hits; i++) make(site_counter, bytes_per_hit);
        leave(hits * bytes_per_hit);
        residue_count("hits", double(hits));
    }

private:
    static constexpr u64 FEWEST = 20;
    const u64 most = random.between(60, 200), bytes_per_hit = random.spread(24, 256);
};

// The same of hits that become fewer (odd seeds) or more, to between a fourth and a half
// of what they were, or from there.
SITE(site_counter_trend)
class CounterTrend : public Shape {
public:
    CounterTrend(const Job& job) : Shape(job) {
        leaks_from(1, double(most * bytes_per_hit) * (1 + last_share) / 2, true);
        has_trend = true;
    }

    void event(u64 number) override {
        double done = double(number) / double(events);
        double mean = double(most) * (1 - (1 - last_share) * (seed % 2 ? done : 1 - done));
        u64 hits = u64(mean * (0.7 + 0.6 * random.unit()));
        for (u64 i = 0; i < hits; i++) make(site_counter_trend, bytes_per_hit);
        leave(hits * bytes_per_hit);
        residue_count("hits", double(hits));
    }

private:
    const u64 most = random.between(80, 200), bytes_per_hit = random.spread(24, 256);
    const double last_share = 0.25 + 0.25 * random.unit();
};

// One event in seven.
SITE(site_every_k)
class EveryK : public Shape {
public:
    EveryK(const Job& job) : Shape(job) { leaks_from(1, double(bytes) / K, false); }

    void event(u64 number) override {
        if (number % K != phase) return;
        make(site_every_k, bytes);
        leave(bytes);
    }

private:
    static constexpr u64 K = 7;
    const u64 phase = random.between(0, K - 1), bytes = random.spread(512, 32768);
};

// 100 bytes an event on a stack whose other blocks, gone by the end of the next event,
// come to tens of kilobytes, a different number of them each time. Others do the same.
SITE(site_tiny)
SITE(other_noise)
class Tiny : public Shape {
public:
    Tiny(const Job& job) : Shape(job) {
        leaks_from(1, BYTES, false);
        mine.reserve(most_blocks);
        others.reserve(most_blocks);
    }

    void event(u64) override {
        exchange(mine, site_tiny);
        exchange(others, other_noise);
        make(site_tiny, BYTES);
        leave(BYTES);
    }

private:
    void exchange(std::vector<void*>& held, Site site) {
        for (void* block : held) free(block);
        held.clear();
        for (u64 count = random.between(0, most_blocks); count > 0; count--) {
            held.push_back(make(site, random.between(64, 960)));
        }
    }

    static constexpr u64 BYTES = 100;
    const u64 most_blocks = random.between(40, 120);
    std::vector<void*> mine, others;
};

// Mapped and touched, never unmapped.
extern "C" NAMED void* site_mmap(size_t bytes) {
    void* region = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (region == MAP_FAILED) abort();
    memset(region, 1, bytes);
    return region;
}
class Mmap : public Shape {
public:
    Mmap(const Job& job) : Shape(job) { leaks_from(1, double(regions * BYTES), false); }

    void event(u64) override {
        for (u64 i = 0; i < regions; i++) make(site_mmap, BYTES);
        leave(regions * BYTES);
    }

private:
    static constexpr u64 BYTES = 65536;
    const u64 regions = random.between(1, 2);
};

// Nothing for three tenths of the run, then a leak of random size; until then the same
// stack gives its blocks back.
SITE(site_slow_start)
class SlowStart : public Shape {
public:
    SlowStart(const Job& job) : Shape(job) {
        leaks_from(events * 3 / 10 + 1, double(mean_bytes), true);
    }

    void event(u64 number) override {
        u64 bytes = random.between(mean_bytes / 2, mean_bytes * 2 - mean_bytes / 2);
        void* block = make(site_slow_start, bytes);
        if (number < first_leaking) free(block);
        else leave(bytes);
    }

private:
    const u64 mean_bytes = random.spread(256, 8192);
};

// A leak for four tenths of the run, then nothing.
SITE(site_stops)
class Stops : public Shape {
public:
    Stops(const Job& job) : Shape(job) {
        leaks_in(1, events * 4 / 10, double(mean_bytes), true);
    }

    void event(u64 number) override {
        u64 bytes = random.between(mean_bytes / 2, mean_bytes * 2 - mean_bytes / 2);
        void* block = make(site_stops, bytes);
        if (number > last_leaking) free(block);
        else leave(bytes);
    }

private:
    const u64 mean_bytes = random.spread(256, 8192);
};

#endif
