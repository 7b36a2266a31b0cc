// Word of the receive comes by way of a third task.
// tasks: 3
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
        MPI_Recv_init(&got, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Send(&token, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    } else if (rank == 2) {
        MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Rsend_init(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
        MPI_Recv(&token, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    MPI_Finalize();
    return 0;
}
