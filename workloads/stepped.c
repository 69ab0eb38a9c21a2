/* An event loop that does as it is told.
 *
 *   stepped [marks|function|lines|ends] [EVENTS [FROM TO]]
 *
 * Event i, from 1: step_leak loses one block of 1000 + i % 100 bytes, step_churn makes and
 * frees ten blocks of 64.
 *
 * marks      each event is marked, with the id 1000 + i
 * function   each event is a call of one_step
 * lines      a line `event 1000+i` is printed when an event begins
 * ends       a line `event 1000+i leaked BYTES` is printed when an event is over
 *
 * With EVENTS it runs as many, and counts what FROM and those before TO did. Without, it
 * reads lines on stdin: a number runs so many events and answers `ran EVENTS` with all so
 * far; `count` and `skip` say whether what follows counts; the end of the input is the end.
 * Where it prints lines it waits after each, so that somebody can read them.
 *
 * Truth: events; step_leak.*, step_churn.* of what counts; other_calls, those of the rest. */

#include "truth.h"

#include "../include/residue.h"

static struct tally leaked, churned;
static u64 events, other_calls;
static int counts = 1;
static char mode;

NAMED void step_leak(size_t bytes) {
    void *block = malloc(bytes);
    HIDE(block);
    if (counts) tally_made(&leaked, bytes);
    else other_calls++;
}

NAMED void step_churn(void) {
    for (int i = 0; i < 10; i++) {
        void *block = malloc(64);
        HIDE(block);
        free(block);
        if (counts) {
            tally_made(&churned, 64);
            tally_freed(&churned, 64);
        } else other_calls++;
    }
}

static void say_line(const char *format, u64 id, u64 bytes) {
    char line[64];
    snprintf(line, sizeof line, format, id, bytes);
    say(line);
    usleep(20000);
}

NAMED void one_step(void) {
    u64 id = 1000 + events, bytes = 1000 + events % 100;
    if (mode == 'm') residue_event_begin(id);
    if (mode == 'l') say_line("event %llu\n", id, 0);
    step_leak(bytes);
    step_churn();
    if (mode == 'm') residue_event_end(id);
    if (mode == 'e') say_line("event %llu leaked %llu\n", id, bytes);
}

static void run(u64 many) {
    for (u64 i = 0; i < many; i++) {
        events++;
        one_step();
        KEEP_FRAME();
    }
}

static int next_line(char *line, size_t room) {
    size_t length = 0;
    while (length + 1 < room && read(0, line + length, 1) == 1 && line[length] != '\n') length++;
    line[length] = 0;
    return length > 0;
}

int main(int argc, char **argv) {
    mode = argc > 1 ? argv[1][0] : 'm';
    char line[64];
    if (argc > 2) {
        u64 many = number_arg(argc, argv, 2, 0);
        u64 from = number_arg(argc, argv, 3, 1), to = number_arg(argc, argv, 4, many + 1);
        for (u64 i = 1; i <= many; i++) {
            counts = from <= i && i < to;
            run(1);
        }
    } else
        while (next_line(line, sizeof line)) {
            if (!strcmp(line, "count")) counts = 1;
            else if (!strcmp(line, "skip")) counts = 0;
            else {
                run(strtoull(line, NULL, 10));
                snprintf(line, sizeof line, "ran %llu\n", events);
                say(line);
            }
        }
    truth("events", events);
    truth("other_calls", other_calls);
    truth_tally("step_leak", &leaked);
    truth_tally("step_churn", &churned);
    return 0;
}
