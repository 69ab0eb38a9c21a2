/* A program that opens a library and never closes it: what the dynamic linker allocates for it
 * stays. A leak detector inside the program forgives that, as long as it sees who asked for it.
 *
 *   keeps_library
 *
 * Prints `kept` and exits with status 0. */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    for (size_t size = 1; size <= 1000; size++) free(malloc(size));
    if (!dlopen("libstdc++.so.6", RTLD_NOW)) return 1;
    puts("kept");
    return 0;
}
