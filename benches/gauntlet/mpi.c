/* Every rank allocates, and they add up what they have. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank;
    long mine = 0, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 100000; i++) {
            long *volatile block = malloc(64 + i % 1000);
            block[0] = i + rank;
            mine += block[0];
            free(block);
        }
        MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%ld\n", sum);
    MPI_Finalize();
    return 0;
}
