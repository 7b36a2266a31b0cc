// The receive is posted behind a long computation, and the ready send does not wait for it.
// tasks: 2
// expect: error C0439
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        int value = 1;
        MPI_Rsend(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
    } else {
        int got = 0;
        double sum = 0;
        for (int i = 0; i < 1000000; i++)
            sum += 1.0 / (1 + i);
        MPI_Recv(&got, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
