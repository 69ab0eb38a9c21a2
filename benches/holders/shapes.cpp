// One way of keeping or losing blocks a run, for LeakSanitizer and for Residue alike.
//
//   shapes WAY [PLUGIN]
//   shapes --list
//
// All blocks of a way are made by functions whose names begin with `of_`. Truth: lost, held: how many of them nothing
// points to when main returns, and the rest.

#include "../../workloads/truth.h"

#include <deque>
#include <dlfcn.h>
#include <list>
#include <map>
#include <memory>
#include <pthread.h>
#include <string>
#include <sys/syscall.h>
#include <unordered_map>
#include <vector>

constexpr int BLOCKS = 50;
struct truths {
    int lost, held;
};
struct node {
    node* next = nullptr;
    node* before = nullptr;
    long payload[3] = {};
};

// Zeroed, or what was in the memory before could be a pointer. Used, or old compilers leave it out.
NAMED void* of_block(size_t bytes) {
    void* block = calloc(1, bytes);
    KEEP_FRAME();
    return block;
}

NAMED void forget() {
    char below[65536];
    memset(below, 0, sizeof below);
    char* at = below;
    HIDE(at);
    __asm__ volatile("xor %%ebx, %%ebx; xor %%r12d, %%r12d; xor %%r13d, %%r13d; xor %%r14d, %%r14d; xor %%r15d, %%r15d"
                     : : : "rbx", "r12", "r13", "r14", "r15", "memory");
}

static void* array[BLOCKS];
NAMED truths global_array() {
    for (auto& place : array) place = of_block(40);
    return {0, BLOCKS};
}
NAMED truths dropped() {
    for (int i = 0; i < BLOCKS; i++) {
        void* block = of_block(40);
        HIDE(block);
    }
    return {BLOCKS, 0};
}

template <class Made> static node* chain(Made made) {
    node* first = nullptr;
    for (int i = 0; i < BLOCKS; i++) {
        auto fresh = made();
        fresh->next = first;
        if (first) first->before = fresh;
        first = fresh;
    }
    return first;
}
static node* made_node() { return static_cast<node*>(of_block(sizeof(node))); }
static node* head;
NAMED truths list_held() {
    head = chain(made_node);
    node** at = &head;
    HIDE(at);
    return {0, BLOCKS};
}
NAMED truths list_dropped() {
    node* first = chain(made_node);
    HIDE(first);
    return {BLOCKS, 0};
}

// Links inside the elements, which point to links and not to elements.
struct linked {
    long payload[4];
    node link;
};
static node ring;
NAMED truths intrusive_held() {
    ring.next = ring.before = &ring;
    for (int i = 0; i < BLOCKS; i++) {
        auto element = static_cast<linked*>(of_block(sizeof(linked)));
        element->link.next = ring.next;
        element->link.before = &ring;
        ring.next->before = &element->link;
        ring.next = &element->link;
    }
    return {0, BLOCKS};
}
NAMED truths intrusive_dropped() {
    intrusive_held();
    ring.next = ring.before = &ring;
    return {BLOCKS, 0};
}

struct partner {
    std::shared_ptr<partner> other;
    long payload[6];
};
NAMED void of_pair(std::shared_ptr<partner>& one, std::shared_ptr<partner>& two) {
    one = std::make_shared<partner>();
    two = std::make_shared<partner>();
    one->other = two;
    two->other = one;
}
NAMED truths shared_cycles() {
    for (int i = 0; i < BLOCKS; i++) {
        std::shared_ptr<partner> one, two;
        of_pair(one, two);
    }
    return {2 * BLOCKS, 0};
}

static std::map<int, node> tree;
NAMED void of_tree() {
    for (int i = 0; i < BLOCKS; i++) tree[i * 7919 % 101];
}
NAMED truths map_held() {
    of_tree();
    return {0, BLOCKS};
}
NAMED void of_lost_tree() {
    auto lost = new std::map<int, node>;
    for (int i = 0; i < BLOCKS; i++) (*lost)[i];
    HIDE(lost);
}
NAMED truths map_dropped() {
    of_lost_tree();
    return {BLOCKS + 1, 0};
}

static std::unordered_map<int, node> hash;
NAMED void of_hash() {
    hash.reserve(BLOCKS);
    for (int i = 0; i < BLOCKS; i++) hash[i];
}
NAMED truths hash_held() {
    of_hash();
    return {0, BLOCKS + 1};
}
NAMED void of_lost_hash() {
    auto lost = new std::unordered_map<int, node>;
    lost->reserve(BLOCKS);
    for (int i = 0; i < BLOCKS; i++) (*lost)[i];
    HIDE(lost);
}
NAMED truths hash_dropped() {
    of_lost_hash();
    return {BLOCKS + 2, 0};
}

static thread_local void* of_thread[BLOCKS];
NAMED truths thread_local_held() {
    for (auto& place : of_thread) place = of_block(72);
    void** at = of_thread;
    HIDE(at);
    return {0, BLOCKS};
}
static void start(void* (*work)(void*), bool is_joined) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, work, nullptr)) abort();
    if (is_joined) pthread_join(thread, nullptr);
}
NAMED truths thread_local_of_ended_thread() {
    start([](void*) -> void* { thread_local_held(); forget(); return nullptr; }, true);
    return {BLOCKS, 0};
}

static volatile int waiting;
NAMED truths stack_of_another_thread() {
    start([](void*) -> void* {
        void* volatile only = of_block(88);
        forget();
        waiting = 1;
        for (;;) {
            HIDE(only);
            pause();
        }
    }, false);
    while (!waiting) usleep(1000);
    return {0, 1};
}
NAMED void* of_register() {
    void* block = of_block(104);
    KEEP_FRAME();
    return block;
}
static void clear_below() {
    char below[16384];
    memset(below, 0, sizeof below);
    char* at = below;
    HIDE(at);
}
NAMED truths register_of_another_thread() {
    start([](void*) -> void* {
        __asm__ volatile("call *%0; mov %%rax, %%r12; xor %%eax, %%eax; call *%1; lock incl %2\n"
                         "1: mov %3, %%eax; syscall; jmp 1b\n"
                         : : "r"(reinterpret_cast<void*>(of_register)), "b"(reinterpret_cast<void*>(clear_below)),
                             "m"(waiting), "i"(SYS_pause)
                         : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "memory");
        return nullptr;
    }, false);
    while (!waiting) usleep(1000);
    return {0, 1};
}

static uintptr_t words[BLOCKS];
static truths hidden(uintptr_t (*how)(uintptr_t, int), truths result) {
    uintptr_t* at = words;
    HIDE(at);
    for (int i = 0; i < BLOCKS; i++) at[i] = how(reinterpret_cast<uintptr_t>(of_block(120)), i);
    return result;
}
NAMED truths tagged_low() { return hidden([](uintptr_t word, int i) { return word | (1 + i % 7); }, {0, BLOCKS}); }
NAMED truths interior() { return hidden([](uintptr_t word, int i) { return word + 8 + i; }, {0, BLOCKS}); }
// Not seen by anybody who looks for pointers: lost in that sense.
NAMED truths tagged_high() { return hidden([](uintptr_t word, int) { return word | uintptr_t{1} << 62; }, {BLOCKS, 0}); }
NAMED truths scrambled() { return hidden([](uintptr_t word, int) { return word ^ 0x5555555555555555; }, {BLOCKS, 0}); }

NAMED truths elements_of_freed_vector() {
    auto gone = new std::vector<void*>;
    for (int i = 0; i < BLOCKS; i++) gone->push_back(of_block(136));
    memset(static_cast<void*>(gone->data()), 0, sizeof(void*) * gone->size());
    delete gone;
    return {BLOCKS, 0};
}
// Never destroyed: LeakSanitizer looks after destructors have run.
static auto& queue = *new std::deque<void*>;
NAMED truths deque_popped() {
    for (int i = 0; i < 2 * BLOCKS; i++) queue.push_back(of_block(152));
    for (int i = 0; i < BLOCKS; i++) {
        queue.front() = nullptr;
        queue.pop_front();
    }
    return {BLOCKS, BLOCKS};
}
static std::vector<std::string> texts;
NAMED std::string of_text(int i) { return std::string(100, static_cast<char>('a' + i % 26)); }
NAMED truths strings() {
    texts.reserve(BLOCKS);
    for (int i = 0; i < BLOCKS; i++) texts.push_back(of_text(i));
    return {0, BLOCKS};
}

static const char* plugin_path;
NAMED truths plugin(bool is_closed) {
    void* library = dlopen(plugin_path, RTLD_NOW);
    if (!library) abort();
    auto places = static_cast<void**>(dlsym(library, "plugin_places"));
    for (int i = 0; i < BLOCKS; i++) places[i] = of_block(168);
    places = nullptr;
    HIDE(places);
    if (is_closed) dlclose(library);
    return is_closed ? truths{BLOCKS, 0} : truths{0, BLOCKS};
}
NAMED truths static_of_plugin() { return plugin(false); }
NAMED truths static_of_closed_plugin() { return plugin(true); }

struct {
    const char* name;
    truths (*make)();
} constexpr WAYS[] = {
#define WAY(name) {#name, name}
    WAY(global_array), WAY(dropped), WAY(list_held), WAY(list_dropped), WAY(intrusive_held), WAY(intrusive_dropped),
    WAY(shared_cycles), WAY(map_held), WAY(map_dropped), WAY(hash_held), WAY(hash_dropped), WAY(thread_local_held),
    WAY(thread_local_of_ended_thread), WAY(stack_of_another_thread), WAY(register_of_another_thread), WAY(tagged_low),
    WAY(interior), WAY(tagged_high), WAY(scrambled), WAY(elements_of_freed_vector), WAY(deque_popped), WAY(strings),
    WAY(static_of_plugin), WAY(static_of_closed_plugin),
};

int main(int argc, char** argv) {
    const char* way = argc > 1 ? argv[1] : "";
    plugin_path = argc > 2 ? argv[2] : "";
    for (auto& known : WAYS) {
        if (!strcmp(way, "--list")) puts(known.name);
        if (strcmp(way, known.name)) continue;
        truths made = known.make();
        forget();
        truth("lost", made.lost);
        truth("held", made.held);
    }
    return 0;
}
