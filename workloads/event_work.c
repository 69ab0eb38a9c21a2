/* Events that allocate, keep and wait, each a known amount.
 *
 *   event_work events [threads=1] [wait_us=0] [spin_us=0]
 *
 * The main thread begins event k and lets all threads do their part of it: `churn` makes
 * 2 + k % 5 blocks of 64 + k % 3 bytes and frees them, `keep` makes one of 1000 + k that stays.
 * Then it sleeps for wait_us, uses spin_us of CPU time, and ends the event; before the first event and
 * after the last it makes and frees blocks in `outside`.
 *
 * Truth: churn.*, keep.*; of the spans @A..B with A, B of 1, half and end (as in FILE@A..B):
 * churn.A_B.calls, .total, .frees, .live; the same of keep; event k's sums by the formulas above. */

#include "truth.h"

#include "residue.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

enum { MOST_THREADS = 64 };

static int events, threads = 1, wait_us, spin_us;
static pthread_barrier_t begun, done;
static int event;

static int churn_count(int k) { return 2 + k % 5; }
static size_t churn_size(int k) { return 64 + (size_t)(k % 3); }
static size_t keep_size(int k) { return 1000 + (size_t)k; }

NAMED void churn(int k) {
    void *blocks[8];
    for (int i = 0; i < churn_count(k); i++) {
        blocks[i] = malloc(churn_size(k));
        HIDE(blocks[i]);
    }
    for (int i = 0; i < churn_count(k); i++) free(blocks[i]);
}

static void **kept;

NAMED void keep(int k, int thread) {
    void *block = malloc(keep_size(k));
    HIDE(block);
    kept[k * MOST_THREADS + thread] = block;
}

NAMED void outside(void) {
    for (int i = 0; i < 100; i++) {
        void *block = malloc(5000);
        HIDE(block);
        free(block);
    }
}

static void part(int k, int thread) {
    churn(k);
    keep(k, thread);
}

static void *work(void *argument) {
    int thread = (int)(size_t)argument;
    for (int k = 1; k <= events; k++) {
        pthread_barrier_wait(&begun);
        part(event, thread);
        pthread_barrier_wait(&done);
    }
    return NULL;
}

static long long thread_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void say_span(const char *function, const char *span, int from, int to) {
    unsigned long long calls = 0, total = 0, frees = 0, live = 0;
    for (int k = from; k < to; k++) {
        if (!strcmp(function, "churn")) {
            calls += churn_count(k);
            frees += churn_count(k);
            total += churn_count(k) * churn_size(k);
        } else {
            calls += 1;
            total += keep_size(k);
            live += keep_size(k);
        }
    }
    printf("truth %s.%s.calls %llu\n", function, span, calls * threads);
    printf("truth %s.%s.total %llu\n", function, span, total * threads);
    printf("truth %s.%s.frees %llu\n", function, span, frees * threads);
    printf("truth %s.%s.live %llu\n", function, span, live * threads);
}

int main(int argc, char **argv) {
    events = argc > 1 ? atoi(argv[1]) : 100;
    if (argc > 2) threads = atoi(argv[2]);
    if (argc > 3) wait_us = atoi(argv[3]);
    if (argc > 4) spin_us = atoi(argv[4]);
    if (threads < 1 || threads > MOST_THREADS) return 2;
    kept = calloc((size_t)(events + 1) * MOST_THREADS, sizeof *kept);
    pthread_barrier_init(&begun, NULL, threads);
    pthread_barrier_init(&done, NULL, threads);
    pthread_t ids[MOST_THREADS];
    for (int i = 1; i < threads; i++) pthread_create(&ids[i], NULL, work, (void *)(size_t)i);
    outside();
    for (int k = 1; k <= events; k++) {
        residue_event_begin(k);
        long long started = thread_ns();
        event = k;
        pthread_barrier_wait(&begun);
        part(k, 0);
        pthread_barrier_wait(&done);
        if (wait_us) nanosleep(&(struct timespec){0, wait_us * 1000L}, NULL);
        while (spin_us && thread_ns() - started < spin_us * 1000LL) {}
        residue_event_end(k);
    }
    outside();
    for (int i = 1; i < threads; i++) pthread_join(ids[i], NULL);
    int half = events / 2;
    const struct { const char *name; int from, to; } spans[] = {
        {"1_half", 1, half}, {"half_end", half, events + 1}, {"1_end", 1, events + 1},
    };
    for (int i = 0; i < 3; i++) {
        say_span("churn", spans[i].name, spans[i].from, spans[i].to);
        say_span("keep", spans[i].name, spans[i].from, spans[i].to);
    }
    printf("truth half %d\n", half);
    return 0;
}
