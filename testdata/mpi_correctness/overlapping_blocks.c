// Two blocks of a gather reach the same bytes.
// tasks: 2
// expect: error C0422
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int values[2] = {rank, rank}, all[4], counts[2] = {2, 2}, places[2] = {0, 1};
    MPI_Gatherv(values, 2, MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
