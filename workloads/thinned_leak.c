/* Far more events than are kept, with a counter that goes its own way and a leak in every
 * so many of them.
 *
 *   thinned_leak [events=300000] [every=100] [blocks=1]
 *
 * Every event counts a random number of "hits". Every so many of them lose blocks of 48
 * bytes in leak_here, whatever was counted.
 * Truth: events, hits (their sum), leaking_events, leak_here.*. */

#include "residue.h"
#include "truth.h"

static struct tally leaked;

NAMED void leak_here(void) {
    void *block = malloc(48);
    HIDE(block);
    tally_made(&leaked, 48);
}

int main(int argc, char **argv) {
    u64 events = number_arg(argc, argv, 1, 300000), every = number_arg(argc, argv, 2, 100);
    u64 blocks = number_arg(argc, argv, 3, 1);
    u64 random = 24, hits = 0, leaking = 0;
    for (u64 event = 1; event <= events; event++) {
        residue_event_begin(event);
        u64 count = 50 + random_next(&random) % 2000;
        residue_count("hits", (double)count);
        hits += count;
        if (event % every == 0) {
            for (u64 block = 0; block < blocks; block++) leak_here();
            leaking++;
        }
        residue_event_end(event);
    }
    truth("events", events);
    truth("hits", hits);
    truth("leaking_events", leaking);
    truth_tally("leak_here", &leaked);
    return 0;
}
