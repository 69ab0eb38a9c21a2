// What all shapes share: random numbers, the way to a site, the ordinary work of an
// event, and the truth that a shape tells at its end.
#ifndef SHAPES_KIT_HPP
#define SHAPES_KIT_HPP

#include "residue.h"
#include "truth.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

class Random {
public:
    Random(u64 seed, u64 purpose) : state(seed * 1000003 + purpose) { random_next(&state); }

    // From low to high, both included.
    u64 between(u64 low, u64 high) { return low + random_next(&state) % (high - low + 1); }

    // In [0, 1).
    double unit() { return double(random_next(&state) >> 11) * 0x1p-53; }

    // From low to high, each octave as likely as any other.
    u64 spread(u64 low, u64 high) {
        return u64(double(low) * std::pow(double(high) / double(low), unit()));
    }

private:
    u64 state;
};

// A site is the one function in which a shape makes the blocks that matter.
using Site = void* (*)(size_t bytes);

#define SITE(name)                                \
    extern "C" NAMED void* name(size_t bytes) {   \
        void* block = malloc(bytes);              \
        HIDE(block);                              \
        memset(block, 1, bytes);                  \
        return block;                             \
    }

extern "C" NAMED inline void* store_record(Site site, size_t bytes) {
    void* block = site(bytes);
    HIDE(block);
    return block;
}

extern "C" NAMED inline void* build_record(Site site, size_t bytes) {
    void* block = store_record(site, bytes);
    HIDE(block);
    return block;
}

// All blocks of a site are made through the same frames.
inline void* make(Site site, size_t bytes) { return build_record(site, bytes); }

SITE(churn_small)
SITE(churn_large)

// Work of an event that gives everything back. Each thread has its own.
class Churn {
public:
    explicit Churn(u64 seed, u64 purpose = 0) : random(seed, 1000 + purpose) {}

    NAMED void work() {
        void* blocks[MOST];
        u64 count = random.between(MOST / 4, MOST);
        for (u64 i = 0; i < count; i++) {
            blocks[i] = i % 4 ? make(churn_small, random.between(16, 256))
                              : make(churn_large, random.between(256, 4096));
        }
        for (u64 i = count; i > 0; i--) {
            std::swap(blocks[i - 1], blocks[random.between(0, i - 1)]);
            free(blocks[i - 1]);
        }
        std::string label = "event";
        for (u64 i = random.between(4, 12); i > 0; i--) label += "/" + std::to_string(i * count);
        const char* text = label.c_str();
        HIDE(text);
        KEEP_FRAME();
    }

private:
    static constexpr u64 MOST = 64;
    Random random;
};

// What a job has before its first event.
class SetUp {
public:
    NAMED SetUp() : geometry(32768, 1.0) {
        for (int i = 0; i < 200; i++) {
            configuration["parameter/" + std::to_string(i)] = std::string(size_t(16 + i % 64), 'x');
        }
        KEEP_FRAME();
    }

private:
    std::vector<double> geometry;
    std::map<std::string, std::string> configuration;
};

// Made by the first event that asks for it.
NAMED inline double lazy_table(u64 index) {
    static std::vector<double> table(4096 + 64, 2.0);
    static std::map<u64, std::string> names;
    static bool named = [] {
        for (u64 i = 0; i < 50; i++) names[i] = "detector/element/" + std::to_string(i);
        return true;
    }();
    return named ? table[index % table.size()] : 0;
}

// What one event does besides what its shape is about.
inline void ordinary_work(Churn& churn, u64 event) {
    double value = lazy_table(event);
    HIDE(value);
    churn.work();
}

struct Job {
    u64 events, seed;
    // Sets shapes apart: the same seed gives each of them other numbers.
    u64 shape_hash;
};

// One behaviour. Events are numbered from 1.
class Shape {
public:
    explicit Shape(const Job& job)
        : events(job.events), seed(job.seed), random(seed, job.shape_hash), churn(seed) {}
    virtual ~Shape() = default;

    virtual void event(u64) {}

    virtual void run() {
        for (u64 number = 1; number <= events; number++) {
            residue_event_begin(number);
            ordinary_work(churn, number);
            event(number);
            residue_event_end(number);
        }
    }

    // After the last event, before `main` returns.
    virtual void finish() {}

    // Bytes an event leaves in the long run, from first_leaking to last_leaking.
    double expected_rate = 0;
    // Whether the rate is subject to chance.
    bool is_random = false;
    // What a cache holds when it is full.
    double end_bytes = 0;
    // Whether the rate goes another way than straight on, so that no interval of it is right.
    bool has_trend = false;
    // 0: no event leaks.
    u64 first_leaking = 0, last_leaking = 0;

    double realised_rate() const {
        if (first_leaking == 0) return 0;
        return double(left_bytes) / double(last_leaking - first_leaking + 1);
    }

protected:
    // Counts what was left; the block itself is forgotten.
    void leave(u64 bytes) { left_bytes += bytes; }

    void leaks_from(u64 first, double rate, bool random_rate) { leaks_in(first, events, rate, random_rate); }

    void leaks_in(u64 first, u64 last, double rate, bool random_rate) {
        first_leaking = first;
        last_leaking = last;
        expected_rate = rate;
        is_random = random_rate;
    }

    const u64 events, seed;
    Random random;
    Churn churn;

private:
    std::atomic<u64> left_bytes{0};
};

#endif
