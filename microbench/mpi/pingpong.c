/* Point-to-point costs of an MPI library between two tasks, as CSV: quantity,bytes,ns,minimum,repetitions.
 *
 *   one-way         half a round trip, both receives posted in time
 *   send-overhead   time that MPI_Send of an eager message keeps the sender
 *   recv-overhead   time that MPI_Recv takes when the message has been there for long
 *   gap             time per message of a stream in one direction, the receives posted in advance
 *   call            MPI_Test on a request that cannot be complete
 *
 * Every line is the median of repetitions; the minimum stands beside it, because a shared machine adds
 * time and never takes any away. Argument: seconds for each size (default 0.2). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST (4 << 20)
#define SAMPLES 20000
#define STREAM 32

static char *buffer;
static double samples[SAMPLES];
static int rank;
static double seconds = 0.2;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const char *quantity, int bytes, int count)
{
    if (rank != 0 || count == 0)
        return;
    qsort(samples, count, sizeof *samples, by_value);
    printf("%s,%d,%.1f,%.1f,%d\n", quantity, bytes, samples[count / 2] * 1e9, samples[0] * 1e9, count);
    fflush(stdout);
}

/* So many repetitions that they fill the time; both tasks agree on the number. */
static int repetitions(double one)
{
    double n = seconds / (one > 1e-7 ? one : 1e-7);
    int count = n > SAMPLES ? SAMPLES : n < 20 ? 20 : (int)n;
    MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return count;
}

static void bounce(int bytes)
{
    if (rank == 0) {
        MPI_Send(buffer, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(buffer, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(buffer, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(buffer, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    }
}

static double round_trip(int bytes)
{
    for (int i = 0; i < 10; i++)
        bounce(bytes);
    double start = MPI_Wtime();
    for (int i = 0; i < 10; i++)
        bounce(bytes);
    return (MPI_Wtime() - start) / 10;
}

static void one_way(int bytes)
{
    int count = repetitions(round_trip(bytes));
    for (int i = 0; i < count; i++) {
        double start = MPI_Wtime();
        bounce(bytes);
        samples[i] = (MPI_Wtime() - start) / 2;
    }
    report("one-way", bytes, count);
}

static void busy(double time)
{
    double start = MPI_Wtime();
    while (MPI_Wtime() - start < time)
        ;
}

static double clock_cost(void)
{
    double start = MPI_Wtime();
    for (int i = 0; i < 1000; i++)
        MPI_Wtime();
    return (MPI_Wtime() - start) / 1000;
}

/* The other task is busy for a while after each message, so that none of its time is counted. */
static void overheads(int bytes)
{
    double way = round_trip(bytes), clock = clock_cost();
    int count = repetitions(4 * way + 40e-6);
    if (count > 2000)
        count = 2000;
    for (int i = 0; i < count; i++) {
        if (rank == 0) {
            MPI_Recv(buffer, 0, MPI_CHAR, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            busy(2 * way + 10e-6);
            double start = MPI_Wtime();
            MPI_Send(buffer, bytes, MPI_CHAR, 1, 3, MPI_COMM_WORLD);
            samples[i] = MPI_Wtime() - start - clock;
        } else {
            MPI_Send(buffer, 0, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
            MPI_Recv(buffer, bytes, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    report("send-overhead", bytes, count);
    for (int i = 0; i < count; i++) {
        if (rank == 0) {
            MPI_Send(buffer, 0, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
            busy(2 * way + 10e-6);
            double start = MPI_Wtime();
            MPI_Recv(buffer, bytes, MPI_CHAR, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            samples[i] = MPI_Wtime() - start - clock;
        } else {
            MPI_Recv(buffer, 0, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(buffer, bytes, MPI_CHAR, 0, 3, MPI_COMM_WORLD);
        }
    }
    report("recv-overhead", bytes, count);
}

static void gap(int bytes)
{
    MPI_Request requests[STREAM];
    int count = repetitions(STREAM * round_trip(bytes));
    if (count > 500)
        count = 500;
    for (int i = 0; i < count; i++) {
        if (rank == 0) {
            MPI_Recv(buffer, 0, MPI_CHAR, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            double start = MPI_Wtime();
            for (int k = 0; k < STREAM; k++)
                MPI_Isend(buffer, bytes, MPI_CHAR, 1, 5, MPI_COMM_WORLD, &requests[k]);
            MPI_Waitall(STREAM, requests, MPI_STATUSES_IGNORE);
            MPI_Recv(buffer, 0, MPI_CHAR, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            samples[i] = (MPI_Wtime() - start) / STREAM;
        } else {
            for (int k = 0; k < STREAM; k++)
                MPI_Irecv(buffer, bytes, MPI_CHAR, 0, 5, MPI_COMM_WORLD, &requests[k]);
            MPI_Send(buffer, 0, MPI_CHAR, 0, 4, MPI_COMM_WORLD);
            MPI_Waitall(STREAM, requests, MPI_STATUSES_IGNORE);
            MPI_Send(buffer, 0, MPI_CHAR, 0, 6, MPI_COMM_WORLD);
        }
    }
    report("gap", bytes, count);
}

static void call(void)
{
    MPI_Request request;
    MPI_Irecv(buffer, 1, MPI_CHAR, 1 - rank, 7, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 1000; i++) {
        int done;
        double start = MPI_Wtime();
        for (int k = 0; k < 10; k++)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        samples[i] = (MPI_Wtime() - start) / 10;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(buffer, 1, MPI_CHAR, 1 - rank, 7, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    report("call", 0, 1000);
}

int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2) {
        if (rank == 0)
            fprintf(stderr, "pingpong wants exactly 2 tasks, not %d\n", size);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (argc > 1)
        seconds = atof(argv[1]);
    buffer = malloc(LARGEST);
    memset(buffer, 1, LARGEST);
    if (rank == 0) {
        char version[MPI_MAX_LIBRARY_VERSION_STRING];
        int length;
        MPI_Get_library_version(version, &length);
        printf("# %.*s\n", (int)strcspn(version, "\n,"), version);
        printf("quantity,bytes,ns,minimum_ns,repetitions\n");
    }
    call();
    for (int bytes = 0; bytes <= LARGEST; bytes = bytes ? 2 * bytes : 1) {
        one_way(bytes);
        overheads(bytes);
        gap(bytes);
    }
    free(buffer);
    MPI_Finalize();
    return 0;
}
