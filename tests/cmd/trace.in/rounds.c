#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, rounds = 0;
    double data[1000] = { 0 };

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    srand(5);
    do {
        int root = rand() % size, count = rand() % 1000;
        MPI_Bcast(data, count, MPI_DOUBLE, root, MPI_COMM_WORLD);
        for (int i = 0; i < count; i++)
            data[i] += rank;
        rounds++;
    } while (rand() % 8);
    if (rank == 0)
        printf("%d rounds\n", rounds);
    MPI_Finalize();
    return 0;
}
