// One task wants the sum, the others the largest value.
// tasks: 3
// expect: error C0432
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank, result = 0;
    MPI_Allreduce(&value, &result, 1, MPI_INT, rank == 1 ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
