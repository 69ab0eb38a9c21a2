// Events that overlap. Four threads run an event each, on four streams; an event cuts its
// work into tasks, and whoever is free runs them, also in the middle of an event of its
// own. What each event leaves depends on its id alone, and nothing else allocates.
//
//   overlap [events=200]
//
// Truth: events; event.ID.left, the bytes which event ID leaves; task_leak.* for all;
// tasks_elsewhere, how many tasks ran on another thread than their event's (by chance).

#include "residue.h"
#include "truth.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

constexpr u64 STREAMS = 4, TASKS = 6;

struct Task {
    u64 event, number;
    uint32_t token;
    std::thread::id home;
    u64* left; // of its event; under the mutex
};

static std::mutex mutex;
static std::condition_variable changed;
static std::vector<Task> queue;          // under the mutex; has room for all from the start
static u64 unfinished_streams = STREAMS; // under the mutex
static std::atomic<u64> tasks_elsewhere;

// Between 16 bytes and 4 KiB, as different from event to event as can be.
static size_t task_bytes(u64 event, u64 task) {
    u64 state = event * TASKS + task;
    return 16 + random_next(&state) % 4081;
}

static u64 event_bytes(u64 event) {
    u64 sum = 0;
    for (u64 task = 0; task < TASKS; task++) sum += task_bytes(event, task);
    return sum;
}

NAMED void task_leak(size_t bytes) {
    void* block = malloc(bytes);
    HIDE(block);
    memset(block, 1, bytes);
}

static void task_scratch(size_t bytes) {
    void* block = malloc(bytes);
    HIDE(block);
    free(block);
}

static void run_task(const Task& task) {
    residue::task inside(task.token);
    if (std::this_thread::get_id() != task.home) tasks_elsewhere++;
    size_t bytes = task_bytes(task.event, task.number);
    task_scratch(bytes * 3);
    task_leak(bytes);
}

// Runs tasks of any event until the condition holds.
template <typename Condition> static void help_until(Condition condition) {
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
        changed.wait(lock, [&] { return condition() || !queue.empty(); });
        if (condition()) return;
        Task task = queue.back();
        queue.pop_back();
        lock.unlock();
        run_task(task);
        lock.lock();
        *task.left -= 1;
        changed.notify_all();
    }
}

static void run_event(u64 event, uint32_t stream) {
    residue_event_begin_in(event, stream);
    uint32_t token = residue_event_current();
    u64 left = TASKS;
    {
        std::lock_guard<std::mutex> lock(mutex);
        for (u64 number = 0; number < TASKS; number++) {
            queue.push_back({event, number, token, std::this_thread::get_id(), &left});
        }
    }
    changed.notify_all();
    help_until([&] { return left == 0; });
    residue_event_end_in(event, stream);
}

static void run_stream(uint32_t stream, u64 events) {
    for (u64 event = stream; event < events; event += STREAMS) run_event(event, stream);
    {
        std::lock_guard<std::mutex> lock(mutex);
        unfinished_streams--;
    }
    changed.notify_all();
    help_until([] { return unfinished_streams == 0; });
}

int main(int argc, char** argv) {
    u64 events = number_arg(argc, argv, 1, 200);
    queue.reserve(STREAMS * TASKS);
    std::vector<std::thread> threads;
    for (uint32_t stream = 0; stream < STREAMS; stream++) threads.emplace_back(run_stream, stream, events);
    for (auto& thread : threads) thread.join();

    tally sum{};
    truth("events", events);
    for (u64 event = 0; event < events; event++) {
        char key[48];
        snprintf(key, sizeof key, "event.%llu", event);
        truth_of(key, "left", event_bytes(event));
        for (u64 task = 0; task < TASKS; task++) tally_made(&sum, task_bytes(event, task));
    }
    truth_tally("task_leak", &sum);
    truth("tasks_elsewhere", tasks_elsewhere);
}
