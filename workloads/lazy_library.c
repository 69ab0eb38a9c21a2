/* A function that is chosen when it is first called; choosing allocates. */

#include "truth.h"

void lazy_alloc(size_t size);
void lazy_call(void);

static void lazy_chosen(void) {}

NAMED static void (*lazy_choose(void))(void) {
    lazy_alloc(33);
    return lazy_chosen;
}

void lazy_call(void) __attribute__((ifunc("lazy_choose")));
