/* The solver of flat.c, which collects its results through groups of sqrt(N) tasks: the first task of each group takes the
 * results of its members, and task 0 those of the groups. The number of tasks must be a square. */
#include <math.h>
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

/* Takes the own result, and one from each of the tasks `step` apart behind this one. */
static double collect(double value, int rank, int step, int group)
{
    value += compute(WORK / RATIO);
    for (int member = 1; member < group; member++) {
        double result;
        MPI_Recv(&result, 1, MPI_DOUBLE, rank + member * step, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        value += result + compute(WORK / RATIO);
    }
    return value;
}

int main(int argc, char **argv)
{
    int rank, size;
    double value = 0.0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int group = (int)(sqrt((double)size) + 0.5);
    if (group * group != size)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int iteration = 0; iteration < 3; iteration++) {
        if (rank == 0)
            value += compute(WORK / RATIO);
        MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        value += compute(WORK / size);
        int leader = rank - rank % group;
        if (rank != leader) {
            MPI_Send(&value, 1, MPI_DOUBLE, leader, 1, MPI_COMM_WORLD);
            continue;
        }
        value = collect(value, rank, 1, group);
        if (rank == 0)
            value = collect(value, rank, group, group);
        else
            MPI_Send(&value, 1, MPI_DOUBLE, 0, group, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return value < 0.0;
}
