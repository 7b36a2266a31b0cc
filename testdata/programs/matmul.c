/* Master/slave matrix multiplication: the master sends each worker B and a band of rows of A,
 * and receives the rows of the product. The workers learn from messages how much they have to do.
 * Argument: order of the matrices (default 96). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define MASTER 0
#define FROM_MASTER 1
#define FROM_WORKER 2

static double **matrix(int rows, int columns)
{
    double *data = malloc(sizeof(double) * rows * columns);
    double **m = malloc(sizeof(double *) * rows);
    for (int i = 0; i < rows; i++)
        m[i] = &data[i * columns];
    return m;
}

static void multiply(double **a, double **b, double **c, int rows, int n)
{
    int i, j, k;
    for (k = 0; k < n; k++)
        for (i = 0; i < rows; i++) {
            c[i][k] = 0.0;
            for (j = 0; j < n; j++)
                c[i][k] = c[i][k] + a[i][j] * b[j][k];
        }
}

static void master(int workers, int n)
{
    double **a = matrix(n, n), **b = matrix(n, n), **c = matrix(n, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            a[i][j] = i + j;
            b[i][j] = i * j;
        }

    double start = MPI_Wtime();
    int average = n / workers, extra = n % workers, offset = 0;
    for (int to = 1; to <= workers; to++) {
        int rows = to <= extra ? average + 1 : average;
        MPI_Send(&offset, 1, MPI_INT, to, FROM_MASTER, MPI_COMM_WORLD);
        MPI_Send(&rows, 1, MPI_INT, to, FROM_MASTER, MPI_COMM_WORLD);
        if (rows > 0)
            MPI_Send(a[offset], rows * n, MPI_DOUBLE, to, FROM_MASTER, MPI_COMM_WORLD);
        MPI_Send(b[0], n * n, MPI_DOUBLE, to, FROM_MASTER, MPI_COMM_WORLD);
        offset += rows;
    }
    for (int from = 1; from <= workers; from++) {
        int rows, begin;
        MPI_Status status;
        MPI_Recv(&begin, 1, MPI_INT, from, FROM_WORKER, MPI_COMM_WORLD, &status);
        MPI_Recv(&rows, 1, MPI_INT, from, FROM_WORKER, MPI_COMM_WORLD, &status);
        if (rows > 0)
            MPI_Recv(c[begin], rows * n, MPI_DOUBLE, from, FROM_WORKER, MPI_COMM_WORLD, &status);
    }
    printf("last element %g\nElapsed time: %f s\n", c[n - 1][n - 1], MPI_Wtime() - start);
}

static void worker(int n)
{
    int offset, rows;
    MPI_Status status;
    MPI_Recv(&offset, 1, MPI_INT, MASTER, FROM_MASTER, MPI_COMM_WORLD, &status);
    MPI_Recv(&rows, 1, MPI_INT, MASTER, FROM_MASTER, MPI_COMM_WORLD, &status);
    double **a = matrix(rows + 1, n), **b = matrix(n, n), **c = matrix(rows + 1, n);
    if (rows > 0)
        MPI_Recv(a[0], rows * n, MPI_DOUBLE, MASTER, FROM_MASTER, MPI_COMM_WORLD, &status);
    MPI_Recv(b[0], n * n, MPI_DOUBLE, MASTER, FROM_MASTER, MPI_COMM_WORLD, &status);

    multiply(a, b, c, rows, n);

    MPI_Send(&offset, 1, MPI_INT, MASTER, FROM_WORKER, MPI_COMM_WORLD);
    MPI_Send(&rows, 1, MPI_INT, MASTER, FROM_WORKER, MPI_COMM_WORLD);
    if (rows > 0)
        MPI_Send(c[0], rows * n, MPI_DOUBLE, MASTER, FROM_WORKER, MPI_COMM_WORLD);
}

int main(int argc, char *argv[])
{
    int rank, size, n = 96;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1 && sscanf(argv[1], "%d", &n) != 1) {
        fprintf(stderr, "usage: %s [order]\n", argv[0]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (size < 2) {
        printf("at least two tasks are needed\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (rank == MASTER)
        master(size - 1, n);
    else
        worker(n);
    MPI_Finalize();
    return 0;
}
