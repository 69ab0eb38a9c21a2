/* Many live blocks of 64 bytes from five stacks, held till the end: what does the
 * profiler itself need per block?
 *
 *   live_blocks [blocks=1000000] [wait]
 *
 * `wait`: when all are made, waits for a line on stdin.
 *
 * Truth: hold_block.*. Also prints `vmrss_kib N`, the process's resident size, which
 * is not a truth since the profiler adds to it. */

#include "truth.h"

#include <fcntl.h>

enum { SIZE = 64 };
static struct tally made;
static void *last;

NAMED void hold_block(void) {
    void **block = malloc(SIZE);
    HIDE(block);
    block[0] = last;
    memset(block + 1, 1, SIZE - sizeof *block);
    last = block;
    tally_made(&made, SIZE);
}

#define HOLD(name)          \
    NAMED void name(void) { \
        hold_block();       \
        KEEP_FRAME();       \
    }
HOLD(hold_0)
HOLD(hold_1)
HOLD(hold_2)
HOLD(hold_3)
HOLD(hold_4)

static u64 vmrss_kib(void) {
    char text[4096];
    int file = open("/proc/self/status", O_RDONLY);
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = 0;
    const char *line = strstr(text, "VmRSS:");
    return line ? strtoull(line + 6, NULL, 10) : 0;
}

int main(int argc, char **argv) {
    static void (*const hold[])(void) = {hold_0, hold_1, hold_2, hold_3, hold_4};
    u64 blocks = number_arg(argc, argv, 1, 1000000);
    for (u64 i = 0; i < blocks; i++) hold[i % 5]();

    char line[64];
    truth_tally("hold_block", &made);
    snprintf(line, sizeof line, "vmrss_kib %llu\n", vmrss_kib());
    say(line);
    if (argc > 2 && !strcmp(argv[2], "wait"))
        while (read(0, line, 1) == 1 && line[0] != '\n') {}
    return 0;
}
