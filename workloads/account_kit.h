/* What the account workloads share: each makes the resident set grow by one kind of
 * memory, and says how much of which kind every event leaves.
 *
 * Truth: events, and for every kind in bytes an event
 *   heap_bytes_per_event, mapped_bytes_per_event, stack_bytes_per_event,
 *   file_bytes_per_event
 * And a line `rss_growth_bytes N`: the resident set at the end of the last event less
 * that at the end of the first, as the program sees it, a recorder's own included. */
#ifndef ACCOUNT_KIT_H
#define ACCOUNT_KIT_H

#include "residue.h"
#include "truth.h"

#include <fcntl.h>

struct account {
    u64 heap, mapped, stack, file; /* bytes an event */
};

static inline u64 resident_bytes(void) {
    char text[128] = "";
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, text, sizeof text - 1) <= 0) abort();
    close(fd);
    u64 pages = 0;
    if (sscanf(text, "%*u %llu", &pages) != 1) abort();
    return pages * (u64)sysconf(_SC_PAGESIZE);
}

/* Runs the events, numbered from 0, and tells the truth. */
static inline void account_run(u64 events, void (*event)(u64 number), const struct account *truths) {
    u64 first = 0, last = 0;
    for (u64 number = 0; number < events; number++) {
        residue_event_begin(number);
        event(number);
        residue_event_end(number);
        last = resident_bytes();
        if (number == 0) first = last;
    }
    char line[64];
    snprintf(line, sizeof line, "rss_growth_bytes %lld\n", (long long)(last - first));
    say(line);
    truth("events", events);
    truth("heap_bytes_per_event", truths->heap);
    truth("mapped_bytes_per_event", truths->mapped);
    truth("stack_bytes_per_event", truths->stack);
    truth("file_bytes_per_event", truths->file);
}

#endif
