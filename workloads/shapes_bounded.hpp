// Shapes that hold memory from event to event, but not more and more of it.
#ifndef SHAPES_BOUNDED_HPP
#define SHAPES_BOUNDED_HPP

#include "shapes_kit.hpp"

#include <list>

using Blocks = std::vector<void*>;

inline void free_all(Blocks& blocks) {
    for (void* block : blocks) free(block);
    blocks.clear();
}

// The first twentieth of the events, at least three, leave something; later ones give
// the same back.
SITE(site_warm_up)
class WarmUp : public Shape {
public:
    using Shape::Shape;

    void event(u64 number) override {
        for (u64 i = 0; i < blocks; i++) {
            void* block = make(site_warm_up, random.between(bytes / 2, bytes));
            if (number > last) free(block);
        }
    }

private:
    const u64 last = std::max<u64>(3, events / 20);
    const u64 blocks = random.between(1, 6), bytes = random.spread(512, 16384);
};

// Keys are drawn from so many that after a third of the run one in ten runs still lacks
// one of them.
SITE(site_cache_saturates)
class CacheSaturates : public Shape {
public:
    CacheSaturates(const Job& job) : Shape(job), values(keys_to_see()) {
        for (size_t i = 0; i < values.size(); i++) sizes.push_back(random.spread(64, 2048));
    }

    void event(u64) override {
        for (u64 i = 0; i < lookups; i++) {
            u64 key = random.between(0, values.size() - 1);
            if (!values[key]) values[key] = make(site_cache_saturates, sizes[key]);
        }
    }

private:
    // n draws from k keys miss k * exp(-n/k) of them on average: the largest k for 0.1.
    size_t keys_to_see() const {
        double draws = double(events) / 3 * double(lookups), keys = 2;
        while ((keys + 1) * std::log(10 * (keys + 1)) <= draws) keys++;
        return size_t(keys);
    }

    const u64 lookups = random.between(12, 24);
    Blocks values;
    std::vector<u64> sizes;
};

// Full after about a tenth of the run; then each new value takes the place of the one
// that was not used for longest. Three lookups in four are misses.
SITE(site_lru)
class Lru : public Shape {
public:
    Lru(const Job& job) : Shape(job), values(capacity * 4) {
        for (u64 key = 0; key < values.size(); key++) places.push_back(absent.insert(absent.end(), key));
    }

    void event(u64) override {
        for (u64 i = 0; i < lookups; i++) look_up(random.between(0, values.size() - 1));
    }

private:
    void look_up(u64 key) {
        if (values[key]) {
            cached.splice(cached.begin(), cached, places[key]);
            return;
        }
        if (cached.size() == capacity) evict();
        values[key] = make(site_lru, random.between(bytes * 3 / 4, bytes * 5 / 4));
        cached.splice(cached.begin(), absent, places[key]);
    }

    void evict() {
        free(values[cached.back()]);
        values[cached.back()] = nullptr;
        absent.splice(absent.begin(), cached, places[cached.back()]);
    }

    const u64 lookups = random.between(12, 24), bytes = random.spread(128, 2048);
    // So many distinct keys are among events / 10 * lookups draws from four times as many.
    const u64 capacity = u64(double(events) / 10 * double(lookups) / (4 * std::log(4.0 / 3)));
    Blocks values;
    // All keys, latest use first. Moving between lists allocates nothing.
    std::list<u64> cached, absent;
    std::vector<std::list<u64>::iterator> places;
};

// Records are gathered and written out every 16 events.
SITE(site_sawtooth)
class Sawtooth : public Shape {
public:
    Sawtooth(const Job& job) : Shape(job) { pending.reserve(PERIOD * MOST); }

    void event(u64 number) override {
        for (u64 count = random.between(1, MOST); count > 0; count--) {
            pending.push_back(make(site_sawtooth, random.between(bytes / 2, bytes)));
        }
        if (number % PERIOD == phase) free_all(pending);
    }

private:
    static constexpr u64 PERIOD = 16, MOST = 4;
    const u64 phase = random.between(0, PERIOD - 1), bytes = random.spread(256, 8192);
    Blocks pending;
};

// How much an event needs: heavy-tailed. The largest of all comes between a tenth and a
// third of the run, so that what follows is flat for certain.
class Demand {
public:
    Demand(Random& random, u64 events)
        : random(random), largest(random.between(events / 10 + 1, events / 3)) {}

    // From 1 to LARGEST.
    double of(u64 event) {
        double drawn = std::pow(1 - random.unit(), -1 / TAIL);
        return event == largest ? LARGEST : std::min(drawn, LARGEST * 0.9);
    }

    static constexpr double LARGEST = 40;

private:
    static constexpr double TAIL = 1.2;
    Random& random;
    const u64 largest;
};

// One buffer, as large as the largest event needed so far.
SITE(site_high_water)
class HighWater : public Shape {
public:
    using Shape::Shape;

    void event(u64 number) override {
        auto needed = u64(double(unit_bytes) * demand.of(number));
        if (needed <= bytes) return;
        free(buffer);
        buffer = make(site_high_water, needed);
        bytes = needed;
    }

private:
    Demand demand{random, events};
    const u64 unit_bytes = random.spread(256, 2048);
    void* buffer = nullptr;
    u64 bytes = 0;
};

// A pool with a free list. What it once took it keeps.
SITE(site_pool)
class Pool : public Shape {
public:
    Pool(const Job& job) : Shape(job) {
        unused.reserve(size_t(UNITS * Demand::LARGEST));
        used.reserve(unused.capacity());
    }

    void event(u64 number) override {
        for (auto count = u64(UNITS * demand.of(number)); count > 0; count--) used.push_back(take());
        unused.insert(unused.end(), used.begin(), used.end());
        used.clear();
    }

private:
    void* take() {
        if (unused.empty()) return make(site_pool, bytes);
        void* block = unused.back();
        unused.pop_back();
        return block;
    }

    static constexpr double UNITS = 4;
    Demand demand{random, events};
    const u64 bytes = random.spread(128, 2048);
    Blocks unused, used;
};

// Blocks are freed so many events after they were made.
class Deferred : public Shape {
public:
    Deferred(const Job& job, u64 delay, Site site) : Shape(job), site(site), held(delay) {
        for (Blocks& blocks : held) blocks.reserve(most);
    }

    void event(u64 number) override {
        Blocks& blocks = held[number % held.size()];
        free_all(blocks);
        for (u64 count = random.between(most / 2, most); count > 0; count--) {
            blocks.push_back(make(site, random.between(bytes / 2, bytes)));
        }
    }

    void finish() override {
        for (Blocks& blocks : held) free_all(blocks);
    }

private:
    const u64 most = random.between(4, 32), bytes = random.spread(64, 4096);
    Site site;
    std::vector<Blocks> held;
};

SITE(site_deferred_1)
class Deferred1 : public Deferred {
public:
    Deferred1(const Job& job) : Deferred(job, 1, site_deferred_1) {}
};

SITE(site_deferred_5)
class Deferred5 : public Deferred {
public:
    Deferred5(const Job& job) : Deferred(job, 5, site_deferred_5) {}
};

// Kept until the end: freed before `main` returns (odd seeds) or by the destructor of a
// static (even seeds). The rates are those of the growth.
struct KeptToTheEnd {
    ~KeptToTheEnd() { free_all(blocks); }
    Blocks blocks;
};
static KeptToTheEnd kept_to_the_end;

SITE(site_exit_freed)
class ExitFreed : public Shape {
public:
    ExitFreed(const Job& job) : Shape(job) {
        kept_to_the_end.blocks.reserve(events * blocks);
        leaks_from(1, double(blocks * mean_bytes), true);
    }

    void event(u64) override {
        for (u64 i = 0; i < blocks; i++) {
            u64 bytes = random.between(mean_bytes / 2, mean_bytes * 2 - mean_bytes / 2);
            kept_to_the_end.blocks.push_back(make(site_exit_freed, bytes));
            leave(bytes);
        }
    }

    void finish() override {
        if (seed % 2 == 1) free_all(kept_to_the_end.blocks);
    }

private:
    const u64 blocks = random.between(1, 4), mean_bytes = random.spread(128, 4096);
};

// Nothing but the ordinary work; the site gives its blocks back.
SITE(site_flat)
class Flat : public Shape {
public:
    using Shape::Shape;

    void event(u64) override {
        for (u64 count = random.between(1, 16); count > 0; count--) {
            free(make(site_flat, random.between(16, bytes)));
        }
    }

private:
    const u64 bytes = random.spread(256, 16384);
};

// A store of blocks whose number wanders about a mean; any of them may be the next to go.
SITE(site_noisy)
class Noisy : public Shape {
public:
    Noisy(const Job& job) : Shape(job), length(double(mean)) {
        store.reserve(mean * 2 + MOST_NEW);
    }

    void event(u64) override {
        length += (double(mean) - length) * 0.3 + (random.unit() - 0.5) * double(mean);
        length = std::clamp(length, 0.0, double(mean * 2));
        for (u64 count = random.between(5, MOST_NEW); count > 0; count--) put();
        while (double(store.size()) < length) put();
        while (double(store.size()) > length) take();
    }

private:
    void put() { store.push_back(make(site_noisy, random.between(64, 1024))); }

    void take() {
        std::swap(store.back(), store[random.between(0, store.size() - 1)]);
        free(store.back());
        store.pop_back();
    }

    static constexpr u64 MOST_NEW = 20;
    const u64 mean = random.between(20, 60);
    double length;
    Blocks store;
};

#endif
