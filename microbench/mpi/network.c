/* What messages and collective operations cost with an MPI library on a network.
 *
 * Arguments: seconds for each point, largest size in bytes, then what is wanted: p2p, collectives or both (all).
 * Rank 0 decides what is measured next and tells the others; the sizes of a curve are 0 (or 8) and powers of 4, and between two of
 * them the geometric mean wherever the curve bends there. Every point is visited in several passes: how fast processors exchange
 * lines, and how much of them others take, changes every few seconds where machines are shared. The first pass says which points
 * there are; the next ones visit them again, in the same order and for less long, until half of the time of all points is used. The
 * visit with the least median counts. Where repetitions are long (slow networks) the first visit gets all the time of a point, and
 * others are made only while they do not add much. Every line is a point:
 *
 *   point NAME TASKS BYTES median minimum mean error repetitions samples...      (ns; error: relative, of the median)
 *
 * NAME is WHERE.QUANTITY for messages, where WHERE is socket, node or network, else the operation:
 *   one-way         half a round trip, both receives posted in time
 *   two-way         both send and receive at the same time
 *   send-overhead   time that the sender spends in the call that sends
 *   recv-overhead   time that MPI_Recv takes when the message has been there for long
 *   shift           everyone sends to the right and receives from the left (three tasks or more; no WHERE)
 *   gap             time per message of a stream in one direction, the receives posted in advance
 *   eager-limit     the largest message that MPI_Send does not keep until it is received (BYTES)
 *   call            posting a receive
 *   poll            looking for a message that is not there (MPI_Iprobe)
 *   reduction       arithmetic of a sum of doubles (MPI_Reduce_local)
 * Operations are timed from each task's end of a barrier to its end of the operation; of these the greatest counts. On one node,
 * where all read the same clock, they are timed from the last task's begin to the last one's end. Small ones in which everyone waits for
 * everyone are timed eight in a row.
 * Messages that go back and forth are what came before, and come where what was sent before lies: so each line has to come from
 * the other's cache, and to be taken from it before it is overwritten, as where programs work on what they exchange. What else is
 * sent was written just before. Where a message is copied straight from the sender's memory, sending again what nobody wrote since
 * takes less than half as long.
 * The mean is that of the middle four fifths: what two-way traffic takes may have two modes. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <math.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SAMPLES_MAX 400
#define SAMPLES_KEPT 15
#define SAMPLES_LEAST 8
#define SAMPLES_FIRST 24
#define SAMPLES_AGAIN 12
#define SAMPLES_AGAIN_MAX 80
/* Repetitions before those that count. */
#define IDLE 2
/* At least so many; more where points need little of their time, until this share of it is used. */
#define PASSES 5
#define PASSES_SHARE 0.5
/* Of the time of all points, what later visits of slow ones may take. */
#define SLOW_SHARE 0.125
#define STREAM_MAX 32
/* Where one repetition takes longer than this many seconds, larger sizes are left to extrapolation. */
#define LONG 0.15
/* A curve bends where its middle is off the line by more than this. */
#define BEND 0.06
#define ERROR_ENOUGH 0.01
/* Of later visits: they are there to find a faster state of the machine. */
#define ERROR_AGAIN 0.02
/* Beyond this error a point is worth so many times its time. */
#define ERROR_MOST 0.1
#define PATIENCE 6
/* No processor has shorter lines. */
#define LINE 32
/* What members tell each other: the size by which chronos looks for it. */
#define AGREED_BYTES 8

enum quantity {
    FINISH, ONE_WAY, TWO_WAY, SEND_OVERHEAD, RECV_OVERHEAD, GAP, EAGER, CALL, POLL, REDUCTION,
    SHIFT, BARRIER, BCAST, REDUCE, ALLREDUCE, GATHER, SCATTER, ALLGATHER, ALLTOALL, REDUCE_SCATTER, SCAN,
    AGREEMENT
};

static const char *const names[] = {
    "finish", "one-way", "two-way", "send-overhead", "recv-overhead", "gap", "eager-limit", "call", "poll", "reduction",
    "shift", "barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall", "reduce-scatter", "scan",
    "agreement"
};

/* What rank 0 tells the others. */
struct order {
    long what, peer, bytes, repetitions, wait_ns;
};

static int rank, size, one_node;
static double budget = 0.1;
static long largest = 1 << 20;
static char *out, *in;
static double samples[SAMPLES_MAX];
static const char *where = "";

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void busy(double time)
{
    double start = MPI_Wtime();
    while (MPI_Wtime() - start < time)
        ;
}

/* Writes to every line of what is sent next. */
static void refresh(long bytes)
{
    for (long i = 0; i < bytes; i += LINE)
        out[i]++;
}

/* What was received is sent next. */
static void swap(void)
{
    char *received = in;
    in = out;
    out = received;
}

static void bounce(int peer, int bytes)
{
    if (rank == 0) {
        MPI_Send(out, bytes, MPI_CHAR, peer, 1, MPI_COMM_WORLD);
        MPI_Recv(in, bytes, MPI_CHAR, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(in, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    }
}

static double one_way(int peer, int bytes)
{
    double start = MPI_Wtime();
    bounce(peer, bytes);
    double elapsed = MPI_Wtime() - start;
    swap();
    return elapsed / 2;
}

static double two_way(int other, int bytes)
{
    MPI_Request requests[2];
    double start = MPI_Wtime();
    MPI_Irecv(in, bytes, MPI_CHAR, other, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, bytes, MPI_CHAR, other, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    double elapsed = MPI_Wtime() - start;
    swap();
    return elapsed;
}

/* The receiver waits in MPI. Only the call that starts the message counts: a blocking one may wait for the network. */
static double send_overhead(int peer, int bytes)
{
    double elapsed = 0;
    MPI_Request request;
    if (rank == 0) {
        refresh(bytes);
        MPI_Recv(in, 0, MPI_CHAR, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        busy(50e-6);
        double start = MPI_Wtime();
        MPI_Isend(out, bytes, MPI_CHAR, peer, 4, MPI_COMM_WORLD, &request);
        elapsed = MPI_Wtime() - start;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(out, 0, MPI_CHAR, 0, 3, MPI_COMM_WORLD);
        MPI_Recv(in, bytes, MPI_CHAR, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return elapsed;
}

static double recv_overhead(int peer, int bytes, double wait)
{
    double elapsed = 0;
    if (rank == 0) {
        MPI_Send(out, 0, MPI_CHAR, peer, 3, MPI_COMM_WORLD);
        busy(wait);
        double start = MPI_Wtime();
        MPI_Recv(in, bytes, MPI_CHAR, peer, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        elapsed = MPI_Wtime() - start;
    } else {
        MPI_Recv(in, 0, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        refresh(bytes);
        MPI_Send(out, bytes, MPI_CHAR, 0, 4, MPI_COMM_WORLD);
    }
    return elapsed;
}

/* Everyone sends to the right and receives from the left: both directions of a port, never both of a pair. */
static double shift(int bytes)
{
    double start = MPI_Wtime();
    MPI_Sendrecv(out, bytes, MPI_CHAR, (rank + 1) % size, 13, in, bytes, MPI_CHAR, (rank + size - 1) % size, 13,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    double elapsed = MPI_Wtime() - start;
    swap();
    return elapsed;
}

/* Messages of a stream lie one behind the other. */
static int stream(long bytes)
{
    return bytes <= 16384 ? STREAM_MAX : bytes <= 131072 ? 8 : 3;
}

static double gap(int peer, int bytes)
{
    int other = rank == 0 ? peer : 0, count = stream(bytes);
    MPI_Request requests[STREAM_MAX];
    double start;
    if (rank == 0) {
        refresh((long)count * bytes);
        MPI_Recv(in, 0, MPI_CHAR, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        start = MPI_Wtime();
        for (int k = 0; k < count; k++)
            MPI_Isend(out + (long)k * bytes, bytes, MPI_CHAR, other, 6, MPI_COMM_WORLD, &requests[k]);
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        MPI_Recv(in, 0, MPI_CHAR, other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        for (int k = 0; k < count; k++)
            MPI_Irecv(in + (long)k * bytes, bytes, MPI_CHAR, other, 6, MPI_COMM_WORLD, &requests[k]);
        start = MPI_Wtime();
        MPI_Send(out, 0, MPI_CHAR, other, 5, MPI_COMM_WORLD);
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        MPI_Send(out, 0, MPI_CHAR, other, 7, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - start) / count;
}

/* Whether a message comes within some time. */
static int comes(int from, int tag, double time)
{
    int found = 0;
    double start = MPI_Wtime();
    while (!found && MPI_Wtime() - start < time)
        MPI_Iprobe(from, tag, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    return found;
}

/* 1 where MPI_Send returns though its receiver posts no receive: then the message behind it comes. A task that is kept from
 * running may make it 0, never 1. */
static double held(int peer, int bytes, double wait)
{
    int kept = 0;
    if (rank == 0) {
        MPI_Recv(in, 0, MPI_CHAR, peer, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out, bytes, MPI_CHAR, peer, 9, MPI_COMM_WORLD);
        MPI_Send(out, 0, MPI_CHAR, peer, 12, MPI_COMM_WORLD);
        MPI_Recv(&kept, 1, MPI_INT, peer, 14, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(out, 0, MPI_CHAR, 0, 8, MPI_COMM_WORLD);
        kept = comes(0, 12, wait);
        MPI_Recv(in, bytes, MPI_CHAR, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(in, 0, MPI_CHAR, 0, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&kept, 1, MPI_INT, 0, 14, MPI_COMM_WORLD);
    }
    return kept;
}

/* Posting receives: a call that neither moves anything nor waits. */
static double call(int other)
{
    MPI_Request requests[10];
    double start = MPI_Wtime();
    for (int k = 0; k < 10; k++)
        MPI_Irecv(in, 0, MPI_CHAR, other, 10, MPI_COMM_WORLD, &requests[k]);
    double elapsed = (MPI_Wtime() - start) / 10;
    MPI_Sendrecv(out, 0, MPI_CHAR, other, 11, in, 0, MPI_CHAR, other, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int k = 0; k < 10; k++)
        MPI_Send(out, 0, MPI_CHAR, other, 10, MPI_COMM_WORLD);
    MPI_Waitall(10, requests, MPI_STATUSES_IGNORE);
    return elapsed;
}

/* As a program looks that computes in between. */
static double poll_in_vain(int peer)
{
    int found;
    busy(100e-6);
    double start = MPI_Wtime();
    for (int k = 0; k < 4; k++)
        MPI_Iprobe(peer, 15, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    return (MPI_Wtime() - start) / 4;
}

static double reduction(int bytes)
{
    double start = MPI_Wtime();
    MPI_Reduce_local(in, out, bytes / 8, MPI_DOUBLE, MPI_SUM);
    return MPI_Wtime() - start;
}

/* Members agree on a communicator: libraries exchange more messages for it than an operation on eight bytes needs. */
static void copy_communicator(MPI_Comm all)
{
    MPI_Comm copy;
    MPI_Comm_dup(all, &copy);
    MPI_Comm_free(&copy);
}

static void operation(long what, int bytes)
{
    MPI_Comm all = MPI_COMM_WORLD;
    int doubles = bytes / 8;
    switch (what) {
    case BARRIER: MPI_Barrier(all); break;
    case BCAST: MPI_Bcast(out, bytes, MPI_CHAR, 0, all); break;
    case REDUCE: MPI_Reduce(out, in, doubles, MPI_DOUBLE, MPI_SUM, 0, all); break;
    case ALLREDUCE: MPI_Allreduce(out, in, doubles, MPI_DOUBLE, MPI_SUM, all); break;
    case GATHER: MPI_Gather(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, 0, all); break;
    case SCATTER: MPI_Scatter(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, 0, all); break;
    case ALLGATHER: MPI_Allgather(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, all); break;
    case ALLTOALL: MPI_Alltoall(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, all); break;
    case REDUCE_SCATTER: MPI_Reduce_scatter_block(out, in, doubles, MPI_DOUBLE, MPI_SUM, all); break;
    case SCAN: MPI_Scan(out, in, doubles, MPI_DOUBLE, MPI_SUM, all); break;
    case AGREEMENT: copy_communicator(all); break;
    }
}

/* Bytes that a member sends at most. */
static long sent(long what, long bytes)
{
    int blocks = what == SCATTER || what == ALLTOALL || what == REDUCE_SCATTER;
    return what == BARRIER ? 0 : blocks ? bytes * size : bytes;
}

/* Operations in which everyone waits for everyone, one behind the other: what the barrier leaves members apart, and the reading of
 * clocks, is shared by all of them. Others would be passed through like a pipeline. */
static int in_a_row(long what, int bytes)
{
    int all = what == BARRIER || what == ALLREDUCE || what == ALLGATHER || what == ALLTOALL || what == REDUCE_SCATTER;
    return all && bytes <= 4096 ? 8 : 1;
}

/* The same for all tasks of a node. */
static double node_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

/* From the last task's begin to the last one's end. Those that wait for others begin first: what a barrier leaves tasks
 * apart must not hide part of a message's way. */
static double on_one_node(long what, int bytes)
{
    double times[2], last[2];
    int sends = what == BCAST || what == SCATTER, gets = what == REDUCE || what == GATHER;
    refresh(sent(what, bytes));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 ? sends : gets)
        busy(5e-6);
    times[0] = node_clock();
    operation(what, bytes);
    times[1] = node_clock();
    MPI_Reduce(times, last, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return rank == 0 ? last[1] - last[0] : 0;
}

static double collective(long what, int bytes)
{
    double slowest;
    int count = in_a_row(what, bytes);
    if (count == 1 && one_node)
        return on_one_node(what, bytes);
    refresh(sent(what, bytes));
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < count; i++)
        operation(what, bytes);
    double elapsed = (MPI_Wtime() - start) / count;
    MPI_Reduce(&elapsed, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return slowest;
}

static double once(const struct order *order)
{
    int peer = order->peer, bytes = order->bytes, other = rank == 0 ? peer : 0;
    switch (order->what) {
    case ONE_WAY: return one_way(peer, bytes);
    case TWO_WAY: return two_way(other, bytes);
    case SEND_OVERHEAD: return send_overhead(peer, bytes);
    case RECV_OVERHEAD: return recv_overhead(peer, bytes, order->wait_ns * 1e-9);
    case GAP: return gap(peer, bytes);
    case EAGER: return held(peer, bytes, order->wait_ns * 1e-9);
    case CALL: return call(other);
    case POLL: return rank == 0 ? poll_in_vain(peer) : 0;
    case SHIFT: return shift(bytes);
    case REDUCTION: return rank == 0 ? reduction(bytes) : 0;
    default: return collective(order->what, bytes);
    }
}

/* All ranks do what rank 0 says; rank 0 gets the times. Ranks that an order does not concern wait for the next. */
static int obey(struct order *order)
{
    MPI_Bcast(order, 5, MPI_LONG, 0, MPI_COMM_WORLD);
    if (order->what == FINISH)
        return 0;
    if (order->what < SHIFT && rank != 0 && rank != order->peer)
        return 1;
    for (long i = 0; i < order->repetitions; i++) {
        double time = once(order);
        if (rank == 0)
            samples[i] = time;
    }
    return 1;
}

/* Of rank 0. */
static void command(long what, long peer, long bytes, double wait, double *into, int repetitions)
{
    struct order order = {what, peer, bytes, repetitions, (long)(wait * 1e9)};
    obey(&order);
    memcpy(into, samples, repetitions * sizeof *into);
}

/* Relative standard error of the median, from the distance of the quartiles (normal distribution assumed). */
static double relative_error(const double *sorted, int n)
{
    double spread = (sorted[3 * n / 4] - sorted[n / 4]) / 1.349;
    return sorted[n / 2] > 0 ? 1.2533 * spread / sqrt(n) / sorted[n / 2] : 0;
}

static double middle_mean(const double *sorted, int n)
{
    double sum = 0;
    int from = n / 10, to = n - n / 10;
    for (int i = from; i < to; i++)
        sum += sorted[i];
    return sum / (to - from);
}

/* How long a visit lasts: so many repetitions, then until the error is small or the time is up. */
struct care {
    double seconds, error;
    int least, most;
};

/* What one visit of a point found; `each`: seconds that a repetition takes with all that belongs to it. */
struct visit {
    double median, minimum, mean, error, each, raw[SAMPLES_KEPT];
    int repetitions;
};

struct point {
    const char *where;
    long what, bytes;
    int peer;
    double wait;
    struct visit best;
};

/* In the order in which they are visited. */
static struct point *points;
static int point_count;

/* Sizes are chosen by what the first visit finds, so it gets half of the time. */
static struct care first_care(void)
{
    struct care care = {budget / 2, ERROR_ENOUGH, SAMPLES_FIRST, SAMPLES_MAX};
    return care;
}

static struct care later_care(void)
{
    struct care care = {budget / 2 / (PASSES - 1), ERROR_AGAIN, SAMPLES_AGAIN, SAMPLES_AGAIN_MAX};
    return care;
}

/* Whether the time of a later visit is too short. The first one then gets all of it. */
static int slow(const struct visit *visit)
{
    struct care care = later_care();
    return (IDLE + care.least) * visit->each > care.seconds;
}

/* Whether to go on repeating: until the median is certain or the time is up, and longer where it means little yet. */
static int unsure(const struct visit *visit, const struct care *care, double used)
{
    double seconds = slow(visit) ? budget : care->seconds;
    int n = visit->repetitions;
    if (n + 4 > care->most)
        return 0;
    return (used < seconds && (n < care->least || visit->error > care->error)) ||
           (used < PATIENCE * seconds && visit->error > ERROR_MOST);
}

static struct visit found(const double *raw, int n, double each)
{
    static double sorted[SAMPLES_MAX];
    memcpy(sorted, raw, n * sizeof *raw);
    qsort(sorted, n, sizeof *sorted, by_value);
    struct visit visit = {sorted[n / 2], sorted[0], middle_mean(sorted, n), relative_error(sorted, n), each, {0}, n};
    memcpy(visit.raw, raw, (n < SAMPLES_KEPT ? n : SAMPLES_KEPT) * sizeof *raw);
    return visit;
}

/* What others take of a processor must not make repetitions look long: their fastest batch says how long they are. */
static struct visit visit(const struct point *point, struct care care)
{
    static double raw[SAMPLES_MAX];
    struct visit visit;
    int n = 0;
    double used = 0, each = 0;
    command(point->what, point->peer, point->bytes, point->wait, raw, IDLE);
    do {
        int batch = n ? 4 : SAMPLES_LEAST;
        double begin = MPI_Wtime();
        command(point->what, point->peer, point->bytes, point->wait, raw + n, batch);
        double elapsed = MPI_Wtime() - begin;
        each = n == 0 || elapsed / batch < each ? elapsed / batch : each;
        used += elapsed;
        n += batch;
        visit = found(raw, n, each);
    } while (unsure(&visit, &care, used));
    return visit;
}

/* The first visit of a point, which is remembered for the next passes. */
static struct point measure(long what, int peer, long bytes, double wait)
{
    struct point point = {.where = where, .what = what, .bytes = bytes, .peer = peer, .wait = wait};
    point.best = visit(&point, first_care());
    points = realloc(points, (point_count + 1) * sizeof point);
    if (!points)
        MPI_Abort(MPI_COMM_WORLD, 3);
    points[point_count++] = point;
    return point;
}

/* What is lower by less than its error is lower by chance: the first visit is the longest one. */
static void measure_again(struct point *point)
{
    struct visit next = visit(point, later_care());
    if (next.median * (1 + next.error) < point->best.median)
        point->best = next;
}

/* Slow points too while that adds little: a point also looks slow whose tasks others kept from running. */
static void later_pass(double *spent_on_slow)
{
    for (int i = 0; i < point_count; i++) {
        double begin = MPI_Wtime();
        int is_slow = slow(&points[i].best);
        if (is_slow && *spent_on_slow > SLOW_SHARE * budget * point_count)
            continue;
        measure_again(&points[i]);
        *spent_on_slow += is_slow ? MPI_Wtime() - begin : 0;
    }
}

/* States of a shared machine last for seconds: passes that are over sooner would all see the same one. */
static void later_passes(double begin)
{
    double spent_on_slow = 0;
    for (int pass = 1; pass < PASSES || MPI_Wtime() - begin < PASSES_SHARE * budget * point_count; pass++)
        later_pass(&spent_on_slow);
}

static void print_point(const struct point *point)
{
    const struct visit *best = &point->best;
    int messages = point->what < SHIFT;
    printf("point %s%s%s %d %ld %.1f %.1f %.1f %.4f %d", messages ? point->where : "", messages ? "." : "",
           names[point->what], size, point->bytes, 1e9 * best->median, 1e9 * best->minimum, 1e9 * best->mean, best->error,
           best->repetitions);
    for (int i = 0; i < best->repetitions && i < SAMPLES_KEPT; i++)
        printf(" %.1f", 1e9 * best->raw[i]);
    printf("\n");
}

/* Between two points, where the curve bends. */
static void refine(long what, int peer, const struct point *left, const struct point *right, int depth)
{
    long bytes = (long)sqrt((double)(left->bytes > 0 ? left->bytes : 1) * right->bytes) & ~7L;
    if (depth == 0 || bytes <= left->bytes || bytes >= right->bytes)
        return;
    struct point middle = measure(what, peer, bytes, 0);
    const struct visit *a = &left->best, *b = &middle.best, *c = &right->best;
    double share = (double)(bytes - left->bytes) / (right->bytes - left->bytes);
    double line = a->median + share * (c->median - a->median);
    double off = fabs(b->median - line) / b->median, noise = a->error + b->error + c->error;
    if (off > BEND && off > 3 * noise) {
        refine(what, peer, left, &middle, depth - 1);
        refine(what, peer, &middle, right, depth - 1);
    }
}

static long limit(long what)
{
    long blocks = what >= GATHER && what <= REDUCE_SCATTER ? size : 1;
    return largest / blocks;
}

static void curve(long what, int peer, int depth)
{
    struct point left = {0};
    for (long bytes = what < BARRIER ? 0 : 8; bytes <= limit(what); bytes = bytes ? 4 * bytes : 8) {
        struct point right = measure(what, peer, bytes, 0);
        if (left.best.median > 0)
            refine(what, peer, &left, &right, depth);
        if (right.best.median > LONG)
            return;
        left = right;
    }
}

/* Longer than a message is on its way, however slow the network is: one that is still on it would look like one that waits for its
 * receiver, and its receive would last as long as its way. */
static double on_the_way(int peer, long bytes)
{
    double times[5], by_size = bytes * 2e-7;
    command(ONE_WAY, peer, bytes, 0, times, 5);
    qsort(times, 5, sizeof *times, by_value);
    return 2 * times[2] > by_size ? 2 * times[2] : by_size;
}

/* By bisection; a message of no more than the limit does not wait for its receiver. The wait is longer than the time slices
 * of a busy machine. */
static long eager_limit(int peer, double way)
{
    double wait = 20 * way > 12e-3 ? 20 * way : 12e-3, times[5];
    long below = 0, above = largest + 1;
    while (below + 1 < above) {
        long bytes = (below + above) / 2;
        command(EAGER, peer, bytes, wait + on_the_way(peer, bytes), times, 5);
        qsort(times, 5, sizeof *times, by_value);
        if (times[4] > 0)
            below = bytes;
        else
            above = bytes;
    }
    return below;
}

static void point_to_point(const char *kind, int peer)
{
    where = kind;
    measure(CALL, peer, 0, 0);
    measure(POLL, peer, 0, 0);
    measure(REDUCTION, peer, largest < 65536 ? largest : 65536, 0);
    double way = measure(ONE_WAY, peer, 0, 0).best.minimum;
    long eager = eager_limit(peer, way);
    printf("point %s.eager-limit %d %ld 0 0 0 0 1\n", kind, size, eager);
    for (long what = ONE_WAY; what <= TWO_WAY; what++) {
        curve(what, peer, 2);
        if (eager > 0 && eager < largest) {
            measure(what, peer, eager, 0);
            measure(what, peer, eager + 1, 0);
        }
    }
    curve(GAP, peer, 1);
    for (long bytes = 0; bytes <= largest && bytes <= 65536; bytes = bytes ? 4 * bytes : 64) {
        measure(SEND_OVERHEAD, peer, bytes, 0);
        if (bytes <= eager)
            measure(RECV_OVERHEAD, peer, bytes, 2 * way + 50e-6 + on_the_way(peer, bytes));
    }
    if (eager > 0 && eager < largest)
        measure(SEND_OVERHEAD, peer, eager + 1, 0);
}

struct place {
    char host[MPI_MAX_PROCESSOR_NAME];
    int socket, processors, is_virtual;
};

/* Linux names it among the flags of the processor. */
static int in_virtual_machine(void)
{
    char line[8192];
    int found = 0;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !found && fgets(line, sizeof line, file))
        found = strncmp(line, "flags", 5) == 0 && strstr(line, " hypervisor") != NULL;
    if (file)
        fclose(file);
    return found;
}

static struct place here(void)
{
    struct place place;
    char path[128];
    int length;
    memset(&place, 0, sizeof place);
    MPI_Get_processor_name(place.host, &length);
    place.processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/physical_package_id", sched_getcpu());
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%d", &place.socket) != 1)
        place.socket = 0;
    if (file)
        fclose(file);
    place.is_virtual = in_virtual_machine();
    return place;
}

/* Tasks that are free to move get a processor of their own: two that spin on one take turns by time slices, which
 * looks like a latency of milliseconds. */
static void settle(int before, int together)
{
#ifdef __linux__
    cpu_set_t allowed, own;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < together)
        return;
    CPU_ZERO(&own);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && before-- == 0)
            CPU_SET(cpu, &own);
    sched_setaffinity(0, sizeof own, &own);
#endif
}

/* Who is on the same node. */
static void look_at_node(void)
{
    char host[MPI_MAX_PROCESSOR_NAME] = "", *hosts = malloc((size_t)size * sizeof host);
    int length, before = 0, together = 0;
    if (!hosts)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Get_processor_name(host, &length);
    MPI_Allgather(host, sizeof host, MPI_CHAR, hosts, sizeof host, MPI_CHAR, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++) {
        int same = strcmp(hosts + (size_t)r * sizeof host, host) == 0;
        together += same;
        before += same && r < rank;
    }
    free(hosts);
    one_node = together == size;
    settle(before, together);
}

/* 0: same socket, 1: same node, 2: other node. */
static int distance(const struct place *a, const struct place *b)
{
    return strcmp(a->host, b->host) != 0 ? 2 : a->socket != b->socket ? 1 : 0;
}

/* Rank 0 says where tasks are; fewer processors than tasks of a node are named. */
static void describe(const struct place *places)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, crowded = 0, virtual_machines = 0;
    MPI_Get_library_version(version, &length);
    version[strcspn(version, "\n")] = 0;
    printf("library %s\n", version);
    for (int r = 0; r < size; r++) {
        int together = 0;
        for (int other = 0; other < size; other++)
            together += distance(&places[r], &places[other]) < 2;
        crowded |= together > places[r].processors;
        virtual_machines += places[r].is_virtual;
        printf("place %d %s socket %d processors %d\n", r, places[r].host, places[r].socket, places[r].processors);
    }
    printf("crowded %d\n", crowded);
    printf("virtual %d\n", virtual_machines);
    fflush(stdout);
}

static void all_pairs(const struct place *places)
{
    static const char *const kinds[] = {"socket", "node", "network"};
    for (int kind = 0; kind < 3; kind++) {
        int peer = 1;
        while (peer < size && distance(&places[0], &places[peer]) != kind)
            peer++;
        if (peer < size)
            point_to_point(kinds[kind], peer);
    }
}

/* Of rank 0. */
static void all_points(const struct place *places, const char *wanted)
{
    double begin = MPI_Wtime();
    if (strcmp(wanted, "collectives") != 0)
        all_pairs(places);
    if (strcmp(wanted, "p2p") != 0) {
        if (size > 2)
            curve(SHIFT, 0, 1);
        measure(BARRIER, 0, 0, 0);
        measure(AGREEMENT, 0, AGREED_BYTES, 0);
        for (long what = BCAST; what <= SCAN; what++)
            curve(what, 0, 1);
    }
    later_passes(begin);
    for (int i = 0; i < point_count; i++)
        print_point(&points[i]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2) {
        fprintf(stderr, "needs at least 2 tasks, there is %d\n", size);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    budget = argc > 1 ? atof(argv[1]) : budget;
    largest = argc > 2 ? atol(argv[2]) : largest;
    const char *wanted = argc > 3 ? argv[3] : "all";
    long room = (largest + 64) * (size > STREAM_MAX ? size : STREAM_MAX);
    out = calloc(room, 1);
    in = calloc(room, 1);
    look_at_node();
    struct place place = here(), *places = malloc(size * sizeof place);
    if (!out || !in || !places)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Gather(&place, sizeof place, MPI_CHAR, places, sizeof place, MPI_CHAR, 0, MPI_COMM_WORLD);
    /* Opens all connections. */
    MPI_Alltoall(out, 1, MPI_CHAR, in, 1, MPI_CHAR, MPI_COMM_WORLD);
    struct order order = {FINISH, 0, 0, 0, 0};
    if (rank == 0) {
        describe(places);
        all_points(places, wanted);
        obey(&order);
        printf("end\n");
        fflush(stdout);
    } else {
        while (obey(&order))
            ;
    }
    free(out);
    free(in);
    free(places);
    free(points);
    MPI_Finalize();
    return 0;
}
