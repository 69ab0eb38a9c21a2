/* An event loop that marks what it does, in C.
 *
 *   marks_c [events=100]
 *
 * Event i, from 0: stamp "begin"; one block of 1000 bytes lost in leak_here, in scope
 * "leaky"; stamp "middle"; ten blocks of 64 bytes made and freed in churn_here; count
 * "hits" = i % 7; snapshot "half" when i is events / 2; stamp "end".
 * Truth: events, stamps, scopes, counts, hits (their sum), snapshots; leaked_blocks and
 * leaked_bytes; leak_here.*, churn_here.*. */

#include "truth.h"

#include "../include/residue.h"

static struct tally leaked, churned;

NAMED void leak_here(void) {
    void *block = malloc(1000);
    HIDE(block);
    tally_made(&leaked, 1000);
}

NAMED void churn_here(void) {
    for (int i = 0; i < 10; i++) {
        void *block = malloc(64);
        HIDE(block);
        tally_made(&churned, 64);
        free(block);
        tally_freed(&churned, 64);
    }
}

int main(int argc, char **argv) {
    u64 events = number_arg(argc, argv, 1, 100), hits = 0, snapshots = 0;
    for (u64 i = 0; i < events; i++) {
        residue_event_begin(i);
        residue_stamp("begin");
        residue_scope_begin("leaky");
        leak_here();
        residue_scope_end();
        residue_stamp("middle");
        churn_here();
        residue_count("hits", (double)(i % 7));
        hits += i % 7;
        if (i == events / 2) {
            residue_snapshot("half");
            snapshots++;
        }
        residue_stamp("end");
        residue_event_end(i);
    }
    truth("events", events);
    truth("stamps", 3 * events);
    truth("scopes", events);
    truth("counts", events);
    truth("hits", hits);
    truth("snapshots", snapshots);
    truth("leaked_blocks", leaked.calls);
    truth("leaked_bytes", leaked.total);
    truth_tally("leak_here", &leaked);
    truth_tally("churn_here", &churned);
    return 0;
}
