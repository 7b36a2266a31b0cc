// What is made is freed, in a loop too.
// tasks: 2
// expect: nothing
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Datatype row;
    MPI_Type_contiguous(4, MPI_INT, &row);
    MPI_Type_commit(&row);
    for (int i = 0; i < 3; i++) {
        MPI_Comm half;
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
        MPI_Barrier(half);
        MPI_Comm_free(&half);
    }
    MPI_Type_free(&row);
    MPI_Finalize();
    return 0;
}
