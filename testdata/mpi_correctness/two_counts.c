// The members of a reduction give different counts.
// tasks: 2
// expect: error C0432
// expect: error C0711
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int values[4] = {0}, results[4] = {0};
    MPI_Reduce(values, results, rank == 0 ? 4 : 3, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
