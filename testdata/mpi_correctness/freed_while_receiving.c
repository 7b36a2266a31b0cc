// Memory is given back while a message may still arrive there.
// tasks: 2
// expect: error C0419
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank, *room = malloc(sizeof(int));
    MPI_Request request;
    if (rank == 0) {
        MPI_Irecv(room, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        free(room);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
