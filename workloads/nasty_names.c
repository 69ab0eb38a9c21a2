/* Names that would be markup if anybody took them for it: of a function (put into the
 * symbol table by the Makefile), a source file, scopes, stamps, counters, a snapshot and a
 * thread.
 *
 *   nasty_names [events=30]
 *
 * Every event leaves 100 bytes in the function, inside the scope.
 * Truth: events, and nasty_function.* (the name it has here). */

#include "residue.h"
#include "truth.h"

#include <pthread.h>

#define NASTY(what) "<script>nasty('" what "')</script><img src=x onerror=\"nasty('" what "')\">"

static struct tally leaked;

#line 7 "<script>nasty('file')</script>\"'&.c"
NAMED void nasty_function(void) {
    void *block = malloc(100);
    HIDE(block);
    tally_made(&leaked, 100);
}

int main(int argc, char **argv) {
    u64 events = number_arg(argc, argv, 1, 30);
    pthread_setname_np(pthread_self(), "<b onclick=1>\"'");
    for (u64 event = 1; event <= events; event++) {
        residue_event_begin(event);
        residue_stamp(NASTY("stamp"));
        residue_scope_begin(NASTY("scope"));
        nasty_function();
        residue_scope_end();
        residue_stamp("</td></tr></table>\"'&amp;");
        residue_count(NASTY("counter"), (double)(event % 5));
        if (event == events / 2) residue_snapshot(NASTY("snapshot"));
        residue_event_end(event);
    }
    truth("events", events);
    truth_tally("nasty_function", &leaked);
    return 0;
}
