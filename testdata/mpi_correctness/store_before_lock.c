// The owner fills its window without telling the others that it has.
// tasks: 2
// expect: warning C0434
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int shared[8] = {0}, own[8] = {0};
    MPI_Win window;
    MPI_Win_create(shared, sizeof shared, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    shared[0] = 1;
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        MPI_Get(own, 4, MPI_INT, 1, 0, 4, MPI_INT, window);
        MPI_Win_unlock(1, window);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
