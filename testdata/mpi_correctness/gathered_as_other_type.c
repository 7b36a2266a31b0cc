// What is gathered as another type is told once.
// tasks: 2
// expect: error C0432
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    float value = rank, floats[2];
    int all[2];
    if (rank == 0)
        MPI_Gather(&value, 1, MPI_FLOAT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Gather(&value, 1, MPI_FLOAT, floats, 1, MPI_FLOAT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
