// The store of event_residue: part of the program, or a library of its own.

#include "event_residue.hpp"

#if RELEASE == 2
// Moves everything behind it.
__asm__(".text\n.skip 8192, 0x90\n");
#endif

namespace store {

tally leave_hit_tally, leave_log_tally;

NAMED void leave_hit() {
    void* block = malloc(HIT_BYTES);
    HIDE(block);
    tally_made(&leave_hit_tally, HIT_BYTES);
}

NAMED void* leave_log() {
    void* block = malloc(LOG_BYTES);
    HIDE(block);
    tally_made(&leave_log_tally, LOG_BYTES);
    return block;
}

void drop_log(void* log) {
    free(log);
    tally_freed(&leave_log_tally, LOG_BYTES);
}

} // namespace store
