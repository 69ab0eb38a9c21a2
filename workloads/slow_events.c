/* Events that use a known amount of CPU time, some of them more, or ever more.
 *
 *   slow_events [events=400] [event_us=2000] [way=steady] [percent=50] [noise=10] [seed=1]
 *
 * An event is parse, track and digitise, with 30, 50 and 20 % of event_us each, give or take noise per cent, and a
 * stamp after each of the first two. Ways: steady; slow, every 20th event calls rehash in digitise, for another
 * event_us; waits, every 20th event sleeps for 50 times event_us while it tracks; slowing, track calls lookup, which
 * takes none of event_us in the first event and so many per cent in the last; large, every 20th event has ten times the
 * hits of the others, and takes ten times as long; threads, another thread works beside the events all the time.
 *
 * Truth: FUNCTION.cpu_ns by the thread's clock; slow_events, those that do something that others do not. */

#include "residue.h"
#include "truth.h"

#include <pthread.h>
#include <time.h>

enum way { STEADY, SLOW, WAITS, SLOWING, LARGE, THREADS, WAYS };
static const char *const ways[] = {"steady", "slow", "waits", "slowing", "large", "threads"};
static enum way way;
enum { EVERY = 20 };

static u64 state = 1, percent, noise, spent[5];

static u64 cpu_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

static inline void burn_until(u64 end) {
    while (cpu_now() < end)
        for (unsigned i = 0; i < 300; i++) HIDE(i);
}

/* Of a time, give or take the noise. */
static u64 about(u64 ns) { return ns * (1000 - 10 * noise + random_next(&state) % (20 * noise + 1)) / 1000; }

#define WORK(name, place)                 \
    NAMED void name(u64 ns) {             \
        u64 start = cpu_now();            \
        burn_until(start + ns);           \
        spent[place] += cpu_now() - start; \
        KEEP_FRAME();                     \
    }
WORK(parse, 0)
WORK(find_tracks, 1)
WORK(threshold, 2)
WORK(rehash, 3)
WORK(lookup, 4)

NAMED void track(u64 event_ns, u64 event, u64 events) {
    find_tracks(about(event_ns / 2));
    if (way == SLOWING) lookup(event_ns * percent / 100 * event / events);
    if (way == WAITS && event % EVERY == 0) usleep((unsigned)(50 * event_ns / 1000));
    KEEP_FRAME();
}

NAMED void digitise(u64 event_ns, u64 event) {
    threshold(about(event_ns / 5));
    if (way == SLOW && event % EVERY == 0) rehash(event_ns);
    KEEP_FRAME();
}

static volatile int done;
static void *beside(void *argument) {
    (void)argument;
    while (!done) burn_until(cpu_now() + 1000000);
    return NULL;
}

int main(int argc, char **argv) {
    u64 events = number_arg(argc, argv, 1, 400), event_ns = number_arg(argc, argv, 2, 2000) * 1000;
    for (int i = 0; argc > 3 && i < WAYS; i++)
        if (!strcmp(argv[3], ways[i])) way = (enum way)i;
    percent = number_arg(argc, argv, 4, 50);
    noise = number_arg(argc, argv, 5, 10);
    state = number_arg(argc, argv, 6, 1);
    pthread_t other;
    if (way == THREADS && pthread_create(&other, NULL, beside, NULL)) return 3;
    for (u64 event = 1; event <= events; event++) {
        u64 hits = way == LARGE && event % EVERY == 0 ? 1000 : 80 + random_next(&state) % 40;
        u64 size = way == LARGE ? event_ns * hits / 100 : event_ns;
        residue_event_begin(event);
        residue_count("hits", (double)hits);
        parse(about(size * 3 / 10));
        residue_stamp("parsed");
        track(size, event, events);
        residue_stamp("tracked");
        digitise(size, event);
        residue_event_end(event);
    }
    done = 1;
    if (way == THREADS) pthread_join(other, NULL);
    static const char *const names[] = {"parse", "find_tracks", "threshold", "rehash", "lookup"};
    for (int i = 0; i < 5; i++) truth_of(names[i], "cpu_ns", spent[i]);
    truth("slow_events", way == SLOW || way == WAITS ? events / EVERY : 0);
    return 0;
}
