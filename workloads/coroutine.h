/* Sixteen coroutines on ucontext, each on a mapping of its own. One that comes to
 * its end has its stack unmapped and starts anew, most often at the same address. */
#ifndef COROUTINE_H
#define COROUTINE_H

#include "truth.h"

#include <sys/mman.h>
#include <ucontext.h>

enum { COROUTINES = 16, COROUTINE_STACK = 256 * 1024 };

static struct {
    ucontext_t context;
    void *stack;
} coroutines[COROUTINES];

static ucontext_t coroutine_main;
static int coroutine_current;
static u64 coroutine_random = 12, coroutine_switches, coroutine_ends, coroutine_reused;

static inline void coroutine_begin(int index, void (*body)(void)) {
    void *before = coroutines[index].stack;
    if (before) munmap(before, COROUTINE_STACK);
    void *stack = mmap(NULL, COROUTINE_STACK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) abort();
    coroutine_reused += stack == before;
    coroutines[index].stack = stack;

    ucontext_t *context = &coroutines[index].context;
    getcontext(context);
    context->uc_stack.ss_sp = stack;
    context->uc_stack.ss_size = COROUTINE_STACK;
    context->uc_link = &coroutine_main;
    makecontext(context, body, 0);
}

/* From one coroutine straight to another; comes back when somebody chooses this one. */
static inline void coroutine_switch(void) {
    int from = coroutine_current, to = (int)(random_next(&coroutine_random) % COROUTINES);
    if (to == from) return;
    coroutine_switches++;
    coroutine_current = to;
    swapcontext(&coroutines[from].context, &coroutines[to].context);
}

/* Leaves all coroutines as they are and lets coroutines_run return. */
static inline void coroutine_stop(void) {
    int from = coroutine_current;
    coroutine_current = -1;
    swapcontext(&coroutines[from].context, &coroutine_main);
}

static inline void coroutines_run(void (*body)(void)) {
    for (int i = 0; i < COROUTINES; i++) coroutine_begin(i, body);
    while (coroutine_current >= 0) {
        swapcontext(&coroutine_main, &coroutines[coroutine_current].context);
        if (coroutine_current < 0) break;
        coroutine_ends++;
        coroutine_begin(coroutine_current, body);
    }
}

#endif
