/* An allocation made while the dynamic linker binds a function at its first call.
 *
 *   lazy_binding
 *
 * Truth: lazy_alloc.*; lazy_root.*, the same: it called the function. */

#include "truth.h"

static struct tally made;

void lazy_call(void);
void lazy_alloc(size_t size);

NAMED void lazy_alloc(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    tally_made(&made, size);
}

NAMED void lazy_root(void) {
    lazy_call();
    KEEP_FRAME();
}

int main(void) {
    lazy_root();
    truth_tally("lazy_alloc", &made);
    truth_tally("lazy_root", &made);
    return 0;
}
