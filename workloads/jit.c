/* A just-in-time compiler in small: writes a function into one and the same page
 * again and again, each time with another frame size, and registers the unwind
 * table it wrote for it. x86-64 only.
 *
 *   jit [generations=40]
 *
 * The function has the type void (callee *, size_t) and one of two shapes, with and
 * without frame pointer. Within a shape only the frame size differs: the same return
 * address has another meaning in every generation.
 *
 * Truth: jit_callee.*, called by the generated code; jit_caller.*, the same, which
 * calls it and is lost by an unwinder that cannot pass generated code; generations. */

#include "shelf.h"

#include <sys/mman.h>

#if !defined(__x86_64__)
int main(void) { return 77; }
#else
#include "generated.h"

SHELVING_FUNCTION(jit_callee)

NAMED void jit_caller(generated *code, size_t size) {
    code(jit_callee, size);
    KEEP_FRAME();
}

int main(int argc, char **argv) {
    u64 generations = number_arg(argc, argv, 1, 40);
    unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return 1;
    static unsigned char table[256] __attribute__((aligned(8)));

    for (u64 i = 0; i < generations; i++) {
        int with_rbp = i % 3 == 0;
        uint32_t frame = (uint32_t)(16 * (i % 7 * 5 + 1) + (with_rbp ? 0 : 8));
        size_t length = write_code(page, with_rbp, frame);
        write_eh_frame(table, page, length, with_rbp, frame);
        __register_frame(table);
        for (size_t size = 1; size <= 100; size++) jit_caller((generated *)(uintptr_t)page, size + i);
        __deregister_frame(table);
    }
    truth("generations", generations);
    truth_tally("jit_callee", &jit_callee_tally);
    truth_tally("jit_caller", &jit_callee_tally);
    return 0;
}
#endif
