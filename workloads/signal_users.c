/* Programs for which a sampling signal could be a trouble. Each burns CPU time in burn_here, and most of them
 * somewhere else as well.
 *
 *   signal_users WAY [milliseconds=300]
 *
 * Ways: small_alternate, an alternate stack of 8 KiB above a page that may not be touched; small_stack, a thread
 * with 16 KiB of stack; named, the program blocks the 61st signal alone, sends it to itself and reads it from a
 * signalfd; all, all signals are blocked, the 61st is sent, and a thread waits for any; vfork, a child made by vfork
 * sets all signals to what is usual before it executes another program, and then the parent does; masked, a handler
 * that holds all signals back burns in burn_masked; raw_masked, the same, by a system call that nobody sees;
 * restores, the program reads what is done about every signal and sets it again; interrupts, it says of every signal
 * that system calls are to be interrupted; ignores, it ignores the 61st and sends it to itself; holds, it holds the
 * 61st back, sends it and waits for it; c11, a thread of <threads.h>;
 * forks, a child that makes no block burns in burn_child; strict, seccomp's strict mode for the second half;
 * copies, burns in memcpy.
 *
 * Truth: burn_here.cpu_ns and so on, by the thread's clock; got, the number that came with the signal. */

#include "truth.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#if __has_include(<threads.h>)
#include <threads.h>
#else /* before glibc 2.28 */
typedef pthread_t thrd_t;
enum { thrd_success };
static void *(*as_routine(int (*routine)(void *)))(void *) { return (void *(*)(void *))(void *)routine; }
#define thrd_create(thread, routine, argument) pthread_create(thread, NULL, as_routine(routine), argument)
#define thrd_join(thread, result) (pthread_join(thread, NULL), *(result) = 5)
#endif

/* Old ways to say what is done about a signal are what some of these programs are about. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

enum { SIGNAL = 61 };
static u64 wanted_ns;

static u64 cpu_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

static inline void spin(unsigned turns) {
    for (unsigned i = 0; i < turns; i++) HIDE(i);
}

static inline u64 burn_for(u64 ns) {
    u64 start = cpu_now(), now;
    do {
        spin(12000);
        now = cpu_now();
    } while (now - start < ns);
    return now - start;
}

#define BURN(name)                \
    NAMED u64 name(u64 ns) {      \
        u64 spent = burn_for(ns); \
        KEEP_FRAME();             \
        return spent;             \
    }
BURN(burn_here)
BURN(burn_masked)
BURN(burn_child)

static u64 masked;
static void handler(int signal) {
    (void)signal;
    masked = burn_masked(wanted_ns);
}

static void *little_stack(void *unused) {
    volatile char used[3000];
    (void)unused;
    used[0] = 1;
    truth_of("burn_here", "cpu_ns", burn_here(wanted_ns));
    used[2999] = used[0];
    return NULL;
}

static void *wait_for_any(void *unused) {
    (void)unused;
    sigset_t all;
    int signal = 0;
    sigfillset(&all);
    sigwait(&all, &signal);
    truth("got", (u64)signal);
    return NULL;
}

static int of_c11(void *unused) {
    (void)unused;
    truth_of("burn_here", "cpu_ns", burn_here(wanted_ns));
    return 5;
}

static void usual_signals(void) {
    for (int signal_number = 1; signal_number < NSIG; signal_number++) signal(signal_number, SIG_DFL);
}

static void small_alternate(void) {
    char *memory = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory, 4096, PROT_NONE);
    sigaltstack(&(stack_t){.ss_sp = memory + 4096, .ss_size = 8192}, NULL);
    truth_of("burn_here", "cpu_ns", burn_here(wanted_ns));
}

static void in_thread(void *(*routine)(void *), size_t stack_bytes) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    if (pthread_create(&thread, &attributes, routine, NULL)) abort();
    pthread_join(thread, NULL);
}

static void named(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGNAL);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int file = signalfd(-1, &set, 0);
    sigqueue(getpid(), SIGNAL, (union sigval){.sival_int = 7});
    struct signalfd_siginfo about;
    if (read(file, &about, sizeof about) != sizeof about) abort();
    truth("got", (u64)about.ssi_int);
}

static void all(void) {
    sigset_t set;
    sigfillset(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    burn_here(wanted_ns);
    kill(getpid(), SIGNAL);
    in_thread(wait_for_any, 1 << 20);
}

static void vforks(char *program) {
    u64 spent = burn_here(wanted_ns);
    if (vfork() == 0) {
        usual_signals();
        execl(program, program, "nothing", (char *)NULL);
        _exit(1);
    }
    wait(NULL);
    spent += burn_here(wanted_ns);
    usual_signals();
    truth_of("burn_here", "cpu_ns", spent + burn_here(wanted_ns));
}

static void masks(int raw) {
    if (raw) {
        struct { void (*handler)(int); u64 flags; void *restorer; u64 mask; } action;
        /* Libc's own way back from a handler is the one that unwinders know. */
        sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler}, NULL);
        syscall(SYS_rt_sigaction, SIGUSR1, NULL, &action, 8);
        action.mask = ~0ull;
        syscall(SYS_rt_sigaction, SIGUSR1, &action, NULL, 8);
    } else {
        struct sigaction action = {.sa_handler = handler};
        sigfillset(&action.sa_mask);
        sigaction(SIGUSR1, &action, NULL);
    }
    raise(SIGUSR1);
    truth_of("burn_here", "cpu_ns", burn_here(wanted_ns));
    truth_of("burn_masked", "cpu_ns", masked);
}

static void restores(void) {
    struct sigaction actions[NSIG];
    for (int signal = 1; signal < NSIG; signal++) sigaction(signal, NULL, &actions[signal]);
    for (int signal = 1; signal < NSIG; signal++) sigaction(signal, &actions[signal], NULL);
    truth_of("burn_here", "cpu_ns", burn_here(wanted_ns));
}

static void interrupts(void) {
    for (int signal = 1; signal < NSIG; signal++) siginterrupt(signal, 1);
    truth_of("burn_here", "cpu_ns", burn_here(wanted_ns));
}

static void ignores(void) {
    sigignore(SIGNAL);
    raise(SIGNAL);
    burn_here(wanted_ns);
    truth("got", 1);
}

static void holds(void) {
    sigset_t set;
    int signal = 0;
    sighold(SIGNAL);
    burn_here(wanted_ns);
    kill(getpid(), SIGNAL);
    sigemptyset(&set);
    sigaddset(&set, SIGNAL);
    sigwait(&set, &signal);
    truth("got", (u64)signal);
}

static void strict(void) {
    u64 spent = burn_here(wanted_ns);
    truth_of("burn_here", "cpu_ns", spent);
    prctl(PR_SET_SECCOMP, 1);
    spin(100000000);
    syscall(SYS_exit, 0);
}

/* In the assembler of a C library. */
NAMED void burn_copying(u64 ns) {
    static char from[1 << 16], to[1 << 16];
    for (u64 start = cpu_now(); cpu_now() - start < ns;) {
        memcpy(to, from, sizeof to);
        __asm__ volatile("" : : "r"(to) : "memory");
    }
    KEEP_FRAME();
}

int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "";
    wanted_ns = number_arg(argc, argv, 2, 300) * 1000000u;
    if (!strcmp(way, "small_alternate")) small_alternate();
    if (!strcmp(way, "small_stack")) in_thread(little_stack, 16384);
    if (!strcmp(way, "named")) named();
    if (!strcmp(way, "all")) all();
    if (!strcmp(way, "vfork")) vforks(argv[0]);
    if (!strcmp(way, "masked")) masks(0);
    if (!strcmp(way, "raw_masked")) masks(1);
    if (!strcmp(way, "restores")) restores();
    if (!strcmp(way, "interrupts")) interrupts();
    if (!strcmp(way, "ignores")) ignores();
    if (!strcmp(way, "holds")) holds();
    if (!strcmp(way, "strict")) strict();
    if (!strcmp(way, "copies")) burn_copying(wanted_ns);
    if (!strcmp(way, "c11")) {
        thrd_t thread;
        int result = 0;
        if (thrd_create(&thread, of_c11, NULL) != thrd_success) abort();
        thrd_join(thread, &result);
        truth("got", (u64)result);
    }
    if (!strcmp(way, "forks")) {
        pid_t child = fork();
        if (!child) {
            burn_child(wanted_ns);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    return 0;
}
