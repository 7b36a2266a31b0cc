// Both tasks send first, which goes well as long as messages are small.
// tasks: 2
// expect: warning C0424
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank, got = 0, other = 1 - rank;
    MPI_Send(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
    MPI_Recv(&got, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
