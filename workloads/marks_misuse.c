/* Marks used wrongly, between events that are marked well.
 *
 *   marks_misuse [events=10]
 *
 * Truth: events, those that began; end_without_begin, begin_inside_event,
 * end_of_another, scope_end_without_begin, how often each was done; right_here.*;
 * active, 1 if the program is recorded. */

#include "truth.h"

#include "../include/residue.h"

static struct tally right;

NAMED void right_here(void) {
    void *block = malloc(300);
    HIDE(block);
    tally_made(&right, 300);
}

int main(int argc, char **argv) {
    u64 rounds = number_arg(argc, argv, 1, 10), events = 0;
    u64 ends = 0, begins = 0, others = 0, scopes = 0;
    for (u64 i = 0; i < rounds; i++) {
        residue_event_end(i);
        ends++;
        residue_event_begin(i);
        events++;
        right_here();
        if (i % 2 == 0) {
            residue_event_begin(1000 + i); /* ends event i */
            begins++, events++;
            right_here();
            residue_event_end(i);
            residue_event_end(i + 7);
            others += 2;
            residue_event_end(1000 + i);
        } else {
            residue_event_end(i);
            residue_event_end(i);
            ends++;
        }
        for (u64 k = 0; k < i % 3; k++) residue_scope_end(), scopes++;
        residue_scope_begin("well");
        residue_scope_end();
        residue_resume(); /* never paused */
        residue_count("odd", 0.0 / (double)(i - i));
        residue_stamp(NULL);
        residue_freed(&events);
        residue_allocated(NULL, 10);
    }
    truth("events", events);
    truth("end_without_begin", ends);
    truth("begin_inside_event", begins);
    truth("end_of_another", others);
    truth("scope_end_without_begin", scopes);
    truth("active", (u64)residue_active());
    truth_tally("right_here", &right);
    return 3;
}
