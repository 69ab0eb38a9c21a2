// A leak in one of several threads.
//
// Odd seeds: every event is shared out to all, and one of them leaks in each.
// Even seeds: as many streams with an event each, begun in the order of their numbers and
// overlapping; those of one stream leak, which is every fourth event of four.
#ifndef SHAPES_THREADS_HPP
#define SHAPES_THREADS_HPP

#include "shapes_kit.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>

template <u64 THREADS> class OneOfThreads : public Shape {
public:
    OneOfThreads(const Job& job, Site site) : Shape(job), site(site), streams(seed % 2 == 0) {
        for (u64 t = 0; t < THREADS; t++) churns.emplace_back(seed, t + 1);
        leaks_from(1, double(bytes) / (streams ? THREADS : 1), false);
    }

    void run() override {
        std::vector<std::thread> threads;
        for (u64 t = 0; t < THREADS; t++) {
            threads.emplace_back([this, t] { streams ? run_stream(t) : run_share(t); });
        }
        if (!streams) share_out();
        for (auto& thread : threads) thread.join();
    }

private:
    void work(u64 thread, u64 number) {
        ordinary_work(churns[thread], number);
        if (thread != leaking) return;
        make(site, bytes);
        leave(bytes);
    }

    NAMED void run_stream(u64 stream) {
        for (u64 number = stream + 1; number <= events; number += THREADS) {
            wait_for([&] { return begun == number - 1; });
            residue_event_begin_in(number, uint32_t(stream));
            tell([&] { begun = number; });
            work(stream, number);
            residue_event_end_in(number, uint32_t(stream));
        }
    }

    void share_out() {
        for (u64 number = 1; number <= events; number++) {
            residue_event_begin(number);
            tell([&] {
                token = residue_event_current();
                done = 0;
                begun = number;
            });
            wait_for([&] { return done == THREADS; });
            residue_event_end(number);
        }
    }

    NAMED void run_share(u64 thread) {
        for (u64 number = 1; number <= events; number++) {
            wait_for([&] { return begun == number; });
            {
                residue::task task(token);
                work(thread, number);
            }
            tell([&] { done++; });
        }
    }

    template <typename Condition> void wait_for(Condition condition) {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, condition);
    }

    template <typename Change> void tell(Change change) {
        {
            std::lock_guard<std::mutex> lock(mutex);
            change();
        }
        changed.notify_all();
    }

    Site site;
    const bool streams;
    const u64 leaking = random.between(0, THREADS - 1), bytes = random.spread(256, 16384);
    std::vector<Churn> churns;
    std::mutex mutex;
    std::condition_variable changed;
    u64 begun = 0, done = 0; // under the mutex, as is the token
    uint32_t token = 0;
};

SITE(site_one_thread)
class OneThread : public OneOfThreads<4> {
public:
    OneThread(const Job& job) : OneOfThreads(job, site_one_thread) {}
};

SITE(site_one_of_eight)
class OneOfEight : public OneOfThreads<8> {
public:
    OneOfEight(const Job& job) : OneOfThreads(job, site_one_of_eight) {}
};

#endif
