/* Pairs of munmap and mmap while many mappings are live.
 *
 *   many_mappings [mappings=5000] [pairs=100000]
 *
 * Makes so many mappings of a page each; neighbours have different protections, so that
 * the kernel keeps them apart, too: it allows a process 65530 (vm.max_map_count). Then a
 * random one is unmapped and made anew, again and again.
 *
 * Truth: mappings, the live ones; map_here.map_calls, .map_total, .map_live.
 * Also prints `ns_per_pair X`. */

#include "truth.h"

#include <sys/mman.h>
#include <time.h>

enum { PAGE = 4096, ANONYMOUS = MAP_PRIVATE | MAP_ANONYMOUS, MOST = 65000, SEED = 31 };

static void *live[MOST];
static u64 calls;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

NAMED void map_here(u64 index) {
    live[index] = mmap(NULL, PAGE, index % 2 ? PROT_READ : PROT_NONE, ANONYMOUS, -1, 0);
    if (live[index] == MAP_FAILED) exit(3);
    calls++;
}

NAMED void unmap_here(u64 index) {
    if (munmap(live[index], PAGE) != 0) exit(3);
}

int main(int argc, char **argv) {
    u64 mappings = number_arg(argc, argv, 1, 5000), pairs = number_arg(argc, argv, 2, 100000);
    if (mappings < 1 || mappings > MOST || pairs < 1) return 2;
    for (u64 i = 0; i < mappings; i++) map_here(i);

    u64 random = SEED;
    double start = now();
    for (u64 i = 0; i < pairs; i++) {
        u64 index = random_next(&random) % mappings;
        unmap_here(index);
        map_here(index);
    }
    double seconds = now() - start;

    char line[64];
    truth("mappings", mappings);
    truth_of("map_here", "map_calls", calls);
    truth_of("map_here", "map_total", calls * PAGE);
    truth_of("map_here", "map_live", mappings * PAGE);
    snprintf(line, sizeof line, "ns_per_pair %.2f\n", 1e9 * seconds / (double)pairs);
    say(line);
    return 0;
}
