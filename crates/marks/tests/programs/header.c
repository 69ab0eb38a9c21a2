/* Compiled with many warnings as C and as C++, with <dlfcn.h> before, after or not at
 * all, and after globals with names that the header must keep clear of. */
extern int id, name, stream, api, block, token, bytes, value, table, before, symbol, function;

#ifdef DLFCN_BEFORE
#include <dlfcn.h>
#endif
#include "residue.h"
#include "residue.h"
#include <stdlib.h>
#ifdef DLFCN_AFTER
#include <dlfcn.h>
#endif

int use_everything(void *memory);

int use_everything(void *memory) {
    residue_event_begin(1);
    residue_event_begin_in(2, 3);
    residue_event_enter(residue_event_current());
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
    residue_allocated(memory, 100);
    residue_freed(memory);
    memory = malloc(200);
    residue_allocated(memory, 200); /* not initialised, and no warning */
    residue_event_end_in(2, 3);
    residue_event_end(1);
#ifdef __cplusplus
    {
        residue::event one(1), two(2, 3);
        residue::scope part("part");
        residue::paused here, everywhere(residue::all_threads);
        residue::task task(7);
    }
#endif
#if defined(DLFCN_BEFORE) || defined(DLFCN_AFTER)
    if (dlsym(memory, "anything") != NULL) return 2;
#endif
    return residue_active();
}
