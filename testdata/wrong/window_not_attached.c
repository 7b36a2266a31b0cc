#include <mpi.h>

/* Task 1 detaches its memory before task 0 writes to it. */
int main(int argc, char **argv)
{
    int rank, memory[4] = { 0 }, one = 1;
    MPI_Aint place;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, memory, sizeof memory);
    MPI_Get_address(memory, &place);
    MPI_Bcast(&place, 1, MPI_AINT, 1, MPI_COMM_WORLD);
    MPI_Win_detach(window, memory);
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Put(&one, 1, MPI_INT, 1, place, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
