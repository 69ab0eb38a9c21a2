/* Every way to get a second process, each allocating on its own account.
 *
 *   fork_family MODE...
 *     fork      a child, which frees a block of its parent; and a grandchild
 *     clone     a child made by the bare system call: no atfork handler runs
 *     exec      vfork, then exec of this program
 *     spawn     posix_spawn of this program
 *     threads   20 children forked while other threads allocate
 *     vfork     a vfork child allocates in its parent's memory: the block is the parent's
 *     all       all of these but vfork
 *     leaf      what exec and spawn run
 *
 * Truth, as `truth PID KEY VALUE`, printed by each process about itself:
 *   parent_alloc.*                  in the process started from outside
 *   child_alloc.*, grandchild_alloc.*, exec_alloc.*, vfork_alloc.*, busy_alloc.*
 *   inherited_frees, inherited_freed    what a child freed of parent_alloc's
 *   child                           the pid of a child the process made */

#include "truth.h"

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define ALLOCATES(name)                                              \
    static struct tally name##_tally;                                \
    NAMED void *name(size_t size) {                                  \
        void *block = malloc(size);                                  \
        HIDE(block);                                                 \
        tally_made(&name##_tally, size);                             \
        return block;                                                \
    }

ALLOCATES(parent_alloc)
ALLOCATES(child_alloc)
ALLOCATES(grandchild_alloc)
ALLOCATES(exec_alloc)
ALLOCATES(vfork_alloc)

extern char **environ;
static void *parents_block;
enum { PARENTS_SIZE = 5000 };

/* `count` blocks of size, size + 1, …; every third is freed. */
static void allocate(void *(*function)(size_t), struct tally *t, int count, size_t size) {
    for (int i = 0; i < count; i++) {
        void *block = function(size + (size_t)i);
        if (i % 3 == 0) {
            tally_freed(t, size + (size_t)i);
            free(block);
        }
    }
}

static void join(pid_t child) {
    truth("child", (u64)child);
    waitpid(child, NULL, 0);
}

static void be_child(void) {
    allocate(child_alloc, &child_alloc_tally, 100, 40);
    free(parents_block);
    truth_tally("child_alloc", &child_alloc_tally);
    truth("inherited_frees", 1);
    truth("inherited_freed", PARENTS_SIZE);
}

static void by_fork(void) {
    pid_t child = fork();
    if (child == 0) {
        pid_t grandchild = fork();
        if (grandchild == 0) {
            allocate(grandchild_alloc, &grandchild_alloc_tally, 30, 300);
            truth_tally("grandchild_alloc", &grandchild_alloc_tally);
            exit(0);
        }
        join(grandchild);
        be_child();
        exit(0);
    }
    join(child);
}

static void by_clone(void) {
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) {
        be_child();
        _exit(0);
    }
    join(child);
}

static char *leaf_arguments[] = {"fork_family", "leaf", NULL};

static void by_exec(void) {
    pid_t child = vfork();
    if (child == 0) {
        execve("/proc/self/exe", leaf_arguments, environ);
        _exit(127);
    }
    join(child);
}

static void by_spawn(void) {
    pid_t child;
    if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, leaf_arguments, environ) == 0) join(child);
}

static void by_vfork(void) {
    pid_t child = vfork();
    if (child == 0) {
        vfork_alloc(777);
        _exit(0);
    }
    join(child);
    truth_tally("vfork_alloc", &vfork_alloc_tally);
}

static atomic_bool stop;

NAMED void busy_alloc(struct tally *t, size_t size) {
    void *block = malloc(size);
    HIDE(block);
    tally_made(t, size);
    free(block);
    tally_freed(t, size);
}

static void *be_busy(void *t) {
    for (size_t i = 0; !stop; i++) busy_alloc(t, 1 + i % 2000);
    return NULL;
}

static void by_threads(void) {
    enum { THREADS = 3, CHILDREN = 20 };
    pthread_t threads[THREADS];
    struct tally tallies[THREADS] = {{0, 0, 0, 0}}, sum = {0, 0, 0, 0};
    for (int t = 0; t < THREADS; t++) pthread_create(&threads[t], NULL, be_busy, &tallies[t]);
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        if (child == 0) {
            be_child();
            exit(0);
        }
        join(child);
    }
    stop = 1;
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        tally_add(&sum, &tallies[t]);
    }
    truth_tally("busy_alloc", &sum);
}

int main(int argc, char **argv) {
    truth_with_pid = 1;
    if (argc == 2 && !strcmp(argv[1], "leaf")) {
        allocate(exec_alloc, &exec_alloc_tally, 60, 70);
        truth_tally("exec_alloc", &exec_alloc_tally);
        return 0;
    }
    parents_block = parent_alloc(PARENTS_SIZE);
    for (int i = 1; i < argc; i++) {
        int all = !strcmp(argv[i], "all");
        if (all || !strcmp(argv[i], "fork")) by_fork();
        if (all || !strcmp(argv[i], "clone")) by_clone();
        if (all || !strcmp(argv[i], "exec")) by_exec();
        if (all || !strcmp(argv[i], "spawn")) by_spawn();
        if (all || !strcmp(argv[i], "threads")) by_threads();
        if (!strcmp(argv[i], "vfork")) by_vfork();
        allocate(parent_alloc, &parent_alloc_tally, 50, 100);
    }
    truth_tally("parent_alloc", &parent_alloc_tally);
    return 0;
}
