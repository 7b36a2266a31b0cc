// A bitwise reduction of floating-point numbers.
// tasks: 2
// expect: error C0437
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double value = rank, result = 0;
    MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, MPI_BOR, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
