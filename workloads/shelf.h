/* Blocks are put on a shelf and freed when a later one takes their place: so
 * frees come late and from elsewhere, and what is on the shelf at the end is
 * live. One thread only. */
#ifndef SHELF_H
#define SHELF_H

#include "truth.h"

enum { SHELF_PLACES = 1024 };

static struct {
    void *block;
    size_t size;
    struct tally *owner;
} shelf[SHELF_PLACES];

static u64 shelf_random = 1;

static inline void shelve(void *block, size_t size, struct tally *owner) {
    u64 place = random_next(&shelf_random) % SHELF_PLACES;
    tally_made(owner, size);
    if (shelf[place].block) {
        tally_freed(shelf[place].owner, shelf[place].size);
        free(shelf[place].block);
    }
    shelf[place].block = block;
    shelf[place].size = size;
    shelf[place].owner = owner;
}

/* Defines `void NAME(size_t size)`, which mallocs and shelves one block, and its
 * tally NAME_tally. */
#define SHELVING_FUNCTION(name)             \
    static struct tally name##_tally;       \
    NAMED void name(size_t size);           \
    NAMED void name(size_t size) {          \
        void *block = malloc(size);         \
        HIDE(block);                        \
        shelve(block, size, &name##_tally); \
        KEEP_FRAME();                       \
    }

#endif
