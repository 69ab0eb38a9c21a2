// Is it a leak or is it fragmentation? Arrays of 96-byte items.
//
//   doubling grow [events=10]     each event fills an array of its own, which doubles:
//                                 13 allocations, 786336 bytes; freed at the event's end
//   doubling reserve [events=10]  the same with one reservation of 4000 items, 384000 bytes
//   doubling steps                ten events of 10 000 to 300 000 items fill the same array,
//                                 which is emptied but keeps its capacity
//
// Truth: events, items, item_bytes, peak_capacity_bytes, and fill_array.*, which holds the
// allocations of the array.

#include "residue.h"
#include "truth.h"

#include <algorithm>
#include <vector>

struct Item {
    float values[24];
};

using Array = std::vector<Item>;

constexpr size_t RESERVED = 4000;
constexpr size_t NEAR_3500[] = {3271, 3270, 3057, 3453, 3459, 3362, 3111, 3702, 3479, 3500};
constexpr size_t STEPS[] = {10000, 50000, 60000, 80000, 10000, 100000, 30000, 300000, 20000, 10000};

static tally arrays;
static u64 items_in_all, peak_capacity_bytes;

NAMED void fill_array(Array& array, size_t items, size_t reserved) {
    if (reserved > array.capacity()) array.reserve(reserved);
    for (size_t i = 0; i < items; i++) array.push_back(Item{{float(i)}});
    items_in_all += items;
    KEEP_FRAME();
}

// What libstdc++ allocates on the way from one capacity to another, as fill_array does it.
static void count_growth(size_t from, const Array& array, size_t reserved) {
    for (size_t capacity = from; capacity < array.capacity();) {
        size_t next = reserved > capacity ? reserved : std::max<size_t>(1, capacity * 2);
        if (capacity > 0) tally_freed(&arrays, capacity * sizeof(Item));
        tally_made(&arrays, next * sizeof(Item));
        capacity = next;
    }
    peak_capacity_bytes = std::max<u64>(peak_capacity_bytes, array.capacity() * sizeof(Item));
}

static void fill(Array& array, size_t items, size_t reserved) {
    size_t before = array.capacity();
    fill_array(array, items, reserved);
    count_growth(before, array, reserved);
}

static void array_per_event(u64 events, size_t reserved) {
    for (u64 event = 0; event < events; event++) {
        residue_event_begin(event);
        {
            Array array;
            fill(array, NEAR_3500[event % std::size(NEAR_3500)], reserved);
            tally_freed(&arrays, array.capacity() * sizeof(Item));
        }
        residue_event_end(event);
    }
}

static void array_for_all(Array& array) {
    for (size_t event = 0; event < std::size(STEPS); event++) {
        residue_event_begin(event);
        array.clear();
        fill(array, STEPS[event], 0);
        residue_event_end(event);
    }
}

int main(int argc, char** argv) {
    static_assert(sizeof(Item) == 96);
    const char* how = argc > 1 ? argv[1] : "";
    u64 events = number_arg(argc, argv, 2, std::size(NEAR_3500));
    auto* kept = new Array; // stays to the end
    if (strcmp(how, "grow") == 0) array_per_event(events, 0);
    else if (strcmp(how, "reserve") == 0) array_per_event(events, RESERVED);
    else if (strcmp(how, "steps") == 0) array_for_all(*kept), events = std::size(STEPS);
    else {
        fprintf(stderr, "usage: doubling grow|reserve|steps [events]\n");
        return 2;
    }
    truth("events", events);
    truth("items", items_in_all);
    truth("item_bytes", sizeof(Item));
    truth("peak_capacity_bytes", peak_capacity_bytes);
    truth_tally("fill_array", &arrays);
}
