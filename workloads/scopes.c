/* Scopes: one call site inside and outside of them, and scopes in scopes.
 *
 *   scopes [rounds=20]
 *
 * Each round allocates at one place: 10 bytes in no scope, 20 in "odd", 40 in "inner" in
 * "outer", 80 in "outer" alone.
 * Truth: rounds; scoped_alloc.* for all. */

#include "truth.h"

#include "../include/residue.h"

static struct tally made;

NAMED void scoped_alloc(size_t bytes) {
    void *block = malloc(bytes);
    HIDE(block);
    tally_made(&made, bytes);
}

int main(int argc, char **argv) {
    u64 rounds = number_arg(argc, argv, 1, 20);
    for (u64 i = 0; i < 4 * rounds; i++) {
        u64 which = i % 4;
        if (which == 1) residue_scope_begin("odd");
        if (which >= 2) residue_scope_begin("outer");
        if (which == 2) residue_scope_begin("inner");
        scoped_alloc((size_t)10 << which);
        if (which == 2) residue_scope_end();
        if (which >= 1) residue_scope_end();
    }
    truth("rounds", rounds);
    truth_tally("scoped_alloc", &made);
    return 0;
}
