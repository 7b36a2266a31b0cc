// A communicator and a group are made and never freed.
// tasks: 2
// expect: warning C0430
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm own;
    MPI_Group all;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    MPI_Comm_group(own, &all);
    MPI_Barrier(own);
    MPI_Finalize();
    return 0;
}
