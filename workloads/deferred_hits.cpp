// Hits that look like a leak and are none: made in one event, freed by the destructor of
// the event's collection during the next.
//
//   deferred_hits [events=100]
//
// Truth: events, hits, deferred_by_events (1), and convertHit.*: every hit is freed in
// HCofThisEvent::~HCofThisEvent, those of the last event at the end of the run.

#include "residue.h"
#include "truth.h"

#include <memory>
#include <vector>

struct Hit {
    double position[3], time;
    int sensor;
};

class HCofThisEvent {
public:
    NAMED ~HCofThisEvent();
    void insert(Hit* hit) { hits.push_back(hit); }

private:
    std::vector<Hit*> hits;
};

class EventManager {
public:
    // The last event lives until there is a new one to take its place.
    NAMED void process(u64 event) {
        residue_event_begin(event);
        auto next = std::make_unique<HCofThisEvent>();
        u64 count = 50 + random_next(&random) % 400;
        residue_count("hits", double(count));
        simulate(*next, count);
        current = std::move(next);
        residue_event_end(event);
    }

private:
    NAMED void simulate(HCofThisEvent& collection, u64 count);

    std::unique_ptr<HCofThisEvent> current;
    u64 random = 24;
};

static tally made;

NAMED Hit* convertHit(u64 index) {
    auto* hit = new Hit{{double(index), 0, 0}, double(index), int(index % 17)};
    HIDE(hit);
    tally_made(&made, sizeof(Hit));
    return hit;
}

NAMED HCofThisEvent::~HCofThisEvent() {
    for (Hit* hit : hits) {
        tally_freed(&made, sizeof(Hit));
        delete hit;
    }
    KEEP_FRAME();
}

NAMED void EventManager::simulate(HCofThisEvent& collection, u64 count) {
    for (u64 i = 0; i < count; i++) collection.insert(convertHit(i));
    KEEP_FRAME();
}

int main(int argc, char** argv) {
    u64 events = number_arg(argc, argv, 1, 100);
    {
        EventManager manager;
        for (u64 event = 0; event < events; event++) manager.process(event);
    }
    truth("events", events);
    truth("hits", made.calls);
    truth("deferred_by_events", 1);
    truth_tally("convertHit", &made);
}
