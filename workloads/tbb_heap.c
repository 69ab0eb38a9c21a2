/* A program that allocates with TBB's scalable allocator, by its own names.
 *
 *   tbb_heap
 *
 * Truth: blocks, bytes. */
#include "truth.h"

#include <dlfcn.h>

enum { BLOCKS = 1000, BYTES = 5000 };

static void *kept[BLOCKS];

int main(void) {
    void *library = dlopen("libtbbmalloc.so.2", RTLD_NOW);
    if (!library) return 2;
    void *(*allocate)(size_t) = (void *(*)(size_t))dlsym(library, "scalable_malloc");
    for (int i = 0; i < BLOCKS; i++) kept[i] = allocate(BYTES);
    HIDE(allocate);
    truth("blocks", BLOCKS);
    truth("bytes", (u64)BLOCKS * BYTES);
    return kept[BLOCKS - 1] ? 0 : 1;
}
