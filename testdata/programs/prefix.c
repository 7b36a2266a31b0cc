/* Prefix sums of a distributed array: local sums, a scan, an offset added, the ends gathered at the root.
 * The array is dealt out by the root in unequal parts.
 * Argument: elements (default 10007). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, n = 10007;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1)
        n = atoi(argv[1]);

    int *counts = malloc(size * sizeof(int)), *starts = malloc(size * sizeof(int));
    for (int p = 0; p < size; p++) {
        starts[p] = (int)((long)n * p / size);
        counts[p] = (int)((long)n * (p + 1) / size) - starts[p];
    }
    long *whole = NULL;
    if (rank == 0) {
        whole = malloc(n * sizeof(long));
        for (int i = 0; i < n; i++)
            whole[i] = i % 10;
    }
    int mine = counts[rank];
    long *part = malloc((mine + 1) * sizeof(long));
    MPI_Scatterv(whole, counts, starts, MPI_LONG, part, mine, MPI_LONG, 0, MPI_COMM_WORLD);

    for (int i = 1; i < mine; i++)
        part[i] += part[i - 1];
    long sum = mine > 0 ? part[mine - 1] : 0, upto;
    MPI_Scan(&sum, &upto, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < mine; i++)
        part[i] += upto - sum;

    long *ends = malloc(size * sizeof(long));
    MPI_Gather(&upto, 1, MPI_LONG, ends, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    MPI_Gatherv(part, mine, MPI_LONG, whole, counts, starts, MPI_LONG, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum %ld, last prefix %ld\n", ends[size - 1], whole[n - 1]);
    MPI_Finalize();
    return 0;
}
