// Allocated ints are sent as unsigned numbers.
// tasks: 2
// expect: warning C0433
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *values = malloc(4 * sizeof(int));
    for (int i = 0; i < 4; i++)
        values[i] = i;
    MPI_Bcast(values, 4, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
    free(values);
    MPI_Finalize();
    return 0;
}
