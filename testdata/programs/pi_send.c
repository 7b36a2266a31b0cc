/* Dartboard estimate of pi, master/worker: every task throws darts in each round, the workers
 * send their estimates to the master, which averages them.
 * Arguments: darts per round (default 50000), rounds (default 10). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define MASTER 0

static double sqr(double x) { return x * x; }

static double dboard(int darts)
{
    const double scale = 2147483647.0;
    int score = 0;
    for (int n = 1; n <= darts; n++) {
        double x = 2.0 * (random() / scale) - 1.0;
        double y = 2.0 * (random() / scale) - 1.0;
        if (sqr(x) + sqr(y) <= 1.0)
            score++;
    }
    return 4.0 * score / darts;
}

int main(int argc, char *argv[])
{
    int rank, size;
    int darts = argc > 1 ? atoi(argv[1]) : 50000;
    int rounds = argc > 2 ? atoi(argv[2]) : 10;
    double average = 0.0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    srandom(rank);

    double start = MPI_Wtime();
    for (int round = 0; round < rounds; round++) {
        double home = dboard(darts);
        if (rank != MASTER) {
            MPI_Send(&home, 1, MPI_DOUBLE, MASTER, round, MPI_COMM_WORLD);
        } else {
            double sum = home;
            for (int source = 1; source < size; source++) {
                double received;
                MPI_Status status;
                MPI_Recv(&received, 1, MPI_DOUBLE, source, round, MPI_COMM_WORLD, &status);
                sum += received;
            }
            average = (average * round + sum / size) / (round + 1);
        }
    }
    double elapsed = MPI_Wtime() - start;

    if (rank == MASTER)
        printf("pi is about %10.8f\nElapsed time: %f s\n", average, elapsed);
    MPI_Finalize();
    return 0;
}
