// The libraries of event_steps, built twice: with STEP=process_in_library and with
// STEP=process_in_plugin.

#include "event_steps.hpp"

extern "C" NAMED void STEP(u64 event) { step(event); }
