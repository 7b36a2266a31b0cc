// A get with a request: unlocking completes it, the request is waited for later.
// tasks: 2
// expect: nothing
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int shared[8] = {0}, own[8] = {0};
    MPI_Win window;
    MPI_Request request;
    MPI_Win_create(shared, sizeof shared, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, window);
    MPI_Rget(own, 4, MPI_INT, 1 - rank, 0, 4, MPI_INT, window, &request);
    MPI_Win_unlock(1 - rank, window);
    own[0] = 5;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
