// Functions that realign their stack, as vector code does: with variable-sized
// locals as well, the frame's start is then found through a saved pointer,
// CFA = *(rbp - 8). They call one another in every order, plain ones in between.
//
//   realigned [iterations=100000]
//
// Truth: realigned_alloc.*; realigned_root.*, the same, as every stack goes back to
// it; avx2, 1 when the functions with AVX2 code took part; misaligned, 0.

#include "shelf.h"

#include <alloca.h>

SHELVING_FUNCTION(realigned_alloc)

static u64 misaligned, random_state = 14;
static bool use_avx2;

static void check(const void* local) { misaligned += (uintptr_t)local % 64 != 0; }

NAMED void next_frame(unsigned left);

NAMED void realigned_fixed(unsigned left) {
    alignas(64) char local[192];
    char* hidden = local;
    HIDE(hidden);
    check(hidden);
    next_frame(left);
    KEEP_FRAME();
}

NAMED void realigned_variable(unsigned left) {
    alignas(64) char local[64];
    char *hidden = local, *room = (char*)alloca(8 + 24 * left);
    HIDE(hidden);
    HIDE(room);
    check(hidden);
    next_frame(left);
    KEEP_FRAME();
}

// More arguments than registers: they lie above the saved pointer, not above rbp.
NAMED void realigned_arguments(unsigned left, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g) {
    alignas(64) u64 local[8] = {a, b, c, d, e, f, g, left};
    u64 *hidden = local, *room = (u64*)alloca(8 + 8 * left);
    HIDE(hidden);
    HIDE(room);
    check(hidden);
    next_frame(left);
    KEEP_FRAME();
    misaligned += f != 6 || g != 7;
}

#if defined(__x86_64__)
typedef float eight_floats __attribute__((vector_size(32)));

NAMED __attribute__((target("avx2"))) void realigned_avx2(unsigned left) {
    eight_floats sums[4] = {};
    float* room = (float*)alloca(32 + 8 * left);
    for (unsigned i = 0; i < 4; i++) sums[i] += float(left + i);
    eight_floats* hidden = sums;
    HIDE(hidden);
    HIDE(room);
    next_frame(left);
    room[0] = sums[0][0] + sums[3][7];
    HIDE(room);
}
#else
NAMED void realigned_avx2(unsigned left) { realigned_variable(left); }
#endif

NAMED void next_frame(unsigned left) {
    if (left == 0) {
        realigned_alloc(1 + random_next(&random_state) % 400);
    } else {
        switch (random_next(&random_state) % 5) {
        case 0: realigned_fixed(left - 1); break;
        case 1: realigned_variable(left - 1); break;
        case 2: realigned_arguments(left - 1, 1, 2, 3, 4, 5, 6, 7); break;
        case 3: use_avx2 ? realigned_avx2(left - 1) : realigned_variable(left - 1); break;
        case 4: next_frame(left - 1); break;
        }
    }
    KEEP_FRAME();
}

NAMED void realigned_root(unsigned depth) {
    next_frame(depth);
    KEEP_FRAME();
}

int main(int argc, char** argv) {
    u64 iterations = number_arg(argc, argv, 1, 100000);
#if defined(__x86_64__)
    use_avx2 = __builtin_cpu_supports("avx2");
#endif
    for (u64 i = 0; i < iterations; i++) realigned_root(unsigned(i % 20));
    truth("avx2", use_avx2);
    truth("misaligned", misaligned);
    truth_tally("realigned_alloc", &realigned_alloc_tally);
    truth_tally("realigned_root", &realigned_alloc_tally);
}
