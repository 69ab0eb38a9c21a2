/* The smallest program with an allocation, and output of its own on both streams.
 *
 *   hello [status=0]
 *
 * Prints `hello` on stdout and `hello, stderr` on stderr and exits with the status.
 * Truth: hello_alloc.*: three blocks, one of them freed. */

#include "truth.h"

static struct tally made;

NAMED void *hello_alloc(size_t size) {
    void *block = malloc(size);
    HIDE(block);
    tally_made(&made, size);
    return block;
}

int main(int argc, char **argv) {
    hello_alloc(100);
    hello_alloc(200);
    free(hello_alloc(300));
    tally_freed(&made, 300);

    puts("hello");
    fflush(stdout);
    fputs("hello, stderr\n", stderr);
    truth_tally("hello_alloc", &made);
    return (int)number_arg(argc, argv, 1, 0);
}
