/* Stack overflows that the program handles itself: a handler on an alternate stack
 * jumps back to where there is room, and the program goes on.
 *
 *   overflows [rounds=50] [thread]        in the main thread, or in one with a small stack
 *
 * Half of the rounds overflow in a function that allocates nothing, and the handler
 * allocates; the others in one that allocates at every level, so that an allocation is what
 * finds no room, and only the program goes on allocating.
 *
 * Truth:
 *   alloc_in_handler.*   on the alternate stack, below the interrupted frame
 *   alloc_landed.*       after the jump
 *   returned             allocations of the recursion; their blocks were freed
 *   abandoned            those that never returned */

#include "truth.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>

static struct tally in_handler, landed, on_the_way;
static u64 rounds, round_number, abandoned;
static volatile u64 without_end = ~0ull;
static sigjmp_buf landing;
static volatile int is_allocating;

NAMED void alloc_in_handler(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    tally_made(&in_handler, size);
}

NAMED void alloc_landed(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    tally_made(&landed, size);
}

NAMED void overflow_handler(int number) {
    if (is_allocating)
        abandoned++;
    else
        /* The interrupted frames are compared with those of the call before. */
        for (int i = 0; i < 20; i++) alloc_in_handler((size_t)(number + i));
    siglongjmp(landing, 1);
}

/* Small frames, or so large ones that few are on the stack. */
NAMED void overflow_silently(u64 level) {
    volatile char *room = __builtin_alloca(round_number % 4 == 0 ? 248 : 200 * 1024);
    room[0] = 1;
    if (level < without_end) overflow_silently(level + 1);
    KEEP_FRAME();
}

/* The allocator has the block at hand, so it holds no lock when there is no room for a frame. */
NAMED void overflow_down(u64 level) {
    volatile char room[248];
    room[level % sizeof room] = 1;
    is_allocating = 1;
    void *block = malloc(24);
    is_allocating = 0;
    HIDE(block);
    tally_made(&on_the_way, 24);
    free(block);
    tally_freed(&on_the_way, 24);
    if (level < without_end) overflow_down(level + 1);
    KEEP_FRAME();
}

/* Begins the recursion a little further down in each round, so that it ends at every
 * place of the allocation's own frames. */
NAMED void overflow_from(u64 bytes) {
    volatile char *room = __builtin_alloca(bytes + 16);
    room[0] = 1;
    if (round_number % 2 == 0)
        overflow_silently(0);
    else
        overflow_down(0);
    KEEP_FRAME();
}

static void *overflow_again_and_again(void *unused) {
    (void)unused;
    char *altstack = malloc(1 << 18);
    stack_t stack = {.ss_sp = altstack, .ss_size = 1 << 18};
    sigaltstack(&stack, NULL);
    for (round_number = 0; round_number < rounds; round_number++) {
        if (sigsetjmp(landing, 1) == 0) overflow_from(round_number * 16);
        is_allocating = 0;
        for (int i = 0; i < 20; i++) alloc_landed(100);
    }
    return NULL;
}

int main(int argc, char **argv) {
    rounds = number_arg(argc, argv, 1, 50);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = overflow_handler;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGSEGV, &action, NULL);
    if (argc > 2) {
        pthread_attr_t attributes;
        pthread_t thread;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, 128 * 1024);
        /* No frame may reach beyond it. */
        pthread_attr_setguardsize(&attributes, 1024 * 1024);
        pthread_create(&thread, &attributes, overflow_again_and_again, NULL);
        pthread_join(thread, NULL);
    } else {
        /* So that there are not a hundred thousand levels. */
        struct rlimit limit = {256 * 1024, RLIM_INFINITY};
        getrlimit(RLIMIT_STACK, &limit);
        limit.rlim_cur = 256 * 1024;
        setrlimit(RLIMIT_STACK, &limit);
        overflow_again_and_again(NULL);
    }
    truth_tally("alloc_in_handler", &in_handler);
    truth_tally("alloc_landed", &landed);
    truth("returned", on_the_way.calls);
    truth("abandoned", abandoned);
    return 0;
}
