/* Functions that the C library calls, and that allocate: their stacks lead through its code.
 *
 * Truth: makes_one.*, and compares.*, walks.*, ends.*: what was allocated below each. */

#include "truth.h"

#include <search.h>

static struct tally all, compared, walked, ended;

NAMED void makes_one(size_t size, struct tally *whose) {
    void *block = malloc(size);
    HIDE(block);
    tally_made(&all, size);
    tally_made(whose, size);
}

NAMED int compares(const void *a, const void *b) {
    makes_one(10, &compared);
    KEEP_FRAME();
    return *(const int *)a - *(const int *)b;
}

NAMED void walks(const void *node, VISIT visit, int depth) {
    (void)node, (void)visit, (void)depth;
    makes_one(20, &walked);
    KEEP_FRAME();
}

NAMED void ends(void) {
    makes_one(30, &ended);
    KEEP_FRAME();
    truth_tally("makes_one", &all);
    truth_tally("compares", &compared);
    truth_tally("walks", &walked);
    truth_tally("ends", &ended);
}

NAMED void called_here(void) {
    static int numbers[] = {5, 3, 8, 1, 9, 2, 7};
    void *tree = NULL;
    qsort(numbers, 7, sizeof numbers[0], compares);
    /* The library makes a node for each. */
    for (int i = 0; i < 7; i++) tsearch(&numbers[i], &tree, compares);
    twalk(tree, walks);
    KEEP_FRAME();
}

int main(void) {
    atexit(ends);
    called_here();
    return 0;
}
