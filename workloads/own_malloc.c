/* A program that is linked with an allocator of its own, which nothing can be preloaded
 * before: the executable stands first in the dynamic linker's search.
 *
 *   own_malloc
 *
 * Truth: own_calls, the calls of its malloc from main. */

#include "truth.h"

static _Alignas(16) unsigned char heap[1 << 20];
static size_t used_bytes;
static u64 calls;

void *malloc(size_t size) {
    size_t start = used_bytes;
    if (size > sizeof heap - start) return NULL;
    used_bytes += (size + 15) & ~(size_t)15;
    return heap + start;
}

void free(void *block) { (void)block; }

void *calloc(size_t count, size_t size) { return malloc(count * size); }

void *realloc(void *block, size_t size) {
    void *larger = malloc(size);
    if (larger && block) memmove(larger, block, size);
    return larger;
}

NAMED void own_alloc(void) {
    void *block = malloc(100);
    HIDE(block);
    calls++;
}

int main(void) {
    for (int i = 0; i < 10; i++) own_alloc();
    truth("own_calls", calls);
    return 0;
}
