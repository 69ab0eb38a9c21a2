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

SHELVING_FUNCTION(jit_callee)

typedef void callee(size_t);
typedef void generated(callee *, size_t);

void __register_frame(void *eh_frame);
void __deregister_frame(void *eh_frame);

struct bytes {
    unsigned char *at;
};

static void put(struct bytes *out, const void *data, size_t length) {
    memcpy(out->at, data, length);
    out->at += length;
}

#define PUT(out, ...) put(out, (unsigned char[]){__VA_ARGS__}, sizeof((unsigned char[]){__VA_ARGS__}))

static void put_uleb(struct bytes *out, unsigned value) {
    for (; value >= 128; value >>= 7) PUT(out, (unsigned char)(value | 128));
    PUT(out, (unsigned char)value);
}

/* A CIE or FDE begins with its length, and is padded with DW_CFA_nop. */
static void close_entry(struct bytes *out, unsigned char *start) {
    while ((out->at - start - 4) % 8 != 4) PUT(out, 0);
    uint32_t length = (uint32_t)(out->at - start - 4);
    memcpy(start, &length, 4);
}

/* Returns the number of bytes of code. `frame` is such that calls are aligned. */
static size_t write_code(unsigned char *page, int with_rbp, uint32_t frame) {
    struct bytes out = {page};
    if (with_rbp) PUT(&out, 0x55, 0x48, 0x89, 0xe5);                   /* push rbp; mov rbp, rsp */
    PUT(&out, 0x48, 0x81, 0xec), put(&out, &frame, 4);                 /* sub rsp, frame */
    PUT(&out, 0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0xff, 0xd0);         /* mov rax, rdi; mov rdi, rsi; call rax */
    if (with_rbp) PUT(&out, 0xc9);                                     /* leave */
    else PUT(&out, 0x48, 0x81, 0xc4), put(&out, &frame, 4);            /* add rsp, frame */
    PUT(&out, 0xc3);                                                   /* ret */
    return (size_t)(out.at - page);
}

static void write_eh_frame(unsigned char *table, void *code, u64 length, int with_rbp, uint32_t frame) {
    enum { advance = 0x40, offset = 0x80, def_cfa = 0x0c, def_cfa_register = 0x0d, def_cfa_offset = 0x0e };
    enum { rbp = 6, rsp = 7, return_address = 16, absolute_pointers = 0 };
    struct bytes out = {table};

    PUT(&out, 0, 0, 0, 0, 0, 0, 0, 0);                                 /* length; 0: a CIE */
    PUT(&out, 1, 'z', 'R', 0, 1, 0x78, return_address, 1, absolute_pointers); /* factors 1 and -8 */
    PUT(&out, def_cfa, rsp, 8, offset | return_address, 1);
    close_entry(&out, table);

    unsigned char *fde = out.at;
    uint32_t back = (uint32_t)(fde + 4 - table);
    u64 start = (u64)(uintptr_t)code;
    PUT(&out, 0, 0, 0, 0), put(&out, &back, 4);
    put(&out, &start, 8), put(&out, &length, 8);
    PUT(&out, 0);                                                      /* no augmentation data */
    if (with_rbp) {
        PUT(&out, advance | 1, def_cfa_offset, 16, offset | rbp, 2);
        PUT(&out, advance | 3, def_cfa_register, rbp);
        PUT(&out, advance | 16, def_cfa, rsp, 8);                      /* after leave */
    } else {
        PUT(&out, advance | 7, def_cfa_offset), put_uleb(&out, 8 + frame);
        PUT(&out, advance | 15, def_cfa_offset, 8);                    /* after add */
    }
    close_entry(&out, fde);
    PUT(&out, 0, 0, 0, 0);                                             /* the end */
}

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
