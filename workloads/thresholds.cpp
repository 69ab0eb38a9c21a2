// Blocks of every size from 1 to 1000: once from `alloc_first`, which loses those
// divisible by 3, and twice from `alloc_second`, which loses the odd ones.
//
//   thresholds
//
// Truth, for F = alloc_first and alloc_second:
//   F.*               everything
//   F.below128.*      sizes under 128 bytes
//   F.from128.*       sizes of 128 bytes and more
//   F.hist.B.*        sizes whose bit length is B, 1 (size 1) to 10 (512 to 1000)

#include "truth.h"

constexpr size_t LARGEST = 1000;

struct Counts {
    tally all, below, from, bin[11];

    template <class Change>
    void apply(Change change, size_t size) {
        change(&all, size);
        change(size < 128 ? &below : &from, size);
        change(&bin[64 - __builtin_clzll(size)], size);
    }

    void print(const char* function) const {
        char name[64];
        truth_tally(function, &all);
        snprintf(name, sizeof name, "%s.below128", function);
        truth_tally(name, &below);
        snprintf(name, sizeof name, "%s.from128", function);
        truth_tally(name, &from);
        for (int bits = 1; bits <= 10; bits++) {
            snprintf(name, sizeof name, "%s.hist.%d", function, bits);
            truth_tally(name, &bin[bits]);
        }
    }
};

NAMED void* alloc_first(size_t size) {
    void* block = malloc(size);
    HIDE(block);
    return block;
}

NAMED void* alloc_second(size_t size) {
    void* block = malloc(size);
    HIDE(block);
    return block;
}

int main() {
    static void* blocks[3 * LARGEST];
    Counts first{}, second{};

    for (size_t size = 1; size <= LARGEST; size++) {
        blocks[3 * size - 3] = alloc_first(size);
        first.apply(tally_made, size);
        for (size_t i = 1; i <= 2; i++) {
            blocks[3 * size - i] = alloc_second(size);
            second.apply(tally_made, size);
        }
    }
    for (size_t size = 3; size <= LARGEST; size += 3) {
        free(blocks[3 * size - 3]);
        first.apply(tally_freed, size);
    }
    for (size_t size = 1; size <= LARGEST; size += 2) {
        for (size_t i = 1; i <= 2; i++) {
            free(blocks[3 * size - i]);
            second.apply(tally_freed, size);
        }
    }
    first.print("alloc_first");
    second.print("alloc_second");
}
