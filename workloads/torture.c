/* A random program. Its seed chooses what it does: threads, forks, programs that it executes,
 * plugins that come and go, jumps, fibers, a few paths again and again, signals, timers, deep recursion, blocks handed from
 * thread to thread, mappings; and how it ends. The same seed does the same every time, whatever
 * the threads' order, so that what it prints and how it ends can be compared between runs.
 *
 *   torture SEED [LEVEL=0]
 *
 * Every process, and every program that one was, writes its truth before it ends to
 * $TORTURE_TRUTHS/PID.LEVEL, if that is set: torture_alloc.*, plugin_a_alloc.*, torture_map.*,
 * and inherited_frees, which a forked child makes of its parent's blocks. LEVEL counts the
 * programs that were executed on the way. */

#include "truth.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <libgen.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>

extern char **environ;

enum { SLOTS = 128, MOST_THREADS = 8, MAILBOX = 64, DEEPEST = 3000, FIBER_STACK = 128 << 10, LAST_LEVEL = 1, HABITS_KEPT = 8, HABIT_STEPS = 4 };

struct block {
    void *at;
    size_t size;
};

/* What a thread has and has done. */
struct worker {
    u64 random;
    u64 steps;
    struct block slots[SLOTS];
    struct tally heap, plugin, maps;
    u64 inherited_frees;
    u64 sum; /* of what it did, for the output */
    const unsigned char *habit; /* the steps of the path it goes now; NULL: any */
    int is_short;
    pthread_t thread;
};

static u64 seed, level;
static u64 features;
static char program[4096], plugin_paths[2][4200], truths_path[4096];
static __thread struct worker *self;
static volatile sig_atomic_t alarms;

/* Blocks on their way to whoever frees them. */
static pthread_mutex_t mailbox_lock = PTHREAD_MUTEX_INITIALIZER;
static struct block mailbox[MAILBOX];
static struct tally mailbox_freed;

enum feature { REALLOCS, MAPS, RAISES, JUMPS, FIBERS, PLUGINS, FORKS, EXECS, THREADS, MAIL, DEEP, TIMER, SPAWNS, HABITS, FEATURES };

static int has(enum feature feature) { return features >> feature & 1; }
static u64 pick(struct worker *me, u64 count) { return (random_next(&me->random) >> 20) % count; }

/* What is asked for at the end of a path. */
struct request {
    enum { MALLOC, CALLOC, POSIX_MEMALIGN, ALIGNED_ALLOC, MALLOC_TOO, WAYS, REALLOC } way;
    size_t size;
    void *old;
};

NAMED void *torture_alloc(const struct request *asked) {
    void *block = NULL;
    switch (asked->way) {
    case CALLOC: block = calloc(1, asked->size); break;
    case POSIX_MEMALIGN: block = posix_memalign(&block, 64, asked->size) ? NULL : block; break;
    case ALIGNED_ALLOC: block = aligned_alloc(32, asked->size); break;
    case REALLOC: block = realloc(asked->old, asked->size); break;
    default: block = malloc(asked->size);
    }
    HIDE(block);
    return block;
}

typedef void *path_step(struct worker *me, const struct request *asked, unsigned left);
static path_step *const path_steps[4];

/* The step that has so many behind it. */
static u64 next_step(struct worker *me, unsigned left) {
    return me->habit && left < HABIT_STEPS ? me->habit[left] : pick(me, 4);
}

#define STEP(name, bytes)                                                            \
    NAMED void *name(struct worker *me, const struct request *asked, unsigned left) { \
        volatile char frame[bytes];                                                  \
        frame[0] = (char)left;                                                       \
        void *made = left == 0 ? torture_alloc(asked)                                \
                               : path_steps[next_step(me, left - 1)](me, asked, left - 1);       \
        KEEP_FRAME();                                                                \
        return frame[0] == (char)left ? made : NULL;                                 \
    }
STEP(path_north, 8)
STEP(path_east, 64)
STEP(path_south, 300)
STEP(path_west, 24)
static path_step *const path_steps[4] = {path_north, path_east, path_south, path_west};

static size_t pick_size(struct worker *me) {
    switch (pick(me, 20)) {
    case 0: return 100000 + pick(me, 200000);
    case 1: case 2: return 1000 + pick(me, 9000);
    default: return 1 + pick(me, 300);
    }
}

static void let_go(struct worker *me, struct block *slot) {
    if (!slot->at) return;
    free(slot->at);
    tally_freed(&me->heap, slot->size);
    slot->at = NULL;
}

/* Puts a new block into a slot. Where memory is limited there may be none: then nothing was
 * made and nothing freed. */
static void put(struct worker *me, unsigned depth) {
    struct block *slot = &me->slots[pick(me, SLOTS)];
    struct request asked = {.way = pick(me, WAYS), .size = pick_size(me)};
    if (slot->at && has(REALLOCS) && pick(me, 2)) {
        asked.way = REALLOC;
        asked.old = slot->at;
    } else {
        let_go(me, slot);
    }
    if (asked.way == ALIGNED_ALLOC) asked.size = (asked.size + 31) / 32 * 32;
    void *made = path_steps[next_step(me, depth)](me, &asked, depth);
    me->sum += asked.size;
    if (!made) return;
    if (asked.old) tally_freed(&me->heap, slot->size);
    tally_made(&me->heap, asked.size);
    *slot = (struct block){made, asked.size};
}

/* A few paths again and again, in any order. All steps are on each, so that their frames have the same
 * places: what tells one from the other are the return addresses in between. */
static void go_habits(struct worker *me) {
    static const unsigned char habits[HABITS_KEPT][HABIT_STEPS] = {
        {0, 1, 2, 3}, {1, 0, 2, 3}, {0, 1, 3, 2}, {3, 2, 1, 0}, {2, 0, 1, 3}, {1, 2, 0, 3}, {3, 0, 1, 2}, {2, 3, 0, 1},
    };
    for (int turn = 0; turn < 40; turn++) {
        me->habit = habits[pick(me, HABITS_KEPT)];
        put(me, HABIT_STEPS - 1);
    }
    me->habit = NULL;
}

static unsigned some_depth(struct worker *me) { return pick(me, 40); }

NAMED void *torture_map(size_t size) {
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    KEEP_FRAME();
    return at == MAP_FAILED ? NULL : at;
}

static size_t whole_pages(size_t size) { return (size + 4095) / 4096 * 4096; }

static void *map(struct worker *me, size_t size) {
    void *at = torture_map(whole_pages(size));
    if (at) tally_made(&me->maps, whole_pages(size));
    return at;
}

static void unmap(struct worker *me, void *at, size_t size) {
    if (munmap(at, whole_pages(size)) == 0) tally_freed(&me->maps, whole_pages(size));
}

static void map_and_perhaps_unmap(struct worker *me) {
    size_t size = (1 + pick(me, 40)) * 4096;
    char *at = map(me, size);
    int stays = pick(me, 4) == 0;
    if (!at) return;
    at[0] = at[size - 1] = 1;
    if (!stays) unmap(me, at, size);
}

/* Signals. One that is raised interrupts nothing, so that its handler may allocate; the
 * timer's interrupts anything, and may not. */
static void on_raised(int number) {
    (void)number;
    struct worker *me = self;
    put(me, 3);
}

static void on_alarm(int number) {
    (void)number;
    int kept = errno;
    alarms++;
    errno = kept;
}

/* A jump out of a recursion that has allocated on its way. */
static void dive_and_jump(struct worker *me, unsigned left, sigjmp_buf *landing) {
    put(me, 1);
    if (left == 0) siglongjmp(*landing, 1);
    dive_and_jump(me, left - 1, landing);
    KEEP_FRAME();
}

static void jump(struct worker *me) {
    sigjmp_buf landing;
    unsigned depth = 1 + pick(me, 20);
    if (sigsetjmp(landing, 1) == 0) dive_and_jump(me, depth, &landing);
}

/* A fiber on a stack whose end is the end of its mapping. */
static __thread ucontext_t fiber_context, outer_context;

static void fiber(void) {
    struct worker *me = self;
    for (int turn = 0; turn < 3; turn++) {
        put(me, some_depth(me));
        swapcontext(&fiber_context, &outer_context);
    }
}

static void run_fiber(struct worker *me) {
    char *stack = map(me, FIBER_STACK);
    if (!stack) return;
    getcontext(&fiber_context);
    fiber_context.uc_stack.ss_sp = stack;
    fiber_context.uc_stack.ss_size = FIBER_STACK;
    fiber_context.uc_link = &outer_context;
    makecontext(&fiber_context, fiber, 0);
    for (int turn = 0; turn < 3; turn++) {
        swapcontext(&outer_context, &fiber_context);
        put(me, 2);
    }
    unmap(me, stack, FIBER_STACK);
}

/* A plugin is loaded, allocates, and goes again. The next may be another, at the same place. */
static void use_plugin(struct worker *me) {
    void *plugin = dlopen(plugin_paths[pick(me, 2)], RTLD_NOW | (pick(me, 2) ? RTLD_LOCAL : RTLD_GLOBAL));
    u64 calls = 1 + pick(me, 5), kept = pick(me, 2);
    if (!plugin) return;
    void *(*allocate)(size_t) = (void *(*)(size_t))dlsym(plugin, "plugin_a_alloc");
    for (u64 call = 0; allocate && call < calls; call++) {
        size_t size = 10 + call;
        void *block = allocate(size);
        if (!block) continue;
        tally_made(&me->plugin, size);
        if (call < kept) continue; /* is lost */
        free(block);
        tally_freed(&me->plugin, size);
    }
    dlclose(plugin);
}

static void give(struct worker *me) {
    struct block *slot = &me->slots[pick(me, SLOTS)];
    u64 place = pick(me, MAILBOX);
    if (!slot->at) return;
    pthread_mutex_lock(&mailbox_lock);
    struct block old = mailbox[place];
    mailbox[place] = *slot;
    if (old.at) tally_freed(&mailbox_freed, old.size);
    pthread_mutex_unlock(&mailbox_lock);
    slot->at = NULL;
    free(old.at);
}

static void wait_for(pid_t child) {
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
}

static void write_truth(const struct worker *sums) {
    char path[4200];
    if (!truths_path[0]) return;
    snprintf(path, sizeof path, "%s/%d.%llu", truths_path, (int)getpid(), level);
    truth_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (truth_fd < 0) _exit(97);
    truth_tally("torture_alloc", &sums->heap);
    truth_tally("plugin_a_alloc", &sums->plugin);
    truth_tally("torture_map", &sums->maps);
    truth("inherited_frees", sums->inherited_frees);
    say("whole\n");
    close(truth_fd);
    truth_fd = 1;
}

/* A forked child begins anew: what it inherited is its parent's. */
static void forked(struct worker *me) {
    u64 inherited = 0;
    struct tally none = {0, 0, 0, 0};
    for (int slot = 0; slot < SLOTS; slot++) {
        if (me->slots[slot].at && inherited < 3) {
            free(me->slots[slot].at);
            inherited++;
        }
        me->slots[slot].at = NULL;
    }
    me->heap = me->plugin = me->maps = none;
    me->inherited_frees = inherited;
    for (u64 step = pick(me, 60); step > 0; step--) put(me, some_depth(me));
    write_truth(me);
    _exit(0);
}

static void fork_child(struct worker *me) {
    pid_t child = fork();
    if (child == 0) forked(me);
    random_next(&me->random);
    if (child > 0) wait_for(child);
}

static char *const *arguments(char *seed_text, char *level_text, char **list, u64 child_seed, u64 child_level) {
    sprintf(seed_text, "%llu", child_seed);
    sprintf(level_text, "%llu", child_level);
    list[0] = program, list[1] = seed_text, list[2] = level_text, list[3] = NULL;
    return list;
}

/* Another program: in a forked child, or by posix_spawn, whose child shares this memory. */
static void execute(struct worker *me, int does_fork) {
    char seed_text[24], level_text[24], *list[4];
    u64 child_seed = random_next(&me->random) >> 40;
    if (level >= LAST_LEVEL) return;
    arguments(seed_text, level_text, list, child_seed, level + 1);
    pid_t child = -1;
    if (does_fork) {
        child = fork();
        if (child == 0) {
            /* The image that goes has no truth of its own: it allocated nothing. */
            execve(program, list, environ);
            _exit(98);
        }
    } else if (posix_spawn(&child, program, NULL, NULL, list, environ) != 0) {
        child = -1;
    }
    if (child > 0) wait_for(child);
}

static void step(struct worker *me);

static void *work(void *argument) {
    struct worker *me = self = argument;
    for (u64 left = me->steps; left > 0; left--) step(me);
    /* Some of what is there stays. */
    for (int slot = 0; slot < SLOTS; slot++)
        if (pick(me, 2)) let_go(me, &me->slots[slot]);
    return NULL;
}

/* Other threads see their own numbers only, so that order does not matter. */
static void add(struct worker *sum, const struct worker *one) {
    tally_add(&sum->heap, &one->heap);
    tally_add(&sum->plugin, &one->plugin);
    tally_add(&sum->maps, &one->maps);
    sum->inherited_frees += one->inherited_frees;
    sum->sum += one->sum;
}

static void short_thread(struct worker *me) {
    struct worker *other = map(me, sizeof *other);
    u64 random = random_next(&me->random);
    if (!other) return;
    other->random = random;
    other->steps = 5 + pick(other, 20);
    other->is_short = 1;
    if (pthread_create(&other->thread, NULL, work, other) == 0) {
        pthread_join(other->thread, NULL);
        add(me, other);
    }
    unmap(me, other, sizeof *other);
}

static void step(struct worker *me) {
    u64 chance = pick(me, 1000);
    if (chance < 4 && has(FORKS)) fork_child(me);
    else if (chance < 6 && has(EXECS)) execute(me, 1);
    else if (chance < 7 && has(SPAWNS)) execute(me, 0);
    else if (chance < 17 && has(THREADS) && !me->is_short) short_thread(me);
    else if (chance < 27 && has(PLUGINS)) use_plugin(me);
    else if (chance < 37 && has(FIBERS)) run_fiber(me);
    else if (chance < 60 && has(JUMPS)) jump(me);
    else if (chance < 90 && has(RAISES)) raise(SIGUSR1);
    else if (chance < 130 && has(MAPS)) map_and_perhaps_unmap(me);
    else if (chance < 134 && has(DEEP)) put(me, pick(me, DEEPEST));
    else if (chance < 150 && has(HABITS)) go_habits(me);
    else if (chance < 300 && has(MAIL)) give(me);
    else put(me, some_depth(me));
}

static void take_signals(void) {
    struct sigaction raised = {.sa_handler = on_raised, .sa_flags = SA_NODEFER};
    sigaction(SIGUSR1, &raised, NULL);
    if (!has(TIMER)) return;
    struct sigaction alarm = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &alarm, NULL);
    struct itimerval every = {{0, 700}, {0, 700}};
    setitimer(ITIMER_REAL, &every, NULL);
}

/* The last of it: every way that a process can end. */
static int end(u64 how) {
    volatile char *nowhere = NULL;
    HIDE(nowhere);
    switch (how) {
    case 0: exit(3);
    case 1: _exit(4);
    case 2: abort();
    case 3: raise(SIGKILL); break;
    case 4: raise(SIGTERM); break;
    case 5: *nowhere = 1; break;
    default: break;
    }
    return 0;
}

int main(int argc, char **argv) {
    seed = number_arg(argc, argv, 1, 1);
    level = number_arg(argc, argv, 2, 0);
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (!realpath("/proc/self/exe", program)) return 96;
    char directory[4096];
    strcpy(directory, program);
    const char *folder = dirname(directory);
    snprintf(plugin_paths[0], sizeof plugin_paths[0], "%s/plugin_a.so", folder);
    snprintf(plugin_paths[1], sizeof plugin_paths[1], "%s/plugin_wide.so", folder);
    const char *truths = getenv("TORTURE_TRUTHS");
    if (truths) snprintf(truths_path, sizeof truths_path, "%s", truths);

    static struct worker workers[MOST_THREADS + 1], sums;
    struct worker *chooser = &workers[0];
    chooser->random = seed * 977 + level;
    features = random_next(&chooser->random);
    take_signals();
    u64 threads = pick(chooser, 3) ? pick(chooser, MOST_THREADS + 1) : 0;
    for (u64 number = 0; number <= threads; number++) {
        struct worker *worker = &workers[number];
        worker->random = seed * 1000003 + number;
        worker->steps = pick(worker, 40) << pick(worker, 7);
        if (number > 0 && pthread_create(&worker->thread, NULL, work, worker) != 0) worker->steps = 0, worker->thread = 0;
    }
    work(&workers[0]);
    for (u64 number = 1; number <= threads; number++)
        if (workers[number].thread) pthread_join(workers[number].thread, NULL);

    struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);
    for (u64 number = 0; number <= threads; number++) add(&sums, &workers[number]);
    for (int place = 0; place < MAILBOX; place++) {
        if (!mailbox[place].at) continue;
        free(mailbox[place].at);
        tally_freed(&mailbox_freed, mailbox[place].size);
    }
    tally_add(&sums.heap, &mailbox_freed);
    write_truth(&sums);
    char line[128];
    snprintf(line, sizeof line, "seed %llu level %llu threads %llu did %llu\n", seed, level, threads, sums.sum);
    say(line);
    if (seed % 3 == 0) dprintf(2, "complaint %llu\n", seed);
    return end(random_next(&sums.sum) % 12);
}
