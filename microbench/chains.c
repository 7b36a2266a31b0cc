/* Latency and reciprocal throughput of instruction classes, in registers: one chain of dependent operations
 * gives the latency, eight independent chains the throughput. Built with the flags under calibration and -O1,
 * so that the chains stay in registers at every level. */
#include "harness.h"
#include <math.h>

#define REPEAT4(x) x x x x
#define REPEAT16(x) REPEAT4(REPEAT4(x))

#define CHAINS(name, type, keep, start, second, step)                                     \
    static void name##_latency(long rounds)                                               \
    {                                                                                     \
        type x = start, a = second;                                                       \
        keep(x);                                                                          \
        keep(a);                                                                          \
        while (rounds--) {                                                                \
            REPEAT16(step(x); keep(x);)                                                   \
        }                                                                                 \
    }                                                                                     \
    static void name##_throughput(long rounds)                                            \
    {                                                                                     \
        type x0 = start, x1 = start, x2 = start, x3 = start;                              \
        type x4 = start, x5 = start, x6 = start, x7 = start, a = second;                  \
        keep(a);                                                                          \
        while (rounds--) {                                                                \
            REPEAT4(step(x0); keep(x0); step(x1); keep(x1); step(x2); keep(x2);           \
                    step(x3); keep(x3); step(x4); keep(x4); step(x5); keep(x5);           \
                    step(x6); keep(x6); step(x7); keep(x7);)                              \
        }                                                                                 \
    }

#define ADD(x) x += a
#define MUL(x) x *= a
#define DIVIDE_INTO(x) x = a / x
#define ROOT(x) x = sqrt(x + a)
#define ROUND_TRIP(x) x = (double)(long)x
#define NARROW(x) x = (long)(int)x
#define SCALE(x) x = a + x * 8
#define GREATER(x) x = x > a ? x : a

/* A row for each class that has both figures: name, type, where it is kept, first value, second operand, step. */
#define CLASSES(ROW)                                                           \
    ROW(int_add, long, KEEP_INT, 1, 3, ADD)                                    \
    ROW(int_mul, long, KEEP_INT, 3, 7, MUL)                                    \
    ROW(int_div, int, KEEP_INT, 7, 1000003, DIVIDE_INTO)                       \
    ROW(int_div64, long long, KEEP_INT, 1048573, 1099511627791LL, DIVIDE_INTO) \
    ROW(fp_add, double, KEEP_FLOAT, 1.5, 1e-9, ADD)                            \
    ROW(fp_mul, double, KEEP_FLOAT, 1.5, 1.0, MUL)                             \
    ROW(fp_div, double, KEEP_FLOAT, 1.7, 12.3, DIVIDE_INTO)                    \
    ROW(fp_add32, float, KEEP_FLOAT, 1.5f, 1e-5f, ADD)                         \
    ROW(fp_mul32, float, KEEP_FLOAT, 1.5f, 1.0f, MUL)                          \
    ROW(fp_div32, float, KEEP_FLOAT, 1.7f, 12.3f, DIVIDE_INTO)                 \
    ROW(fp_sqrt, double, KEEP_FLOAT, 1.7, 2.5, ROOT)                           \
    ROW(int_convert, long, KEEP_INT, 77, 0, NARROW)                            \
    ROW(address, long, KEEP_INT, 1, 3, SCALE)

CLASSES(CHAINS)

CHAINS(fp_max, double, KEEP_FLOAT, 1.5, 2.5, GREATER)
CHAINS(fp_convert, double, KEEP_FLOAT, 1234.5, 0.0, ROUND_TRIP)

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define FUSED(x) x = __builtin_fma(x, a, a)
CHAINS(fused, double, KEEP_FLOAT, 1.5, 0.5, FUSED)
#endif

static void *cells[8][8];

static void load_latency(long rounds)
{
    void **p = &cells[0][0];
    cells[0][0] = p;
    KEEP_MEMORY();
    while (rounds--) {
        REPEAT16(p = *(void **)p; KEEP_INT(p);)
    }
}

/* The same where each address is an index that the load itself scales and adds. */
static void load_indexed_latency(long rounds)
{
    static const long next[8];
    const long *from = next;
    long i = 0;
    KEEP_INT(from);
    while (rounds--) {
        REPEAT16(i = from[i]; KEEP_INT(i);)
    }
}

static void load_throughput(long rounds)
{
    void **p = &cells[0][0];
    KEEP_INT(p);
    while (rounds--) {
        REPEAT16({ void *a = *(void *volatile *)p; KEEP_INT(a); void *b = *(void *volatile *)(p + 9); KEEP_INT(b); })
    }
}

/* A value stored and loaded back: latency of store and load together. */
static void store_latency(long rounds)
{
    long x = 1, i = 0;
    volatile long *cell = (volatile long *)cells;
    KEEP_INT(i);
    while (rounds--) {
        REPEAT16(cell[i] = x; x = cell[i]; KEEP_INT(x);)
    }
}

static void store_throughput(long rounds)
{
    volatile long *cell = (volatile long *)cells;
    while (rounds--) {
        REPEAT4(cell[0] = rounds; cell[8] = rounds; cell[16] = rounds; cell[24] = rounds;
                cell[32] = rounds; cell[40] = rounds; cell[48] = rounds; cell[56] = rounds;)
    }
}

/* Never taken, always predicted; the loop of 32 adds one. */
static void branch_throughput(long rounds)
{
    long x = 1;
    while (rounds--) {
        REPEAT16(KEEP_INT(x); if (x == 0) abort(); KEEP_INT(x); if (x == 0) abort();)
    }
}

static NOINLINE long callee(long a, long b)
{
    KEEP_INT(a);
    return a + b;
}

static void call_latency(long rounds)
{
    long x = 1;
    while (rounds--) {
        REPEAT16(x = callee(x, 3);)
    }
}

struct words { long w[32]; };
static struct words here, there;

static void copy_word_throughput(long rounds)
{
    while (rounds--) {
        KEEP_MEMORY();
        there = here;
        KEEP_MEMORY();
        here = there;
    }
}

#define BOTH(name)                                                        \
    harness_report("latency." #name, name##_latency, 16, #name);          \
    harness_report("throughput." #name, name##_throughput, 32, #name)
#define REPORT(name, type, keep, start, second, step) BOTH(name);

int main(int argc, char **argv)
{
    harness_begin(argc, argv);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            cells[i][j] = &cells[i][j];
    CLASSES(REPORT)
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    BOTH(fused);
#endif
    harness_report("latency.fp_max", fp_max_latency, 16, "fp_max");
    harness_report("latency.fp_convert", fp_convert_latency, 32, "fp_convert");
    harness_report("throughput.fp_convert", fp_convert_throughput, 64, "fp_convert");
    BOTH(load);
    harness_report("latency.load_indexed", load_indexed_latency, 16, "load address");
    harness_report("latency.store", store_latency, 16, "store load");
    harness_report("throughput.store", store_throughput, 32, "store");
    harness_report("throughput.branch", branch_throughput, 32, "branch");
    harness_report("latency.call", call_latency, 16, "call");
    harness_report("throughput.copy_word", copy_word_throughput, 64, "copy_word");
    return 0;
}
