/* Dartboard estimate of pi, one reduction per round.
 * Arguments: darts per round (default 50000), rounds (default 10). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double dboard(int darts)
{
    int score = 0;
    for (int n = 0; n < darts; n++) {
        double x = (double)random() / RAND_MAX;
        double y = (double)random() / RAND_MAX;
        if (x * x + y * y <= 1.0)
            ++score;
    }
    return 4.0 * score / (double)darts;
}

int main(int argc, char **argv)
{
    int rank, size, darts = 50000, rounds = 10;
    double sum, average = 0.0, start;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1)
        darts = strtol(argv[1], NULL, 10);
    if (argc > 2)
        rounds = strtol(argv[2], NULL, 10);
    srandom(rank + 1);

    start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) {
        double home = dboard(darts);
        MPI_Reduce(&home, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        if (rank == 0)
            average = (average * i + sum / size) / (i + 1);
    }
    if (rank == 0) {
        printf("pi is about %10.8f\n", average);
        printf("Elapsed time: %f s\n", MPI_Wtime() - start);
    }
    MPI_Finalize();
    return 0;
}
