/* Traced before calls were recorded: trace.json and the task files beside this are of that time. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, hits = 0, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++)
        if (rand() % 2)
            hits++;
    MPI_Reduce(&hits, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
