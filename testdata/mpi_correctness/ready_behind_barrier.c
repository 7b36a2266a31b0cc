// A barrier lies between the receive and the ready send.
// tasks: 2
// expect: nothing
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Request request;
    int value = rank, got = 0;
    for (int step = 0; step < 3; step++) {
        if (rank == 1)
            MPI_Irecv(&got, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Rsend(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
        else
            MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
