// What a step of event_steps does, in whichever module it stands: it leaves a block of
// step_bytes(event) bytes and makes and frees another.

#include "truth.h"

static inline size_t step_bytes(u64 event) { return 100 + 16 * (event % 5); }

NAMED static void step_leak(u64 event) {
    void* block = malloc(step_bytes(event));
    HIDE(block);
}

NAMED static void step_scratch() {
    void* block = malloc(64);
    HIDE(block);
    free(block);
}

// Long enough to begin with something ordinary, and never the same twice.
static inline void step(u64 event) {
    step_leak(event);
    step_scratch();
    KEEP_FRAME();
}
