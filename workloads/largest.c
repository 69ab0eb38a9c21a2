/* Blocks of known sizes, of which one is the largest of each function.
 *
 *   largest [threads=1] [killed]
 *
 * Every thread makes the same blocks, but for the last few bytes of the largest ones: those
 * are the thread's number, from 0, so that the largest of all is the last thread's. With one
 * thread that is main. `killed` makes the program kill itself when all is made.
 *
 * Truth: FUNCTION.largest of all threads together, the same by thread as FUNCTION.THREAD.largest. */

#include "truth.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

enum { MOST_THREADS = 64, PAGE = 4096 };

static int threads;
static pthread_barrier_t all_made;

static void *make(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    return block;
}

/* Below 16 KiB. */
NAMED void small_blocks(int number) {
    make(100);
    make(16000 + (size_t)number);
    free(make(5));
    KEEP_FRAME();
}

/* From 16 KiB on; the largest is freed at once. */
NAMED void large_blocks(int number) {
    make(16384);
    free(make((3 << 20) + (size_t)number));
    make(20000);
    KEEP_FRAME();
}

/* A block that grows twice and shrinks: the new sizes count. */
NAMED void grown_block(int number) {
    char *block = make(10);
    size_t sizes[] = {5000, 70000 + (size_t)number, 8};
    for (int i = 0; i < 3; i++) {
        block = realloc(block, sizes[i]);
        HIDE(block);
    }
    free(block);
    KEEP_FRAME();
}

/* Blocks without a byte. */
NAMED void empty_blocks(void) {
    make(0);
    make(0);
    KEEP_FRAME();
}

/* More than 32 bits can say, never touched. */
NAMED int huge_block(void) {
    void *block = make((size_t)5 << 30);
    int is_made = block != NULL;
    free(block);
    return is_made;
}

NAMED void mapped_pages(int number) {
    size_t sizes[] = {PAGE, 64 * PAGE + PAGE * (size_t)number, 2 * PAGE};
    for (int i = 0; i < 3; i++)
        mmap(NULL, sizes[i], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    KEEP_FRAME();
}

static void *work(void *argument) {
    int number = (int)(intptr_t)argument;
    char name[16];
    snprintf(name, sizeof name, "thread-%d", number);
    pthread_setname_np(pthread_self(), name);
    small_blocks(number);
    large_blocks(number);
    grown_block(number);
    empty_blocks();
    mapped_pages(number);
    /* A thread that ends before another begins would share its place in the profile. */
    pthread_barrier_wait(&all_made);
    return NULL;
}

static void tell(const char *function, u64 base, u64 step) {
    truth_of(function, "largest", base + step * (u64)(threads - 1));
    for (int number = 0; number < threads; number++) {
        char key[64];
        snprintf(key, sizeof key, "%s.thread-%d", function, number);
        truth_of(key, "largest", base + step * (u64)number);
    }
}

int main(int argc, char **argv) {
    threads = (int)number_arg(argc, argv, 1, 1);
    if (threads < 1 || threads > MOST_THREADS) return 2;
    pthread_barrier_init(&all_made, NULL, (unsigned)threads);
    if (threads == 1) {
        work((void *)0);
    } else {
        pthread_t ids[MOST_THREADS];
        for (int number = 0; number < threads; number++)
            pthread_create(&ids[number], NULL, work, (void *)(intptr_t)number);
        for (int number = 0; number < threads; number++) pthread_join(ids[number], NULL);
    }
    tell("small_blocks", 16000, 1);
    tell("large_blocks", 3 << 20, 1);
    tell("grown_block", 70000, 1);
    tell("empty_blocks", 0, 0);
    tell("mapped_pages", 64 * PAGE, PAGE);
    if (huge_block()) truth_of("huge_block", "largest", (u64)5 << 30);
    if (argc > 2 && strcmp(argv[2], "killed") == 0) raise(SIGKILL);
    return 0;
}
