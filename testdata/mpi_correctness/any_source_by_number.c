// The literal is a wildcard in some libraries alone.
// tasks: 2
// expect: warning C0403
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank;
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
    else
        MPI_Recv(&value, 1, MPI_INT, -1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
