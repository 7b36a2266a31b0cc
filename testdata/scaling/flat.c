/* An iterative solver (Zuberek 2004, section II): task 0 hands out the approximation, all tasks compute a share of the new
 * one, and task 0 takes the results one by one. WORK iterations of a loop are all of the work, WORK / RATIO of them are
 * what it takes to hand out, and to take in one result. */
#include <mpi.h>

#ifndef WORK
#define WORK 4800000
#endif
#ifndef RATIO
#define RATIO 50
#endif

static double compute(long iterations)
{
    double x = 1.0;
    for (long i = 0; i < iterations; i++)
        x = x * 0.999999 + 1e-7;
    return x;
}

int main(int argc, char **argv)
{
    int rank, size;
    double value = 0.0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int iteration = 0; iteration < 3; iteration++) {
        if (rank == 0)
            value += compute(WORK / RATIO);
        MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        value += compute(WORK / size);
        if (rank != 0) {
            MPI_Send(&value, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
        } else {
            value += compute(WORK / RATIO);
            for (int from = 1; from < size; from++) {
                MPI_Recv(&value, 1, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                value += compute(WORK / RATIO);
            }
        }
    }
    MPI_Finalize();
    return value < 0.0;
}
