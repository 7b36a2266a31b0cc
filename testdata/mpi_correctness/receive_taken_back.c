// A receive from any source is cancelled before anybody sends; the message goes to the next one.
// tasks: 2
// expect: nothing
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0, wanted = 0, cancelled = 0;
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &cancelled);
        MPI_Barrier(MPI_COMM_WORLD);
        if (cancelled)
            MPI_Recv(&wanted, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        value = 42;
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return wanted == 42 || rank != 0 ? 0 : 1;
}
