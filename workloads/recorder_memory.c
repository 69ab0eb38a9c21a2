/* Says how much of the process is resident in anonymous mappings without a name, which is where
 * a recorder has its private tables: beside a run without one it tells what they take.
 *
 *   recorder_memory DEPTH BLOCKS
 *
 * Truth: anonymous_bytes, before the program ends. */
#include "truth.h"

#include <fcntl.h>

static char text[1 << 22];
static void *kept[1 << 20];
static u64 count;

NAMED static void descend(u64 depth) {
    /* Each level is a stack of its own, and so is each in which something is left. */
    void *block = malloc(40);
    HIDE(block);
    if (depth > 0) descend(depth - 1);
    free(block);
    KEEP_FRAME();
}

NAMED static void leave(u64 blocks) {
    for (u64 index = 0; index < blocks; index++) kept[count++] = malloc(64);
    KEEP_FRAME();
}

static u64 anonymous_bytes(void) {
    int file = open("/proc/self/smaps", O_RDONLY);
    size_t length = 0;
    ssize_t bytes;
    while ((bytes = read(file, text + length, sizeof text - 1 - length)) > 0) length += (size_t)bytes;
    close(file);
    u64 sum = 0;
    int is_anonymous = 0;
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        unsigned long from, to, inode;
        int name = 0;
        if (sscanf(line, "%lx-%lx %*s %*s %*s %lu %n", &from, &to, &inode, &name) == 3)
            is_anonymous = inode == 0 && line[name] == 0;
        else if (is_anonymous && !strncmp(line, "Rss:", 4))
            sum += 1024 * strtoull(line + 4, NULL, 10);
    }
    return sum;
}

int main(int argc, char **argv) {
    u64 blocks = number_arg(argc, argv, 2, 1000);
    if (blocks > 1 << 20) return 2;
    descend(number_arg(argc, argv, 1, 10));
    leave(blocks);
    truth("anonymous_bytes", anonymous_bytes());
    return 0;
}
