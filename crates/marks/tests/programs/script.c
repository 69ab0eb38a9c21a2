/* Every call of residue.h, in the order that tests/clients expects. Compiled into an
 * executable, a static library or a plugin. */
#include <stdio.h>
#include <stdlib.h>

#include "residue.h"

void script(void);
__attribute__((noinline)) void *pool_take(size_t bytes);
__attribute__((noinline)) void report_last(void *block, size_t bytes);

void *pool_take(size_t bytes) {
    void *block = malloc(bytes);
    residue_allocated(block, bytes);
    return block;
}

/* The report is the last thing it does: were it a jump, nobody would see this frame. */
void report_last(void *block, size_t bytes) { residue_allocated(block, bytes); }

void script(void) {
    uint32_t token, before;
    void *block;
    int active = residue_active();
    residue_event_begin(1);
    residue_event_begin_in(2, 3);
    token = residue_event_current();
    before = residue_event_enter(token);
    residue_stamp("read");
    residue_count("hits", 2.5);
    residue_scope_begin("digitise");
    residue_scope_end();
    residue_pause();
    residue_resume();
    residue_pause_all();
    residue_resume_all();
    residue_thresholds(64, 4096);
    residue_snapshot("half");
    block = pool_take(100);
    residue_freed(block);
    report_last(block, 200);
    free(block);
    residue_event_end_in(2, 3);
    residue_event_end(1);
    printf("active %d token %u before %u\n", active, (unsigned)token, (unsigned)before);
}
