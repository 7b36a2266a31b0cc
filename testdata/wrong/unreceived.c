#include <mpi.h>

/* Nobody receives the message. */
int main(int argc, char **argv)
{
    int rank, value = 5;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
