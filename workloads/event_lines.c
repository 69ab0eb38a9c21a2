/* An event loop that prints a line for every event, through stdio as it comes, and lines
 * that are none.
 *
 *   event_lines [events=50]
 *
 * The line for event i, from 0: `eventID ID time T hitCollection HITS`, with ID = 100 + i
 * and HITS = 1700 + i * i. Between them, lines that tell of no event, and on stderr one
 * that does not, either. line_leak loses 2000 bytes before each line.
 *
 * Truth: on stderr, since stdout is what is compared: events, line_leak.*. */

#include "truth.h"

static struct tally leaked;

NAMED void line_leak(void) {
    void *block = malloc(2000);
    HIDE(block);
    tally_made(&leaked, 2000);
}

int main(int argc, char **argv) {
    u64 events = number_arg(argc, argv, 1, 50);
    printf("starting, without an event\n");
    for (u64 i = 0; i < events; i++) {
        line_leak();
        printf("eventID %llu time 1.%llu hitCollection %llu\n", 100 + i, i, 1700 + i * i);
        if (i % 10 == 0) printf("  a line between\r\n\n");
    }
    printf("done, and no end of line");
    truth_fd = 2;
    truth("events", events);
    truth_tally("line_leak", &leaked);
    return 0;
}
