/* What a program must not notice when pictures of it are taken.
 *
 *   pictured waits            threads wait in calls that the kernel does not begin again by itself
 *   pictured signals          the first thread gets queued signals meanwhile
 *   pictured execs [times]    another thread replaces the program meanwhile
 *
 * Truth: waits: interrupted: calls that a stop has interrupted; short: bytes of theirs that are missing. signals: sent, handled. */
#include "residue.h"
#include "truth.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define EVENTS 40
#define LONG_S 60

static u64 interrupted;
static u64 failed;
static int over;

static void count_failure(void) { __atomic_add_fetch(errno == EINTR ? &interrupted : &failed, 1, __ATOMIC_RELAXED); }

/* Two ends, both with time limits. */
static void pair(int ends[2]) {
    struct timeval limit = {.tv_sec = LONG_S};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) abort();
    for (int i = 0; i < 2; i++) {
        setsockopt(ends[i], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        setsockopt(ends[i], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    }
}

static int reads[2], receives[2], writes[2], polls[2];

static void *read_one(void *unused) {
    char byte;
    while (read(reads[0], &byte, 1) != 1) count_failure();
    return unused;
}

static void *receive_one(void *unused) {
    char byte;
    while (recv(receives[0], &byte, 1, 0) != 1) count_failure();
    return unused;
}

static void *poll_one(void *unused) {
    struct epoll_event event = {.events = EPOLLIN};
    int poll = epoll_create1(0);
    epoll_ctl(poll, EPOLL_CTL_ADD, polls[0], &event);
    while (epoll_wait(poll, &event, 1, LONG_S * 1000) != 1) count_failure();
    close(poll);
    return unused;
}

/* The socket is full: a byte more has to wait. */
static void *write_one(void *unused) {
    static char full[1 << 16];
    while (send(writes[0], full, sizeof full, MSG_DONTWAIT) > 0) {}
    while (write(writes[0], full, 1) != 1) count_failure();
    return unused;
}

NAMED void event(u64 number) {
    residue_event_begin(number);
    void *block = malloc(100);
    HIDE(block);
    usleep(3000);
    free(block);
    residue_event_end(number);
}

static int waits(void) {
    void *(*const begin[])(void *) = {read_one, receive_one, poll_one, write_one};
    int *const ends[] = {reads, receives, polls, writes};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        pair(ends[i]);
        pthread_create(&threads[i], NULL, begin[i], NULL);
    }
    for (u64 number = 1; number <= EVENTS; number++) event(number);
    for (int i = 0; i < 3; i++)
        if (write(ends[i][1], "x", 1) != 1) abort();
    char drained[4096];
    struct timeval limit = {.tv_usec = 200000};
    setsockopt(writes[1], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    while (read(writes[1], drained, sizeof drained) > 0) {}
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    truth("interrupted", interrupted);
    truth("failed", failed);
    return 0;
}

static volatile u64 handled;
static u64 sent;
static pthread_t first;

static void handle(int number) {
    (void)number;
    handled++;
}

static void *send_signals(void *unused) {
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
        union sigval value = {0};
        if (pthread_sigqueue(first, SIGRTMIN + 3, value) == 0) sent++;
        usleep(50);
    }
    return unused;
}

static void *end_events(void *unused) {
    for (u64 number = 1; number <= EVENTS; number++) event(number);
    __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
    return unused;
}

static int signals(void) {
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sigaction(SIGRTMIN + 3, &action, NULL);
    first = pthread_self();
    pthread_t sender, events;
    pthread_create(&sender, NULL, send_signals, NULL);
    pthread_create(&events, NULL, end_events, NULL);
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {}
    pthread_join(sender, NULL);
    pthread_join(events, NULL);
    truth("sent", sent);
    truth("handled", handled);
    return 0;
}

static u64 left;

static void *replace(void *unused) {
    char times[32];
    snprintf(times, sizeof times, "%llu", (unsigned long long)left - 1);
    usleep(5000);
    execl("/proc/self/exe", "pictured", "execs", times, NULL);
    abort();
    return unused;
}

static void *sleep_long(void *unused) {
    sleep(LONG_S);
    return unused;
}

static int execs(void) {
    if (left == 0) return 0;
    pthread_t thread;
    for (int i = 0; i < 20; i++) pthread_create(&thread, NULL, sleep_long, NULL);
    pthread_create(&thread, NULL, replace, NULL);
    for (u64 number = 1;; number++) {
        residue_event_begin(number);
        residue_event_end(number);
    }
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    left = argc > 2 ? strtoull(argv[2], NULL, 10) : 40;
    if (!strcmp(mode, "waits")) return waits();
    if (!strcmp(mode, "signals")) return signals();
    if (!strcmp(mode, "execs")) return execs();
    return 2;
}
