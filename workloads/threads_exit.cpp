// Threads come and go by the thousand, one after another, in groups, and detached;
// they end by returning and by pthread_exit, and allocate while they end.
//
//   threads_exit [threads=2000]
//
// Truth:
//   threads                number of threads made
//   thread_leak.*          three leaks a thread, while it runs
//   thread_temp.*          blocks freed by the same thread: nothing live
//   thread_local_leak.*    a leak in the destructor of a thread_local object
//   thread_key_leak.*      two leaks in a pthread key's destructor, one in each round

#include "truth.h"

#include <atomic>
#include <pthread.h>
#include <sched.h>

struct AtomicTally {
    std::atomic<u64> calls{0}, total{0}, frees{0}, freed{0};

    void print(const char* function) const {
        tally t{calls, total, frees, freed};
        truth_tally(function, &t);
    }
};

static AtomicTally leaks, temps, local_leaks, key_leaks;
static std::atomic<u64> ended{0};
static pthread_key_t key;

static void leak(AtomicTally& t, size_t size) {
    void* block = malloc(size);
    HIDE(block);
    t.calls++;
    t.total += size;
}

NAMED void thread_leak(size_t size) {
    leak(leaks, size);
    KEEP_FRAME();
}

NAMED void thread_local_leak(size_t size) {
    leak(local_leaks, size);
    KEEP_FRAME();
}

NAMED void thread_key_leak(size_t size) {
    leak(key_leaks, size);
    KEEP_FRAME();
}

NAMED void thread_temp(size_t size) {
    void* block = malloc(size);
    HIDE(block);
    temps.calls++;
    temps.total += size;
    free(block);
    temps.frees++;
    temps.freed += size;
}

struct LeaksAtEnd {
    size_t size = 0;
    ~LeaksAtEnd() { thread_local_leak(size); }
};
static thread_local LeaksAtEnd leaks_at_end;

// Keys are destroyed after thread_local objects, and again while they have values.
static void destroy_key(void* round) {
    thread_key_leak(56);
    if (round == (void*)1)
        pthread_setspecific(key, (void*)2);
    else
        ended++;
}

static void work(u64 number) {
    for (u64 i = 0; i < 3; i++) {
        thread_leak(32 + (number + i) % 100);
        thread_temp(200 + number % 50);
    }
    leaks_at_end.size = 8 + number % 20;
    pthread_setspecific(key, (void*)1);
}

static void* returning(void* number) {
    work((u64)number);
    return nullptr;
}

static void* exiting(void* number) {
    work((u64)number);
    pthread_exit(nullptr);
}

int main(int argc, char** argv) {
    u64 count = number_arg(argc, argv, 1, 2000), made = 0;
    constexpr u64 GROUP = 25;
    pthread_t threads[GROUP];
    pthread_key_create(&key, destroy_key);

    for (; made < count * 2 / 5; made++) {
        pthread_create(&threads[0], nullptr, made % 2 ? exiting : returning, (void*)made);
        pthread_join(threads[0], nullptr);
    }
    while (made + GROUP <= count * 4 / 5) {
        for (auto& thread : threads) {
            pthread_create(&thread, nullptr, made % 2 ? exiting : returning, (void*)made);
            made++;
        }
        for (auto& thread : threads) pthread_join(thread, nullptr);
    }
    for (; made < count; made++) {
        pthread_create(&threads[0], nullptr, made % 2 ? exiting : returning, (void*)made);
        pthread_detach(threads[0]);
        while (made + 1 - ended >= GROUP) sched_yield();
    }
    while (ended < made) sched_yield();

    truth("threads", made);
    leaks.print("thread_leak");
    temps.print("thread_temp");
    local_leaks.print("thread_local_leak");
    key_leaks.print("thread_key_leak");
}
