/* An executable that brings its own malloc, as rustc and Chromium do: a bump allocator that
 * takes its memory with mmap, while it holds a lock that is not taken twice. It is linked
 * with libstdc++, whose constructor allocates before those of preloaded libraries run.
 *
 * Truth: calls, how often malloc was entered. */

#include "truth.h"

#include <pthread.h>
#include <sys/mman.h>

enum { HEAP_BYTES = 64 << 20, HEADER_BYTES = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *heap;
static size_t used;
static u64 calls;

static size_t *size_of(void *block) { return (size_t *)((char *)block - HEADER_BYTES); }

void *malloc(size_t bytes) {
    pthread_mutex_lock(&lock);
    if (!heap)
        heap = mmap(NULL, HEAP_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *block = heap + used + HEADER_BYTES;
    used += HEADER_BYTES + (bytes + 15) / 16 * 16;
    calls += 1;
    *size_of(block) = bytes;
    pthread_mutex_unlock(&lock);
    return block;
}

void free(void *block) { (void)block; }

void *calloc(size_t count, size_t each) { return malloc(count * each); }

void *realloc(void *old, size_t bytes) {
    void *block = malloc(bytes);
    if (old)
        memcpy(block, old, *size_of(old) < bytes ? *size_of(old) : bytes);
    return block;
}

int main(void) {
    u64 before = calls;
    for (int i = 0; i < 1000; i++) {
        void *block = malloc(100);
        HIDE(block);
        free(block);
    }
    truth("calls", calls - before);
    return 3;
}
