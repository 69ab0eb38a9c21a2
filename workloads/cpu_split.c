/* CPU time with a known split: every thread spends one part of its time in burn_one, two in burn_two and five
 * in burn_five, in turns whose lengths are drawn at random, with pauses in which it waits.
 *
 *   cpu_split [milliseconds=1000] [threads=1] [way=plain]
 *
 * milliseconds: CPU time of each thread. Ways: plain; short, each thread passes its work on to a new one every
 * 3 ms; blocked, all threads block all signals; own_signals, the program has a handler for SIGPROF, a timer of
 * its own that sends it every millisecond, and an alternate stack; restless, the threads sleep in poll, nanosleep
 * and usleep, and count what is interrupted; events, one thread works in events, and calls burn_five only from the
 * second half of them on; taken, the program takes every real-time signal and sends itself one; calls, burn_two
 * works in the kernel; full, no signal can be queued.
 *
 * Truth: FUNCTION.cpu_ns by the thread's clock; cpu_ns of all threads; interrupted, calls that ended early;
 * half, the first event with burn_five. */

#include "residue.h"
#include "truth.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

enum way { PLAIN, SHORT, BLOCKED, OWN_SIGNALS, RESTLESS, EVENTS, TAKEN, CALLS, FULL, WAYS };
static const char *const ways[] = {"plain",  "short", "blocked", "own_signals", "restless",
                                   "events", "taken", "calls",   "full"};
static enum way way;
static u64 wanted_ns;

struct worker {
    u64 random, spent[3], all, interrupted;
};

static u64 cpu_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

/* Some 10 us of work. */
static inline void burn(void) {
    for (unsigned i = 0; i < 12000; i++) HIDE(i);
}

/* The same in the kernel, which fills a buffer. */
static int zeros = -1;
static inline void burn_in_kernel(void) {
    static __thread char buffer[1 << 17];
    if (read(zeros, buffer, sizeof buffer) < 0) abort();
}

static inline u64 burn_for(u64 ns, int in_kernel) {
    u64 start = cpu_now(), now;
    do {
        if (in_kernel)
            burn_in_kernel();
        else
            burn();
        now = cpu_now();
    } while (now - start < ns);
    return now - start;
}

#define BURN(name, in_kernel)                \
    NAMED u64 name(u64 ns) {                 \
        u64 spent = burn_for(ns, in_kernel); \
        KEEP_FRAME();                        \
        return spent;                        \
    }
BURN(burn_one, 0)
BURN(burn_two, way == CALLS)
BURN(burn_five, 0)

static void rest(struct worker *w) {
    struct timespec time = {0, 200000};
    struct pollfd nothing = {.fd = -1};
    w->interrupted += poll(&nothing, 1, 1) < 0;
    w->interrupted += nanosleep(&time, NULL) < 0;
    w->interrupted += usleep(100) < 0;
}

static void *work(void *argument) {
    struct worker *w = argument;
    u64 until = way == SHORT ? 3000000u : wanted_ns, start = cpu_now();
    while (cpu_now() - start < until && w->all + (cpu_now() - start) < wanted_ns) {
        u64 unit = 20000 + random_next(&w->random) % 200000;
        w->spent[0] += burn_one(unit);
        w->spent[1] += burn_two(2 * unit);
        w->spent[2] += burn_five(5 * unit);
        if (way == RESTLESS) rest(w);
    }
    w->all += cpu_now() - start;
    return NULL;
}

static u64 work_in_events(struct worker *w) {
    u64 start = cpu_now(), event = 0, half = 0;
    while (cpu_now() - start < wanted_ns) {
        residue_event_begin(++event);
        w->spent[0] += burn_one(500000);
        w->spent[1] += burn_two(1000000);
        if (cpu_now() - start > wanted_ns / 2) {
            if (!half) half = event;
            w->spent[2] += burn_five(2500000);
        }
        residue_event_end(event);
    }
    w->all = cpu_now() - start;
    return half;
}

static void *work_in_turns(void *argument) {
    struct worker *w = argument;
    while (w->all < wanted_ns) {
        pthread_t next;
        if (pthread_create(&next, NULL, work, w)) abort();
        pthread_join(next, NULL);
    }
    return NULL;
}

static volatile sig_atomic_t ticks;
static void own_handler(int signal) {
    (void)signal;
    ticks++;
}

static void take_signals(void) {
    static char stack[16384];
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = own_handler, .sa_flags = SA_ONSTACK | SA_RESTART};
    struct itimerval timer = {{0, 1000}, {0, 1000}};
    sigaltstack(&alternate, NULL);
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &timer, NULL);
}

int main(int argc, char **argv) {
    wanted_ns = number_arg(argc, argv, 1, 1000) * 1000000u;
    u64 threads = number_arg(argc, argv, 2, 1);
    for (int i = 0; argc > 3 && i < WAYS; i++)
        if (!strcmp(argv[3], ways[i])) way = (enum way)i;
    if (threads < 1 || threads > 256) return 2;
    static struct worker workers[256];
    static pthread_t ids[256];
    if (way == BLOCKED) {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, NULL);
    }
    if (way == OWN_SIGNALS) take_signals();
    if (way == CALLS) zeros = open("/dev/zero", O_RDONLY);
    if (way == FULL) setrlimit(RLIMIT_SIGPENDING, &(struct rlimit){0, 0});
    struct sigaction now = {0};
    u64 handled = 0;
    for (int signal = 34; signal <= 64; signal++) {
        if (!sigaction(signal, NULL, &now)) handled += now.sa_handler != SIG_DFL;
        if (way == TAKEN) sigaction(signal, &(struct sigaction){.sa_handler = own_handler}, NULL);
    }
    if (way == TAKEN) raise(61);
    for (u64 t = 0; t < threads; t++) workers[t].random = t + 1;
    for (u64 t = 1; t < threads; t++)
        if (pthread_create(&ids[t], NULL, way == SHORT ? work_in_turns : work, &workers[t])) return 3;
    if (way == EVENTS)
        truth("half", work_in_events(&workers[0]));
    else
        (way == SHORT ? work_in_turns : work)(&workers[0]);
    for (u64 t = 1; t < threads; t++) pthread_join(ids[t], NULL);

    struct worker sum = {0};
    for (u64 t = 0; t < threads; t++) {
        for (int i = 0; i < 3; i++) sum.spent[i] += workers[t].spent[i];
        sum.all += workers[t].all;
        sum.interrupted += workers[t].interrupted;
    }
    truth_of("burn_one", "cpu_ns", sum.spent[0]);
    truth_of("burn_two", "cpu_ns", sum.spent[1]);
    truth_of("burn_five", "cpu_ns", sum.spent[2]);
    truth("cpu_ns", sum.all);
    truth("interrupted", sum.interrupted);
    truth("handled", handled);
    if (way == OWN_SIGNALS) truth("had_ticks", ticks > 0);
    if (way == TAKEN) truth("own_ticks", (u64)ticks);
    return 0;
}
