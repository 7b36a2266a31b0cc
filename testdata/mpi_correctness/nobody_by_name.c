// Names of constants mean what they should, whatever their values.
// tasks: 2
// expect: nothing
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank, left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    MPI_Status status;
    MPI_Send(&value, 1, MPI_INT, right, 7, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, left == MPI_PROC_NULL ? left : MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (left != MPI_PROC_NULL && (status.MPI_SOURCE != left || status.MPI_TAG != 7))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
