/* Code made at run time, x86-64 only: one function of the type
 *
 *   void (callee *, size_t)
 *
 * which calls what it is given, in two shapes, with and without frame pointer, and the
 * unwind table for it. */
#ifndef GENERATED_H
#define GENERATED_H

#include "truth.h"

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

#endif
