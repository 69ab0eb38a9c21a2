/* A program that confines itself with a seccomp filter, and then allocates until a recorder has
 * to grow.
 *
 *   confined ACTION CALL [blocks]
 *
 * ACTION is what the filter does with CALL: `kill`, or `trap`, for which there is a handler that
 * refuses the call, as browsers have. CALL is `growth` (all that a recorder may grow by), `memory`
 * (that and mmap, so that malloc has its heap before), `names` (prctl, tkill, gettid, openat), or
 * `strict`, which is the kernel's own mode. */
#include "truth.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

static volatile int trapped;

static void refuse(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)info;
    trapped++;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = -ENOSYS;
}

static struct tally tally;
static void *blocks[400000];

/* Distinct sizes and, below, distinct paths: entries, counters and nodes all grow. */
NAMED static void fill(u64 from, u64 to) {
    for (u64 index = from; index < to; index++) {
        size_t bytes = 16 + index % 96;
        blocks[index] = malloc(bytes);
        if (!blocks[index]) abort();
        tally_made(&tally, bytes);
    }
    KEEP_FRAME();
}

NAMED static void descend(u64 path, int length, u64 from, u64 to) {
    if (length == 0) fill(from, to);
    else if (path & 1) {
        descend(path >> 1, length - 1, from, to);
        KEEP_FRAME();
    } else descend(path >> 1, length - 1, from, to);
    KEEP_FRAME();
}

static void *in_thread(void *argument) {
    u64 count = (u64)argument;
    fill(count, count + 1000);
    return NULL;
}

static void install(unsigned action, const int *numbers, unsigned count) {
    struct sock_filter filter[64];
    unsigned length = 0;
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (unsigned index = 0; index < count; index++) {
        filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, numbers[index], 0, 1);
        filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
    }
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {(unsigned short)length, filter};
    /* What programs do to find out whether there are filters at all. */
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) != -1 || errno != EFAULT) abort();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) abort();
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)) abort();
}

int main(int argc, char **argv) {
    const char *action = argc > 1 ? argv[1] : "kill", *call = argc > 2 ? argv[2] : "growth";
    u64 count = number_arg(argc, argv, 3, 300000);
    static const int growth[] = {SYS_mprotect, SYS_mremap, SYS_ftruncate, SYS_madvise, SYS_openat, SYS_open,
                                 SYS_tkill, SYS_prctl, SYS_gettid, SYS_getpid, SYS_clock_gettime,
                                 SYS_rt_sigprocmask, SYS_futex, SYS_mmap, SYS_munmap};
    static const int names[] = {SYS_prctl, SYS_tkill, SYS_gettid, SYS_openat, SYS_open, SYS_readlink};
    if (count > 390000) return 2;
    struct sigaction handler = {.sa_sigaction = refuse, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSYS, &handler, NULL);
    /* The heap is there before it can no longer be had. */
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    for (u64 index = 0; index < count; index++) blocks[index] = malloc(128);
    for (u64 index = 0; index < count; index++) free(blocks[index]);
    int is_strict = !strcmp(call, "strict");
    unsigned result = strcmp(action, "trap") ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_TRAP;
    if (is_strict) prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    else if (!strcmp(call, "names")) install(result, names, sizeof names / sizeof *names);
    else if (!strcmp(call, "memory")) install(result, growth, sizeof growth / sizeof *growth);
    else install(result, growth, sizeof growth / sizeof *growth - 2);
    for (u64 from = 0; from < count; from += 100)
        descend(from * 0x9e3779b97f4a7c15ull, 12, from, from + 100 < count ? from + 100 : count);
    if (!strcmp(call, "names")) {
        pthread_t thread;
        pthread_create(&thread, NULL, in_thread, (void *)count);
        pthread_join(thread, NULL);
    }
    truth("all_in_fill", tally.calls);
    truth("bytes_in_fill", tally.total);
    truth("trapped", (u64)trapped);
    if (is_strict) syscall(SYS_exit, 7);
    _exit(7);
}
