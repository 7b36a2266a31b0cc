// The exchange receives into what it sends.
// tasks: 2
// expect: error C0422
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int values[3] = {rank, rank, rank}, other = 1 - rank;
    MPI_Sendrecv(values, 2, MPI_INT, other, 0, values + 1, 2, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
