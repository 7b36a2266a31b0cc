/* Exploration of a state space in regions (Zuberek 2004, section III): each task analyses STATES / N states; the successor
 * of each state belongs to any region alike, so all but one in N are sent on, behind the analysis of the next ones.
 * To be predicted on a platform whose nodes share one medium. */
#include <mpi.h>
#include <stdlib.h>

#ifndef STATES
#define STATES 10240
#endif
#ifndef ANALYSIS
#define ANALYSIS 10000 /* iterations of a loop for each state */
#endif
#ifndef BUFFERS
#define BUFFERS 4 /* states that a task has under way */
#endif
#ifndef BYTES
#define BYTES 1000 /* of a state */
#endif

static double analyse(long iterations)
{
    double x = 1.0;
    for (long i = 0; i < iterations; i++)
        x = x * 0.999999 + 1e-7;
    return x;
}

int main(int argc, char **argv)
{
    int rank, size, incoming = 0, outgoing = 0;
    double value = 0.0;
    char state[BYTES] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int own = STATES / size;
    char *received = malloc((size_t)own * BYTES);
    MPI_Request *in = malloc(own * sizeof *in), *out = malloc(own * sizeof *out);

    /* The k-th successor of a task belongs to the region k + 1 further on. */
    for (int k = 0; k < own; k++) {
        int from = (rank + size - (k + 1) % size) % size;
        if (from != rank)
            MPI_Irecv(received + (size_t)k * BYTES, BYTES, MPI_CHAR, from, k, MPI_COMM_WORLD, &in[incoming++]);
    }
    for (int k = 0; k < own; k++) {
        value += analyse(ANALYSIS);
        int to = (rank + k + 1) % size;
        if (to != rank && outgoing >= BUFFERS)
            MPI_Wait(&out[outgoing - BUFFERS], MPI_STATUS_IGNORE);
        if (to != rank)
            MPI_Isend(state, BYTES, MPI_CHAR, to, k, MPI_COMM_WORLD, &out[outgoing++]);
    }
    MPI_Waitall(incoming, in, MPI_STATUSES_IGNORE);
    MPI_Waitall(outgoing, out, MPI_STATUSES_IGNORE);
    free(received);
    free(in);
    free(out);
    MPI_Finalize();
    return value < 0.0;
}
