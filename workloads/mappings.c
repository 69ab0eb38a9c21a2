/* Memory that does not come from malloc: mmap, munmap of parts, mremap, sbrk.
 *
 *   mappings
 *
 * Truth, in bytes of whole pages; a part of a mapping belongs to the function that
 * mapped it until it is unmapped, mapped over, or given by mremap a new owner:
 *   map_here.map_calls, .map_total, .map_live       mmap
 *   map64_here.…                                    mmap64
 *   over_here.…                                     mmap with MAP_FIXED over the middle
 *                                                   of a mapping of map_here
 *   remap_here.…                                    mremap; map_total counts new sizes
 *   brk_here.map_calls, .brk_up, .brk_down          sbrk, and the two directions
 *   maps_live       bytes mapped by all of these at the end, without sbrk
 *   pieces          how many pieces the one with the hole is in: 2
 *   heap_alloc.*    a few mallocs in between, which nothing here may change
 *   map_here.calls, map_here.total                  0: mappings are not heap */

#include "truth.h"

#include <sys/mman.h>

enum { PAGE = 4096, ANONYMOUS = MAP_PRIVATE | MAP_ANONYMOUS };

struct maps {
    u64 calls, total, live;
};

static struct maps map, map64, over, remap;
static struct tally heap;

static void made(struct maps *m, size_t length) {
    m->calls += 1;
    m->total += length;
    m->live += length;
}

static char *worked(void *at) {
    if (at == MAP_FAILED) abort();
    return at;
}

NAMED char *map_here(size_t length) {
    void *at = mmap(NULL, length, PROT_READ | PROT_WRITE, ANONYMOUS, -1, 0);
    made(&map, length);
    return worked(at);
}

NAMED char *map64_here(size_t length) {
    void *at = mmap64(NULL, length, PROT_READ | PROT_WRITE, ANONYMOUS, -1, 0);
    made(&map64, length);
    return worked(at);
}

NAMED char *over_here(char *place, size_t length) {
    void *at = mmap(place, length, PROT_READ | PROT_WRITE, ANONYMOUS | MAP_FIXED, -1, 0);
    made(&over, length);
    map.live -= length;
    return worked(at);
}

NAMED char *remap_here(struct maps *owner, char *old, size_t old_length, size_t length, int flags) {
    void *at = mremap(old, old_length, length, flags);
    owner->live -= old_length;
    made(&remap, length);
    return worked(at);
}

NAMED void unmap_here(struct maps *owner, char *at, size_t length) {
    if (munmap(at, length) != 0) abort();
    owner->live -= length;
}

NAMED void *brk_here(intptr_t change) {
    void *before = sbrk(change);
    HIDE(before);
    return before;
}

NAMED void heap_alloc(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    tally_made(&heap, size);
}

static void print(const char *function, const struct maps *m) {
    truth_of(function, "map_calls", m->calls);
    truth_of(function, "map_total", m->total);
    truth_of(function, "map_live", m->live);
}

int main(void) {
    map_here(64 * PAGE);
    char *whole = map_here(10 * PAGE);
    unmap_here(&map, whole, 10 * PAGE);
    heap_alloc(1000);

    char *holed = map_here(100 * PAGE);
    unmap_here(&map, holed + 40 * PAGE, 20 * PAGE); /* two pieces of 40 pages */
    char *trimmed = map_here(30 * PAGE);
    unmap_here(&map, trimmed, 5 * PAGE);
    unmap_here(&map, trimmed + 25 * PAGE, 5 * PAGE);
    char *covered = map_here(50 * PAGE);
    over_here(covered + 10 * PAGE, 15 * PAGE);
    heap_alloc(2000);
    if (munmap(covered, (size_t)1 << 62) == 0) abort(); /* refused: all stays as it is */

    char *grown = remap_here(&map, map_here(8 * PAGE), 8 * PAGE, 24 * PAGE, MREMAP_MAYMOVE);
    remap_here(&remap, grown, 24 * PAGE, 12 * PAGE, 0);
    char *moved = map64_here(16 * PAGE);
    map64_here(3 * PAGE);                                  /* likely in the way below */
    remap_here(&map64, moved, 16 * PAGE, 4000 * PAGE, MREMAP_MAYMOVE);
    heap_alloc(300000);                                    /* malloc's own mapping */

    brk_here(64 * PAGE);
    brk_here(-16 * PAGE);
    heap_alloc(3000);

    print("map_here", &map);
    print("map64_here", &map64);
    print("over_here", &over);
    print("remap_here", &remap);
    truth_of("brk_here", "map_calls", 2);
    truth_of("brk_here", "brk_up", 64 * PAGE);
    truth_of("brk_here", "brk_down", 16 * PAGE);
    truth("maps_live", map.live + map64.live + over.live + remap.live);
    truth("pieces", 2);
    truth_tally("heap_alloc", &heap);
    truth_of("map_here", "calls", 0);
    truth_of("map_here", "total", 0);
    return 0;
}
