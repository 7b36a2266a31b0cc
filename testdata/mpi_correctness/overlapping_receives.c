// Two receives that are open at a time share half of their buffers.
// tasks: 2
// expect: error C0419
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int both[6], part[4] = {0};
    MPI_Request requests[2];
    if (rank == 0) {
        MPI_Irecv(both, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(both + 2, 4, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else if (rank == 1) {
        MPI_Send(part, 4, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(part, 4, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
