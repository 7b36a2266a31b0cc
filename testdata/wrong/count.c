#include <mpi.h>

/* Task 0 has nothing before it to send. */
int main(int argc, char **argv)
{
    int rank, size;
    double data[8] = {0};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        MPI_Send(data, rank - 1, MPI_DOUBLE, size - 1, 0, MPI_COMM_WORLD);
    if (rank == size - 1)
        MPI_Recv(data, 8, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
