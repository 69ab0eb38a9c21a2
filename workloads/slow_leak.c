/* Leaks as time goes by, without events, or with events in its second half.
 *
 *   slow_leak [milliseconds=1000] [marks]
 *
 * Every five milliseconds slow_leak loses 100 bytes.
 * Truth: slow_leak.*; events; blocks_in_events. */

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

int main(int argc, char **argv) {
    u64 steps = number_arg(argc, argv, 1, 1000) / STEP_MS, events = 0, in_events = 0;
    int has_marks = argc > 2;
    for (u64 i = 0; i < steps; i++) {
        int is_event = has_marks && i >= steps / 2 && i % 2 == 0;
        if (is_event) residue_event_begin(events++);
        slow_leak();
        in_events += events > 0;
        struct timespec step = {0, STEP_MS * 1000000};
        nanosleep(&step, NULL);
        if (is_event) residue_event_end(events - 1);
    }
    truth("events", events);
    truth("blocks_in_events", in_events);
    truth_tally("slow_leak", &leaked);
    return 0;
}
