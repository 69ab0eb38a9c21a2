/* A marked event loop that forks in the middle of an event; the child has events of its
 * own.
 *
 *   marks_fork [parent_events=6] [child_events=4]
 *
 * The parent's events have ids from 0, the child's from 100. The fork comes in the middle
 * of the parent's event parent_events / 2, which the child does not end.
 * Truth, by process: events; parent_leak.* or child_leak.*. */

#include "truth.h"

#include "../include/residue.h"

#include <sys/wait.h>

static struct tally leaked;

NAMED void parent_leak(void) {
    void *block = malloc(500);
    HIDE(block);
    tally_made(&leaked, 500);
}

NAMED void child_leak(void) {
    void *block = malloc(700);
    HIDE(block);
    tally_made(&leaked, 700);
}

static void be_child(u64 events) {
    leaked = (struct tally){0};
    for (u64 i = 0; i < events; i++) {
        residue_event_begin(100 + i);
        child_leak();
        residue_count("child", 1);
        residue_event_end(100 + i);
    }
    truth("events", events);
    truth_tally("child_leak", &leaked);
    _exit(0);
}

int main(int argc, char **argv) {
    u64 events = number_arg(argc, argv, 1, 6), child_events = number_arg(argc, argv, 2, 4);
    truth_with_pid = 1;
    for (u64 i = 0; i < events; i++) {
        residue_event_begin(i);
        if (i == events / 2) {
            pid_t child = fork();
            if (child == 0) be_child(child_events);
            int status = 1;
            waitpid(child, &status, 0);
            if (status != 0) return 1;
        }
        parent_leak();
        residue_event_end(i);
    }
    truth("events", events);
    truth_tally("parent_leak", &leaked);
    return 0;
}
