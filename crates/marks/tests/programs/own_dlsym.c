/* A program that uses dlsym itself, in the same file as residue.h: its reference must
 * stay a strong one, or it could be linked without the library that has dlsym. */
#include "residue.h"

#include <dlfcn.h>
#include <stdio.h>

int main(void) {
    residue_stamp("before");
    printf("found %d\n", dlsym((void *)0, "no such symbol") != NULL);
    return 0;
}
