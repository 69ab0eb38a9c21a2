// A plugin that brings the C++ library into a program of C.

#include "truth.h"

extern "C" NAMED void *make_new(void) {
    void *block = ::operator new(100);
    KEEP_FRAME();
    return block;
}
