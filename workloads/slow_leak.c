/* Leaks as time goes by, without events, or with events in its second half.
 *
 *   slow_leak [milliseconds=1000] [marks]
 *
 * Every five milliseconds slow_leak loses 100 bytes, and what a busy machine has held up
 * follows at once; every second of these turns is an event.
 * Truth: slow_leak.*; events; blocks_in_events, those since the first event began. */

#include "truth.h"

#include "../include/residue.h"

#include <time.h>

enum { STEP_MS = 5 };

static struct tally leaked;

NAMED void slow_leak(void) {
    void *block = malloc(100);
    HIDE(block);
    tally_made(&leaked, 100);
}

static u64 now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (u64)now.tv_sec * 1000 + (u64)now.tv_nsec / 1000000;
}

static void sleep_until_ms(u64 ms) {
    struct timespec until = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

int main(int argc, char **argv) {
    u64 start_ms = now_ms(), length_ms = number_arg(argc, argv, 1, 1000);
    u64 marks_from_ms = argc > 2 ? length_ms / 2 : length_ms;
    u64 events = 0, in_events = 0;
    /* A busy machine may let the second half pass in one step. */
    for (u64 i = 0; now_ms() - start_ms < length_ms || (argc > 2 && events < 2); i++) {
        int is_event = now_ms() - start_ms >= marks_from_ms && i % 2 == 0;
        if (is_event) residue_event_begin(events++);
        slow_leak();
        in_events += events > 0;
        sleep_until_ms(start_ms + (i + 1) * STEP_MS);
        if (is_event) residue_event_end(events - 1);
    }
    truth("events", events);
    truth("blocks_in_events", in_events);
    truth_tally("slow_leak", &leaked);
    return 0;
}
