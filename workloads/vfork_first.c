/* Threads whose first allocation is made by a child of vfork, which runs in their place and in
 * their memory; then all allocate at once.
 *
 *   vfork_first [threads=12] [pairs=30000]
 *
 * Truth: threads; child_alloc.*, by the children; pair_alloc.*, by the threads. */

#include "truth.h"

#include <pthread.h>
#include <sys/wait.h>

static pthread_barrier_t all_are_there;
static u64 pairs;
static u64 done[64];

NAMED void child_alloc(void) {
    void *block = malloc(40);
    HIDE(block);
    free(block);
    KEEP_FRAME();
}

NAMED void pair_alloc(void) {
    void *block = malloc(72);
    HIDE(block);
    free(block);
    KEEP_FRAME();
}

static void *run(void *number) {
    pid_t child = vfork();
    if (child == 0) {
        child_alloc();
        _exit(0);
    }
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    pthread_barrier_wait(&all_are_there);
    for (u64 i = 0; i < pairs; i++) pair_alloc();
    done[(size_t)number] = pairs;
    return NULL;
}

int main(int argc, char **argv) {
    u64 threads = number_arg(argc, argv, 1, 12);
    pairs = number_arg(argc, argv, 2, 30000);
    if (threads > 64) return 2;
    pthread_barrier_init(&all_are_there, NULL, (unsigned)threads);
    pthread_t handles[64];
    for (u64 i = 0; i < threads; i++) pthread_create(&handles[i], NULL, run, (void *)i);
    struct tally of_children = {0}, of_threads = {0};
    for (u64 i = 0; i < threads; i++) {
        pthread_join(handles[i], NULL);
        tally_made(&of_children, 40);
        tally_freed(&of_children, 40);
        for (u64 pair = 0; pair < done[i]; pair++) {
            tally_made(&of_threads, 72);
            tally_freed(&of_threads, 72);
        }
    }
    truth("threads", threads);
    truth_tally("child_alloc", &of_children);
    truth_tally("pair_alloc", &of_threads);
    return 0;
}
