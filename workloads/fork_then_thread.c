/* A forked child in which another thread allocates before the one that forked does.
 *
 *   fork_then_thread */
#include "truth.h"

#include <pthread.h>
#include <sys/wait.h>

enum { SIZE = 100, TIMES = 50 };

static struct tally thread_tally, child_tally;

NAMED static void *first_in_child(void *unused) {
    for (int i = 0; i < TIMES; i++) {
        void *block = malloc(SIZE);
        HIDE(block);
        tally_made(&thread_tally, SIZE);
    }
    return unused;
}

NAMED static void then_the_one_that_forked(void) {
    for (int i = 0; i < TIMES; i++) {
        void *block = malloc(2 * SIZE);
        HIDE(block);
        tally_made(&child_tally, 2 * SIZE);
        if (i % 2) {
            free(block);
            tally_freed(&child_tally, 2 * SIZE);
        }
    }
    KEEP_FRAME();
}

static pthread_barrier_t go, went;

static void *nothing(void *unused) { return unused; }

static void *in_thread(void *unused) {
    pthread_barrier_wait(&go);
    first_in_child(NULL);
    pthread_barrier_wait(&went);
    return unused;
}

int main(void) {
    then_the_one_that_forked();
    child_tally = (struct tally){0, 0, 0, 0};
    pthread_barrier_init(&go, NULL, 2);
    pthread_barrier_init(&went, NULL, 2);
    /* Libc keeps what it allocated for this thread, and has it for the next. */
    pthread_t thread;
    if (pthread_create(&thread, NULL, nothing, NULL)) return 2;
    pthread_join(thread, NULL);
    pid_t child = fork();
    if (child == 0) {
        truth_with_pid = 1;
        if (pthread_create(&thread, NULL, in_thread, NULL)) _exit(3);
        pthread_barrier_wait(&go);
        pthread_barrier_wait(&went);
        then_the_one_that_forked();
        pthread_join(thread, NULL);
        truth_tally("first_in_child", &thread_tally);
        truth_tally("then_the_one_that_forked", &child_tally);
        _exit(0);
    }
    int status;
    if (waitpid(child, &status, 0) != child || status) return 1;
    return 0;
}
