/* The benchmark: malloc/free pairs at the end of call paths that change as in a real
 * program, without frame pointers.
 *
 *   bench [depth=60] [allocs_per_path=250] [threads=1] [pairs=5000000] [paths=2048]
 *
 * A path is a chain of `depth` frames of eight functions with different frame sizes.
 * Its leaf does allocs_per_path pairs, of 32 sizes between 16 and 512 bytes: it frees
 * what it allocated 1024 pairs before, allocates, and fills the block, as programs do
 * with memory they ask for; then the stack goes back to a random level and
 * another path is taken from there. The paths are made once and walked in turn by
 * every thread, so the number of stacks is bounded. Of more than 2048 every thread
 * begins with others: with as many paths as are walked, all of them are new. One thread means the
 * main thread, in a process that never had another.
 *
 * Truth: pairs; paths, the distinct ones taken; bench_leaf.*.
 * Also prints `ns_per_pair X`: the slowest thread's time over its pairs; and `least_ns_per_pair X`: the
 * same of the first thread's fastest round through all paths, which somebody else's work disturbs least. */

#include "truth.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { COMMON_PATHS = 2048, RING = 1024, SIZES = 32, FUNCTIONS = 8 };

static int depth;
static u64 allocs_per_path;
static u64 paths;
static unsigned char *path_functions; /* [paths][depth]: which function at each level */
static uint16_t *path_common;         /* [paths]: levels a path shares with the one before */
static unsigned char *path_taken;     /* [paths] */
static uint16_t sizes[SIZES];

struct __attribute__((aligned(128))) walker {
    u64 pairs, left;   /* to do in all, and still */
    u64 path;          /* the current one */
    u64 random, turn;
    int back_to;       /* frames deeper than this level must return */
    void *ring[RING];
    size_t ring_size[RING];
    struct tally made;
    double seconds;
    double round_start, least_round; /* seconds; zero: none yet */
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef void step(struct walker *, int level);

static const unsigned char *functions_of(u64 path) { return path_functions + path % paths * (u64)depth; }

static void round_begins(struct walker *w) {
    double time = now(), round = time - w->round_start;
    if (w->round_start && (!w->least_round || round < w->least_round)) w->least_round = round;
    w->round_start = time;
}

NAMED void bench_leaf(struct walker *w) {
    if (w->path % paths == 0) round_begins(w);
    path_taken[w->path % paths] = 1;
    u64 count = w->left < allocs_per_path ? w->left : allocs_per_path;
    for (u64 i = 0; i < count; i++) {
        u64 place = w->turn++ % RING;
        if (w->ring[place]) {
            tally_freed(&w->made, w->ring_size[place]);
            free(w->ring[place]);
        }
        size_t size = sizes[random_next(&w->random) % SIZES];
        void *block = malloc(size);
        memset(block, (int)i, size);
        HIDE(block);
        tally_made(&w->made, size);
        w->ring[place] = block;
        w->ring_size[place] = size;
    }
    w->left -= count;
    w->path++;
    w->back_to = w->left ? path_common[w->path % paths] : -1;
}

NAMED step step_0, step_1, step_2, step_3, step_4, step_5, step_6, step_7;
static step *const steps[FUNCTIONS] = {step_0, step_1, step_2, step_3, step_4, step_5, step_6, step_7};

/* The frame at `level` calls the next one of each path as long as they share it. */
static inline void descend(struct walker *w, int level) {
    do {
        if (level == depth)
            bench_leaf(w);
        else
            steps[functions_of(w->path)[level]](w, level + 1);
        KEEP_FRAME();
    } while (w->back_to >= level);
}

#define STEP(name, room)                   \
    void name(struct walker *w, int level) { \
        char local[room], *hidden = local; \
        HIDE(hidden);                      \
        descend(w, level);                 \
    }
STEP(step_0, 8)
STEP(step_1, 24)
STEP(step_2, 40)
STEP(step_3, 72)
STEP(step_4, 104)
STEP(step_5, 136)
STEP(step_6, 264)
STEP(step_7, 520)

static void *walk(void *argument) {
    struct walker *w = argument;
    double start = now();
    if (w->left) descend(w, 0);
    w->seconds = now() - start;
    for (int i = 0; i < RING; i++) {
        if (w->ring[i]) tally_freed(&w->made, w->ring_size[i]);
        free(w->ring[i]);
    }
    return NULL;
}

static void *room_for(u64 bytes) {
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) exit(3);
    return room;
}

static void make_paths(void) {
    path_functions = room_for(paths * (u64)depth);
    path_common = room_for(paths * sizeof *path_common);
    path_taken = room_for(paths);
    u64 random = 22;
    for (u64 p = 0; p < paths; p++) {
        unsigned char *functions = path_functions + p * (u64)depth;
        path_common[p] = p > 0 ? (uint16_t)(random_next(&random) % (u64)depth) : 0;
        for (int level = 0; level < depth; level++)
            functions[level] = level < path_common[p] ? functions[level - depth]
                                                      : (unsigned char)(random_next(&random) % FUNCTIONS);
    }
    for (int i = 0; i < SIZES; i++) sizes[i] = (uint16_t)(16 * (i + 1));
}

static int by_functions(const void *a, const void *b) {
    return memcmp(*(unsigned char *const *)a, *(unsigned char *const *)b, (size_t)depth);
}

static u64 distinct_paths(void) {
    const unsigned char **order = room_for(paths * sizeof *order);
    u64 count = 0, distinct = 0;
    for (u64 p = 0; p < paths; p++)
        if (path_taken[p]) order[count++] = functions_of(p);
    qsort(order, count, sizeof *order, by_functions);
    for (u64 p = 0; p < count; p++) distinct += p == 0 || by_functions(&order[p - 1], &order[p]) != 0;
    return distinct;
}

int main(int argc, char **argv) {
    depth = (int)number_arg(argc, argv, 1, 60);
    allocs_per_path = number_arg(argc, argv, 2, 250);
    u64 threads = number_arg(argc, argv, 3, 1), pairs = number_arg(argc, argv, 4, 5000000);
    paths = number_arg(argc, argv, 5, COMMON_PATHS);
    if (paths < 1 || paths > 10000000) return 2;
    if (depth < 1 || depth > 1000 || allocs_per_path < 1 || threads < 1 || threads > 256) return 2;
    make_paths();

    static struct walker walkers[256];
    static pthread_t ids[256];
    for (u64 t = 0; t < threads; t++) {
        walkers[t].pairs = walkers[t].left = pairs / threads + (t < pairs % threads);
        walkers[t].random = t;
        walkers[t].path = paths > COMMON_PATHS ? paths / threads * t : 0;
    }
    if (threads == 1) {
        walk(&walkers[0]);
    } else {
        for (u64 t = 0; t < threads; t++) pthread_create(&ids[t], NULL, walk, &walkers[t]);
        for (u64 t = 0; t < threads; t++) pthread_join(ids[t], NULL);
    }

    struct tally sum = {0};
    double slowest = 0;
    for (u64 t = 0; t < threads; t++) {
        double ns = walkers[t].pairs ? 1e9 * walkers[t].seconds / (double)walkers[t].pairs : 0;
        if (ns > slowest) slowest = ns;
        tally_add(&sum, &walkers[t].made);
    }
    char line[64];
    truth("pairs", sum.calls);
    truth("paths", distinct_paths());
    truth_tally("bench_leaf", &sum);
    snprintf(line, sizeof line, "ns_per_pair %.2f\n", slowest);
    say(line);
    double least = 1e9 * walkers[0].least_round / (double)(paths * allocs_per_path);
    snprintf(line, sizeof line, "least_ns_per_pair %.2f\n", least);
    say(line);
    return 0;
}
