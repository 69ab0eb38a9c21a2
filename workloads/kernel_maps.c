/* Memory that programs get from the kernel without mmap: shared segments, the end of the data
 * segment, and system calls made by number.
 *
 *   kernel_maps
 *
 * Truth, in bytes of whole pages, of what each function mapped and what is left of it:
 *   attach_here.map_calls, .map_total, .map_live    shmat, one of two detached again
 *   number_here.…                                   syscall(SYS_mmap), one of two unmapped
 *   renumber_here.…                                 syscall(SYS_mremap) of another
 *   break_here.…                                    brk, up and half of it down again */
#include "truth.h"

#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>

enum { PAGE = 4096, ANONYMOUS = MAP_PRIVATE | MAP_ANONYMOUS };

NAMED static char *attach_here(size_t length) {
    int segment = shmget(IPC_PRIVATE, length, IPC_CREAT | 0600);
    char *at = shmat(segment, NULL, 0);
    if (at == (char *)-1) abort();
    shmctl(segment, IPC_RMID, NULL);
    at[length - 1] = 1;
    return at;
}

NAMED static char *number_here(size_t length) {
    char *at = (char *)syscall(SYS_mmap, NULL, length, PROT_READ | PROT_WRITE, ANONYMOUS, -1, 0L);
    if (at == MAP_FAILED) abort();
    at[length - 1] = 1;
    return at;
}

NAMED static char *renumber_here(char *old, size_t length, size_t wanted) {
    char *at = (char *)syscall(SYS_mremap, old, length, wanted, MREMAP_MAYMOVE);
    if (at == MAP_FAILED) abort();
    at[wanted - 1] = 1;
    return at;
}

NAMED static void break_here(char *end) {
    if (brk(end)) abort();
    KEEP_FRAME();
}

static void maps_truth(const char *function, u64 calls, u64 total, u64 live) {
    truth_of(function, "map_calls", calls);
    truth_of(function, "map_total", total);
    truth_of(function, "map_live", live);
}

int main(void) {
    char *kept = attach_here(100 * PAGE), *gone = attach_here(7 * PAGE - 5);
    HIDE(kept);
    if (shmdt(gone) || shmdt(gone) != -1) abort();
    maps_truth("attach_here", 2, 107 * PAGE, 100 * PAGE);

    char *one = number_here(30 * PAGE), *other = number_here(11 * PAGE), *moved = number_here(PAGE);
    HIDE(other);
    if (syscall(SYS_munmap, one, 30L * PAGE)) abort();
    /* An error is one. */
    if (syscall(SYS_mmap, NULL, 0L, PROT_READ, ANONYMOUS, -1, 0L) != -1 || errno != EINVAL) abort();
    renumber_here(moved, PAGE, 64 * PAGE);
    maps_truth("number_here", 3, 42 * PAGE, 11 * PAGE);
    maps_truth("renumber_here", 1, 64 * PAGE, 64 * PAGE);

    char *end = sbrk(0);
    end += (PAGE - (size_t)end % PAGE) % PAGE;
    if (brk(end)) abort();
    break_here(end + 20 * PAGE);
    break_here(end + 10 * PAGE);
    if ((char *)syscall(SYS_brk, 0L) != end + 10 * PAGE) abort();
    maps_truth("break_here", 1, 20 * PAGE, 10 * PAGE);
    /* Other calls are what they are. */
    if (syscall(SYS_getpid) != getpid()) abort();
    return 0;
}
