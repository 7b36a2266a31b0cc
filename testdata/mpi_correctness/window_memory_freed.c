// The memory of a window is freed before the window.
// tasks: 2
// expect: error C0436
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *memory = calloc(8, sizeof(int));
    MPI_Win window;
    MPI_Win_create(memory, 8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    free(memory);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
