/* Events that leave ever less behind, as a cache does that fills up.
 *
 *   dwindling lost|kept [EVENTS]
 *
 * Event i, from 1, makes 1 + 200 * 0.985^i blocks of 512 bytes, zeroed, and a few blocks that it frees.
 * lost    nothing points to them when the event is over
 * kept    they are a list
 *
 * Truth: events; leave.calls .total .live .live_blocks. */

#include "truth.h"

#include "../include/residue.h"

struct kept {
    struct kept *next;
    char payload[504];
};
static struct kept *first;
static struct tally left;

NAMED struct kept *leave(void) {
    struct kept *block = calloc(1, sizeof *block);
    tally_made(&left, sizeof *block);
    KEEP_FRAME();
    return block;
}

NAMED void pass(void) {
    for (int i = 0; i < 10; i++) {
        void *block = malloc(64);
        HIDE(block);
        free(block);
    }
}

/* What calls left on the stack below, and in registers, is no pointer any more. */
NAMED void forget(void) {
    char below[16384];
    memset(below, 0, sizeof below);
    char *at = below;
    HIDE(at);
}

int main(int argc, char **argv) {
    int is_kept = argc > 1 && !strcmp(argv[1], "kept");
    u64 events = argc > 2 ? strtoull(argv[2], NULL, 10) : 300;
    double rate = 200;
    for (u64 event = 1; event <= events; event++) {
        residue_event_begin(event);
        rate *= 0.985;
        for (u64 i = 0; i < 1 + (u64)rate; i++) {
            struct kept *block = leave();
            if (is_kept) {
                block->next = first;
                first = block;
            }
        }
        pass();
        residue_event_end(event);
    }
    forget();
    truth("events", events);
    truth_tally("leave", &left);
    return 0;
}
