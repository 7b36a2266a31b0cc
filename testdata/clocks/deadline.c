/* The first task looks at the clock and tells the others whether to go on. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, go = 1, steps = 0;
    double local = 0.0, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double end = MPI_Wtime() + 0.05;
    while (go) {
        for (int i = 0; i < 1000; i++)
            local += 0.5 * i;
        MPI_Allreduce(&local, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        steps++;
        if (rank == 0)
            go = MPI_Wtime() < end;
        MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%d steps\n", steps);
    MPI_Finalize();
    return 0;
}
