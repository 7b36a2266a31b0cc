/* Times functions for `chronos validate`: inclusive wall-clock time of outermost calls. At the end of the
 * process it writes one file into the folder that CHRONOS_TIMING_DIR names:
 *     overhead INNER_NS FULL_NS
 *     function ID CALLS OUTERMOST NS NESTED
 * where INNER is what an empty pair of clock readings measures of itself, FULL is what it costs whoever is
 * around it, and NESTED counts the pairs inside the function's own. MPI_Init and MPI_Finalize count for nobody:
 * a prediction begins when all tasks do. */
#define _POSIX_C_SOURCE 200809L
#include "timing.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#ifdef CHRONOS_TIMING_MPI
#include <mpi.h>
#endif

#define DEPTH 4096
#define BATCHES 50
#define BATCH 40
#define NOINLINE __attribute__((__noinline__))

struct frame { int function; long long begin, pairs, excluded; };
struct total { long long calls, outermost, ns, nested; int open; };

/* One more, for measuring the pairs themselves. */
static struct total totals[CHRONOS_TIMING_FUNCTIONS + 1];
static struct frame frames[DEPTH];
static int depth;
static long long pairs, excluded;
/* Threads of the program run inside functions of the first one, which are timed. */
static __thread int is_first_thread;

static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

NOINLINE struct chronos_timing chronos_timing_begin(int function)
{
    struct chronos_timing timing = { -1 };
    struct total *total = &totals[function];
    if (!is_first_thread)
        return timing;
    total->calls++;
    if (total->open || depth >= DEPTH)
        return timing;
    pairs++;
    timing.depth = depth;
    total->open = 1;
    frames[depth].function = function;
    frames[depth].pairs = pairs;
    frames[depth].excluded = excluded;
    frames[depth++].begin = now();
    return timing;
}

static void leave(const struct frame *frame, long long end)
{
    struct total *total = &totals[frame->function];
    total->open = 0;
    total->outermost++;
    total->ns += end - frame->begin - (excluded - frame->excluded);
    total->nested += pairs - frame->pairs;
}

NOINLINE void chronos_timing_end(struct chronos_timing *timing)
{
    long long end;
    if (timing->depth < 0)
        return;
    end = now();
    /* longjmp may have left frames inside this one. */
    while (depth > timing->depth)
        leave(&frames[--depth], end);
}

static void measure_pairs(double *inner, double *full)
{
    int batch, k;
    *inner = *full = 1e30;
    for (batch = 0; batch < BATCHES; batch++) {
        struct total *own = &totals[CHRONOS_TIMING_FUNCTIONS];
        long long begin = now(), before = own->ns, all;
        for (k = 0; k < BATCH; k++) {
            struct chronos_timing timing = chronos_timing_begin(CHRONOS_TIMING_FUNCTIONS);
            chronos_timing_end(&timing);
        }
        all = now() - begin;
        if ((double)all / BATCH < *full)
            *full = (double)all / BATCH;
        if ((double)(own->ns - before) / BATCH < *inner)
            *inner = (double)(own->ns - before) / BATCH;
    }
}

static void finish(void)
{
    const char *folder = getenv("CHRONOS_TIMING_DIR");
    long long end = now();
    char path[4096];
    double inner, full;
    FILE *file;
    int k;
    while (depth > 0)
        leave(&frames[--depth], end);
    measure_pairs(&inner, &full);
    if (!folder || snprintf(path, sizeof path, "%s/%ld", folder, (long)getpid()) >= (int)sizeof path)
        return;
    file = fopen(path, "w");
    if (!file)
        return;
    fprintf(file, "overhead %.3f %.3f\n", inner, full);
    for (k = 0; k < CHRONOS_TIMING_FUNCTIONS; k++)
        fprintf(file, "function %d %lld %lld %lld %lld\n", k, totals[k].calls, totals[k].outermost, totals[k].ns,
                totals[k].nested);
    fclose(file);
}

__attribute__((__constructor__)) static void start(void)
{
    is_first_thread = 1;
    atexit(finish);
}

#ifdef CHRONOS_TIMING_MPI
/* All tasks begin together, as in a prediction. */
static int started(int result, long long begin)
{
    if (result == MPI_SUCCESS)
        PMPI_Barrier(MPI_COMM_WORLD);
    excluded += now() - begin;
    return result;
}

int MPI_Init(int *argc, char ***argv)
{
    long long begin = now();
    return started(PMPI_Init(argc, argv), begin);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    long long begin = now();
    return started(PMPI_Init_thread(argc, argv, required, provided), begin);
}

int MPI_Finalize(void)
{
    long long begin = now();
    int result = PMPI_Finalize();
    excluded += now() - begin;
    return result;
}
#endif
