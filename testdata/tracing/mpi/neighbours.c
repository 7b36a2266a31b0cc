/* Exchanges with neighbours in topologies and communicators between groups, as often as data decide. Ends with a sum, the same on
 * all runs. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, sum;

/* A ring in which both neighbours of a task are the same where there are two tasks. */
static void ring(int n)
{
    int periodic = 1, out[16], in[16], counts[2] = { n % 3, n % 3 }, places[2] = { 0, 3 };
    MPI_Comm grid;
    MPI_Request request;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &grid);
    for (int i = 0; i < 16; i++)
        out[i] = in[i] = 10 * rank + i;
    MPI_Neighbor_allgather(out, 2, MPI_INT, in, 2, MPI_INT, grid);
    sum += in[0] + in[3];
    MPI_Neighbor_alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, grid);
    MPI_Ineighbor_alltoall(out, n % 4 + 1, MPI_INT, in, n % 4 + 1, MPI_INT, grid, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum += in[0];
    MPI_Comm_free(&grid);
}

/* Everyone sends to the next task; task 0 to the last one as well. */
static void graph(int n)
{
    int sources[2] = { (rank + size - 1) % size, 0 }, destinations[2] = { (rank + 1) % size, size - 1 };
    int out[8] = { 0 }, in[8] = { 0 }, from = rank == size - 1 ? 2 : 1, to = rank == 0 ? 2 : 1;
    MPI_Comm made;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, from, sources, MPI_UNWEIGHTED, to, destinations, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &made);
    out[0] = rank;
    MPI_Neighbor_alltoall(out, n % 3 + 1, MPI_INT, in, n % 3 + 1, MPI_INT, made);
    sum += in[0];
    MPI_Comm_free(&made);
}

/* Even and odd tasks. */
static void groups(int n)
{
    int got = 0, all[8] = { 0 }, own;
    MPI_Comm half, inter, joined;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &inter);
    MPI_Comm_rank(inter, &own);
    MPI_Sendrecv(&rank, 1, MPI_INT, own, n % 7, &got, 1, MPI_INT, own, n % 7, inter, MPI_STATUS_IGNORE);
    sum += got;
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, inter);
    sum += all[0];
    got = n % 5;
    MPI_Bcast(&got, 1, MPI_INT, rank % 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
    MPI_Reduce(&rank, &got, 1, MPI_INT, MPI_SUM, rank % 2 ? rank == 1 ? MPI_ROOT : MPI_PROC_NULL : 0, inter);
    sum += got;
    MPI_Intercomm_merge(inter, rank % 2, &joined);
    MPI_Barrier(joined);
    MPI_Comm_free(&joined);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    int rounds, n, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    srand(7);
    n = rand();
    rounds = 1 + n % 4;
    for (int i = 0; i < rounds; i++) {
        n = rand();
        ring(n);
        graph(n);
        groups(n);
    }
    MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d\n", all);
    MPI_Finalize();
    return 0;
}
