/* The resident set grows by anonymous mappings that are touched and never unmapped.
 *
 *   account_mmap [events=200] [bytes=65536]
 *
 * Truth: as account_kit.h has it; map_region.map_calls, .map_total, .map_live. */

#include "account_kit.h"

#include <sys/mman.h>

static size_t region_bytes;
static struct tally regions;

NAMED void *map_region(size_t bytes) {
    void *region = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (region == MAP_FAILED) abort();
    memset(region, 1, bytes);
    tally_made(&regions, bytes);
    return region;
}

static void event(u64 number) {
    (void)number;
    map_region(region_bytes);
}

int main(int argc, char **argv) {
    u64 events = number_arg(argc, argv, 1, 200), page = (u64)sysconf(_SC_PAGESIZE);
    region_bytes = (number_arg(argc, argv, 2, 65536) + page - 1) / page * page;
    struct account truths = {.mapped = region_bytes};
    account_run(events, event, &truths);
    truth_of("map_region", "map_calls", regions.calls);
    truth_of("map_region", "map_total", regions.total);
    truth_of("map_region", "map_live", regions.total);
    return 0;
}
