/* Transposes a square matrix that is distributed by columns: blocks are packed, exchanged by Alltoall, unpacked.
 * Arguments: order, rounded down to a multiple of the tasks (default 512), repetitions (default 4). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, order = 512, repetitions = 4;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0 && argc > 1)
        order = atoi(argv[1]);
    if (rank == 0 && argc > 2)
        repetitions = atoi(argv[2]);
    MPI_Bcast(&order, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&repetitions, 1, MPI_INT, 0, MPI_COMM_WORLD);
    int width = order / size;
    order = width * size;
    if (order == 0) {
        if (rank == 0)
            printf("more tasks than columns\n");
        MPI_Finalize();
        return 1;
    }

    float *a = malloc(sizeof(float) * order * width), *b = malloc(sizeof(float) * order * width);
    float *out = malloc(sizeof(float) * order * width), *in = malloc(sizeof(float) * order * width);
    for (int j = 0; j < width; j++)
        for (int i = 0; i < order; i++)
            a[j * order + i] = (float)(order * (rank * width + j) + i);

    double start = MPI_Wtime();
    for (int k = 0; k < repetitions; k++) {
        for (int p = 0; p < size; p++)
            for (int i = 0; i < width; i++)
                for (int j = 0; j < width; j++)
                    out[(p * width + i) * width + j] = a[j * order + p * width + i];
        MPI_Alltoall(out, width * width, MPI_FLOAT, in, width * width, MPI_FLOAT, MPI_COMM_WORLD);
        for (int p = 0; p < size; p++)
            for (int i = 0; i < width; i++)
                for (int j = 0; j < width; j++)
                    b[i * order + p * width + j] = in[(p * width + i) * width + j];
    }
    double elapsed = MPI_Wtime() - start, slowest;
    MPI_Reduce(&elapsed, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("b[1] %g\nElapsed time: %f s\n", b[1], slowest);
    MPI_Finalize();
    return 0;
}
