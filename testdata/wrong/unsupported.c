#include <mpi.h>

/* One-sided communication and parallel I/O are not modelled. */
int main(int argc, char **argv)
{
    int value = 0;
    MPI_Win window;
    MPI_File file;

    MPI_Init(&argc, &argv);
    MPI_Win_create(&value, sizeof value, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_File_open(MPI_COMM_WORLD, "out", MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_Finalize();
    return 0;
}
