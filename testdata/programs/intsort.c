/* Bucket sort of integers: every task draws keys from its own linear congruential generator, sends
 * each to the task that owns its range (Alltoall of the counts, Alltoallv of the keys) and counts
 * the keys it has received.
 * Argument: keys per task (default 2000). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define RANGE 4096

static unsigned state;

static unsigned draw(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 20;
}

int main(int argc, char **argv)
{
    int rank, size, keys = 2000;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1)
        keys = atoi(argv[1]);
    state = 12345u + 678u * rank;

    int *key = malloc(keys * sizeof(int));
    int *out = malloc(keys * sizeof(int));
    int *give = calloc(size, sizeof(int)), *take = calloc(size, sizeof(int));
    int *give_at = malloc(size * sizeof(int)), *take_at = malloc(size * sizeof(int));
    int *fill = malloc(size * sizeof(int));
    int width = (RANGE + size - 1) / size;

    for (int i = 0; i < keys; i++) {
        key[i] = draw();
        give[key[i] / width]++;
    }
    double start = MPI_Wtime();
    MPI_Alltoall(give, 1, MPI_INT, take, 1, MPI_INT, MPI_COMM_WORLD);
    give_at[0] = take_at[0] = 0;
    for (int p = 1; p < size; p++) {
        give_at[p] = give_at[p - 1] + give[p - 1];
        take_at[p] = take_at[p - 1] + take[p - 1];
    }
    for (int p = 0; p < size; p++)
        fill[p] = give_at[p];
    for (int i = 0; i < keys; i++)
        out[fill[key[i] / width]++] = key[i];

    int mine = take_at[size - 1] + take[size - 1];
    int *in = malloc((mine + 1) * sizeof(int));
    MPI_Alltoallv(out, give, give_at, MPI_INT, in, take, take_at, MPI_INT, MPI_COMM_WORLD);

    int *histogram = calloc(width, sizeof(int));
    for (int i = 0; i < mine; i++)
        histogram[in[i] - rank * width]++;
    int sorted = 0;
    for (int v = 0; v < width; v++)
        for (int k = 0; k < histogram[v]; k++)
            in[sorted++] = rank * width + v;

    int total = 0;
    MPI_Reduce(&sorted, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d keys sorted\nElapsed time: %f s\n", total, MPI_Wtime() - start);
    MPI_Finalize();
    return total == keys * size || rank != 0 ? 0 : 1;
}
