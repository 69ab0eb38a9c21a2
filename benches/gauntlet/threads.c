/* A parallel loop that allocates; without OpenMP it is a loop like any other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    long sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 20000000; i++) {
        char *volatile block = malloc(16 + i % 500);
        memset(block, i, 16);
        sum += block[3];
        free(block);
    }
    printf("%ld\n", sum);
    return 0;
}
