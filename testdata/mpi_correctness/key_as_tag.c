// MPI_TAG_UB is the key of an attribute and not the largest tag.
// tasks: 2
// expect: error C0404
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, MPI_TAG_UB, MPI_COMM_WORLD);
    else
        MPI_Recv(&value, 1, MPI_INT, 0, MPI_TAG_UB, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
