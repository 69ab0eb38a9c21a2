/* The plugin that plugin_host loads, built twice: as plugin_a.so with
 * PLUGIN=plugin_a_alloc and as plugin_b.so with PLUGIN=plugin_b_alloc. Names of
 * the same length and the same code, so that both have the same layout. */

#include "truth.h"

NAMED void *PLUGIN(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    return block;
}
