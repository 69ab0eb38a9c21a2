/* An executable that brings its own malloc, as rustc and Chromium do: a bump allocator that
 * takes its memory with mmap, while it holds a lock that is not taken twice. It is linked
 * with libstdc++, whose constructor allocates before those of preloaded libraries run. Its
 * functions call each other, can be left by a jump, and can be interrupted by a signal whose
 * handler allocates.
 *
 * With -DIMMOVABLE its malloc begins with an instruction that works in no other place.
 *
 * Truth: own_alloc.*, handler_alloc.*, libc_alloc.*, mapping_alloc.map_*, and
 *   calls   how often malloc was entered by 1000 pairs of malloc and free */

#include "truth.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

enum { HEAP_BYTES = 64 << 20, HEADER_BYTES = 16 };
/* Sizes with a meaning. */
enum { JUMPS_OUT = 12345, RAISES = 54321 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *heap;
static size_t used;
static u64 calls;
static sigjmp_buf out;

static size_t *size_of(void *block) { return (size_t *)((char *)block - HEADER_BYTES); }

NAMED void *own_malloc(size_t bytes) {
    if (bytes == JUMPS_OUT) siglongjmp(out, 1);
    if (bytes == RAISES) raise(SIGUSR1);
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

#ifdef IMMOVABLE
__asm__(".globl malloc\n"
        ".type malloc, @function\n"
        "malloc:\n"
        "    jrcxz 1f\n"
        "1:  jmp own_malloc\n"
        ".size malloc, . - malloc\n");
#else
NAMED void *malloc(size_t bytes) { return own_malloc(bytes); }
#endif

NAMED void free(void *block) { (void)block; }

NAMED void *calloc(size_t count, size_t each) { return malloc(count * each); }

NAMED void *realloc(void *old, size_t bytes) {
    void *block = malloc(bytes);
    if (old) {
        memcpy(block, old, *size_of(old) < bytes ? *size_of(old) : bytes);
        free(old);
    }
    return block;
}

static struct tally own, handler, libc;

NAMED static void own_alloc(void) {
    void *block = malloc(100);
    HIDE(block);
    tally_made(&own, 100);
    block = realloc(block, 300);
    HIDE(block);
    tally_freed(&own, 100);
    tally_made(&own, 300);
    void *zeroed = calloc(7, 11);
    HIDE(zeroed);
    tally_made(&own, 77);
    free(block);
    tally_freed(&own, 300);
}

NAMED static void handler_alloc(int number) {
    (void)number;
    void *block = malloc(40);
    HIDE(block);
    tally_made(&handler, 40);
}

/* A stack deeper than that of the call that was left. */
NAMED static void deeper(int levels) {
    char volatile frame[256];
    frame[0] = 0;
    if (levels > 0)
        deeper(levels - 1);
    else
        own_alloc();
    frame[1] = frame[0];
}

NAMED static void jumps_out(void) {
    void *block = malloc(JUMPS_OUT);
    HIDE(block);
}

NAMED static void libc_alloc(void) {
    const char *text = "twenty bytes of text";
    HIDE(text);
    char *copy = strdup(text);
    HIDE(copy);
    tally_made(&libc, 21);
}

NAMED static void mapping_alloc(void) {
    void *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    HIDE(pages);
}

NAMED static void interrupted(void) {
    void *block = malloc(RAISES);
    HIDE(block);
    free(block);
}

int main(void) {
    u64 before = calls;
    for (int i = 0; i < 1000; i++) {
        void *block = malloc(100);
        HIDE(block);
        free(block);
    }
    truth("calls", calls - before);
    own_alloc();
    if (sigsetjmp(out, 1) == 0) jumps_out();
    deeper(4);
    own_alloc();
    signal(SIGUSR1, handler_alloc);
    interrupted();
    own_alloc();
    libc_alloc();
    mapping_alloc();
    truth_of("mapping_alloc", "map_calls", 1);
    truth_of("mapping_alloc", "map_total", 8192);
    truth_of("mapping_alloc", "map_live", 8192);
    truth_tally("own_alloc", &own);
    truth_tally("handler_alloc", &handler);
    truth_tally("libc_alloc", &libc);
    return 3;
}
