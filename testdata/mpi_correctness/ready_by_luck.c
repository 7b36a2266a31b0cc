// The receive is posted early, but nothing tells the sender.
// tasks: 2
// expect: error C0439
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Request request;
    if (rank == 0) {
        int value = 1;
        double sum = 0;
        for (int i = 0; i < 1000000; i++)
            sum += 1.0 / (1 + i);
        MPI_Irsend(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        int got = 0;
        MPI_Irecv(&got, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
