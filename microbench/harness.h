/* Timing of short bodies, robust against other load: each timing takes well under a millisecond, so that
 * some of many repetitions run undisturbed. One line per result on standard output:
 *     name least_ns median_ns repetitions tokens...
 * in nanoseconds per unit of work; tokens say what a unit consists of, `cycle:ns` how long a cycle took meanwhile. A line
 * begins with # while a result is being measured.
 *
 * Arguments of every program: milliseconds spent on a result at most, then the names of the results that are
 * wanted (none: all). Where the word `steady` stands before the names, every result takes exactly that long:
 * copies of a program started together then stay in step. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* CHRONOS_PREDICT: the program is not run but predicted. Nothing is timed, every body runs once. */
#if defined(CHRONOS_PREDICT)
#define NOINLINE
#define SEPARATE
#define KEEP_INT(x)
#define KEEP_MEMORY()
#define KEEP_FLOAT(x)
#elif defined(__GNUC__)
/* A function of the file that is never inlined, and one that no compiler can take apart. */
#define SEPARATE static NOINLINE
#define NOINLINE __attribute__((noinline))
#define KEEP_INT(x) __asm__ volatile("" : "+r"(x))
#define KEEP_MEMORY() __asm__ volatile("" : : : "memory")
#if defined(__x86_64__) || (defined(__i386__) && defined(__SSE2_MATH__))
#define KEEP_FLOAT(x) __asm__ volatile("" : "+x"(x))
#elif defined(__aarch64__)
#define KEEP_FLOAT(x) __asm__ volatile("" : "+w"(x))
#else
#define KEEP_FLOAT(x) __asm__ volatile("" : "+m"(x))
#endif
#else
#error "the microbenchmarks need a compiler with GNU inline assembly (gcc, clang)"
#endif

/* A body of one statement, after which all of memory may have changed. */
#define ONCE(name, statement)            \
    static void name##_body(long rounds) \
    {                                    \
        while (rounds--) {               \
            statement;                   \
            KEEP_MEMORY();               \
        }                                \
    }

/* A function that is measured, with a body that calls it with these arguments: all of memory may have changed in between. */
#define REPEATED(name, signature, arguments) \
    static NOINLINE void name signature;   \
    static void name##_body(long rounds)   \
    {                                      \
        while (rounds--) {                 \
            KEEP_MEMORY();                 \
            name arguments;                \
        }                                  \
    }                                      \
    static NOINLINE void name signature

/* Runs the body `rounds` times; the work of a round is the body's business. */
typedef void (*harness_body)(long rounds);

#if defined(CHRONOS_PREDICT)
#define harness_begin(argc, argv)
#define harness_report(name, body, units, tokens) body(1)
#else
#define SAMPLES_MAX 2000
#define TIMING_NS 100000.0

static double harness_budget_ns = 60e6;
static int harness_steady;
static char **harness_names;

static void harness_begin(int argc, char **argv)
{
    int next = 1;
    if (next < argc)
        harness_budget_ns = atof(argv[next++]) * 1e6;
    if (next < argc && strcmp(argv[next], "steady") == 0) {
        harness_steady = 1;
        next++;
    }
    harness_names = next < argc ? argv + next : 0;
}

static int harness_wanted(const char *name)
{
    char **wanted = harness_names;
    if (!wanted)
        return 1;
    while (*wanted)
        if (strcmp(*wanted++, name) == 0)
            return 1;
    return 0;
}

static double harness_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static int harness_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double harness_time(harness_body body, long rounds)
{
    double begin = harness_now();
    body(rounds);
    return harness_now() - begin;
}

/* As many rounds as take a timing's length; few where the budget is small. */
static long harness_rounds(harness_body body)
{
    double enough = harness_budget_ns / 40 < TIMING_NS ? harness_budget_ns / 40 : TIMING_NS;
    long rounds = 1;
    while (rounds < (1L << 40)) {
        double a = harness_time(body, rounds), b = harness_time(body, rounds);
        if ((a < b ? a : b) > enough)
            break;
        rounds *= 2;
    }
    return rounds;
}

/* Dependent additions take a cycle each. In assembly, so that they do at every level of optimisation. */
#if defined(__x86_64__) || defined(__i386__)
#define HARNESS_ADD "add %1, %0"
#elif defined(__aarch64__)
#define HARNESS_ADD "add %0, %0, %1"
#endif
#ifdef HARNESS_ADD
#define CLOCK_ROUNDS 60
static void harness_additions(long rounds)
{
    long x = 1, a = 3;
    while (rounds--)
        __asm__ volatile(".rept 64\n\t" HARNESS_ADD "\n\t.endr" : "+r"(x) : "r"(a) : "cc");
}

/* Keeps the least time of `CLOCK_ROUNDS` and of twice as many. */
static void harness_tick(double least[2])
{
    for (int k = 0; k < 2; k++) {
        double time = harness_time(harness_additions, (k + 1) * CLOCK_ROUNDS);
        least[k] = least[k] > 0 && least[k] < time ? least[k] : time;
    }
}

static void harness_print_cycle(const double least[2])
{
    printf(" cycle:%.6f", (least[1] - least[0]) / (64.0 * CLOCK_ROUNDS));
}
#else
static void harness_tick(double least[2]) { (void)least; }
static void harness_print_cycle(const double least[2]) { (void)least; }
#endif

static int harness_settled(const double *sorted, int n)
{
    return sorted[n / 10] <= 1.01 * sorted[0];
}

/* Repeats until the tenth of all timings that are fastest agree within one percent. The time of a round is the
 * slope between `rounds` and `2 * rounds`, so that what happens once per timing does not count. */
static void harness_report(const char *name, harness_body body, double units, const char *tokens)
{
    static double once[SAMPLES_MAX], twice[SAMPLES_MAX];
    double begin = harness_now(), slope, middle, ticks[2] = {0, 0};
    long rounds;
    int n = 0;
    if (!harness_wanted(name))
        return;
    printf("# %s\n", name);
    fflush(stdout);
    rounds = harness_rounds(body);
    do {
        for (int k = 0; k < 10 && n < SAMPLES_MAX; k++, n++) {
            once[n] = harness_time(body, rounds);
            twice[n] = harness_time(body, 2 * rounds);
            harness_tick(ticks);
        }
        qsort(once, n, sizeof *once, harness_compare);
        qsort(twice, n, sizeof *twice, harness_compare);
    } while (n < SAMPLES_MAX && harness_now() - begin < harness_budget_ns
             && (harness_steady || n < 20 || !harness_settled(once, n) || !harness_settled(twice, n)));
    slope = (twice[0] - once[0]) / rounds / units;
    middle = (twice[n / 2] - once[n / 2]) / rounds / units;
    printf("%s %.6f %.6f %d", name, slope > 0 ? slope : 0, middle > 0 ? middle : 0, n);
    harness_print_cycle(ticks);
    printf(" units:%g %s\n", units, tokens);
    fflush(stdout);
}
#endif
