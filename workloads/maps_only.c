/* Takes its memory from the kernel alone, by mmap, and gives it back or not: a program with an
 * allocator of its own looks so from outside.
 *
 *   maps_only [rounds=40] [keeps=0|1]
 *
 * Truth:
 *   map_round.calls   mappings of 1 MiB, touched, one a round of 25 ms
 *   kept_bytes        of those that stay */

#include "truth.h"

#include <sys/mman.h>
#include <unistd.h>

enum { LENGTH = 1 << 20 };

NAMED void map_round(int keeps) {
    char *memory = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    HIDE(memory);
    memset(memory, 1, LENGTH);
    usleep(25000);
    if (!keeps) munmap(memory, LENGTH);
}

int main(int argc, char **argv) {
    u64 rounds = number_arg(argc, argv, 1, 40);
    int keeps = number_arg(argc, argv, 2, 0) != 0;
    /* Some that stays from the start. */
    map_round(1);
    for (u64 i = 0; i < rounds; i++) map_round(keeps);
    truth_of("map_round", "calls", rounds + 1);
    truth("kept_bytes", (1 + rounds * (u64)keeps) * LENGTH);
    return 0;
}
