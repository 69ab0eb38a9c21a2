/* A child that becomes another user, or moves to another root directory, before it allocates
 * anything, and then allocates; and executes another program, if one is given.
 *
 *   changes_user user|root [PROGRAM]
 *
 * `user` is 65534, `root` the working directory. Truth: by pid, of the child: `changed_alloc.*`,
 * and `child`. */

#include "truth.h"
#include <sys/wait.h>
#include <unistd.h>

static struct tally made;

NAMED void changed_alloc(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    tally_made(&made, size);
}

int main(int argc, char **argv) {
    int becomes_user = argc > 1 && strcmp(argv[1], "user") == 0;
    pid_t child = fork();
    if (child == 0) {
        if (becomes_user ? setuid(65534) : chroot(".")) _exit(9);
        for (int i = 0; i < 100; i++) changed_alloc(1000 + i);
        if (argc > 2) execv(argv[2], argv + 2);
        truth_tally("changed_alloc", &made);
        exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
