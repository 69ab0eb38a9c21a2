// Everything that upsets a remembered stack, at random and mixed: coroutines that
// throw, longjmp, take signals and switch to one another at any depth, on frames of
// several sizes. For comparing an unwinder's stacks with a reference.
//
//   chaos [allocations=1200000]
//
// Truth: chaos_alloc.*, alloc_in_dtor.*, alloc_in_catch.*, alloc_in_handler.*;
// throws, jumps, signals, switches, ends.
//
// A frame tells the ones below it what they may do: `landing` is where a jump may go
// (null below a frame with a destructor or a try block, which it must not skip), and
// `may_throw` says that somebody above catches. Coroutines do not switch while an
// exception is on its way, since it belongs to the thread.

#include "coroutine.h"
#include "shelf.h"

#include <csetjmp>
#include <csignal>

SHELVING_FUNCTION(chaos_alloc)
SHELVING_FUNCTION(alloc_in_dtor)
SHELVING_FUNCTION(alloc_in_catch)
SHELVING_FUNCTION(alloc_in_handler)

constexpr int DEEPEST = 60;
static u64 wanted, random_state = 13, throws, jumps, signals;
static sigjmp_buf* handler_landing;

static u64 pick(u64 count) { return (random_next(&random_state) >> 20) % count; }

NAMED void chaos_handler(int) {
    alloc_in_handler(1 + pick(100));
    if (handler_landing) {
        jumps++;
        siglongjmp(*handler_landing, 1);
    }
    KEEP_FRAME();
}

// Allocates, then perhaps does something violent.
NAMED void act(sigjmp_buf* landing, bool may_throw) {
    if (chaos_alloc_tally.calls >= wanted) coroutine_stop();
    chaos_alloc(1 + pick(500));
    switch (pick(40)) {
    case 0: case 1: case 2:
        coroutine_switch();
        break;
    case 3: case 4:
        if (may_throw) {
            throws++;
            throw 1;
        }
        break;
    case 5: case 6: case 7:
        if (landing) {
            jumps++;
            siglongjmp(*landing, 1);
        }
        break;
    case 8:
        signals++;
        handler_landing = pick(2) ? landing : nullptr;
        raise(SIGUSR1);
        break;
    }
    KEEP_FRAME();
}

NAMED void wander(int depth, sigjmp_buf* landing, bool may_throw);

NAMED void frame_small(int depth, sigjmp_buf* landing, bool may_throw) {
    wander(depth, landing, may_throw);
    KEEP_FRAME();
}

NAMED void frame_large(int depth, sigjmp_buf* landing, bool may_throw) {
    char room[600];
    char* hidden = room;
    HIDE(hidden);
    wander(depth, landing, may_throw);
    KEEP_FRAME();
}

NAMED void frame_variable(int depth, sigjmp_buf* landing, bool may_throw) {
    char* room = (char*)__builtin_alloca(16 + pick(300));
    HIDE(room);
    wander(depth, landing, may_throw);
    KEEP_FRAME();
}

NAMED void frame_guarded(int depth, bool may_throw) {
    struct Guard {
        ~Guard() { alloc_in_dtor(1 + pick(100)); }
    } guard;
    wander(depth, nullptr, may_throw);
    KEEP_FRAME();
}

NAMED void frame_catching(int depth) {
    try {
        wander(depth, nullptr, true);
    } catch (int) {
        alloc_in_catch(1 + pick(100));
    }
    KEEP_FRAME();
}

NAMED void frame_landing(int depth, bool may_throw) {
    sigjmp_buf here;
    if (sigsetjmp(here, 0) == 0) wander(depth, &here, may_throw);
    KEEP_FRAME();
}

NAMED void wander(int depth, sigjmp_buf* landing, bool may_throw) {
    act(landing, may_throw);
    for (u64 turns = depth < DEEPEST ? pick(3) : 0; turns > 0; turns--) {
        switch (pick(7)) {
        case 0: frame_small(depth + 1, landing, may_throw); break;
        case 1: frame_large(depth + 1, landing, may_throw); break;
        case 2: frame_variable(depth + 1, landing, may_throw); break;
        case 3: frame_guarded(depth + 1, may_throw); break;
        case 4: frame_catching(depth + 1); break;
        case 5: frame_landing(depth + 1, may_throw); break;
        case 6: wander(depth + 1, landing, may_throw); break;
        }
        act(landing, may_throw);
    }
    KEEP_FRAME();
}

NAMED void chaos_body() {
    for (u64 turns = 1 + pick(20); turns > 0; turns--) wander(0, nullptr, false);
    KEEP_FRAME();
}

int main(int argc, char** argv) {
    wanted = number_arg(argc, argv, 1, 1200000);
    static char altstack[256 * 1024];
    stack_t stack{};
    stack.ss_sp = altstack;
    stack.ss_size = sizeof altstack;
    sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_handler = chaos_handler;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    sigaction(SIGUSR1, &action, nullptr);

    coroutines_run(chaos_body);

    truth_tally("chaos_alloc", &chaos_alloc_tally);
    truth_tally("alloc_in_dtor", &alloc_in_dtor_tally);
    truth_tally("alloc_in_catch", &alloc_in_catch_tally);
    truth_tally("alloc_in_handler", &alloc_in_handler_tally);
    truth("throws", throws);
    truth("jumps", jumps);
    truth("signals", signals);
    truth("switches", coroutine_switches);
    truth("ends", coroutine_ends);
}
