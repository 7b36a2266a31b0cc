/* A token goes round the ring; every task adds its rank to it.
 * Arguments: turns (default 100), integers in the token (default 1). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, size, turns, length;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    turns = argc > 1 ? atoi(argv[1]) : 100;
    length = argc > 2 ? atoi(argv[2]) : 1;
    if (size < 2) {
        fprintf(stderr, "the ring needs two tasks\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }

    int next = (rank + 1) % size;
    int previous = (rank + size - 1) % size;
    int *token = malloc(length * sizeof *token);
    memset(token, 0, length * sizeof *token);

    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int turn = 0; turn < turns; turn++) {
        if (rank == 0) {
            MPI_Send(token, length, MPI_INT, next, 7, MPI_COMM_WORLD);
            MPI_Recv(token, length, MPI_INT, previous, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(token, length, MPI_INT, previous, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 0; i < length; i++)
                token[i] += rank;
            MPI_Send(token, length, MPI_INT, next, 7, MPI_COMM_WORLD);
        }
    }
    double elapsed = MPI_Wtime() - start;
    if (rank == 0)
        printf("token %d\nElapsed time: %f s\n", token[0], elapsed);
    free(token);
    MPI_Finalize();
    return 0;
}
