#include <mpi.h>

/* The task that is started waits for a number that nobody sends. */
int main(int argc, char **argv)
{
    int value;
    MPI_Comm parent, worker;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &worker, MPI_ERRCODES_IGNORE);
    else
        MPI_Recv(&value, 1, MPI_INT, 0, 0, parent, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
