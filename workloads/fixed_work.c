/* The same work every time, in registers, at the end of a stack that is `depth` frames deep.
 *
 *   fixed_work [depth=60] [threads=1] [millions=2000]
 *
 * millions: turns of a loop, in millions, shared by all threads. Truth: turns. */

#include "truth.h"

#include <pthread.h>

static u64 turns_each;
static int depth;

NAMED void work_at(int left) {
    if (left > 0)
        work_at(left - 1);
    else
        for (u64 i = 0; i < turns_each; i++) HIDE(i);
    KEEP_FRAME();
}

static void *work(void *unused) {
    (void)unused;
    work_at(depth);
    return NULL;
}

int main(int argc, char **argv) {
    depth = (int)number_arg(argc, argv, 1, 60);
    u64 threads = number_arg(argc, argv, 2, 1), millions = number_arg(argc, argv, 3, 2000);
    static pthread_t ids[256];
    if (threads < 1 || threads > 256) return 2;
    turns_each = millions * 1000000 / threads;
    for (u64 t = 1; t < threads; t++)
        if (pthread_create(&ids[t], NULL, work, NULL)) return 3;
    work(NULL);
    for (u64 t = 1; t < threads; t++) pthread_join(ids[t], NULL);
    truth("turns", turns_each * threads);
    return 0;
}
