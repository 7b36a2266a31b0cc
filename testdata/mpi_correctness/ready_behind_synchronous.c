// The end of a synchronous send tells that the receiver has come so far.
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
    int value = rank, got = 0, token = 0;
    if (rank == 1) {
        MPI_Irecv(&got, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &request);
        MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Ssend(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Rsend(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
