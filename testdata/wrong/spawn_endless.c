#include <mpi.h>

/* Tasks that are started start further ones, because nobody asks who started them. */
int main(int argc, char **argv)
{
    MPI_Comm workers;

    MPI_Init(&argc, &argv);
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 3, MPI_INFO_NULL, 0, MPI_COMM_SELF, &workers, MPI_ERRCODES_IGNORE);
    MPI_Comm_disconnect(&workers);
    MPI_Finalize();
    return 0;
}
