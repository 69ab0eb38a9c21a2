/* Corners where a recorder inside the process could be in the way.
 *
 *   corners locked      locks all memory, present and future, then allocates
 *   corners locked_little  the same as an ordinary user who may lock 8 MiB
 *   corners first       forks; the child's first call of all is reallocarray
 *   corners peak        main holds 8 MiB and waits while a thread holds 4 MiB more
 *   corners again       replaces itself by itself, once
 *   corners titled      writes over its arguments what it does, as servers do
 *   corners suspended   a signal handler that maps memory interrupts threads that do
 *
 * Truth: corner_alloc.* (locked, again: by process), locked_after (KiB of a new mapping of 64), first_alloc.* (by process), peak,
 * mapped, all_joined. */

#include "truth.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/capability.h>

static struct tally made;

NAMED void *corner_alloc(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    tally_made(&made, size);
    return block;
}

static int titled(char *first, char *last) {
    corner_alloc(100);
    size_t room = (size_t)(last + strlen(last) - first);
    memset(first, 0, room);
    snprintf(first, room + 1, "corners: session 7");
    truth_tally("corner_alloc", &made);
    return 0;
}

static int locked(void) {
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) return 1;
    for (int i = 0; i < 1000; i++) corner_alloc(100);
    truth_tally("corner_alloc", &made);
    return 0;
}

static int locked_little(void) {
    struct __user_cap_header_struct self = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct rights[2] = {{0, 0, 0}, {0, 0, 0}};
    struct rlimit limit = {8 << 20, 8 << 20};
    if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0 || syscall(SYS_capset, &self, rights) != 0) return 2;
    if (locked() != 0) return 1;
    size_t length = 64 << 10;
    unsigned char present[16];
    void *mapped = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED || mincore(mapped, length, present) != 0) return 3;
    u64 pages = 0;
    for (int i = 0; i < 16; i++) pages += present[i] & 1;
    truth("locked_after", pages * 4);
    return 0;
}

NAMED void *first_alloc(void) {
    void *block = reallocarray(NULL, 10, 30);
    HIDE(block);
    tally_made(&made, 300);
    return block;
}

static int first(void) {
    truth_with_pid = 1;
    pid_t child = fork();
    if (child == 0) {
        first_alloc();
        for (int i = 0; i < 10; i++) {
            void *block = first_alloc();
            tally_freed(&made, 300);
            free(block);
        }
        truth_tally("first_alloc", &made);
        _exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    return status;
}

enum { PEAK_BLOCKS = 128, PEAK_BLOCK = 65536 };

static void *hold_half(void *unused) {
    void *blocks[PEAK_BLOCKS / 2];
    for (int i = 0; i < PEAK_BLOCKS / 2; i++) blocks[i] = corner_alloc(PEAK_BLOCK);
    for (int i = 0; i < PEAK_BLOCKS / 2; i++) free(blocks[i]);
    return unused;
}

static int peak(void) {
    void *blocks[PEAK_BLOCKS];
    for (int i = 0; i < PEAK_BLOCKS; i++) blocks[i] = corner_alloc(PEAK_BLOCK);
    pthread_t thread;
    if (pthread_create(&thread, NULL, hold_half, NULL) != 0) return 1;
    pthread_join(thread, NULL);
    for (int i = 0; i < PEAK_BLOCKS; i++) free(blocks[i]);
    truth("peak", (u64)PEAK_BLOCKS * 3 / 2 * PEAK_BLOCK);
    return 0;
}

static int again(char **argv, int is_second) {
    truth_with_pid = 1;
    for (int i = 0; i < (is_second ? 20 : 10); i++) corner_alloc(50);
    if (is_second) {
        truth_tally("corner_alloc", &made);
        return 0;
    }
    execl("/proc/self/exe", argv[0], "again", "second", (char *)NULL);
    return 1;
}

static volatile sig_atomic_t stopping;

static u64 mapped;

static void map_one(void) {
    void *at = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return;
    munmap(at, 4096);
    __atomic_fetch_add(&mapped, 1, __ATOMIC_RELAXED);
}

static void on_signal(int signal) {
    (void)signal;
    map_one();
}

static void *map_many(void *count) {
    while (!stopping) {
        map_one();
        *(volatile u64 *)count += 1;
    }
    return NULL;
}

static int suspended(void) {
    enum { THREADS = 2, SIGNALS = 20000 };
    static u64 counts[THREADS][16];
    pthread_t threads[THREADS];
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, map_many, counts[i]);
    for (int i = 0; i < SIGNALS; i++) pthread_kill(threads[i % THREADS], SIGUSR1);
    stopping = 1;
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    truth("mapped", mapped);
    truth("all_joined", 1);
    return 0;
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    if (strcmp(mode, "locked") == 0) return locked();
    if (strcmp(mode, "locked_little") == 0) return locked_little();
    if (strcmp(mode, "first") == 0) return first();
    if (strcmp(mode, "peak") == 0) return peak();
    if (strcmp(mode, "again") == 0) return again(argv, argc > 2);
    if (strcmp(mode, "titled") == 0) return titled(argv[0], argv[argc - 1]);
    if (strcmp(mode, "suspended") == 0) return suspended();
    return 2;
}
