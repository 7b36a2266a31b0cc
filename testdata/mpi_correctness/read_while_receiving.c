// A loop that nothing depends on reads what has not arrived yet.
// tasks: 2
// expect: error C0419
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double row[1000], sum = 0;
    MPI_Request request;
    if (rank == 0) {
        for (int i = 0; i < 1000; i++)
            row[i] = i;
        MPI_Send(row, 1000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Irecv(row, 1000, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
        for (int i = 0; i < 1000; i++)
            sum += row[i];
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
