/* The resident set grows by the stacks of threads: each event starts one, which touches
 * 512 KiB of its stack and then waits for the end of the process.
 *
 *   account_threads [events=40]
 *
 * Truth: as account_kit.h has it. The C library touches some pages more for each thread. */

#include "account_kit.h"

#include <pthread.h>

enum { TOUCHED_BYTES = 512 << 10 };

static pthread_barrier_t touched;

NAMED void touch_stack(void) {
    char bytes[TOUCHED_BYTES];
    char *start = bytes;
    memset(start, 1, sizeof bytes);
    HIDE(start);
}

static void *park(void *unused) {
    touch_stack();
    pthread_barrier_wait(&touched);
    for (;;) pause();
    return unused;
}

static void event(u64 number) {
    pthread_t thread;
    (void)number;
    if (pthread_create(&thread, NULL, park, NULL) != 0) abort();
    pthread_barrier_wait(&touched);
}

int main(int argc, char **argv) {
    struct account truths = {.stack = TOUCHED_BYTES};
    pthread_barrier_init(&touched, NULL, 2);
    account_run(number_arg(argc, argv, 1, 40), event, &truths);
    return 0;
}
