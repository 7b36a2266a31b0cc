// A persistent request is complete, but never freed.
// tasks: 2
// expect: warning C0430
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank, got = 0, other = 1 - rank;
    MPI_Request sending;
    MPI_Send_init(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &sending);
    MPI_Start(&sending);
    MPI_Recv(&got, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
