/* A program that calls an allocator by names of its own, beside libc's. Compiled in tests, with
 * one of
 *   -DJE     jemalloc with the prefix je_, as Redis has it
 *   -DTBB    TBB's scalable allocator, a library
 *   -DWRAPS  functions called je_ that put a header in front of libc's blocks
 *
 * Truth: own_alloc.*, libc_alloc.*, thread_alloc.* */

#include "truth.h"

#include <pthread.h>

#ifdef TBB
#define OWN(name) scalable_##name
#define MAKE_ALIGNED(alignment, size) scalable_aligned_malloc(size, alignment)
#define FREE_ALIGNED scalable_aligned_free
void *scalable_aligned_malloc(size_t, size_t);
void scalable_aligned_free(void *);
#else
#define OWN(name) je_##name
#define MAKE_ALIGNED(alignment, size) je_aligned_alloc(alignment, size)
#define FREE_ALIGNED je_free
void *je_aligned_alloc(size_t, size_t);
#endif

enum { HEADER_BYTES = 0
#ifdef WRAPS
       + 16
#endif
};

void *OWN(malloc)(size_t);
void *OWN(calloc)(size_t, size_t);
void *OWN(realloc)(void *, size_t);
void OWN(free)(void *);

#ifdef WRAPS
NAMED void *je_malloc(size_t bytes) { return (char *)malloc(bytes + HEADER_BYTES) + HEADER_BYTES; }
NAMED void je_free(void *block) { free((char *)block - HEADER_BYTES); }
NAMED void *je_calloc(size_t count, size_t each) {
    return (char *)calloc(1, count * each + HEADER_BYTES) + HEADER_BYTES;
}
NAMED void *je_realloc(void *block, size_t bytes) {
    return (char *)realloc((char *)block - HEADER_BYTES, bytes + HEADER_BYTES) + HEADER_BYTES;
}
NAMED void *je_aligned_alloc(size_t alignment, size_t bytes) {
    (void)alignment;
    return je_malloc(bytes);
}
#endif

static struct tally own, libc;
#define MADE(tally, size) tally_made(tally, (size) + HEADER_BYTES)
#define FREED(tally, size) tally_freed(tally, (size) + HEADER_BYTES)

NAMED static void own_alloc(void) {
    void *block = OWN(malloc)(100);
    HIDE(block);
    MADE(&own, 100);
    block = OWN(realloc)(block, 3000);
    HIDE(block);
    FREED(&own, 100);
    MADE(&own, 3000);
    void *zeroed = OWN(calloc)(7, 11);
    HIDE(zeroed);
    MADE(&own, 77);
    void *aligned = MAKE_ALIGNED(64, 640);
    HIDE(aligned);
    MADE(&own, 640);
    void *small[64];
    for (int i = 0; i < 64; i++) {
        small[i] = OWN(malloc)(8);
        HIDE(small[i]);
        MADE(&own, 8);
    }
    for (int i = 0; i < 64; i += 2) {
        OWN(free)(small[i]);
        FREED(&own, 8);
    }
    OWN(free)(block);
    FREED(&own, 3000);
    FREE_ALIGNED(aligned);
    FREED(&own, 640);
}

NAMED static void libc_alloc(void) {
    void *block = malloc(500);
    HIDE(block);
    tally_made(&libc, 500);
    void *other = malloc(50);
    HIDE(other);
    tally_made(&libc, 50);
    free(other);
    tally_freed(&libc, 50);
}

enum { THREADS = 4, ROUNDS = 1000, THREAD_BYTES = 48 };

NAMED static void *thread_alloc(void *nothing) {
    for (int i = 0; i < ROUNDS; i++) {
        void *block = OWN(malloc)(THREAD_BYTES);
        HIDE(block);
        if (i % 10) OWN(free)(block);
    }
    return nothing;
}

int main(void) {
    pthread_t threads[THREADS];
    /* At its first call an allocator may read files, for which libc allocates. */
    OWN(free)(OWN(malloc)(1));
    for (int i = 0; i < 10; i++) {
        libc_alloc();
        own_alloc();
    }
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, thread_alloc, NULL);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    truth_tally("own_alloc", &own);
    truth_tally("libc_alloc", &libc);
    u64 calls = THREADS * ROUNDS, live = THREADS * (ROUNDS / 10);
    truth_of("thread_alloc", "calls", calls);
    truth_of("thread_alloc", "total", calls * (THREAD_BYTES + HEADER_BYTES));
    truth_of("thread_alloc", "frees", calls - live);
    truth_of("thread_alloc", "live", live * (THREAD_BYTES + HEADER_BYTES));
    truth_of("thread_alloc", "live_blocks", live);
    return 0;
}
