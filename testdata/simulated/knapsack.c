/* Branch and bound for the 0-1 knapsack problem by a master and slaves, after Amakata, Shinano and Nakamori (3.2). The master hands
 * out subproblems, in which the first items are decided; slaves search them depth first, bounded by the continuous relaxation, and
 * tell each other of better values as they find them, so that how many nodes are visited depends on when messages arrive.
 * Arguments: number of items, seed. Weights and profits do not depend on each other. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_ITEMS = 20000, LARGEST = 1000, END = -1 };
enum { SUBPROBLEM = 1, BETTER, RESULT };

static int items, weight[MOST_ITEMS], profit[MOST_ITEMS], capacity;
static long best, nodes;
static int rank, size, searching;
static unsigned state;

static int drawn(void)
{
    state = state * 1664525u + 1013904223u;
    return 1 + (int)((state >> 8) % LARGEST);
}

static int is_denser(int a, int b) { return profit[a] * weight[b] > profit[b] * weight[a]; }

static void swap(int *a, int *b)
{
    int kept = *a;
    *a = *b;
    *b = kept;
}

/* The densest items first. */
static void make_problem(void)
{
    long sum = 0;
    for (int i = 0; i < items; i++) {
        weight[i] = drawn();
        profit[i] = drawn();
        sum += weight[i];
        for (int j = i; j > 0 && is_denser(j, j - 1); j--) {
            swap(&weight[j], &weight[j - 1]);
            swap(&profit[j], &profit[j - 1]);
        }
    }
    capacity = (int)(sum / 2);
}

static void told(int from)
{
    long value;
    MPI_Recv(&value, 1, MPI_LONG, from, BETTER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (value == END) searching--;
    else if (value > best) best = value;
}

static void look(void)
{
    MPI_Status status;
    int is_there;
    for (;;) {
        MPI_Iprobe(MPI_ANY_SOURCE, BETTER, MPI_COMM_WORLD, &is_there, &status);
        if (!is_there) return;
        told(status.MPI_SOURCE);
    }
}

static void tell_others(long value)
{
    for (int slave = 1; slave < size; slave++)
        if (slave != rank) MPI_Send(&value, 1, MPI_LONG, slave, BETTER, MPI_COMM_WORLD);
}

/* Whether more than the best value may be had with the items from here on, of which the last is cut. */
static int is_promising(int item, long value, int room)
{
    for (; item < items && weight[item] <= room; item++) {
        room -= weight[item];
        value += profit[item];
    }
    if (item < items) value += (long)profit[item] * room / weight[item];
    return value > best;
}

static void branch(int item, long value, int room)
{
    nodes++;
    if (nodes % 32 == 0) look();
    if (value > best) {
        best = value;
        tell_others(best);
    }
    if (item == items || !is_promising(item, value, room)) return;
    if (weight[item] <= room) branch(item + 1, value + profit[item], room - weight[item]);
    branch(item + 1, value, room);
}

/* The bits of a subproblem say which of the first items are taken. */
static void search(int subproblem, int decided)
{
    long value = 0;
    int room = capacity;
    for (int i = 0; i < decided; i++) {
        if (subproblem >> i & 1) continue;
        value += profit[i];
        room -= weight[i];
    }
    if (room >= 0) branch(decided, value, room);
}

static void lead(int subproblems)
{
    long result[2], top = 0, all = 0;
    int end = END;
    for (int i = 0; i < subproblems; i++) MPI_Send(&i, 1, MPI_INT, 1 + i % (size - 1), SUBPROBLEM, MPI_COMM_WORLD);
    for (int slave = 1; slave < size; slave++) MPI_Send(&end, 1, MPI_INT, slave, SUBPROBLEM, MPI_COMM_WORLD);
    for (int slave = 1; slave < size; slave++) {
        MPI_Recv(result, 2, MPI_LONG, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (result[0] > top) top = result[0];
        all += result[1];
    }
    printf("best value %ld, %ld nodes\n", top, all);
}

static void serve(int decided)
{
    int subproblem;
    searching = size - 2;
    for (;;) {
        MPI_Recv(&subproblem, 1, MPI_INT, 0, SUBPROBLEM, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (subproblem == END) break;
        search(subproblem, decided);
    }
    const long result[2] = { best, nodes };
    MPI_Send(result, 2, MPI_LONG, 0, RESULT, MPI_COMM_WORLD);
    /* What others still tell is received before the end. */
    tell_others(END);
    while (searching > 0) {
        MPI_Status status;
        MPI_Probe(MPI_ANY_SOURCE, BETTER, MPI_COMM_WORLD, &status);
        told(status.MPI_SOURCE);
    }
}

int main(int argc, char **argv)
{
    int decided = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    items = argc > 1 ? atoi(argv[1]) : 100;
    state = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    make_problem();
    while (1 << decided < size - 1) decided++;
    if (rank == 0) lead(1 << decided);
    else serve(decided);
    MPI_Finalize();
    return 0;
}
