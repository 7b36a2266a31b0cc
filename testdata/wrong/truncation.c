#include <mpi.h>

/* Ten numbers are sent, there is room for five. */
int main(int argc, char **argv)
{
    int rank;
    double data[10] = {0};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(data, 10, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(data, 5, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
