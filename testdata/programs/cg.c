/* Conjugate gradients on the five-point Laplacian of a square grid, rows in blocks: the vector is
 * gathered before each product, dot products are reduced.
 * Arguments: grid points per side (default 48), iterations (default 25). */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int n, rows, first, local;
    int *counts, *starts;
} layout_t;

static layout_t distribute(int n, int rank, int size)
{
    layout_t l;
    l.n = n;
    l.counts = malloc(size * sizeof(int));
    l.starts = malloc(size * sizeof(int));
    for (int p = 0, at = 0; p < size; p++) {
        l.counts[p] = n * (n / size + (p < n % size));
        l.starts[p] = at;
        at += l.counts[p];
    }
    l.local = l.counts[rank];
    l.rows = l.local / n;
    l.first = l.starts[rank] / n;
    return l;
}

static double dot(const double *a, const double *b, int length)
{
    double local = 0.0, global;
    for (int i = 0; i < length; i++)
        local += a[i] * b[i];
    MPI_Allreduce(&local, &global, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return global;
}

static void product(const layout_t *l, const double *x, double *y)
{
    int n = l->n;
    for (int r = 0; r < l->rows; r++) {
        int i = l->first + r;
        for (int j = 0; j < n; j++) {
            double sum = 4.0 * x[i * n + j];
            if (i > 0)
                sum -= x[(i - 1) * n + j];
            if (i < n - 1)
                sum -= x[(i + 1) * n + j];
            if (j > 0)
                sum -= x[i * n + j - 1];
            if (j < n - 1)
                sum -= x[i * n + j + 1];
            y[r * n + j] = sum;
        }
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 48;
    int iterations = argc > 2 ? atoi(argv[2]) : 25;

    layout_t l = distribute(n, rank, size);
    double *x = calloc(l.local + 1, sizeof(double)), *r = malloc((l.local + 1) * sizeof(double));
    double *p = malloc((l.local + 1) * sizeof(double)), *q = malloc((l.local + 1) * sizeof(double));
    double *all = malloc((size_t)n * n * sizeof(double));
    for (int i = 0; i < l.local; i++)
        r[i] = p[i] = 1.0;

    double start = MPI_Wtime();
    double rho = dot(r, r, l.local);
    for (int it = 0; it < iterations; it++) {
        MPI_Allgatherv(p, l.local, MPI_DOUBLE, all, l.counts, l.starts, MPI_DOUBLE, MPI_COMM_WORLD);
        product(&l, all, q);
        double alpha = rho / dot(p, q, l.local);
        for (int i = 0; i < l.local; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        double next = dot(r, r, l.local);
        double beta = next / rho;
        rho = next;
        for (int i = 0; i < l.local; i++)
            p[i] = r[i] + beta * p[i];
    }
    if (rank == 0)
        printf("residual %g\nElapsed time: %f s\n", sqrt(rho), MPI_Wtime() - start);
    MPI_Finalize();
    return 0;
}
