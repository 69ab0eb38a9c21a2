/* A marked event loop that says when each event has ended, until it is killed.
 *
 *   marks_endless
 *
 * Event i, from 0: one block of 1000 bytes lost in leak_here, ten blocks made and freed
 * in churn_here. Prints `ended I` when the end of event I has been marked. */

#include "truth.h"

#include "../include/residue.h"

NAMED void leak_here(void) {
    void *block = malloc(1000);
    HIDE(block);
}

NAMED void churn_here(void) {
    for (int i = 0; i < 10; i++) {
        void *block = malloc(64);
        HIDE(block);
        free(block);
    }
}

int main(void) {
    for (u64 i = 0;; i++) {
        residue_event_begin(i);
        leak_here();
        churn_here();
        residue_event_end(i);
        char line[32];
        snprintf(line, sizeof line, "ended %llu\n", i);
        say(line);
    }
}
