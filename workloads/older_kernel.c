/* Runs a program as if the kernel were older: calls that are newer than Linux 3.10 are refused as
 * a kernel refuses what it does not know, for the program and all that it starts.
 *
 *   older_kernel NAME PROGRAM [ARGUMENT...]
 *   older_kernel --list
 *
 * NAME is one of the list, or `all`. Files that a kernel lacks cannot be refused so. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A call is refused, or only where one bit pattern is in an argument. */
struct refusal {
    const char *name;
    int call;
    int argument; /* -1: whatever the arguments are */
    unsigned mask, value;
    int error;
};

#define ALWAYS -1, 0, 0
static const struct refusal refusals[] = {
    {"populate", SYS_madvise, 2, ~0u, 23, EINVAL},               /* MADV_POPULATE_WRITE, 5.14 */
    {"wipeonfork", SYS_madvise, 2, ~0u, 18, EINVAL},             /* MADV_WIPEONFORK, 4.14 */
    {"mlock2", SYS_mlock2, ALWAYS, ENOSYS},                      /* 4.4 */
    {"tmpfile", SYS_openat, 2, 020000000, 020000000, EISDIR},    /* O_TMPFILE, 3.11 */
    {"getrandom", SYS_getrandom, ALWAYS, ENOSYS},                /* 3.17 */
    {"memfd_create", 319, ALWAYS, ENOSYS},                       /* 3.17 */
    {"renameat2", 316, ALWAYS, ENOSYS},                          /* 3.15 */
    {"execveat", 322, ALWAYS, ENOSYS},                           /* 3.19 */
    {"membarrier", 324, ALWAYS, ENOSYS},                         /* 4.3 */
    {"copy_file_range", 326, ALWAYS, ENOSYS},                    /* 4.5 */
    {"statx", 332, ALWAYS, ENOSYS},                              /* 4.11 */
    {"rseq", 334, ALWAYS, ENOSYS},                               /* 4.18 */
    {"pidfd_open", 434, ALWAYS, ENOSYS},                         /* 5.3 */
    {"clone3", 435, ALWAYS, ENOSYS},                             /* 5.3 */
    {"close_range", 436, ALWAYS, ENOSYS},                        /* 5.9 */
    {"openat2", 437, ALWAYS, ENOSYS},                            /* 5.6 */
    {"faccessat2", 439, ALWAYS, ENOSYS},                         /* 5.8 */
    {"process_vm_readv", SYS_process_vm_readv, ALWAYS, EPERM},   /* old enough, but forbidden in containers */
};
enum { COUNT = sizeof refusals / sizeof refusals[0] };

static struct sock_filter filter[4 + 5 * COUNT + 1];
static unsigned short length;

static void add(struct sock_filter instruction) { filter[length++] = instruction; }

static void load(size_t offset) { add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)); }

static void jump_unless(unsigned value, unsigned char over) {
    add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, over));
}

static void answer(unsigned what) { add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, what)); }

static void refuse(const struct refusal *refusal) {
    load(offsetof(struct seccomp_data, nr));
    if (refusal->argument < 0) jump_unless(refusal->call, 1);
    else {
        jump_unless(refusal->call, 4);
        load(offsetof(struct seccomp_data, args) + 8 * refusal->argument);
        add((struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, refusal->mask));
        jump_unless(refusal->value, 1);
    }
    answer(SECCOMP_RET_ERRNO | refusal->error);
}

int main(int count, char **arguments) {
    if (count == 2 && strcmp(arguments[1], "--list") == 0) {
        for (int index = 0; index < COUNT; index++) puts(refusals[index].name);
        return 0;
    }
    int found = 0;
    if (count > 2) {
        for (int index = 0; index < COUNT; index++) {
            if (strcmp(arguments[1], "all") && strcmp(arguments[1], refusals[index].name)) continue;
            refuse(&refusals[index]);
            found++;
        }
    }
    if (!found) {
        fprintf(stderr, "usage: older_kernel NAME PROGRAM [ARGUMENT...], older_kernel --list\n");
        return 125;
    }
    answer(SECCOMP_RET_ALLOW);
    struct sock_fprog program = {length, filter};
    /* root may without giving up what setuid programs would get. */
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) &&
        (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))) {
        perror("older_kernel");
        return 125;
    }
    execv(arguments[2], arguments + 2);
    perror(arguments[2]);
    return 127;
}
