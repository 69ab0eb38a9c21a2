/* Up to ten million events, far more than are kept, whose truth is known after every one of them.
 *
 *   torture_events EVENTS SEED        does them, and prints the truth of the end
 *   torture_events EVENTS SEED tell   does nothing; reads events from standard input, in their
 *                                     order, and prints a line for each: what is live at its end
 *
 * The seed chooses how often leak_here loses blocks, for how long keep_here keeps them, how many
 * temp_here makes and frees at once, and how much every event counts as "hits".
 * Truth: events, hits (their sum), leak_here.*, keep_here.*, temp_here.*. */

#include "residue.h"
#include "truth.h"

enum { LONGEST_KEPT = 1024 };

struct kept {
    void *at;
    size_t size;
};

static u64 seed;
static int is_telling;
static struct tally leaked, kept_tally, temporary;
/* By the event in which they are to be freed. */
static struct kept kept[LONGEST_KEPT];

NAMED void *leak_here(size_t size) {
    void *block = is_telling ? &kept : malloc(size);
    HIDE(block);
    return block;
}

NAMED void *keep_here(size_t size) {
    void *block = is_telling ? &kept : malloc(size);
    HIDE(block);
    return block;
}

NAMED void *temp_here(size_t size) {
    void *block = is_telling ? &kept : malloc(size);
    HIDE(block);
    return block;
}

static void let_go(void *block) {
    if (!is_telling) free(block);
}

/* One event, which knows nothing but its number. Returns its hits. */
static u64 do_event(u64 event) {
    u64 random = seed * 1000003 + event;
    u64 every = 1 + seed % 211, blocks = 1 + seed % 3, kept_for = 1 + seed % (LONGEST_KEPT - 1);
    struct kept *due = &kept[event % LONGEST_KEPT];
    if (due->at) {
        let_go(due->at);
        tally_freed(&kept_tally, due->size);
        due->at = NULL;
    }
    if (random_next(&random) % 2) {
        size_t size = 1 + random_next(&random) % 500;
        kept[(event + kept_for) % LONGEST_KEPT] = (struct kept){keep_here(size), size};
        tally_made(&kept_tally, size);
    }
    if (event % every == 0) {
        for (u64 block = 0; block < blocks; block++) {
            size_t size = 16 + event % 48;
            leak_here(size);
            tally_made(&leaked, size);
        }
    }
    for (u64 left = random_next(&random) % 3; left > 0; left--) {
        let_go(temp_here(100 + left));
        tally_made(&temporary, 100 + left);
        tally_freed(&temporary, 100 + left);
    }
    return random_next(&random) % 2000;
}

int main(int argc, char **argv) {
    u64 events = number_arg(argc, argv, 1, 100000), hits = 0, asked = 0;
    seed = number_arg(argc, argv, 2, 1);
    is_telling = argc > 3;
    if (is_telling && scanf("%llu", &asked) != 1) return 0;
    for (u64 event = 1; event <= events; event++) {
        if (!is_telling) residue_event_begin(event);
        u64 count = do_event(event);
        hits += count;
        if (!is_telling) {
            residue_count("hits", (double)count);
            residue_event_end(event);
        } else if (event == asked) {
            printf("%llu %llu %llu %llu %llu %llu\n", event, leaked.calls, leaked.total, kept_tally.calls - kept_tally.frees,
                   kept_tally.total - kept_tally.freed, hits);
            if (scanf("%llu", &asked) != 1) return 0;
        }
    }
    if (is_telling) return 0;
    truth("events", events);
    truth("hits", hits);
    truth_tally("leak_here", &leaked);
    truth_tally("keep_here", &kept_tally);
    truth_tally("temp_here", &temporary);
    return 0;
}
