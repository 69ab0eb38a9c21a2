/* Becomes a daemon: forks twice, leaves its session, closes every descriptor
 * above 2 and points the others at /dev/null; then allocates.
 *
 *   daemon FILE
 *
 * Truth, in FILE, which appears complete (by rename) when the daemon is done:
 * pid and daemon_alloc.*. The first process returns at once with status 0. */

#include "truth.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static struct tally made;

NAMED void *daemon_alloc(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    tally_made(&made, size);
    return block;
}

static void become_daemon(void) {
    if (fork() != 0) _exit(0);
    setsid();
    if (fork() != 0) _exit(0);
    umask(022);
#ifdef SYS_close_range
    syscall(SYS_close_range, 3u, ~0u, 0u);
#endif
    for (int fd = 3; fd < 4096; fd++) close(fd);
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= 2; fd++) dup2(null, fd);
    close(null);
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    char unfinished[PATH_MAX];
    snprintf(unfinished, sizeof unfinished, "%s.unfinished", argv[1]);

    become_daemon();
    for (size_t i = 0; i < 1000; i++) {
        size_t size = 16 + i;
        void *block = daemon_alloc(size);
        if (i % 4 == 0) {
            tally_freed(&made, size);
            free(block);
        }
    }
    truth_fd = open(unfinished, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    truth("pid", (u64)getpid());
    truth_tally("daemon_alloc", &made);
    return rename(unfinished, argv[1]) != 0;
}
