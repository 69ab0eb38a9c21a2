// Many threads that allocate in every way there is, for recorders that run out of room: what is
// recorded and what is dropped must add up to what was done.
//
//   conservation THREADS TURNS
//
// All threads live until the last has finished, so that libc's own allocations for them are the
// same in every run.
#include "truth.h"

#include <pthread.h>

// Paths that part: stacks, and with them pages of counters, grow with the turns.
enum { LONGEST_PATH = 12 };

static pthread_barrier_t all_are_there, all_are_done;
static u64 turns;

struct Worker {
    pthread_t thread;
    u64 random;
    struct tally tally;
    void *kept[64];
    size_t kept_bytes[64];
};

static void keep(Worker *worker, size_t place, void *block, size_t bytes) {
    tally_made(&worker->tally, bytes);
    worker->kept[place] = block;
    worker->kept_bytes[place] = bytes;
}

static void give_up(Worker *worker, size_t place) {
    if (worker->kept[place]) tally_freed(&worker->tally, worker->kept_bytes[place]);
    free(worker->kept[place]);
    worker->kept[place] = NULL;
}

NAMED static void one_turn(Worker *worker) {
    u64 random = random_next(&worker->random);
    size_t place = random % 64, bytes = 1 + (random >> 8) % 4000;
    // Now and then one whose size does not fit an entry of the live table.
    if ((random >> 24) % 64 == 0) bytes += 300000;
    switch ((random >> 32) % 5) {
    case 0: {
        void *old = worker->kept[place];
        if (old) tally_freed(&worker->tally, worker->kept_bytes[place]);
        keep(worker, place, realloc(old, bytes), bytes);
        break;
    }
    case 1: {
        void *block = NULL;
        give_up(worker, place);
        if (posix_memalign(&block, 64, bytes)) abort();
        keep(worker, place, block, bytes);
        break;
    }
    case 2: {
        char *made = new char[bytes];
        HIDE(made);
        tally_made(&worker->tally, bytes);
        delete[] made;
        tally_freed(&worker->tally, bytes);
        break;
    }
    case 3:
        give_up(worker, place);
        keep(worker, place, calloc(1, bytes), bytes);
        break;
    default:
        give_up(worker, place);
        keep(worker, place, malloc(bytes), bytes);
    }
    KEEP_FRAME();
}

NAMED static void left(Worker *worker, u64 path, int length);

NAMED static void right(Worker *worker, u64 path, int length) {
    if (length == 0) one_turn(worker);
    else if (path & 1) left(worker, path >> 1, length - 1);
    else right(worker, path >> 1, length - 1);
    KEEP_FRAME();
}

NAMED static void left(Worker *worker, u64 path, int length) {
    if (length == 0) one_turn(worker);
    else if (path & 1) left(worker, path >> 1, length - 1);
    else right(worker, path >> 1, length - 1);
    KEEP_FRAME();
}

static void *work(void *argument) {
    Worker *worker = (Worker *)argument;
    pthread_barrier_wait(&all_are_there);
    for (u64 turn = 0; turn < turns; turn++) {
        u64 path = random_next(&worker->random);
        left(worker, path, (int)((path >> 32) % LONGEST_PATH));
    }
    pthread_barrier_wait(&all_are_done);
    return NULL;
}

int main(int argc, char **argv) {
    u64 threads = number_arg(argc, argv, 1, 8);
    turns = number_arg(argc, argv, 2, 1000);
    pthread_barrier_init(&all_are_there, NULL, (unsigned)threads);
    pthread_barrier_init(&all_are_done, NULL, (unsigned)threads);
    static Worker workers[1024];
    if (threads > 1024) return 2;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 << 10);
    for (u64 index = 0; index < threads; index++) {
        workers[index].random = index + 1;
        if (pthread_create(&workers[index].thread, &attributes, work, &workers[index])) return 3;
    }
    struct tally sum = {0, 0, 0, 0};
    for (u64 index = 0; index < threads; index++) {
        pthread_join(workers[index].thread, NULL);
        tally_add(&sum, &workers[index].tally);
    }
    truth_tally("one_turn", &sum);
    return 0;
}
