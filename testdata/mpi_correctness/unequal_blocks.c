// Every member gives two values to each other one, which takes three.
// tasks: 2
// expect: error C0426
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int gives[4] = {0}, takes[6];
    MPI_Alltoall(gives, 2, MPI_INT, takes, 3, MPI_INT, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
