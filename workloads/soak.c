/* An event loop for as long as asked, on several threads, whose live heap stays the same but for
 * a small leak: blocks on changing paths, blocks that another thread frees, plugins that come and
 * go, threads that come and go, mappings that come and go.
 *
 *   soak SECONDS [threads=4] [events_per_sleep=50]
 *
 * After so many events a thread sleeps for a millisecond; 0 for never. One event in LEAK_EVERY of
 * a thread loses a block in leak_here. Truth: events, soak_alloc.*, leak_here.*, plugin_a_alloc.*,
 * soak_map.*, plugins, short_threads. */

#include "residue.h"
#include "truth.h"

#include <dlfcn.h>
#include <libgen.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

enum { SLOTS = 256, MAILBOX = 64, MOST_THREADS = 32, BLOCKS_AN_EVENT = 16, DEEPEST = 24, LEAK_EVERY = 10000, PLUGIN_EVERY = 997, THREAD_EVERY = 1499, MAP_EVERY = 61 };

struct block {
    void *at;
    size_t size;
};

struct worker {
    u64 random, events, plugins, short_threads;
    uint32_t stream;
    struct block slots[SLOTS];
    struct tally heap, leak, plugin, maps;
    pthread_t thread;
};

static u64 events_per_sleep;
static time_t end_s;
static char plugin_paths[2][4200];

/* Blocks on their way to whoever frees them. */
static pthread_mutex_t mailbox_lock = PTHREAD_MUTEX_INITIALIZER;
static struct block mailbox[MAILBOX];

static u64 pick(struct worker *me, u64 count) { return (random_next(&me->random) >> 20) % count; }

static time_t now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

NAMED void *soak_alloc(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    return block;
}

NAMED void leak_here(size_t size) {
    void *block = malloc(size);
    HIDE(block);
}

NAMED void *soak_map(size_t size) {
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    KEEP_FRAME();
    return at == MAP_FAILED ? NULL : at;
}

/* Four functions that call each other in any order: a few thousand paths, and no more. */
typedef void *path_step(u64 turns, size_t size, unsigned left);
static path_step *const path_steps[4];

#define STEP(name)                                                                                        \
    NAMED void *name(u64 turns, size_t size, unsigned left) {                                             \
        void *made = left == 0 ? soak_alloc(size) : path_steps[turns % 4](turns / 4, size, left - 1);      \
        KEEP_FRAME();                                                                                     \
        return made;                                                                                      \
    }
STEP(path_north)
STEP(path_east)
STEP(path_south)
STEP(path_west)
static path_step *const path_steps[4] = {path_north, path_east, path_south, path_west};

static struct block make(struct worker *me) {
    size_t size = 1 + pick(me, 400);
    u64 turns = pick(me, 256); /* the first four turns; all others go north */
    struct block made = {path_north(turns, size, pick(me, DEEPEST)), size};
    tally_made(&me->heap, size);
    return made;
}

static void let_go(struct worker *me, struct block old) {
    if (!old.at) return;
    free(old.at);
    tally_freed(&me->heap, old.size);
}

static void put(struct worker *me) {
    struct block *slot = &me->slots[pick(me, SLOTS)];
    struct block old = *slot;
    *slot = make(me);
    if (pick(me, 8)) return let_go(me, old);
    u64 place = pick(me, MAILBOX);
    pthread_mutex_lock(&mailbox_lock);
    struct block other = mailbox[place];
    mailbox[place] = old;
    pthread_mutex_unlock(&mailbox_lock);
    let_go(me, other);
}

static void use_plugin(struct worker *me) {
    void *plugin = dlopen(plugin_paths[me->plugins++ % 2], RTLD_NOW);
    void *(*allocate)(size_t) = plugin ? (void *(*)(size_t))dlsym(plugin, "plugin_a_alloc") : NULL;
    if (!allocate) _exit(97);
    void *block = allocate(100);
    tally_made(&me->plugin, 100);
    free(block);
    tally_freed(&me->plugin, 100);
    dlclose(plugin);
}

static void use_mapping(struct worker *me) {
    size_t size = 4096 * (1 + pick(me, 16));
    char *at = soak_map(size);
    if (!at) _exit(96);
    tally_made(&me->maps, size);
    at[0] = 1;
    if (munmap(at, size) == 0) tally_freed(&me->maps, size);
}

static void *short_thread(void *argument) {
    struct worker *me = argument;
    for (int turn = 0; turn < 50; turn++) put(me);
    return NULL;
}

static void do_event(struct worker *me) {
    u64 number = ++me->events;
    residue_event_begin_in(number, me->stream);
    for (int left = BLOCKS_AN_EVENT; left > 0; left--) put(me);
    if (number % MAP_EVERY == 0) use_mapping(me);
    if (number % PLUGIN_EVERY == 0) use_plugin(me);
    if (number % LEAK_EVERY == 0) leak_here(48), tally_made(&me->leak, 48);
    if (number % THREAD_EVERY == 0) {
        pthread_t thread;
        /* Works with this thread's state while this one waits. */
        if (pthread_create(&thread, NULL, short_thread, me) != 0) _exit(95);
        pthread_join(thread, NULL);
        me->short_threads++;
    }
    residue_count("blocks", BLOCKS_AN_EVENT);
    residue_event_end_in(number, me->stream);
}

static void *work(void *argument) {
    struct worker *me = argument;
    while (now_s() < end_s) {
        do_event(me);
        if (events_per_sleep && me->events % events_per_sleep == 0) {
            struct timespec rest = {0, 1000000};
            nanosleep(&rest, NULL);
        }
    }
    for (int slot = 0; slot < SLOTS; slot++) let_go(me, me->slots[slot]);
    return NULL;
}

int main(int argc, char **argv) {
    static struct worker workers[MOST_THREADS], sums;
    u64 threads = number_arg(argc, argv, 2, 4);
    char program[4096];
    if (threads > MOST_THREADS || !realpath("/proc/self/exe", program)) return 2;
    const char *folder = dirname(program);
    snprintf(plugin_paths[0], sizeof plugin_paths[0], "%s/plugin_a.so", folder);
    snprintf(plugin_paths[1], sizeof plugin_paths[1], "%s/plugin_wide.so", folder);
    events_per_sleep = number_arg(argc, argv, 3, 50);
    end_s = now_s() + (time_t)number_arg(argc, argv, 1, 10);
    for (u64 number = 0; number < threads; number++) {
        workers[number].random = number;
        workers[number].stream = (uint32_t)number;
        if (pthread_create(&workers[number].thread, NULL, work, &workers[number]) != 0) return 3;
    }
    for (u64 number = 0; number < threads; number++) {
        struct worker *one = &workers[number];
        pthread_join(one->thread, NULL);
        tally_add(&sums.heap, &one->heap);
        tally_add(&sums.leak, &one->leak);
        tally_add(&sums.plugin, &one->plugin);
        tally_add(&sums.maps, &one->maps);
        sums.events += one->events, sums.plugins += one->plugins, sums.short_threads += one->short_threads;
    }
    for (int place = 0; place < MAILBOX; place++) let_go(&sums, mailbox[place]);
    truth("events", sums.events);
    truth("plugins", sums.plugins);
    truth("short_threads", sums.short_threads);
    truth_tally("soak_alloc", &sums.heap);
    truth_tally("leak_here", &sums.leak);
    truth_tally("plugin_a_alloc", &sums.plugin);
    truth_tally("soak_map", &sums.maps);
    return 0;
}
