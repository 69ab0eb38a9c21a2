/* Recording switched on and off by the program.
 *
 *   switches around|thread|all|thresholds [blocks=50]
 *
 * around      to be started with `--start paused`: recording is on around heard_here alone,
 *             and what it made is freed when recording is off again
 * thread      two threads at the same time: one has paused itself twice, one has not
 * all         one thread pauses all; while it is paused, both allocate
 * thresholds  paths only for blocks of 100 to 1000 bytes, then for all again
 *
 * Truth: heard_here.*, what is recorded; quiet_here.*, nothing; paused_calls, the
 * allocations that were not recorded; pooled_calls, pooled_bytes, pooled_live. */

#include "truth.h"

#include "../include/residue.h"

#include <pthread.h>

static u64 blocks = 50, paused_calls;
static struct tally heard, quiet, pooled;
static pthread_barrier_t barrier;

NAMED void *heard_here(size_t bytes) {
    void *block = malloc(bytes);
    HIDE(block);
    return block;
}

NAMED void *quiet_here(size_t bytes) {
    void *block = malloc(bytes);
    HIDE(block);
    return block;
}

static void allocate_quietly(void) {
    for (u64 i = 0; i < blocks; i++) {
        void *block = quiet_here(40 + i);
        if (i % 2) free(block);
        __atomic_add_fetch(&paused_calls, 1, __ATOMIC_RELAXED);
    }
}

static void around(void) {
    void *kept[64] = {0};
    allocate_quietly();
    residue_resume_all();
    for (u64 i = 0; i < blocks; i++) {
        kept[i % 64] = heard_here(200 + i);
        tally_made(&heard, 200 + i);
    }
    residue_pause_all();
    allocate_quietly();
    u64 last = blocks - 1;
    free(kept[last % 64]);
    tally_freed(&heard, 200 + last);
}

static void *loud_thread(void *unused) {
    pthread_barrier_wait(&barrier); /* the other has paused itself */
    for (u64 i = 0; i < blocks; i++) {
        heard_here(200 + i);
        tally_made(&heard, 200 + i);
    }
    pthread_barrier_wait(&barrier); /* and still is */
    return unused;
}

static void *quiet_thread(void *unused) {
    residue_pause();
    residue_pause();
    residue_resume();
    pthread_barrier_wait(&barrier);
    allocate_quietly();
    pthread_barrier_wait(&barrier);
    residue_resume();
    void *block = heard_here(7);
    tally_made(&heard, 7);
    free(block);
    tally_freed(&heard, 7);
    return unused;
}

static void *silenced_thread(void *unused) {
    pthread_barrier_wait(&barrier); /* both are there, and main makes no more threads */
    pthread_barrier_wait(&barrier); /* all are paused */
    allocate_quietly();
    pthread_barrier_wait(&barrier); /* all go on */
    pthread_barrier_wait(&barrier);
    heard_here(11);
    tally_made(&heard, 11);
    return unused;
}

static void *silencing_thread(void *unused) {
    pthread_barrier_wait(&barrier);
    residue_pause_all();
    pthread_barrier_wait(&barrier);
    allocate_quietly();
    pthread_barrier_wait(&barrier);
    residue_resume_all();
    pthread_barrier_wait(&barrier);
    return unused;
}

static void two_threads(void *(*first)(void *), void *(*second)(void *)) {
    pthread_t threads[2];
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}

static void thresholds(void) {
    residue_thresholds(100, 1000);
    for (u64 i = 0; i < 2 * blocks; i++) {
        size_t sizes[] = {99, 100, 1000, 1001};
        size_t bytes = sizes[i % 4];
        int is_wanted = bytes >= 100 && bytes <= 1000;
        struct tally *t = is_wanted ? &heard : &pooled;
        void *block = heard_here(bytes);
        tally_made(t, bytes);
        if (i % 8 < 4) {
            free(block);
            tally_freed(t, bytes);
        }
    }
    residue_thresholds(0, UINT64_MAX);
    heard_here(5);
    tally_made(&heard, 5);
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    blocks = number_arg(argc, argv, 2, 50);
    if (!strcmp(mode, "around")) around();
    else if (!strcmp(mode, "thread")) two_threads(loud_thread, quiet_thread);
    else if (!strcmp(mode, "all")) two_threads(silencing_thread, silenced_thread);
    else if (!strcmp(mode, "thresholds")) thresholds();
    else return 1;
    truth_tally("heard_here", &heard);
    truth_tally("quiet_here", &quiet);
    truth("paused_calls", paused_calls);
    truth("pooled_calls", pooled.calls);
    truth("pooled_bytes", pooled.total);
    truth("pooled_live", pooled.total - pooled.freed);
    return 0;
}
