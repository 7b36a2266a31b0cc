/* All-pairs forces: the bodies of the other tasks travel round a ring (Sendrecv_replace), steps times.
 * Arguments: bodies per task (default 64), time steps (default 5). */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double x, y, z, mass;
} body;

static void forces(const body *mine, const body *others, double (*force)[3], int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double dx = others[j].x - mine[i].x;
            double dy = others[j].y - mine[i].y;
            double dz = others[j].z - mine[i].z;
            double d = dx * dx + dy * dy + dz * dz + 1e-9;
            double f = mine[i].mass * others[j].mass / (d * sqrt(d));
            force[i][0] += f * dx;
            force[i][1] += f * dy;
            force[i][2] += f * dz;
        }
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 64;
    int steps = argc > 2 ? atoi(argv[2]) : 5;

    body *mine = malloc(n * sizeof(body)), *travelling = malloc(n * sizeof(body));
    double (*force)[3] = malloc(n * sizeof *force);
    for (int i = 0; i < n; i++) {
        mine[i].x = rank + i * 0.01;
        mine[i].y = i * 0.02;
        mine[i].z = rank * 0.5;
        mine[i].mass = 1.0;
    }
    int left = (rank - 1 + size) % size, right = (rank + 1) % size;

    double start = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        memcpy(travelling, mine, n * sizeof(body));
        memset(force, 0, n * sizeof *force);
        for (int hop = 0; hop < size; hop++) {
            forces(mine, travelling, force, n);
            MPI_Sendrecv_replace(travelling, n * sizeof(body), MPI_BYTE, right, 5, left, 5, MPI_COMM_WORLD,
                                 MPI_STATUS_IGNORE);
        }
        for (int i = 0; i < n; i++) {
            mine[i].x += 1e-3 * force[i][0];
            mine[i].y += 1e-3 * force[i][1];
            mine[i].z += 1e-3 * force[i][2];
        }
    }
    if (rank == 0)
        printf("first body at %g\nElapsed time: %f s\n", mine[0].x, MPI_Wtime() - start);
    free(mine);
    free(travelling);
    free(force);
    MPI_Finalize();
    return 0;
}
