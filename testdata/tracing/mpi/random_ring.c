/* Partner and size of messages depend on random data; so does the number of rounds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, rounds = 0, go = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *data = calloc(10000, sizeof *data);
    srand(7);
    while (go) {
        int shift = rand() % (size - 1) + 1, count = rand() % 10000;
        if (rand() % 3) {
            int to = (rank + shift) % size, from = (rank + size - shift) % size;
            MPI_Request requests[2];
            MPI_Irecv(data, 10000, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, &requests[0]);
            MPI_Isend(data, count, MPI_DOUBLE, to, 1, MPI_COMM_WORLD, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        } else {
            MPI_Bcast(data, count, MPI_DOUBLE, shift, MPI_COMM_WORLD);
        }
        for (int i = 0; i < count; i++)
            data[i] = data[i] * 0.5 + rank;
        rounds++;
        go = rand() % 20 != 0;
    }
    if (rank == 0)
        printf("%d rounds\n", rounds);
    MPI_Finalize();
    return 0;
}
