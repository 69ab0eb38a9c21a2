// Threads that move the only pointers to their blocks all the time, and never lose one of them.
//
//   moving SEED THREADS EVENTS
//
// Each thread has 64 places, on its stack, in a block of its own and in an array of all. It swaps two of them through a
// register, again and again, makes a new block for one and frees the old one. Another function drops blocks. When the events
// are over the program kills itself: the pictures are those of events, taken while all threads move.
//
// Truth: lost_here.lost: blocks of of_dropped. None of of_moved is ever lost.

#include "../../include/residue.h"
#include "../../workloads/truth.h"

#include <pthread.h>
#include <signal.h>

constexpr int PLACES = 64;
static int threads;
static void* volatile shared_places[64][PLACES];
static u64 seed;

static u64 next(u64& state) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

NAMED void* of_moved(size_t bytes) {
    void* block = calloc(1, bytes);
    KEEP_FRAME();
    return block;
}
NAMED void of_dropped() {
    void* block = calloc(1, 72);
    HIDE(block);
}

static void* move(void* number) {
    auto self = reinterpret_cast<uintptr_t>(number);
    u64 random = (seed + 1) * 0x9e3779b97f4a7c15 ^ (self + 1) * 0xbf58476d1ce4e5b9;
    void* volatile on_stack[PLACES];
    auto in_block = static_cast<void* volatile*>(of_moved(sizeof on_stack));
    auto shared = shared_places[self];
    for (int i = 0; i < PLACES; i++) {
        on_stack[i] = of_moved(40);
        in_block[i] = of_moved(40);
        shared[i] = of_moved(40);
    }
    void* volatile* const kinds[] = {on_stack, in_block, shared};
    for (u64 turn = 0;; turn++) {
        auto one = &kinds[next(random) % 3][next(random) % PLACES], two = &kinds[next(random) % 3][next(random) % PLACES];
        void* first = *one;
        *one = nullptr;
        HIDE(first);
        void* second = *two;
        *two = first;
        HIDE(second);
        // Of one place twice the block has just been put back.
        if (one != two) *one = second;
        if (turn % 16 == 0) {
            void* fresh = of_moved(24 + next(random) % 200);
            void* old = *one;
            *one = fresh;
            free(old);
        }
    }
}

int main(int argc, char** argv) {
    seed = argc > 1 ? strtoull(argv[1], nullptr, 10) : 1;
    threads = argc > 2 ? atoi(argv[2]) % 64 : 3;
    u64 events = argc > 3 ? strtoull(argv[3], nullptr, 10) : 30;
    for (int i = 0; i < threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, nullptr, move, reinterpret_cast<void*>(static_cast<uintptr_t>(i)))) abort();
    }
    usleep(1000);
    for (u64 event = 1; event <= events; event++) {
        residue_event_begin(event);
        of_dropped();
        usleep(200);
        residue_event_end(event);
    }
    truth("events", events);
    raise(SIGKILL);
}
