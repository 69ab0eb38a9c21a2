/* Stacks that vanish: longjmp out of 1 to 50 frames, signal handlers on their own
 * and on the interrupted stack, siglongjmp out of both; all under a fast timer whose
 * handler only counts.
 *
 *   jumps [iterations=50000]
 *
 * Truth:
 *   alloc_deep.*         before a jump or signal, and after it where that returns
 *   alloc_landed.*       after landing
 *   alloc_in_handler.*   in the handler of a signal the program raised itself
 *   jump_root.*          all of these: each stack goes back to jump_root, also those
 *                        in handlers
 *   jumps                longjmps and siglongjmps done
 *   ticks                timer signals received; chance */

#include "shelf.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

SHELVING_FUNCTION(alloc_deep)
SHELVING_FUNCTION(alloc_landed)
SHELVING_FUNCTION(alloc_in_handler)

enum ending {
    JUMP,
    SIGNAL_ON_ALTSTACK,
    SIGNAL_ON_STACK,
    JUMP_FROM_ALTSTACK,
    JUMP_FROM_STACK,
    ENDINGS,
};

static sigjmp_buf landing;
static enum ending ending;
static u64 jumps;
static volatile sig_atomic_t ticks;

static void count_tick(int number) {
    (void)number;
    ticks = ticks + 1;
}

/* Raised by the program between two allocations, so it may allocate. */
NAMED void jump_handler(int number) {
    alloc_in_handler((size_t)(30 + number));
    if (ending == JUMP_FROM_ALTSTACK || ending == JUMP_FROM_STACK) {
        jumps++;
        siglongjmp(landing, 1);
    }
    KEEP_FRAME();
}

NAMED void jump_down(unsigned left) {
    if (left > 0) {
        jump_down(left - 1);
    } else {
        alloc_deep(100);
        if (ending == JUMP) {
            jumps++;
            siglongjmp(landing, 1);
        }
        raise(ending == SIGNAL_ON_ALTSTACK || ending == JUMP_FROM_ALTSTACK ? SIGUSR1 : SIGUSR2);
        alloc_deep(200);
    }
    KEEP_FRAME();
}

NAMED void jump_root(unsigned depth) {
    if (sigsetjmp(landing, 1) == 0)
        jump_down(depth - 1);
    else
        alloc_landed(64);
    KEEP_FRAME();
}

static void handle(int number, void (*handler)(int), int flags) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigaction(number, &action, NULL);
}

int main(int argc, char **argv) {
    u64 iterations = number_arg(argc, argv, 1, 50000);
    static char altstack[256 * 1024];
    stack_t stack = {.ss_sp = altstack, .ss_size = sizeof altstack};
    sigaltstack(&stack, NULL);
    handle(SIGUSR1, jump_handler, SA_ONSTACK);
    handle(SIGUSR2, jump_handler, 0);
    handle(SIGALRM, count_tick, SA_ONSTACK | SA_RESTART);
    struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, NULL);

    for (u64 i = 0; i < iterations; i++) {
        ending = (enum ending)(i / 50 % ENDINGS);
        jump_root((unsigned)(1 + i % 50));
    }
    setitimer(ITIMER_REAL, &never, NULL);

    struct tally all = alloc_deep_tally;
    tally_add(&all, &alloc_landed_tally);
    tally_add(&all, &alloc_in_handler_tally);
    truth_tally("alloc_deep", &alloc_deep_tally);
    truth_tally("alloc_landed", &alloc_landed_tally);
    truth_tally("alloc_in_handler", &alloc_in_handler_tally);
    truth_tally("jump_root", &all);
    truth("jumps", jumps);
    truth("ticks", (u64)ticks);
    return 0;
}
