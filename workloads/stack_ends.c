/* Allocations on a stack that ends where its mapping ends, called by code whose unwind table
 * does not know that it switched: whoever believes it reads above the end. There lies memory
 * at first, then a page that must not be read, then nothing.
 *
 *   stack_ends [calls=1000]
 *
 * Truth: stack_end_leaf.* */

#include "truth.h"

#include <sys/mman.h>

enum { STACK_BYTES = 64 * 1024, PAGE = 4096 };

static struct tally made;
static u64 calls;

NAMED void stack_end_leaf(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    tally_made(&made, size);
}

NAMED void stack_end_body(void) {
    for (u64 i = 0; i < calls; i++) stack_end_leaf(i % 100);
    KEEP_FRAME();
}

void run_on(void (*body)(void), void *stack_end);

__asm__(".text\n"
        ".type run_on, @function\n"
        "run_on:\n"
        "    .cfi_startproc\n"
        "    push %rbp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_rel_offset rbp, 0\n"
        "    mov %rsp, %rbp\n"
        "    mov %rsi, %rsp\n"
        "    call *%rdi\n"
        "    mov %rbp, %rsp\n"
        "    pop %rbp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    .cfi_restore rbp\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size run_on, . - run_on\n");

int main(int argc, char **argv) {
    calls = number_arg(argc, argv, 1, 1000);
    char *stack = mmap(NULL, STACK_BYTES + PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) abort();
    char *end = stack + STACK_BYTES;
    /* What looks like a frame of this program, as long as it can be read. */
    void **above = (void **)end;
    above[0] = NULL;
    above[1] = (char *)(void *)main + 1;
    run_on(stack_end_body, end);
    mprotect(end, PAGE, PROT_NONE);
    run_on(stack_end_body, end);
    munmap(end, PAGE);
    run_on(stack_end_body, end);
    truth_tally("stack_end_leaf", &made);
    return 0;
}
