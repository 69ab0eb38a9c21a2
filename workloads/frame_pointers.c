/* Functions without an unwind table: with frame pointers, between functions that have one; and
 * without either.
 *
 *   frame_pointers [calls=1000]
 *
 * Truth:
 *   pointed_leaf.*   below three functions that have frame pointers only, below main
 *   lost_leaf.*      below a function that has neither */

#include "truth.h"

static struct tally pointed, lost;

NAMED void pointed_leaf(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    tally_made(&pointed, size);
}

NAMED void lost_leaf(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    tally_made(&lost, size);
}

void pointed_outer(size_t size, void (*leaf)(size_t));
void lost_caller(size_t size, void (*leaf)(size_t));

/* Not in C, because compilers are of different opinions about what a function without a table
 * may do with bp. */
#define FUNCTION(name, body) \
    ".globl " #name "\n.type " #name ", @function\n" #name ":\n" body ".size " #name ", . - " #name "\n"
#define WITH_FRAME(name, body) \
    FUNCTION(name, "push %rbp\nmov %rsp, %rbp\nsub $32, %rsp\n" body "leave\nret\n")

__asm__(".text\n"
        WITH_FRAME(pointed_inner, "call *%rsi\n")
        WITH_FRAME(pointed_middle, "mov %rdi, -8(%rbp)\ncall pointed_inner\n")
        WITH_FRAME(pointed_outer, "call pointed_middle\n")
        /* bp holds a number of its own. */
        FUNCTION(lost_caller, "push %rbp\nsub $32, %rsp\nmov $77, %ebp\ncall *%rsi\nadd $32, %rsp\npop %rbp\nret\n"));

NAMED void frames_root(u64 calls) {
    for (u64 i = 0; i < calls; i++) {
        pointed_outer(i % 100, pointed_leaf);
        pointed_leaf(5);
        lost_caller(i % 50, lost_leaf);
    }
    KEEP_FRAME();
}

int main(int argc, char **argv) {
    frames_root(number_arg(argc, argv, 1, 1000));
    truth_tally("pointed_leaf", &pointed);
    truth_tally("lost_leaf", &lost);
    return 0;
}
