// The fence that completes a put is told that nothing precedes it.
// tasks: 2
// expect: error C0416
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int shared[8] = {0}, own[8] = {0};
    MPI_Win window;
    MPI_Win_create(shared, sizeof shared, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    if (rank == 0)
        MPI_Put(own, 2, MPI_INT, 1, 0, 2, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
