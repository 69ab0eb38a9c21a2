// The guards of residue.h, in the order that tests/clients expects. C++98.
#include "residue.h"

#include <cstdio>
#include <cstdlib>
#include <pthread.h>

extern "C" __attribute__((noinline)) void *pool_take(size_t bytes) {
    void *block = std::malloc(bytes);
    residue_allocated(block, bytes);
    return block;
}

static void *work(void *token) {
    residue::task task(*static_cast<uint32_t *>(token));
    residue_stamp("in the thread");
    return 0;
}

static void throw_through_a_scope() {
    residue::scope scope("thrown");
    throw 1;
}

int main() {
    uint32_t token = 0;
    {
        residue::event event(1);
        residue::event inner(2, 3);
        token = residue_event_current();
        pthread_t thread;
        if (pthread_create(&thread, 0, work, &token) || pthread_join(thread, 0)) return 1;
        try {
            throw_through_a_scope();
        } catch (int) {
            residue_stamp("caught");
        }
        {
            residue::paused paused;
        }
        {
            residue::paused paused(residue::all_threads);
        }
        void *block = pool_take(100);
        residue_freed(block);
        std::free(block);
    }
    std::printf("active %d token %u\n", residue_active(), unsigned(token));
}
