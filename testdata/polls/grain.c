/* Task 1 computes and looks between its steps for a message to stop, which never comes: it ends by itself, sends how far it
 * came, and task 0 has waited for that alone. Correct MPI, however short the steps are. */
#include <mpi.h>
#include <stdio.h>

#ifndef GRAIN
#define GRAIN 100
#endif

static double x = 1.0;

int main(int argc, char **argv)
{
    int rank, steps = 0, stop = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        while (steps < 50 && !stop) {
            for (int i = 0; i < GRAIN; i++)
                x = x * 1.0000001 + 1e-9;
            MPI_Iprobe(0, 9, MPI_COMM_WORLD, &stop, MPI_STATUS_IGNORE);
            steps++;
        }
        MPI_Send(&steps, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    } else if (rank == 0) {
        MPI_Recv(&steps, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d steps\n", steps);
    }
    MPI_Finalize();
    return 0;
}
