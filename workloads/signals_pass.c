/* Waits for a signal from outside, says which one came and exits with 42.
 *
 *   signals_pass
 *
 * Prints `ready PID` when it may be sent one of SIGINT, SIGTERM and SIGUSR1, then
 * `got SIGINT` (or the other). Truth: signal_alloc.*, one leak before `ready` and one
 * after the signal, and `signal`, its number. */

#include "truth.h"

#include <signal.h>

static struct tally made;
static volatile sig_atomic_t received;

NAMED void signal_alloc(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    tally_made(&made, size);
}

static void receive(int number) { received = number; }

int main(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGUSR1};
    static const char *const names[] = {"SIGINT", "SIGTERM", "SIGUSR1"};
    sigset_t these, before;
    sigemptyset(&these);
    for (int i = 0; i < 3; i++) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = receive;
        sigaction(numbers[i], &action, NULL);
        sigaddset(&these, numbers[i]);
    }
    sigprocmask(SIG_BLOCK, &these, &before); /* they come in sigsuspend only */
    sigdelset(&before, SIGINT), sigdelset(&before, SIGTERM), sigdelset(&before, SIGUSR1);

    char line[64];
    signal_alloc(1000);
    snprintf(line, sizeof line, "ready %d\n", (int)getpid());
    say(line);
    while (!received) sigsuspend(&before);

    signal_alloc(500);
    for (int i = 0; i < 3; i++) {
        if (numbers[i] != received) continue;
        snprintf(line, sizeof line, "got %s\n", names[i]);
        say(line);
    }
    truth("signal", (u64)received);
    truth_tally("signal_alloc", &made);
    return 42;
}
