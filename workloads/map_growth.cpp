// A container that grows: unordered_map<unsigned, 32-byte struct> with some
// entries, filled in `fill_map` and live at the end.
//
//   map_growth [grow|reserve] [entries=15148]
//
// Truth, computed by filling the same map first through an allocator that only
// counts and takes its memory from mmap:
//   reserved_bytes                                             the bucket array of a reserved map
//   buckets_calls, buckets_total, buckets_live, buckets_peak   the bucket arrays
//   node_calls, node_bytes                                     the nodes
//   fill_map.*                                                 both together
// With libstdc++ 11, 324840, 166024, 248208 and 15148, 727104; with `reserve`
// the buckets are 1 call of 121384.

#include "truth.h"

#include <algorithm>
#include <sys/mman.h>
#include <type_traits>
#include <unordered_map>

static unsigned entries;

struct Hit {
    char payload[32];
};

static tally buckets, nodes;
static u64 buckets_peak;

template <class T>
struct Counting {
    using value_type = T;
    static constexpr bool is_bucket = std::is_pointer_v<T>;

    Counting() = default;
    template <class U>
    Counting(const Counting<U>&) {}

    T* allocate(size_t n) {
        static char *next, *end;
        size_t size = n * sizeof(T), step = (size + 15) & ~size_t{15};
        if (size_t(end - next) < step) {
            size_t chunk = std::max(step, size_t{1} << 20);
            next = (char*)mmap(nullptr, chunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            end = next + chunk;
        }
        tally_made(is_bucket ? &buckets : &nodes, size);
        buckets_peak = std::max(buckets_peak, buckets.total - buckets.freed);
        next += step;
        return (T*)(next - step);
    }
    void deallocate(T*, size_t n) { tally_freed(is_bucket ? &buckets : &nodes, n * sizeof(T)); }

    bool operator==(const Counting&) const { return true; }
    bool operator!=(const Counting&) const { return false; }
};

template <class Map>
inline void fill(Map& map, bool reserve) {
    if (reserve) map.reserve(entries);
    for (unsigned key = 0; key < entries; key++) map[key].payload[0] = char(key);
}

using Map = std::unordered_map<unsigned, Hit>;
using CountedMap = std::unordered_map<unsigned, Hit, std::hash<unsigned>, std::equal_to<unsigned>,
                                      Counting<std::pair<const unsigned, Hit>>>;

NAMED void fill_map(Map& map, bool reserve) {
    fill(map, reserve);
    KEEP_FRAME();
}

int main(int argc, char** argv) {
    bool reserve = argc > 1 && !strcmp(argv[1], "reserve");

    entries = unsigned(number_arg(argc, argv, 2, 15148));

    // No map is ever destroyed.
    alignas(CountedMap) static char reserved_place[sizeof(CountedMap)];
    fill(*new (reserved_place) CountedMap, true);
    truth("reserved_bytes", buckets.total);
    buckets = nodes = tally{};
    buckets_peak = 0;

    alignas(CountedMap) static char counted_place[sizeof(CountedMap)];
    alignas(Map) static char place[sizeof(Map)];
    fill(*new (counted_place) CountedMap, reserve);
    fill_map(*new (place) Map, reserve);

    truth("buckets_calls", buckets.calls);
    truth("buckets_total", buckets.total);
    truth("buckets_live", buckets.total - buckets.freed);
    truth("buckets_peak", buckets_peak);
    truth("node_calls", nodes.calls);
    truth("node_bytes", nodes.total);
    tally both = buckets;
    tally_add(&both, &nodes);
    truth_tally("fill_map", &both);
    _exit(0);
}
