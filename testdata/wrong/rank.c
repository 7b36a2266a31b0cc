#include <mpi.h>

/* The last task has no right neighbour. */
int main(int argc, char **argv)
{
    int rank, token = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Send(&token, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    if (rank > 0)
        MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
