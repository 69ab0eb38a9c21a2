/* What every workload shares: a way to make allocations the optimiser cannot
 * touch, a tally of them, and the `truth KEY VALUE` lines a test compares with.
 *
 * FUNCTION.calls        allocations that returned a block, in FUNCTION
 * FUNCTION.total        bytes they asked for
 * FUNCTION.frees        how many of these blocks were freed, by anybody
 * FUNCTION.live         bytes not freed when the line was printed
 * FUNCTION.live_blocks  and blocks
 *
 * They hold for all stacks in which FUNCTION occurs, anywhere and however often.
 * Nothing in this file allocates: lines go through a buffer on the stack and
 * write(2), so they also survive _exit, abort and fork without being doubled. */
#ifndef TRUTH_H
#define TRUTH_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long long u64;

/* A function that must appear in stacks under exactly its own name. */
#if defined(__clang__)
#define NAMED __attribute__((noinline))
#elif __GNUC__ >= 8
#define NAMED __attribute__((noipa))
#else
#define NAMED __attribute__((noinline, noclone, no_icf))
#endif

/* Put after a call, it keeps that call from becoming a jump. */
#define KEEP_FRAME() __asm__ volatile("" : : : "memory")

/* The optimiser must assume that anything may happen to the variable. */
#define HIDE(variable) __asm__ volatile("" : "+r"(variable) : : "memory")

struct tally {
    u64 calls, total, frees, freed;
};

static inline void tally_made(struct tally *t, size_t size) {
    t->calls += 1;
    t->total += size;
}

static inline void tally_freed(struct tally *t, size_t size) {
    t->frees += 1;
    t->freed += size;
}

static inline void tally_add(struct tally *sum, const struct tally *t) {
    sum->calls += t->calls;
    sum->total += t->total;
    sum->frees += t->frees;
    sum->freed += t->freed;
}

static int truth_fd = 1;
static int truth_with_pid = 0; /* then lines read `truth PID KEY VALUE` */

static inline void say(const char *text) {
    size_t left = strlen(text);
    while (left > 0) {
        ssize_t done = write(truth_fd, text, left);
        if (done < 0 && errno != EINTR) return;
        if (done > 0) text += done, left -= (size_t)done;
    }
}

/* Prints `truth KEY VALUE`, or `truth FUNCTION.KEY VALUE`. */
static inline void truth_of(const char *function, const char *key, u64 value) {
    char line[512], pid[24] = "";
    if (truth_with_pid) snprintf(pid, sizeof pid, "%d ", (int)getpid());
    snprintf(line, sizeof line, "truth %s%s%s%s %llu\n", pid, function ? function : "",
             function ? "." : "", key, value);
    say(line);
}

static inline void truth(const char *key, u64 value) { truth_of(NULL, key, value); }

static inline void truth_tally(const char *function, const struct tally *t) {
    truth_of(function, "calls", t->calls);
    truth_of(function, "total", t->total);
    truth_of(function, "frees", t->frees);
    truth_of(function, "live", t->total - t->freed);
    truth_of(function, "live_blocks", t->calls - t->frees);
}

/* splitmix64: the same numbers everywhere for the same seed. */
static inline u64 random_next(u64 *state) {
    u64 z = (*state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

/* Argument `index` as a number, or what it is when it is not there. */
static inline u64 number_arg(int argc, char **argv, int index, u64 otherwise) {
    return argc > index ? strtoull(argv[index], NULL, 0) : otherwise;
}

#endif
