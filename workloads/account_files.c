/* The resident set grows by pages of a file: each event maps 256 KiB more of it and reads
 * them. The file has no name any more when the events begin, so nothing is left behind.
 *
 *   account_files [events=200] [folder=TMPDIR or /var/tmp]
 *
 * Truth: as account_kit.h has it; map_part.map_calls, .map_total, .map_live; checksum.
 * On a file system in memory the kernel counts the pages as shared memory. */

#include "account_kit.h"

#include <sys/mman.h>

enum { PART_BYTES = 256 << 10 };

static int file;
static struct tally parts;
static u64 checksum;

static int nameless_file(const char *folder, u64 bytes) {
    char path[4096];
    snprintf(path, sizeof path, "%s/account_files.XXXXXX", folder);
    int fd = mkstemp(path);
    if (fd < 0 || unlink(path) != 0) {
        perror(path);
        exit(2);
    }
    static char buffer[PART_BYTES];
    memset(buffer, 1, sizeof buffer);
    for (u64 written = 0; written < bytes; written += PART_BYTES) {
        if (write(fd, buffer, PART_BYTES) != PART_BYTES) {
            perror(path);
            exit(2);
        }
    }
    return fd;
}

NAMED const char *map_part(u64 offset) {
    void *part = mmap(NULL, PART_BYTES, PROT_READ, MAP_SHARED, file, (off_t)offset);
    if (part == MAP_FAILED) abort();
    tally_made(&parts, PART_BYTES);
    return part;
}

static void event(u64 number) {
    const char *part = map_part(number * PART_BYTES);
    for (int i = 0; i < PART_BYTES; i++) checksum += (unsigned char)part[i];
}

int main(int argc, char **argv) {
    u64 events = number_arg(argc, argv, 1, 200);
    const char *folder = argc > 2 ? argv[2] : getenv("TMPDIR");
    file = nameless_file(folder ? folder : "/var/tmp", events * PART_BYTES);
    struct account truths = {.file = PART_BYTES};
    account_run(events, event, &truths);
    truth_of("map_part", "map_calls", parts.calls);
    truth_of("map_part", "map_total", parts.total);
    truth_of("map_part", "map_live", parts.total);
    truth("checksum", checksum);
    return 0;
}
