// Post, start, complete and wait order a put and a load.
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
    MPI_Win_create(shared, sizeof shared, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Group all, other;
    int whom = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &whom, &other);
    if (rank == 0) {
        shared[0] = 1;
        MPI_Win_post(other, 0, window);
        MPI_Win_wait(window);
        own[0] = shared[0];
    } else {
        MPI_Win_start(other, 0, window);
        MPI_Put(own, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&other);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
