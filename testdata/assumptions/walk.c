#include <mpi.h>
#include <stdlib.h>

/* Steps of a random walk until it leaves an interval: 400 at most. */
static int walk(void) {
    double x = 0;
    int n;
    for (n = 0; n < 400; n++) {
        if (x * x > 25.0) break;
        x += rand() / (double)RAND_MAX - 0.5;
    }
    return n;
}

int main(int argc, char **argv) {
    long steps = 0, sum;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 100000; i++) steps += walk();
    MPI_Reduce(&steps, &sum, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
