/* Sixteen coroutines that wander down and up their stacks, allocate, and switch to
 * one another at random depths; now and then one ends and its stack is unmapped and
 * used again.
 *
 *   coroutines [allocations=500000]
 *
 * Truth: coro_alloc.*; coro_body.*, the same, as every coroutine starts there;
 * switches, ends, stacks_reused (a new stack had the address of the one that ended). */

#include "coroutine.h"
#include "shelf.h"

SHELVING_FUNCTION(coro_alloc)

static u64 wanted, random_state = 3;

NAMED void coro_act(void) {
    u64 r = random_next(&random_state);
    if (coro_alloc_tally.calls >= wanted) coroutine_stop();
    coro_alloc(1 + r % 300);
    if ((r >> 32) % 4 == 0) coroutine_switch();
    KEEP_FRAME();
}

NAMED void coro_wander(int depth) {
    coro_act();
    for (u64 turns = depth < 40 ? random_next(&random_state) % 3 : 0; turns > 0; turns--) {
        coro_wander(depth + 1);
        HIDE(turns); /* one call site: not unrolled */
    }
    coro_act();
    KEEP_FRAME();
}

NAMED void coro_body(void) {
    for (u64 turns = 1 + random_next(&random_state) % 5; turns > 0; turns--) coro_wander(0);
    KEEP_FRAME();
}

int main(int argc, char **argv) {
    wanted = number_arg(argc, argv, 1, 500000);
    coroutines_run(coro_body);
    truth_tally("coro_alloc", &coro_alloc_tally);
    truth_tally("coro_body", &coro_alloc_tally);
    truth("switches", coroutine_switches);
    truth("ends", coroutine_ends);
    truth("stacks_reused", coroutine_reused);
    return 0;
}
