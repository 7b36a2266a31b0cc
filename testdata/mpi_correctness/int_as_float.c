// Integers are sent and received as floating-point numbers.
// tasks: 2
// expect: error C0433
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int values[4] = {1, 2, 3, 4};
    if (rank == 0)
        MPI_Send(values, 4, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);
    else if (rank == 1)
        MPI_Recv(values, 4, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
