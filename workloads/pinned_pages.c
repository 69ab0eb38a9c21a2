/* Small blocks that stay between large ones that go: what keeps pages of the heap resident.
 *
 *   pinned_pages [events] [blocks]
 *
 * In each event `burst` fills the holes that earlier ones left, and makes so many large blocks more, with a small one of
 * `remember` after each. The large ones go at the end of the event, the small ones stay.
 *
 * Truth: remember.blocks, remember.pages: pages that the small blocks are on, with what glibc adds to each, no other live
 * block being on them; resident: bytes of the mappings that blocks are or were in, just before the end. */
#include "residue.h"
#include "truth.h"

#include <fcntl.h>

#define MOST_EVENTS 1000
#define MOST_BLOCKS 200
#define LARGE 5000
#define SMALL 64
/* With glibc's head, as it rounds up. */
#define SMALL_TAKES 80

static char *kept[MOST_EVENTS * MOST_BLOCKS];
static u64 kept_count;
static void *large[MOST_EVENTS * MOST_BLOCKS];
/* Where large ones were, as many as there is room for. */
static uintptr_t places[1 << 20];
static u64 place_count;

NAMED void *burst(void) {
    void *block = malloc(LARGE);
    HIDE(block);
    return memset(block, 1, LARGE);
}

NAMED void remember(void) {
    char *block = malloc(SMALL);
    HIDE(block);
    memset(block, 2, SMALL);
    kept[kept_count++] = block;
}

NAMED void event(u64 blocks) {
    u64 count = 0;
    while (count < kept_count) large[count++] = burst();
    for (u64 i = 0; i < blocks; i++) {
        large[count++] = burst();
        remember();
    }
    while (count > 0) {
        void *block = large[--count];
        if (place_count < sizeof places / sizeof *places) places[place_count++] = (uintptr_t)block;
        free(block);
    }
}

/* In place: qsort may allocate. They are nearly in order already. */
static u64 pages_of_kept(void) {
    static char *sorted[MOST_EVENTS * MOST_BLOCKS];
    for (u64 i = 0; i < kept_count; i++) {
        u64 at = i;
        for (; at > 0 && sorted[at - 1] > kept[i]; at--) sorted[at] = sorted[at - 1];
        sorted[at] = kept[i];
    }
    u64 pages = 0, last = 0;
    for (u64 i = 0; i < kept_count; i++) {
        uintptr_t start = (uintptr_t)sorted[i] - 8;
        for (uintptr_t page = start / 4096; page <= (start + SMALL_TAKES - 1) / 4096; page++) {
            pages += page != last;
            last = page;
        }
    }
    return pages;
}

static int has_block(uintptr_t from, uintptr_t to) {
    for (u64 i = 0; i < kept_count; i++)
        if ((uintptr_t)kept[i] >= from && (uintptr_t)kept[i] < to) return 1;
    for (u64 i = 0; i < place_count; i++)
        if (places[i] >= from && places[i] < to) return 1;
    return 0;
}

/* Of the mappings in which there is or was one of the blocks. */
static u64 resident_bytes(void) {
    static char text[1 << 20];
    size_t length = 0;
    int file = open("/proc/self/smaps", O_RDONLY);
    for (ssize_t got; (got = read(file, text + length, sizeof text - 1 - length)) > 0;) length += (size_t)got;
    close(file);
    u64 sum = 0;
    int is_heap = 0;
    char *next;
    for (char *line = text; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        unsigned long from, to, kib;
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2) {
            is_heap = has_block(from, to);
        } else if (is_heap && sscanf(line, "Rss: %lu kB", &kib) == 1) {
            sum += kib * 1024;
        }
    }
    return sum;
}

int main(int argc, char **argv) {
    u64 events = argc > 1 ? strtoull(argv[1], NULL, 10) : 100;
    u64 blocks = argc > 2 ? strtoull(argv[2], NULL, 10) : 20;
    if (events > MOST_EVENTS || blocks > MOST_BLOCKS) return 2;
    for (u64 number = 1; number <= events; number++) {
        residue_event_begin(number);
        event(blocks);
        residue_event_end(number);
    }
    truth_of("remember", "blocks", kept_count);
    truth_of("remember", "pages", pages_of_kept());
    truth("resident", resident_bytes());
    return 0;
}
