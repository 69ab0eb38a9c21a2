/* A statically linked program: nothing can be preloaded into it, and a profiler should
 * say so.
 *
 *   static_prog
 *
 * Truth: static_alloc.*, which no preloaded library can see. */

#include "truth.h"

static struct tally made;

NAMED void static_alloc(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    tally_made(&made, size);
}

int main(void) {
    static_alloc(100);
    static_alloc(200);
    truth_tally("static_alloc", &made);
    return 0;
}
