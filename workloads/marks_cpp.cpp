// The event loop of marks_c with the guards of C++.
//
//   marks_cpp [events=100]
//
// Truth: as marks_c.

#include "truth.h"

#include "../include/residue.h"

static tally leaked, churned;

NAMED void leak_here() {
    auto* block = new unsigned char[1000];
    HIDE(block);
    tally_made(&leaked, 1000);
}

NAMED void churn_here() {
    for (int i = 0; i < 10; i++) {
        auto* block = new unsigned char[64];
        HIDE(block);
        tally_made(&churned, 64);
        delete[] block;
        tally_freed(&churned, 64);
    }
}

int main(int argc, char** argv) {
    u64 events = number_arg(argc, argv, 1, 100), hits = 0, snapshots = 0;
    for (u64 i = 0; i < events; i++) {
        residue::event event(i);
        residue_stamp("begin");
        {
            residue::scope scope("leaky");
            leak_here();
        }
        residue_stamp("middle");
        churn_here();
        residue_count("hits", double(i % 7));
        hits += i % 7;
        if (i == events / 2) {
            residue_snapshot("half");
            snapshots++;
        }
        residue_stamp("end");
    }
    truth("events", events);
    truth("stamps", 3 * events);
    truth("scopes", events);
    truth("counts", events);
    truth("hits", hits);
    truth("snapshots", snapshots);
    truth("leaked_blocks", leaked.calls);
    truth("leaked_bytes", leaked.total);
    truth_tally("leak_here", &leaked);
    truth_tally("churn_here", &churned);
}
