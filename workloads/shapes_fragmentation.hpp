// The live heap stays the same to the byte, and the resident set grows.
//
// Before the first event a population of blocks is laid out, each between two small ones
// that stay. An event frees some of the population, chosen at random, and makes blocks
// of the same sum, each larger than any that was there before: they fit into none of the
// holes, and go to the end of the heap.
#ifndef SHAPES_FRAGMENTATION_HPP
#define SHAPES_FRAGMENTATION_HPP

#include "shapes_kit.hpp"

SITE(site_fragmentation)
SITE(lay_fence)
class Fragmentation : public Shape {
public:
    Fragmentation(const Job& job) : Shape(job) {
        // Twice what all events free, so that most of the fences stay fences.
        for (u64 i = 0; i < 2 * events * replaced; i++) {
            add(first_bytes);
            make(lay_fence, FENCE_BYTES);
        }
    }

    void event(u64 number) override {
        u64 owed = 0;
        for (u64 i = 0; i < replaced; i++) owed += remove(random.between(0, population.size() - 1));
        u64 bytes = first_bytes * 3 / 2 + first_bytes * number / events;
        for (; owed >= 2 * bytes; owed -= bytes) add(bytes);
        if (owed > 0) add(owed);
    }

private:
    struct Member {
        void* block;
        u64 bytes;
    };

    void add(u64 bytes) { population.push_back({make(site_fragmentation, bytes), bytes}); }

    u64 remove(u64 index) {
        std::swap(population[index], population.back());
        Member gone = population.back();
        population.pop_back();
        free(gone.block);
        return gone.bytes;
    }

    static constexpr u64 FENCE_BYTES = 24;
    const u64 replaced = random.between(6, 12), first_bytes = random.between(800, 1600);
    std::vector<Member> population;
};

#endif
