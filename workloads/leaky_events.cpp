// The demonstration: a simulation with an event loop that does honest work with
// vectors, maps and strings, gives nearly all of it back, and loses one 64-byte frame
// for every hit. Its events are marked, and the hits of each are counted.
//
//   leaky_events [events=200]
//
// Truth: events, hits; leaked_blocks and leaked_bytes (64 a hit), all on
//   main > DetSim::run > QSim::simulate > SEvt::getLocalHit > SEvt::getPhotonFrame
// and SEvt::getPhotonFrame.*. Apart from these the program ends with nothing live
// under DetSim::run.

#include "residue.h"
#include "truth.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

struct SFrame { // 64 bytes
    double transform[7];
    unsigned sensor, hit;
};

struct SHit {
    double position[3], time;
    unsigned sensor;
    std::string label;
};

class SEvt {
public:
    explicit SEvt(unsigned number) : number(number) {}

    void addHit(const SHit& hit);
    SHit getLocalHit(unsigned index);
    size_t size() const { return hits.size(); }

    static tally frames;

private:
    SFrame* getPhotonFrame(unsigned index);

    unsigned number;
    std::vector<SHit> hits;
};

class QSim {
public:
    void simulate(unsigned event);

    u64 hits = 0;

private:
    SEvt* generate(unsigned event);
    u64 random = 23;
};

class DetSim {
public:
    void run(unsigned events);

    QSim sim;
};

tally SEvt::frames;

NAMED void SEvt::addHit(const SHit& hit) {
    hits.push_back(hit);
    KEEP_FRAME();
}

// The caller takes the frame for one the event owns, and the event for the caller's.
NAMED SFrame* SEvt::getPhotonFrame(unsigned index) {
    auto* frame = new SFrame{};
    HIDE(frame);
    tally_made(&frames, sizeof(SFrame));
    frame->sensor = hits[index].sensor;
    frame->hit = index;
    frame->transform[0] = number;
    return frame;
}

NAMED SHit SEvt::getLocalHit(unsigned index) {
    SFrame* frame = getPhotonFrame(index);
    SHit local = hits[index];
    local.position[0] -= frame->transform[0];
    local.label += "/local";
    return local;
}

NAMED SEvt* QSim::generate(unsigned event) {
    auto* evt = new SEvt(event);
    u64 count = 100 + random_next(&random) % 400;
    for (u64 i = 0; i < count; i++) {
        u64 r = random_next(&random);
        unsigned sensor = unsigned(r % 1000);
        evt->addHit({{double(r % 97), double(r % 89), 0}, double(i), sensor,
                     "detector/photomultiplier/" + std::to_string(sensor)});
    }
    return evt;
}

NAMED void QSim::simulate(unsigned event) {
    std::unique_ptr<SEvt> evt(generate(event));
    std::map<unsigned, std::vector<double>> times;
    for (unsigned i = 0; i < evt->size(); i++) {
        SHit local = evt->getLocalHit(i);
        times[local.sensor].push_back(local.time);
        hits++;
    }
    KEEP_FRAME();
}

NAMED void DetSim::run(unsigned events) {
    for (unsigned event = 0; event < events; event++) {
        residue::event marked(event);
        u64 before = sim.hits;
        sim.simulate(event);
        residue_count("hits", double(sim.hits - before));
    }
    KEEP_FRAME();
}

int main(int argc, char** argv) {
    static_assert(sizeof(SFrame) == 64);
    auto events = unsigned(number_arg(argc, argv, 1, 200));
    DetSim job;
    job.run(events);
    truth("events", events);
    truth("hits", job.sim.hits);
    truth("leaked_blocks", SEvt::frames.calls);
    truth("leaked_bytes", SEvt::frames.total);
    truth_tally("SEvt::getPhotonFrame", &SEvt::frames);
}
