/* Threads with names, each with a known part in the blocks of shared and of own stacks.
 *
 *   by_thread together|running|killed
 *   by_thread in_turn [threads=3]
 *
 * together   four makers, of which the last is named by main, and the third by prctl after
 *            its first allocation; then a thread that frees blocks of all, and main, which
 *            frees some too; the makers end all at once, and allocate while they do
 * running    the same, but the makers are still there when main returns
 * killed     the same, and the program kills itself instead
 * in_turn    up to three threads one after another, two of one name and one of another
 *
 * Truth: shared_make.*, own_make.*; and but for in_turn, of the parts of threads in both
 * functions, FUNCTION.THREAD.calls, .total, .frees and .freed, which are bytes. */

#include "truth.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

enum { MAKERS = 4, MOST_BLOCKS = 64 };

struct maker {
    int number;
    void *shared[MOST_BLOCKS], *own[MOST_BLOCKS];
};

static struct maker makers[MAKERS];
static pthread_barrier_t started, named, made, ended;
static int has_barriers;
static pthread_key_t key;

static size_t shared_size(int number) { return 100 + (size_t)number; }
static size_t own_size(int number) { return 1000 + (size_t)number; }
static int shared_count(int number) { return 20 + number; }
static int own_count(int number) { return 10 + number; }

NAMED void *shared_make(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    return block;
}

NAMED void *own_make(int number) {
    void *block = NULL;
    /* One call site for each thread. */
    switch (number) {
    case 0: block = malloc(own_size(0)); break;
    case 1: block = malloc(own_size(1)); break;
    case 2: block = malloc(own_size(2)); break;
    case 3: block = malloc(own_size(3)); break;
    }
    HIDE(block);
    return block;
}

static void wait_at(pthread_barrier_t *barrier) {
    if (has_barriers) pthread_barrier_wait(barrier);
}

static void name_own(const char *name) { pthread_setname_np(pthread_self(), name); }

/* Makes all blocks of this number, and frees the first own one. */
static void make(struct maker *maker, void (*rename)(void)) {
    for (int i = 0; i < shared_count(maker->number); i++) {
        maker->shared[i] = shared_make(shared_size(maker->number));
        if (i == 0 && rename) rename();
    }
    for (int i = 0; i < own_count(maker->number); i++) maker->own[i] = own_make(maker->number);
    free(maker->own[0]);
    KEEP_FRAME();
}

/* Called twice for each maker that ends, in two rounds of destructors. */
static void make_at_end(void *round) {
    shared_make(7);
    if (round == (void *)1) pthread_setspecific(key, (void *)2);
}

static void rename_by_prctl(void) { prctl(PR_SET_NAME, "maker-2"); }

static void *make_together(void *argument) {
    struct maker *maker = argument;
    if (maker->number == 0) name_own("maker-0");
    if (maker->number == 1) name_own("maker-1");
    free(shared_make(1));
    pthread_setspecific(key, (void *)1);
    wait_at(&started);
    wait_at(&named);
    make(maker, maker->number == 2 ? rename_by_prctl : NULL);
    wait_at(&made);
    wait_at(&ended);
    return NULL;
}

/* Frees number + 1 shared blocks of each maker, and one own. */
static void *free_some(void *unused) {
    name_own("freer");
    for (int m = 0; m < MAKERS; m++) {
        for (int i = 0; i <= m; i++) free(makers[m].shared[i]);
        free(makers[m].own[1]);
    }
    return unused;
}

static void *make_in_turn(void *argument) {
    struct maker *maker = argument;
    name_own(maker->number < 2 ? "alike" : "different");
    make(maker, NULL);
    return NULL;
}

static void part(const char *function, const char *thread, struct tally t) {
    char key[64];
    snprintf(key, sizeof key, "%s.%s", function, thread);
    truth_of(key, "calls", t.calls);
    truth_of(key, "total", t.total);
    truth_of(key, "frees", t.frees);
    truth_of(key, "freed", t.freed);
}

static struct tally times(u64 calls, u64 size) {
    return (struct tally){.calls = calls, .total = calls * size};
}

static struct tally frees(u64 count, u64 size) {
    return (struct tally){.frees = count, .freed = count * size};
}

static struct tally sum(struct tally a, struct tally b) {
    tally_add(&a, &b);
    return a;
}

/* What make() does, at both functions. */
static struct tally shared_part(int number) { return times((u64)shared_count(number), shared_size(number)); }
static struct tally own_part(int number) {
    return sum(times((u64)own_count(number), own_size(number)), frees(1, own_size(number)));
}

static void tell_together(int makers_end) {
    struct tally shared = {0}, own = {0}, shared_freer = {0}, own_freer = {0}, main_part = {0};
    const char *names[MAKERS] = {"maker-0", "maker-1", "maker-2", "maker-3"};
    for (int m = 0; m < MAKERS; m++) {
        /* And the block of one byte. */
        struct tally mine = sum(shared_part(m), sum(times(1, 1), frees(1, 1)));
        if (makers_end) mine = sum(mine, times(2, 7));
        part("shared_make", names[m], mine);
        part("own_make", names[m], own_part(m));
        tally_add(&shared, &mine);
        struct tally own_mine = own_part(m);
        tally_add(&own, &own_mine);
        struct tally freed = frees((u64)m + 1, shared_size(m));
        tally_add(&shared_freer, &freed);
        freed = frees(1, own_size(m));
        tally_add(&own_freer, &freed);
        freed = frees(1, shared_size(m));
        tally_add(&main_part, &freed);
    }
    part("shared_make", "freer", shared_freer);
    part("own_make", "freer", own_freer);
    part("shared_make", "by_thread", main_part);
    shared = sum(shared, sum(shared_freer, main_part));
    own = sum(own, own_freer);
    truth_tally("shared_make", &shared);
    truth_tally("own_make", &own);
}

static void tell_in_turn(int count) {
    struct tally shared = {0}, own = {0};
    for (int m = 0; m < count; m++) {
        shared = sum(shared, shared_part(m));
        own = sum(own, own_part(m));
    }
    truth_tally("shared_make", &shared);
    truth_tally("own_make", &own);
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "together";
    pthread_t threads[MAKERS], freer;
    for (int m = 0; m < MAKERS; m++) makers[m].number = m;

    if (strcmp(how, "in_turn") == 0) {
        int count = (int)number_arg(argc, argv, 2, 3);
        for (int m = 0; m < count && m < 3; m++) {
            pthread_create(&threads[0], NULL, make_in_turn, &makers[m]);
            pthread_join(threads[0], NULL);
        }
        tell_in_turn(count);
        return 0;
    }

    has_barriers = 1;
    pthread_key_create(&key, make_at_end);
    pthread_barrier_init(&started, NULL, MAKERS + 1);
    pthread_barrier_init(&named, NULL, MAKERS + 1);
    pthread_barrier_init(&made, NULL, MAKERS + 1);
    pthread_barrier_init(&ended, NULL, MAKERS + 1);
    for (int m = 0; m < MAKERS; m++) pthread_create(&threads[m], NULL, make_together, &makers[m]);
    wait_at(&started);
    pthread_setname_np(threads[3], "maker-3");
    wait_at(&named);
    wait_at(&made);
    pthread_create(&freer, NULL, free_some, NULL);
    pthread_join(freer, NULL);
    for (int m = 0; m < MAKERS; m++) free(makers[m].shared[10]);

    tell_together(strcmp(how, "together") == 0);
    if (strcmp(how, "killed") == 0) raise(SIGKILL);
    if (strcmp(how, "running") == 0) return 0;
    wait_at(&ended);
    for (int m = 0; m < MAKERS; m++) pthread_join(threads[m], NULL);
    return 0;
}
