// What the parts of event_residue share. RELEASE 2 is the same program a year later: its
// store has another name and larger hits, the log is given back, there is a trace that
// nobody gives back, caches are smaller, and all code lies elsewhere.

#pragma once

#include "truth.h"

#ifndef RELEASE
#define RELEASE 1
#endif

namespace store {

constexpr size_t HIT_BYTES = RELEASE == 1 ? 48 : 64;
constexpr size_t LOG_BYTES = 100;

extern tally leave_hit_tally, leave_log_tally;

void leave_hit();
void* leave_log();
void drop_log(void* log);

} // namespace store
