/* A 32-bit program, for a recorder that is not: it must run as if unrecorded. Built
 * only where the compiler can.
 *
 *   prog32
 *
 * Truth: alloc_32.*, and bits, 32. */

#include "truth.h"

static struct tally made;

NAMED void alloc_32(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    tally_made(&made, size);
}

int main(void) {
    alloc_32(100);
    alloc_32(200);
    truth("bits", 8 * sizeof(void *));
    truth_tally("alloc_32", &made);
    return 0;
}
