/* Every way to end, after leaks in `ending_alloc`.
 *
 *   endings return | exit | _exit | quick_exit | abort | segv | sigterm | sigkill | thread_exit
 *
 * thread_exit: main calls pthread_exit, another thread goes on, allocates and
 * returns, which ends the process with status 0.
 *
 * Truth: ending_alloc.*, printed just before the end; and atexit_alloc.*, where
 * the ending runs exit handlers, printed by the handler after its leak. */

#include "truth.h"

#include <pthread.h>
#include <signal.h>

static struct tally ending_tally, atexit_tally;

NAMED void ending_alloc(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    tally_made(&ending_tally, size);
}

NAMED void atexit_alloc(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    tally_made(&atexit_tally, size);
}

static void handler(void) {
    atexit_alloc(4321);
    truth_tally("atexit_alloc", &atexit_tally);
}

static void leak(void) {
    for (size_t size = 1; size <= 100; size++) ending_alloc(size);
}

static void *outlive(void *main_thread) {
    pthread_join(*(pthread_t *)main_thread, NULL);
    leak();
    truth_tally("ending_alloc", &ending_tally);
    return NULL;
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "return";
    atexit(handler);
    at_quick_exit(handler);
    leak();

    if (!strcmp(how, "thread_exit")) {
        static pthread_t self, other;
        self = pthread_self();
        pthread_create(&other, NULL, outlive, &self);
        pthread_exit(NULL);
    }
    truth_tally("ending_alloc", &ending_tally);
    if (!strcmp(how, "return")) return 0;
    if (!strcmp(how, "exit")) exit(0);
    if (!strcmp(how, "_exit")) _exit(0);
    if (!strcmp(how, "quick_exit")) quick_exit(0);
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "segv")) {
        volatile int *nowhere = NULL;
        HIDE(nowhere);
        *nowhere = 1;
    }
    if (!strcmp(how, "sigterm")) raise(SIGTERM);
    if (!strcmp(how, "sigkill")) raise(SIGKILL);
    _exit(2);
}
