/* Every C function that allocates, each from a function of its own, c_NAME.
 *
 *   c_alloc
 *
 * Truth, with the sizes the program asked for. A realloc that returns a block is one
 * call of the new size, under c_realloc, and a free of the old block, wherever that
 * was made; a realloc that fails is nothing; free(NULL) is nothing.
 *   c_malloc.*, c_calloc.*, c_realloc.*, c_reallocarray.*, c_posix_memalign.*,
 *   c_aligned_alloc.*, c_memalign.*, c_valloc.*, c_pvalloc.*, c_strdup.*, c_strndup.*
 *   c_asprintf.live, c_asprintf.live_blocks, c_getline.live, c_getline.live_blocks
 *                                          (how often they reallocate is the library's)
 *   realloc_moved, realloc_in_place        reallocarray too; by comparing the pointers
 *   free_sized                             1: free_sized and free_aligned_sized exist
 *   errno_ok      1: successful calls and free left errno alone
 *   failures_ok   1: failing calls returned what they should, with the right errno,
 *                 and kept the old block
 *   contents_ok   1: alignments and contents were right */

#include "truth.h"

#include <dlfcn.h>
#include <malloc.h>

enum function {
    MALLOC, CALLOC, REALLOC, REALLOCARRAY, POSIX_MEMALIGN, ALIGNED_ALLOC, MEMALIGN, VALLOC, PVALLOC,
    STRDUP, STRNDUP, ASPRINTF, GETLINE, FUNCTIONS,
};

static const char *const names[FUNCTIONS] = {
    "c_malloc", "c_calloc", "c_realloc", "c_reallocarray", "c_posix_memalign", "c_aligned_alloc", "c_memalign",
    "c_valloc", "c_pvalloc", "c_strdup", "c_strndup", "c_asprintf", "c_getline",
};

struct block {
    void *at;
    size_t size;
    enum function by;
};

static struct tally tallies[FUNCTIONS];
static u64 moved, in_place;
static int errno_ok = 1, failures_ok = 1, contents_ok = 1;

enum { UNTOUCHED = 77 };

static struct block made(void *at, size_t size, enum function by) {
    errno_ok &= errno == UNTOUCHED;
    contents_ok &= at != NULL;
    tally_made(&tallies[by], size);
    return (struct block){at, size, by};
}

static void gone(struct block block) {
    errno_ok &= errno == UNTOUCHED;
    tally_freed(&tallies[block.by], block.size);
}

static struct block aligned(struct block block, size_t alignment) {
    contents_ok &= (uintptr_t)block.at % alignment == 0;
    return block;
}

NAMED struct block c_malloc(size_t size) {
    errno = UNTOUCHED;
    void *at = malloc(size);
    HIDE(at);
    return made(at, size, MALLOC);
}

NAMED struct block c_calloc(size_t count, size_t size) {
    errno = UNTOUCHED;
    char *at = calloc(count, size);
    HIDE(at);
    for (size_t i = 0; i < count * size; i++) contents_ok &= at[i] == 0;
    return made(at, count * size, CALLOC);
}

static struct block replaced(struct block old, uintptr_t old_at, void *at, size_t size, enum function by) {
    if (old.at) gone(old);
    if (old.at) *((uintptr_t)at == old_at ? &in_place : &moved) += 1;
    return made(at, size, by);
}

NAMED struct block c_realloc(struct block old, size_t size) {
    uintptr_t old_at = (uintptr_t)old.at;
    errno = UNTOUCHED;
    void *at = realloc(old.at, size);
    HIDE(at);
    return replaced(old, old_at, at, size, REALLOC);
}

/* glibc frees the block and returns NULL, musl makes one without bytes. */
NAMED void c_realloc_to_0(struct block old) {
    size_t size = 0;
    HIDE(size);
    errno = UNTOUCHED;
    void *at = realloc(old.at, size);
    HIDE(at);
    gone(old);
#ifdef __GLIBC__
    contents_ok &= at == NULL;
#else
    free(at);
#endif
}

NAMED struct block c_reallocarray(struct block old, size_t count, size_t size) {
    uintptr_t old_at = (uintptr_t)old.at;
    errno = UNTOUCHED;
    void *at = reallocarray(old.at, count, size);
    HIDE(at);
    return replaced(old, old_at, at, count * size, REALLOCARRAY);
}

NAMED struct block c_posix_memalign(size_t alignment, size_t size) {
    void *at = NULL;
    errno = UNTOUCHED;
    contents_ok &= posix_memalign(&at, alignment, size) == 0;
    HIDE(at);
    return aligned(made(at, size, POSIX_MEMALIGN), alignment);
}

NAMED struct block c_aligned_alloc(size_t alignment, size_t size) {
    errno = UNTOUCHED;
    void *at = aligned_alloc(alignment, size);
    HIDE(at);
    return aligned(made(at, size, ALIGNED_ALLOC), alignment);
}

NAMED struct block c_memalign(size_t alignment, size_t size) {
    errno = UNTOUCHED;
    void *at = memalign(alignment, size);
    HIDE(at);
    return aligned(made(at, size, MEMALIGN), alignment);
}

NAMED struct block c_valloc(size_t size) {
    errno = UNTOUCHED;
    void *at = valloc(size);
    HIDE(at);
    return aligned(made(at, size, VALLOC), 4096);
}

/* musl has no pvalloc. */
#ifdef __GLIBC__
#define PAGES pvalloc
#else
#define PAGES valloc
#endif

NAMED struct block c_pvalloc(size_t size) {
    errno = UNTOUCHED;
    void *at = PAGES(size);
    HIDE(at);
    return aligned(made(at, size, PVALLOC), 4096);
}

NAMED struct block c_strdup(const char *text) {
    errno = UNTOUCHED;
    char *at = strdup(text);
    HIDE(at);
    contents_ok &= strcmp(at, text) == 0;
    return made(at, strlen(text) + 1, STRDUP);
}

NAMED struct block c_strndup(const char *text, size_t length) {
    errno = UNTOUCHED;
    char *at = strndup(text, length);
    HIDE(at);
    return made(at, length + 1, STRNDUP);
}

NAMED struct block c_asprintf(int width) {
    char *at = NULL;
    errno = UNTOUCHED;
    contents_ok &= asprintf(&at, "%*d", width, 1) == width;
    HIDE(at);
    return made(at, (size_t)width + 1, ASPRINTF);
}

/* Returns the buffer, whose size getline tells, after two lines. */
NAMED struct block c_getline(FILE *file) {
    char *line = NULL;
    size_t size = 0;
    errno = UNTOUCHED;
    contents_ok &= getline(&line, &size, file) == 11;
    contents_ok &= getline(&line, &size, file) == 301;
    HIDE(line);
    return made(line, size, GETLINE);
}

NAMED void c_free(struct block block) {
    errno = UNTOUCHED;
    free(block.at);
    KEEP_FRAME();
    if (block.at) gone(block);
}

static void fails(int refused, int expected) { failures_ok &= refused && errno == expected; }

/* Compilers may take malloc for a function that leaves errno alone, and clear it afterwards. */
static void forget(void) {
    errno = 0;
    KEEP_FRAME();
}

/* Compilers may leave out a malloc whose block nobody sees. */
static int is_refused(void *block) {
    HIDE(block);
    return block == NULL;
}

NAMED void c_failures(void) {
    size_t giant = SIZE_MAX / 4, count = SIZE_MAX / 8, overflow = 16;
    HIDE(giant);
    HIDE(count);
    HIDE(overflow);
    struct block kept = c_malloc(100);
    void *same = kept.at, *again = kept.at, *out = NULL;
    HIDE(same); /* or the compiler takes the block for freed by a realloc that fails */
    HIDE(again);
    strcpy(kept.at, "kept");

    forget(), fails(is_refused(malloc(giant)), ENOMEM);
    forget(), fails(is_refused(calloc(count, overflow)), ENOMEM);
    forget(), fails(is_refused(realloc(same, giant)), ENOMEM);
    forget(), fails(is_refused(reallocarray(again, count, overflow)), ENOMEM);
    forget(), fails(is_refused(memalign(64, giant)), ENOMEM);
    forget(), fails(posix_memalign(&out, 3, 100) == EINVAL, 0);
    failures_ok &= posix_memalign(&out, 64, giant) == ENOMEM; /* errno: either */
    failures_ok &= out == NULL && strcmp(kept.at, "kept") == 0;
    c_free(kept);
}

/* C23; not in every library. */
static int free_with_size(void) {
    void (*sized)(void *, size_t) = (void (*)(void *, size_t))dlsym(RTLD_DEFAULT, "free_sized");
    void (*aligned_sized)(void *, size_t, size_t) =
        (void (*)(void *, size_t, size_t))dlsym(RTLD_DEFAULT, "free_aligned_sized");
    if (!sized || !aligned_sized) return 0;
    struct block plain = c_malloc(333), line = c_aligned_alloc(64, 640);
    errno = UNTOUCHED;
    sized(plain.at, 333);
    gone(plain);
    aligned_sized(line.at, 64, 640);
    gone(line);
    return 1;
}

static FILE *two_lines(void) {
    static char buffer[1024], text[312];
    int ends[2];
    memset(text, 'x', sizeof text);
    text[10] = text[311] = '\n';
    if (pipe(ends) != 0 || write(ends[1], text, sizeof text) != sizeof text) exit(1);
    FILE *file = fdopen(ends[0], "r");
    setvbuf(file, buffer, _IOFBF, sizeof buffer); /* or getline's first call allocates one */
    return file;
}

int main(void) {
    FILE *file = two_lines();
    const struct block none = {NULL, 0, MALLOC};

    for (size_t i = 0; i < 10; i++) {
        struct block blocks[] = {
            c_malloc(0),
            c_malloc(100 + i),
            c_calloc(3, 50 + i),
            c_realloc(none, 70 + i),
            c_realloc(c_malloc(40), 41 + i),        /* grows */
            c_realloc(c_malloc(40), 300000),        /* and moves into a mapping */
            c_realloc(c_calloc(1, 300000), 900000), /* and grows there */
            c_realloc(c_malloc(5000), 50),          /* shrinks */
            c_realloc(c_memalign(256, 512), 513),
            c_reallocarray(none, 7, 9 + i),
            c_reallocarray(c_malloc(30), 100, 10 + i),
            c_posix_memalign(64, 100 + i),
            c_aligned_alloc(128, 256),
            c_memalign(4096, 10 + i),
            c_valloc(200 + i),
            c_pvalloc(8192),
            c_strdup("a string of some length"),
            c_strndup("only a part of this", 6),
            c_asprintf(20 + (int)i),
            c_asprintf(500),
        };
        c_realloc_to_0(c_malloc(60));
        c_free(none);
        if (i % 2 == 0)
            for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) c_free(blocks[b]);
    }
    c_getline(file);
    c_failures();
    truth("free_sized", (u64)free_with_size());

    for (int f = 0; f < FUNCTIONS; f++) {
        if (f < ASPRINTF) {
            truth_tally(names[f], &tallies[f]);
        } else {
            truth_of(names[f], "live", tallies[f].total - tallies[f].freed);
            truth_of(names[f], "live_blocks", tallies[f].calls - tallies[f].frees);
        }
    }
    truth("realloc_moved", moved);
    truth("realloc_in_place", in_place);
    truth("errno_ok", (u64)errno_ok);
    truth("failures_ok", (u64)failures_ok);
    truth("contents_ok", (u64)contents_ok);
    return 0;
}
