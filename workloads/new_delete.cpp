// Every form of operator new and operator delete.
//
//   new_delete [rounds=20]       each round uses every form once; even rounds delete
//
// Truth:
//   new_calls, new_bytes, deletes     all forms together
//   news.*                            the same: all of them are made under `news`
//   new_zero.calls, new_zero.frees    operator new(0); bytes left open, as the
//                                     library asks malloc for 1
//   bad_allocs, nothrow_nulls         refusals of a giant size
//   handler_calls                     calls of the new_handler
//   misaligned                        0
// Aligned sizes are multiples of the alignment, since the library rounds them up.

#include "truth.h"

#include <initializer_list>
#include <new>

struct alignas(64) Line {
    char bytes[128];
};
struct alignas(4096) Page {
    char bytes[4096];
};
struct Counted { // its destructor makes an array begin with its length, 8 bytes
    char bytes[24];
    ~Counted() { KEEP_FRAME(); }
};

using Drop = void (*)(void*, size_t);
struct Made {
    void* block;
    size_t size;
    Drop drop;
};

constexpr auto AL64 = std::align_val_t{64};
constexpr auto AL4K = std::align_val_t{4096};
static Made made[32];
static int made_count;
static tally all, zero;
static u64 bad_allocs, nothrow_nulls, handler_calls, misaligned;

static void note(void* block, size_t size, size_t alignment, Drop drop) {
    HIDE(block);
    misaligned += (uintptr_t)block % alignment != 0;
    made[made_count++] = {block, size, drop};
    tally_made(&all, size);
}

NAMED void news(size_t n) {
    using std::nothrow;
    made_count = 0;
    // Plain, array and nothrow; deleted with and without size.
    note(new int, sizeof(int), 4, [](void* p, size_t) { delete (int*)p; });
    note(new char[n], n, 1, [](void* p, size_t) { delete[] (char*)p; });
    note(::operator new(n), n, 16, [](void* p, size_t) { ::operator delete(p); });
    note(::operator new(n + 1), n + 1, 16, [](void* p, size_t s) { ::operator delete(p, s); });
    note(::operator new[](n + 2), n + 2, 16, [](void* p, size_t) { ::operator delete[](p); });
    note(::operator new[](n + 3), n + 3, 16, [](void* p, size_t s) { ::operator delete[](p, s); });
    note(::operator new(n, nothrow), n, 16, [](void* p, size_t) { ::operator delete(p, nothrow); });
    note(::operator new[](n, nothrow), n, 16, [](void* p, size_t) { ::operator delete[](p, nothrow); });
    note(new (nothrow) double, 8, 8, [](void* p, size_t) { delete (double*)p; });
    // The block begins 8 bytes before the first element.
    note((char*)new Counted[5] - 8, 8 + 5 * sizeof(Counted), 16,
         [](void* p, size_t) { delete[] (Counted*)((char*)p + 8); });
    // By the alignment of the class.
    note(new Line, sizeof(Line), 64, [](void* p, size_t) { delete (Line*)p; });
    note(new Line[3], 3 * sizeof(Line), 64, [](void* p, size_t) { delete[] (Line*)p; });
    note(new (nothrow) Line, sizeof(Line), 64, [](void* p, size_t) { delete (Line*)p; });
    note(new (nothrow) Line[2], 2 * sizeof(Line), 64, [](void* p, size_t) { delete[] (Line*)p; });
    note(new Page, sizeof(Page), 4096, [](void* p, size_t) { delete (Page*)p; });
    note(new Page[2], 2 * sizeof(Page), 4096, [](void* p, size_t) { delete[] (Page*)p; });
    // By an alignment given.
    note(::operator new(640, AL64), 640, 64, [](void* p, size_t) { ::operator delete(p, AL64); });
    note(::operator new(704, AL64), 704, 64, [](void* p, size_t s) { ::operator delete(p, s, AL64); });
    note(::operator new[](768, AL64), 768, 64, [](void* p, size_t) { ::operator delete[](p, AL64); });
    note(::operator new[](8192, AL4K), 8192, 4096, [](void* p, size_t s) { ::operator delete[](p, s, AL4K); });
    note(::operator new(832, AL64, nothrow), 832, 64,
         [](void* p, size_t) { ::operator delete(p, AL64, nothrow); });
    note(::operator new[](896, AL64, nothrow), 896, 64,
         [](void* p, size_t) { ::operator delete[](p, AL64, nothrow); });
}

NAMED void deletes() {
    for (int i = 0; i < made_count; i++) {
        made[i].drop(made[i].block, made[i].size);
        tally_freed(&all, made[i].size);
    }
}

NAMED void new_zero(bool drop) {
    void* block = ::operator new(0);
    HIDE(block);
    tally_made(&zero, 0);
    if (drop) {
        ::operator delete(block);
        tally_freed(&zero, 0);
    }
}

// Called when memory is out; gives up the second time.
static void handler() {
    if (++handler_calls % 2 == 0) std::set_new_handler(nullptr);
}

NAMED void new_giant() {
    size_t giant = SIZE_MAX / 4;
    HIDE(giant);
    for (bool array : {false, true}) {
        std::set_new_handler(handler);
        try {
            void* block = array ? ::operator new[](giant) : ::operator new(giant);
            HIDE(block);
        } catch (const std::bad_alloc&) {
            bad_allocs++;
        }
    }
    void* block = ::operator new(giant, std::nothrow);
    HIDE(block);
    nothrow_nulls += block == nullptr;
}

int main(int argc, char** argv) {
    u64 rounds = number_arg(argc, argv, 1, 20);
    for (u64 round = 0; round < rounds; round++) {
        bool drop = round % 2 == 0;
        news(50 + round);
        if (drop) deletes();
        new_zero(drop);
    }
    new_giant();

    truth("new_calls", all.calls);
    truth("new_bytes", all.total);
    truth("deletes", all.frees);
    truth_tally("news", &all);
    truth_of("new_zero", "calls", zero.calls);
    truth_of("new_zero", "frees", zero.frees);
    truth("bad_allocs", bad_allocs);
    truth("nothrow_nulls", nothrow_nulls);
    truth("handler_calls", handler_calls);
    truth("misaligned", misaligned);
}
