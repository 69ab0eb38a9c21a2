/* Allocates and frees without end, from many stacks, until it is killed.
 *
 *   kill_me LOG [threads=1] [calls=0]     calls: stop after so many a thread; 0: never
 *
 * Truth: a struct slot per thread, 64 bytes each, in the shared mapping of LOG.
 * The *_begun are raised before a malloc or free and the *_done after it, so at
 * whatever instruction the process dies, over all slots and for the stacks with
 * `kill_alloc`:
 *   calls_done <= calls recorded <= calls_begun      likewise bytes, frees, freed
 *   bytes_done - freed_begun <= live recorded <= bytes_begun - freed_done
 * Prints `truth threads N` when all threads are running; with a limit, also
 * kill_alloc.* at the end. */

#include "truth.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

struct slot {
    volatile u64 calls_done, bytes_done, frees_done;    /* bytes: of the mallocs */
    volatile u64 calls_begun, bytes_begun, frees_begun;
    volatile u64 freed_done, freed_begun;               /* freed: bytes of the frees */
};

enum { RING = 1024 };
static u64 limit;
static struct slot *slots;
static pthread_barrier_t all_running;

NAMED void *kill_alloc(struct slot *slot, size_t size) {
    slot->calls_begun += 1;
    slot->bytes_begun += size;
    KEEP_FRAME();
    void *block = malloc(size);
    HIDE(block);
    slot->bytes_done += size;
    slot->calls_done += 1;
    return block;
}

NAMED void kill_free(struct slot *slot, void *block, size_t size) {
    slot->frees_begun += 1;
    slot->freed_begun += size;
    KEEP_FRAME();
    free(block);
    KEEP_FRAME();
    slot->freed_done += size;
    slot->frees_done += 1;
}

NAMED void *kill_left(struct slot *slot, size_t size, unsigned path);
NAMED void *kill_right(struct slot *slot, size_t size, unsigned path);

/* Each set of bits in `path` under its highest one is another stack. */
static inline void *kill_step(struct slot *slot, size_t size, unsigned path) {
    void *block = path <= 1  ? kill_alloc(slot, size)
                  : path & 1 ? kill_left(slot, size, path >> 1)
                             : kill_right(slot, size, path >> 1);
    HIDE(block);
    return block;
}

NAMED void *kill_left(struct slot *slot, size_t size, unsigned path) {
    return kill_step(slot, size, path);
}

NAMED void *kill_right(struct slot *slot, size_t size, unsigned path) {
    return kill_step(slot, size, path);
}

static void *work(void *argument) {
    struct slot *slot = argument;
    u64 random = (u64)(slot - slots);
    void *blocks[RING] = {0};
    size_t sizes[RING] = {0};

    pthread_barrier_wait(&all_running);
    for (u64 i = 0; limit == 0 || i < limit; i++) {
        u64 r = random_next(&random), place = r % RING;
        if (blocks[place]) kill_free(slot, blocks[place], sizes[place]);
        sizes[place] = 16 + (r >> 16) % 500;
        blocks[place] = kill_step(slot, sizes[place], 1 + (r >> 32) % 4095);
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    u64 count = number_arg(argc, argv, 2, 1);
    limit = number_arg(argc, argv, 3, 0);

    size_t length = count * sizeof(struct slot);
    int log = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (log < 0 || ftruncate(log, (off_t)length) != 0) return 2;
    slots = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, log, 0);
    if (slots == MAP_FAILED) return 2;

    pthread_barrier_init(&all_running, NULL, (unsigned)count + 1);
    pthread_t threads[count];
    for (u64 t = 0; t < count; t++) pthread_create(&threads[t], NULL, work, &slots[t]);
    pthread_barrier_wait(&all_running);
    truth("threads", count);
    for (u64 t = 0; t < count; t++) pthread_join(threads[t], NULL);

    struct tally sum = {0};
    for (u64 t = 0; t < count; t++) {
        struct tally one = {slots[t].calls_done, slots[t].bytes_done, slots[t].frees_done, slots[t].freed_done};
        tally_add(&sum, &one);
    }
    truth_tally("kill_alloc", &sum);
    return 0;
}
