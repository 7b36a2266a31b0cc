/* Task 1 polls for a message that task 0 does not send. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, there = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        while (!there)
            MPI_Iprobe(0, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
