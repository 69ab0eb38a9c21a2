/* A library whose constructor waits for the program. */

void wait_until_made(void);

__attribute__((constructor)) static void waits(void) { wait_until_made(); }
