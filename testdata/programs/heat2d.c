/* Heat equation on a two-dimensional Cartesian grid of tasks; columns of the halo travel as a vector type.
 * Arguments: points per side (default 128), time steps (default 50). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct field {
    int rows, columns; /* without the halo */
    double *now, *next;
};

struct neighbours {
    int north, south, west, east;
};

static double *at(const struct field *f, double *data, int i, int j)
{
    return data + (size_t)i * (f->columns + 2) + j;
}

static void create(struct field *f, int rows, int columns)
{
    f->rows = rows;
    f->columns = columns;
    f->now = malloc((size_t)(rows + 2) * (columns + 2) * sizeof(double));
    f->next = malloc((size_t)(rows + 2) * (columns + 2) * sizeof(double));
    for (int k = 0; k < (rows + 2) * (columns + 2); k++)
        f->now[k] = f->next[k] = 0.0;
}

static void exchange(struct field *f, const struct neighbours *n, MPI_Comm grid, MPI_Datatype column)
{
    MPI_Sendrecv(at(f, f->now, 1, 1), f->columns, MPI_DOUBLE, n->north, 0,
                 at(f, f->now, f->rows + 1, 1), f->columns, MPI_DOUBLE, n->south, 0, grid, MPI_STATUS_IGNORE);
    MPI_Sendrecv(at(f, f->now, f->rows, 1), f->columns, MPI_DOUBLE, n->south, 1,
                 at(f, f->now, 0, 1), f->columns, MPI_DOUBLE, n->north, 1, grid, MPI_STATUS_IGNORE);
    MPI_Sendrecv(at(f, f->now, 1, 1), 1, column, n->west, 2,
                 at(f, f->now, 1, f->columns + 1), 1, column, n->east, 2, grid, MPI_STATUS_IGNORE);
    MPI_Sendrecv(at(f, f->now, 1, f->columns), 1, column, n->east, 3,
                 at(f, f->now, 1, 0), 1, column, n->west, 3, grid, MPI_STATUS_IGNORE);
}

static void step(struct field *f, double k)
{
    int width = f->columns + 2;
    for (int i = 1; i <= f->rows; i++) {
        for (int j = 1; j <= f->columns; j++) {
            double *u = f->now + i * width + j;
            f->next[i * width + j] = *u + k * (u[-1] + u[1] + u[-width] + u[width] - 4.0 * *u);
        }
    }
    double *swap = f->now;
    f->now = f->next;
    f->next = swap;
}

int main(int argc, char **argv)
{
    int size, rank, dims[2] = {0, 0}, periods[2] = {0, 0}, coords[2];
    MPI_Comm grid;
    MPI_Datatype column;
    struct field field;
    struct neighbours n;

    MPI_Init(&argc, &argv);
    int points = argc > 1 ? atoi(argv[1]) : 128;
    int steps = argc > 2 ? atoi(argv[2]) : 50;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, coords);
    MPI_Cart_shift(grid, 0, 1, &n.north, &n.south);
    MPI_Cart_shift(grid, 1, 1, &n.west, &n.east);

    int rows = points / dims[0] + (coords[0] < points % dims[0] ? 1 : 0);
    int columns = points / dims[1] + (coords[1] < points % dims[1] ? 1 : 0);
    create(&field, rows, columns);
    if (coords[0] == 0)
        for (int j = 0; j < columns + 2; j++)
            *at(&field, field.now, 0, j) = *at(&field, field.next, 0, j) = 100.0;
    MPI_Type_vector(rows, 1, columns + 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);

    double start = MPI_Wtime();
    for (int t = 0; t < steps; t++) {
        exchange(&field, &n, grid, column);
        step(&field, 0.1);
    }
    double heat = 0.0, total = 0.0;
    for (int i = 1; i <= rows; i++)
        for (int j = 1; j <= columns; j++)
            heat += *at(&field, field.now, i, j);
    MPI_Reduce(&heat, &total, 1, MPI_DOUBLE, MPI_SUM, 0, grid);
    if (rank == 0)
        printf("total heat %g\nElapsed time: %f s\n", total, MPI_Wtime() - start);

    MPI_Type_free(&column);
    free(field.now);
    free(field.next);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
