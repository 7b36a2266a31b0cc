/* Self-scheduling: workers ask for work, the master gives the next item to whoever asks first. Items cost
 * more and more, so which worker gets which item depends on the machine.
 * Argument: items (default 40). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORK = 1, RESULT = 2, STOP = 3 };

static double compute(int item)
{
    double sum = 0.0;
    for (int i = 1; i <= 1000 * (item + 1); i++)
        sum += 1.0 / ((double)i * i);
    return sum;
}

static void master(int items, int size)
{
    int next = 0, running = 0, nothing = 0;
    double total = 0.0, result;
    MPI_Status status;

    for (int worker = 1; worker < size; worker++) {
        if (next < items) {
            MPI_Send(&next, 1, MPI_INT, worker, WORK, MPI_COMM_WORLD);
            next++;
            running++;
        } else {
            MPI_Send(&nothing, 1, MPI_INT, worker, STOP, MPI_COMM_WORLD);
        }
    }
    while (running > 0) {
        MPI_Recv(&result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &status);
        total += result;
        if (next < items) {
            MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, WORK, MPI_COMM_WORLD);
            next++;
        } else {
            MPI_Send(&nothing, 1, MPI_INT, status.MPI_SOURCE, STOP, MPI_COMM_WORLD);
            running--;
        }
    }
    printf("total %g\n", total);
}

static void worker(void)
{
    for (;;) {
        int item;
        MPI_Status status;
        MPI_Recv(&item, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == STOP)
            break;
        double result = compute(item);
        MPI_Send(&result, 1, MPI_DOUBLE, 0, RESULT, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, size, items = 40;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1)
        items = atoi(argv[1]);
    double start = MPI_Wtime();
    if (rank == 0)
        master(items, size);
    else
        worker();
    if (rank == 0)
        printf("Elapsed time: %f s\n", MPI_Wtime() - start);
    MPI_Finalize();
    return 0;
}
