/* The plugin that plugin_host loads, built twice: as plugin_a.so with
 * PLUGIN=plugin_a_alloc and as plugin_b.so with PLUGIN=plugin_b_alloc. Names of
 * the same length and the same code, so that both have the same layout.
 * plugin_wide.so is plugin_a.so with a larger frame: the same instructions at the
 * same places, but whoever knows the one's way to its caller is lost in the other. */

#include "truth.h"

#ifndef ROOM
#define ROOM 16
#endif

NAMED void *PLUGIN(size_t size) {
    volatile char room[ROOM];
    __asm__ volatile("" : : "r"(room));
    void *block = malloc(size);
    HIDE(block);
    return block;
}
