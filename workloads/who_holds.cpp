// Blocks of which is known who holds them: variables, containers, other threads, nobody.
//
//   who_holds [threads] [killed] [serves]
//
// threads: two more threads wait, of which one has the only pointer to a block on its stack and the other in a register.
// killed: it kills itself instead of returning from main, after 40 events.
// serves: it reads lines on stdin. `event` is an event in which nothing is allocated, each is answered by `done`; after
// `work` it makes and frees a block each millisecond until the next line. The end of the input is its end.
//
// Truth: FUNCTION.held, .inside, .lost, .in_cycle, .held_by_lost: the blocks that FUNCTION made, by who holds them when
// the program ends. children: whether there is one that it could wait for.

#include "residue.h"
#include "truth.h"

#include <list>
#include <map>
#include <memory>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unordered_map>
#include <vector>

constexpr int BLOCKS = 100;

struct counts {
    u64 held, inside, lost, in_cycle, held_by_lost;
};

static void tell(const char* function, counts c) {
    truth_of(function, "held", c.held);
    truth_of(function, "inside", c.inside);
    truth_of(function, "lost", c.lost);
    truth_of(function, "in_cycle", c.in_cycle);
    truth_of(function, "held_by_lost", c.held_by_lost);
}

// Takes what earlier calls left below the stack pointer and in registers.
NAMED void forget_the_past() {
    char below[32768];
    memset(below, 0, sizeof below);
    char* at = below;
    HIDE(at);
    __asm__ volatile("xor %%ebx, %%ebx; xor %%r12d, %%r12d; xor %%r13d, %%r13d; xor %%r14d, %%r14d; xor %%r15d, %%r15d"
                     : : : "rbx", "r12", "r13", "r14", "r15", "memory");
}

// A global array.
static void* kept[BLOCKS];
NAMED void keep_in_array() {
    for (auto& block : kept) block = malloc(40);
}

NAMED void drop() {
    for (int i = 0; i < BLOCKS; i++) {
        void* block = malloc(56);
        HIDE(block);
    }
}

struct chained {
    chained* next;
    long payload[4];
};

NAMED void drop_chain() {
    chained* first = nullptr;
    for (int i = 0; i < BLOCKS; i++) {
        auto node = static_cast<chained*>(calloc(1, sizeof(chained)));
        node->next = first;
        first = node;
    }
    HIDE(first);
}

struct partner {
    std::shared_ptr<partner> other;
    long payload[6];
};

NAMED void drop_cycles() {
    for (int i = 0; i < BLOCKS / 2; i++) {
        auto one = std::make_shared<partner>(), two = std::make_shared<partner>();
        one->other = two;
        two->other = one;
    }
}

static std::vector<char*> names;
NAMED void fill_vector() {
    names.reserve(BLOCKS);
    for (int i = 0; i < BLOCKS; i++) names.push_back(static_cast<char*>(malloc(72)));
}

struct item {
    long payload[9];
};
static std::list<item> items;
NAMED void fill_list() {
    for (int i = 0; i < BLOCKS; i++) items.push_back(item{});
}

namespace store {
struct shelf {
    long number;
    std::map<int, item> by_number;
    std::unordered_map<int, item> by_hash;
};
static shelf shelves[2];
} // namespace store

NAMED void fill_map() {
    for (int i = 0; i < BLOCKS; i++) store::shelves[1].by_number[i * 7919 % 101] = item{};
}

// Its buckets were reserved elsewhere.
NAMED void fill_hash() {
    for (int i = 0; i < BLOCKS; i++) store::shelves[1].by_hash[i] = item{};
}
NAMED void reserve_hash() { store::shelves[1].by_hash.reserve(BLOCKS); }

static thread_local void* of_thread;
NAMED void keep_in_thread_local() {
    of_thread = malloc(88);
    void** at = &of_thread;
    HIDE(at);
}

// Of a thread that has ended. Its stack, with its data, is kept for the next thread.
static thread_local void* of_ended[BLOCKS];
NAMED void keep_in_ended_thread() {
    void** at = of_ended;
    HIDE(at);
    for (int i = 0; i < BLOCKS; i++) at[i] = malloc(92);
}

// In the low bits stands something else.
static uintptr_t tagged[BLOCKS];
NAMED void keep_tagged() {
    uintptr_t* at = tagged;
    HIDE(at);
    for (int i = 0; i < BLOCKS; i++) at[i] = reinterpret_cast<uintptr_t>(malloc(104)) | (1 + i % 3);
}

// Behind a header of its own.
static char* behind_header[BLOCKS];
NAMED void keep_inside() {
    for (auto& block : behind_header) block = static_cast<char*>(malloc(120)) + 16;
}

// The vector is gone, its elements are not. They are zeroed: what was in their memory before are pointers.
NAMED char* element() {
    void* block = calloc(1, 136);
    KEEP_FRAME();
    return static_cast<char*>(block);
}
NAMED void drop_elements() {
    auto gone = new std::vector<char*>;
    for (int i = 0; i < BLOCKS; i++) gone->push_back(element());
    memset(gone->data(), 0, sizeof(char*) * gone->size());
    delete gone;
}

static volatile int waiting;

NAMED void* made_for_stack() {
    void* block = malloc(152);
    KEEP_FRAME();
    return block;
}
static void* hold_on_stack(void*) {
    void* volatile only = made_for_stack();
    forget_the_past();
    __atomic_add_fetch(&waiting, 1, __ATOMIC_SEQ_CST);
    for (;;) {
        HIDE(only);
        pause();
    }
    return nullptr;
}

NAMED void* made_for_register() {
    void* block = malloc(168);
    KEEP_FRAME();
    return block;
}
static void* hold_in_register(void*) {
    // The address goes from rax, where the call leaves it, to r12 and nowhere else.
    __asm__ volatile("call *%0\n"
                     "mov %%rax, %%r12\n"
                     "xor %%eax, %%eax\n"
                     "call *%1\n"
                     "lock incl %2\n"
                     "1: mov %3, %%eax\n"
                     "syscall\n"
                     "jmp 1b\n"
                     :
                     : "r"(reinterpret_cast<void*>(made_for_register)), "b"(reinterpret_cast<void (*)()>(+[] {
                           char below[16384];
                           memset(below, 0, sizeof below);
                           char* at = below;
                           HIDE(at);
                       })),
                       "m"(waiting), "i"(SYS_pause)
                     : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "memory");
    return nullptr;
}

static void start(void* (*work)(void*)) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, work, nullptr)) abort();
}

static void end_a_thread() {
    auto work = [](void*) -> void* {
        keep_in_ended_thread();
        return nullptr;
    };
    pthread_t thread;
    if (pthread_create(&thread, nullptr, work, nullptr)) abort();
    pthread_join(thread, nullptr);
}

static bool next_line(char* line, size_t room) {
    size_t length = 0;
    while (length + 1 < room && read(0, line + length, 1) == 1 && line[length] != '\n') length++;
    line[length] = 0;
    return length > 0;
}

NAMED void work() {
    void* block = malloc(24);
    HIDE(block);
    free(block);
}

static void serve() {
    char line[16];
    for (u64 event = 1; next_line(line, sizeof line); event++) {
        pollfd input = {0, POLLIN, 0};
        if (!strcmp(line, "work"))
            while (poll(&input, 1, 1) == 0) work();
        if (!strcmp(line, "event")) {
            residue_event_begin(event);
            residue_event_end(event);
        }
        say("done\n");
    }
}

static bool has_arg(int argc, char** argv, const char* word) {
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], word)) return true;
    return false;
}

int main(int argc, char** argv) {
    bool threads = has_arg(argc, argv, "threads"), killed = has_arg(argc, argv, "killed");
    bool serves = has_arg(argc, argv, "serves");
    keep_in_array();
    drop();
    drop_chain();
    drop_cycles();
    fill_vector();
    fill_list();
    fill_map();
    reserve_hash();
    fill_hash();
    keep_in_thread_local();
    keep_tagged();
    keep_inside();
    drop_elements();
    end_a_thread();
    forget_the_past();
    if (threads) {
        start(hold_on_stack);
        start(hold_in_register);
        while (waiting < 2) usleep(1000);
    }
    tell("keep_in_array", {BLOCKS, 0, 0, 0, 0});
    tell("drop", {0, 0, BLOCKS, 0, 0});
    tell("drop_chain", {0, 0, 1, 0, BLOCKS - 1});
    tell("drop_cycles", {0, 0, 0, BLOCKS, 0});
    tell("fill_vector", {BLOCKS + 1, 0, 0, 0, 0});
    tell("fill_list", {BLOCKS, 0, 0, 0, 0});
    tell("fill_map", {BLOCKS, 0, 0, 0, 0});
    tell("fill_hash", {BLOCKS, 0, 0, 0, 0});
    tell("reserve_hash", {1, 0, 0, 0, 0});
    tell("keep_in_thread_local", {1, 0, 0, 0, 0});
    tell("keep_tagged", {BLOCKS, 0, 0, 0, 0});
    tell("keep_inside", {0, BLOCKS, 0, 0, 0});
    tell("element", {0, 0, BLOCKS, 0, 0});
    tell("keep_in_ended_thread", {0, 0, BLOCKS, 0, 0});
    if (threads) {
        tell("made_for_stack", {1, 0, 0, 0, 0});
        tell("made_for_register", {1, 0, 0, 0, 0});
    }
    if (killed) {
        for (u64 event = 1; event <= 40; event++) {
            residue_event_begin(event);
            residue_event_end(event);
            usleep(1000);
        }
        // A picture is a process, but no child that a program could wait for.
        truth("children", waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD);
        raise(SIGKILL);
    }
    if (serves) serve();
    forget_the_past();
    // Destructors must not run before the picture, which is taken where exit begins; nor after it.
    return 0;
}
