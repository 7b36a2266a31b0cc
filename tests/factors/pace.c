/* Plays the computing times of a record on nodes with one processor each (tests/factors/factors.py): linked with an MPI program, in
 * front of its MPI (the profiling interface).
 *
 * Between two MPI calls a task computes for real, then sleeps until the processor of its node would have done what the record says.
 * Nodes are host names. Which task a processor serves is not left to the system, which has other processors and other work: tasks of a
 * node share a memory that holds who computes there and how much is left, and find out by it when they are done. A processor serves its
 * tasks in turn, each for a quantum; who begins to compute is the last in the row. With a quantum of 0 all get equal parts at any time.
 *
 *   PACE_FOLDER    has the file task-RANK: a line `FUNCTION SECONDS` for each call, with the time that is computed before it; the memories
 *                  of the nodes are made there, so it should be one in memory
 *   PACE_QUANTUM   seconds
 *
 * In MPI calls and while they sleep tasks have real-time priority where that is allowed, so that others that compute for real do not
 * keep them from their messages. At the end rank 0 prints for each task
 *   paced RANK total T late L
 * in seconds: from a common start after MPI_Init to the begin of MPI_Finalize, and by how much computing for real and waking up took
 * longer than it should. Calls without a wrapper below are part of computing. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { TASKS = 64, TEXT = 4096, PRIORITY = 10 };
/* By how much a task went on too late is taken from what it computes next, up to this. */
#define CREDIT_MOST 200e-6

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* --- the processor of a node --- */

/* In the order in which tasks are served. A file of zeros is one that nobody uses. */
struct processor {
    int lock, count;
    int tasks[TASKS];
    double left[TASKS]; /* by task: seconds that it still has to compute */
    double done[TASKS]; /* by task: when it was done */
    double idle_then[TASKS]; /* by task: `idle` when it was done */
    double time, served; /* up to when this holds, and how long the first task has been served */
    double idle, made_up; /* how long nobody was served, and how much of that somebody got back */
};

static struct processor *node;
static double quantum;

static void lock(void)
{
    while (__atomic_exchange_n(&node->lock, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void unlock(void)
{
    __atomic_store_n(&node->lock, 0, __ATOMIC_RELEASE);
}

/* Takes a task out of the row. */
static void finish(struct processor *p, int at)
{
    p->done[p->tasks[at]] = p->time;
    p->idle_then[p->tasks[at]] = p->idle;
    memmove(p->tasks + at, p->tasks + at + 1, (p->count - at - 1) * sizeof *p->tasks);
    p->count--;
}

/* The first task's turn goes on until it is done, its quantum is over or `until`. */
static void serve_first(struct processor *p, double until)
{
    int task = p->tasks[0];
    double step = fmin(p->left[task], fmin(quantum - p->served, until - p->time));
    p->left[task] -= step;
    p->served += step;
    p->time += step;
    if (p->left[task] <= 0) {
        finish(p, 0);
        p->served = 0;
    } else if (p->served >= quantum) {
        memmove(p->tasks, p->tasks + 1, (p->count - 1) * sizeof *p->tasks);
        p->tasks[p->count - 1] = task;
        p->served = 0;
    }
}

/* All get equal parts until the first of them is done, or `until`. */
static void serve_all(struct processor *p, double until)
{
    double step = (until - p->time) / p->count;
    for (int i = 0; i < p->count; i++)
        step = fmin(step, p->left[p->tasks[i]]);
    p->time += step * p->count;
    for (int i = p->count - 1; i >= 0; i--)
        if ((p->left[p->tasks[i]] -= step) <= 0)
            finish(p, i);
}

/* What happens up to `until` if nobody else begins to compute; steps that are lost in rounding are over. */
static void advance(struct processor *p, double until)
{
    while (p->count > 0 && until - p->time > 1e-9) {
        if (quantum > 0)
            serve_first(p, until);
        else
            serve_all(p, until);
    }
    if (until > p->time) {
        p->idle += p->count == 0 ? until - p->time : 0;
        p->time = until;
    }
}

static int computes(const struct processor *p, int task)
{
    for (int i = 0; i < p->count; i++)
        if (p->tasks[i] == task)
            return 1;
    return 0;
}

static void begin_computing(int task, double seconds)
{
    lock();
    advance(node, now());
    if (seconds > 0) {
        node->left[task] = seconds;
        node->tasks[node->count++] = task;
    } else {
        node->done[task] = node->time;
        node->idle_then[task] = node->idle;
    }
    unlock();
}

/* When the task is done if nobody else begins; whether that has been. Who begins later can only put it off. */
static int is_done(int task, double *when)
{
    lock();
    advance(node, now());
    struct processor ahead = *node;
    unlock();
    int done = !computes(&ahead, task);
    while (computes(&ahead, task))
        advance(&ahead, ahead.time + (quantum > 0 ? fmax(quantum, ahead.left[task]) : ahead.left[task] * ahead.count));
    *when = ahead.done[task];
    return done;
}

/* How long the processor has been idle since the task was done: what others computed meanwhile was not lost. Of several tasks that went
 * on too late, one gets the time back. */
static double lost(int task)
{
    lock();
    double from = fmax(node->idle_then[task], node->made_up), to = node->idle;
    node->made_up = fmax(node->made_up, to);
    unlock();
    return fmax(0, to - from);
}

/* --- stretches --- */

struct stretch {
    char call[48];
    double seconds;
};

static struct stretch *stretches;
static long stretch_count, stretch_next;
static int rank, is_realtime = 1;
static double start, credit, late;

static void give_up(const char *what, const char *which)
{
    fprintf(stderr, "pace: rank %d: %s %s\n", rank, what, which);
    PMPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

/* Priority over those that compute for real. */
static void realtime(int on)
{
    struct sched_param param = {.sched_priority = on ? PRIORITY : 0};
    if (is_realtime)
        is_realtime = sched_setscheduler(0, on ? SCHED_FIFO : SCHED_OTHER, &param) == 0;
}

static void sleep_until(double when)
{
    struct timespec t = {(time_t)when, (long)((when - floor(when)) * 1e9)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

static void computing_begins(void)
{
    double seconds = stretch_next < stretch_count ? stretches[stretch_next].seconds : 0;
    double less = fmin(credit, seconds);
    credit -= less;
    begin_computing(rank, seconds - less);
    realtime(0);
}

static void computing_ends(const char *call)
{
    double when;
    realtime(1);
    if (stretch_next >= stretch_count || strcmp(stretches[stretch_next].call, call) != 0)
        give_up("its calls are not those of the record:", call);
    stretch_next++;
    while (!is_done(rank, &when))
        sleep_until(when);
    credit += fmin(lost(rank), CREDIT_MOST);
    late += fmax(0, now() - when - CREDIT_MOST);
}

/* --- begin and end --- */

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    if (!value)
        give_up("there is no", name);
    return value;
}

static void read_stretches(const char *folder)
{
    char path[TEXT];
    struct stretch one;
    snprintf(path, sizeof path, "%s/task-%d", folder, rank);
    FILE *file = fopen(path, "r");
    if (!file)
        give_up("cannot read", path);
    while (fscanf(file, "%47s %lf", one.call, &one.seconds) == 2) {
        if (stretch_count % 1024 == 0)
            stretches = realloc(stretches, (stretch_count + 1024) * sizeof *stretches);
        stretches[stretch_count++] = one;
    }
    fclose(file);
}

static void share_processor(const char *folder)
{
    char path[TEXT], host[256];
    gethostname(host, sizeof host);
    snprintf(path, sizeof path, "%s/node-%s", folder, host);
    int file = open(path, O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, sizeof *node) < 0)
        give_up("cannot make", path);
    node = mmap(NULL, sizeof *node, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (node == MAP_FAILED || rank >= TASKS)
        give_up("cannot share", path);
    close(file);
}

/* The connections that messages need are made before the time begins. One task of a pair begins: where both connect at the same
 * time, Open MPI 4.1 may keep the connection that was refused, which then wakes all that wait for messages, for ever. */
static void connect_pairs(void)
{
    int size;
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int low = 0; low < size; low++)
        for (int high = low + 1; high < size; high++) {
            int other = rank == low ? high : low;
            if (rank != low && rank != high)
                continue;
            if (rank == low)
                PMPI_Send(NULL, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD);
            PMPI_Recv(NULL, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank == high)
                PMPI_Send(NULL, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD);
        }
}

static void begin(void)
{
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    prctl(PR_SET_TIMERSLACK, 1000UL, 0, 0, 0);
    quantum = atof(variable("PACE_QUANTUM"));
    read_stretches(variable("PACE_FOLDER"));
    share_processor(variable("PACE_FOLDER"));
    connect_pairs();
    realtime(1);
    PMPI_Barrier(MPI_COMM_WORLD);
    start = now();
    computing_begins();
}

int MPI_Init(int *count, char ***arguments)
{
    int code = PMPI_Init(count, arguments);
    begin();
    return code;
}

int MPI_Init_thread(int *count, char ***arguments, int wanted, int *given)
{
    int code = PMPI_Init_thread(count, arguments, wanted, given);
    begin();
    return code;
}

int MPI_Finalize(void)
{
    computing_ends("MPI_Finalize");
    if (stretch_next != stretch_count)
        give_up("its calls are not those of the record:", "it ends too soon");
    double own[2] = {now() - start, late}, all[2 * TASKS];
    int size;
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    PMPI_Gather(own, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; i++)
        printf("paced %d total %.6f late %.6f\n", i, all[2 * i], all[2 * i + 1]);
    fflush(stdout);
    realtime(0);
    return PMPI_Finalize();
}

/* --- calls --- */

#define PACED(name, parameters, arguments) \
    int name parameters                    \
    {                                      \
        computing_ends(#name);             \
        int code = P##name arguments;      \
        computing_begins();                \
        return code;                       \
    }
#define SENT const void *b, int n, MPI_Datatype t
#define FILLED void *x, int m, MPI_Datatype u
#define SENT_TO SENT, int d, int g
#define FILLED_FROM FILLED, int s, int h
#define SENT_PARTS const void *b, const int n[], const int k[], MPI_Datatype t
#define FILLED_PARTS void *x, const int m[], const int l[], MPI_Datatype u
#define REDUCED const void *b, void *x, int n, MPI_Datatype t, MPI_Op o

PACED(MPI_Send, (SENT_TO, MPI_Comm c), (b, n, t, d, g, c))
PACED(MPI_Recv, (FILLED_FROM, MPI_Comm c, MPI_Status *z), (x, m, u, s, h, c, z))
PACED(MPI_Isend, (SENT_TO, MPI_Comm c, MPI_Request *r), (b, n, t, d, g, c, r))
PACED(MPI_Irecv, (FILLED_FROM, MPI_Comm c, MPI_Request *r), (x, m, u, s, h, c, r))
PACED(MPI_Sendrecv, (SENT_TO, FILLED_FROM, MPI_Comm c, MPI_Status *z), (b, n, t, d, g, x, m, u, s, h, c, z))
PACED(MPI_Sendrecv_replace, (FILLED, int d, int g, int s, int h, MPI_Comm c, MPI_Status *z), (x, m, u, d, g, s, h, c, z))
PACED(MPI_Wait, (MPI_Request * r, MPI_Status *z), (r, z))
PACED(MPI_Waitall, (int n, MPI_Request r[], MPI_Status z[]), (n, r, z))

PACED(MPI_Barrier, (MPI_Comm c), (c))
PACED(MPI_Bcast, (FILLED, int root, MPI_Comm c), (x, m, u, root, c))
PACED(MPI_Reduce, (REDUCED, int root, MPI_Comm c), (b, x, n, t, o, root, c))
PACED(MPI_Allreduce, (REDUCED, MPI_Comm c), (b, x, n, t, o, c))
PACED(MPI_Scan, (REDUCED, MPI_Comm c), (b, x, n, t, o, c))
PACED(MPI_Gather, (SENT, FILLED, int root, MPI_Comm c), (b, n, t, x, m, u, root, c))
PACED(MPI_Gatherv, (SENT, FILLED_PARTS, int root, MPI_Comm c), (b, n, t, x, m, l, u, root, c))
PACED(MPI_Scatterv, (SENT_PARTS, FILLED, int root, MPI_Comm c), (b, n, k, t, x, m, u, root, c))
PACED(MPI_Allgather, (SENT, FILLED, MPI_Comm c), (b, n, t, x, m, u, c))
PACED(MPI_Allgatherv, (SENT, FILLED_PARTS, MPI_Comm c), (b, n, t, x, m, l, u, c))
PACED(MPI_Alltoall, (SENT, FILLED, MPI_Comm c), (b, n, t, x, m, u, c))
PACED(MPI_Alltoallv, (SENT_PARTS, FILLED_PARTS, MPI_Comm c), (b, n, k, t, x, m, l, u, c))

PACED(MPI_Comm_split, (MPI_Comm c, int color, int key, MPI_Comm *made), (c, color, key, made))
PACED(MPI_Comm_free, (MPI_Comm * c), (c))
PACED(MPI_Cart_create, (MPI_Comm c, int n, const int d[], const int p[], int r, MPI_Comm *made), (c, n, d, p, r, made))
