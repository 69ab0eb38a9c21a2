/* Becomes another program, by one of the functions for it.
 *
 *   starts execl|execlp|execle|execv|execvp|fexecve PROGRAM [ARGUMENT]
 *
 * With 300 arguments, of which PROGRAM's first is ARGUMENT, where that is `many`. */

#include "truth.h"
#include <fcntl.h>

extern char **environ;

#define TEN "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"
#define HUNDRED TEN, TEN, TEN, TEN, TEN, TEN, TEN, TEN, TEN, TEN

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    const char *how = argv[1];
    char *program = argv[2], *argument = argc > 3 ? argv[3] : NULL;
    char *list[] = {program, argument, NULL};
    if (argument && strcmp(argument, "many") == 0)
        execl(program, program, HUNDRED, HUNDRED, HUNDRED, (char *)NULL);
    if (strcmp(how, "execl") == 0) execl(program, program, argument, (char *)NULL);
    if (strcmp(how, "execlp") == 0) execlp(program, program, argument, (char *)NULL);
    if (strcmp(how, "execle") == 0 && argument)
        execle(program, program, argument, (char *)NULL, environ);
    if (strcmp(how, "execle") == 0) execle(program, program, (char *)NULL, environ);
    if (strcmp(how, "execv") == 0) execv(program, list);
    if (strcmp(how, "execvp") == 0) execvp(program, list);
    if (strcmp(how, "fexecve") == 0) fexecve(open(program, O_RDONLY), list, environ);
    perror(how);
    return 1;
}
