/* Every kind of call that a trace records, with arguments that depend on data. Ends with a sum, the same on all runs. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;
static int sum;
static int buffer[64], other[64];

static void messages(int n)
{
    MPI_Request requests[3] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    MPI_Status status;
    int next = (rank + 1) % size, last = (rank + size - 1) % size, index, done, positions[3], flag = 0;

    MPI_Sendrecv(&rank, 1, MPI_INT, next, 1, &n, 1, MPI_INT, last, 1, MPI_COMM_WORLD, &status);
    sum += n;
    MPI_Sendrecv(&rank, 1, MPI_INT, rank + 1 < size ? rank + 1 : MPI_PROC_NULL, 1, &n, 1, MPI_INT,
                 rank ? rank - 1 : MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
    MPI_Send_init(buffer, n % 7 + 1, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(other, 64, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Irecv(other, 64, MPI_INT, last, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Issend(buffer, 2, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitany(2, requests, &index, &status);
    MPI_Waitsome(2, requests, &done, positions, MPI_STATUSES_IGNORE);
    MPI_Isend(buffer, 5, MPI_INT, next, 4, MPI_COMM_WORLD, &requests[2]);
    MPI_Probe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &n);
    MPI_Recv(other, n, MPI_INT, status.MPI_SOURCE, 4, MPI_COMM_WORLD, &status);
    while (!flag)
        MPI_Test(&requests[2], &flag, &status);
    sum += n + status.MPI_ERROR * 0;
}

static void collectives(MPI_Comm comm, int n)
{
    int own, members, counts[16], places[16], all[64];
    MPI_Request request;

    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &members);
    for (int i = 0; i < members; i++) {
        counts[i] = 1 + i % 2;
        places[i] = 2 * i;
    }
    MPI_Bcast(&n, 1, MPI_INT, members - 1, comm);
    MPI_Reduce(&n, all, 1, MPI_INT, MPI_MAX, 0, comm);
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_SUM, comm);
    MPI_Gather(&n, 1, MPI_INT, all, 1, MPI_INT, members / 2, comm);
    MPI_Scatter(all, 1, MPI_INT, &n, 1, MPI_INT, members / 2, comm);
    MPI_Allgather(&n, 1, MPI_INT, all, 1, MPI_INT, comm);
    MPI_Gatherv(buffer, counts[own], MPI_INT, all, counts, places, MPI_INT, 0, comm);
    MPI_Scatterv(all, counts, places, MPI_INT, buffer, counts[own], MPI_INT, 0, comm);
    MPI_Allgatherv(buffer, counts[own], MPI_INT, all, counts, places, MPI_INT, comm);
    MPI_Alltoall(all, 1, MPI_INT, other, 1, MPI_INT, comm);
    for (int i = 0; i < members; i++)
        counts[i] = 1;
    MPI_Alltoallv(all, counts, places, MPI_INT, other, counts, places, MPI_INT, comm);
    MPI_Reduce_scatter(all, &n, counts, MPI_INT, MPI_SUM, comm);
    MPI_Scan(&own, &n, 1, MPI_INT, MPI_SUM, comm);
    MPI_Iallreduce(&own, &n, 1, MPI_INT, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(comm);
    sum += n;
}

int main(int argc, char **argv)
{
    MPI_Comm halves, copy;
    int rounds = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    srand(5);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &halves);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    do {
        messages(rand() % 100);
        collectives(rand() % 2 ? halves : copy, rounds);
        rounds++;
    } while (rounds < 4 || rand() % 4);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, copy);
    if (rank == 0)
        printf("%d rounds, %d\n", rounds, sum);
    MPI_Comm_free(&halves);
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
