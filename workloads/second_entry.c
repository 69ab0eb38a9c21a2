/* A function that can be entered at its second instruction too, by a symbol of its own.
 *
 *   second_entry [rounds=100]
 *
 * Truth: entered_leaf.*, once for each entry of either kind. */

#include "truth.h"

static struct tally made;

void entered_leaf(size_t size);

NAMED void entered_leaf(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    tally_made(&made, size);
}

void entered_first(size_t size);
void entered_second(size_t size);

__asm__(".text\n"
        ".globl entered_first, entered_second\n"
        ".type entered_first, @function\n"
        "entered_first:\n"
        "    .cfi_startproc\n"
        "    xor %eax, %eax\n"
        "entered_second:\n"
        "    sub $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    call entered_leaf\n"
        "    add $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size entered_first, . - entered_first\n");

int main(int argc, char **argv) {
    u64 rounds = number_arg(argc, argv, 1, 100);
    for (u64 i = 0; i < rounds; i++) {
        entered_first(10);
        entered_second(20);
    }
    truth_tally("entered_leaf", &made);
    return 0;
}
