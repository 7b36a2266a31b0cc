#include <mpi.h>

/* Only the program itself can be started. */
int main(int argc, char **argv)
{
    MPI_Comm workers;

    MPI_Init(&argc, &argv);
    MPI_Comm_spawn("./worker", MPI_ARGV_NULL, 4, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &workers, MPI_ERRCODES_IGNORE);
    MPI_Comm_disconnect(&workers);
    MPI_Finalize();
    return 0;
}
