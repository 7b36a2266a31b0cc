/* How the processor hides latencies: width, window, forwarding of stores, mispredicted branches, lines that
 * accesses split. Built with the flags under calibration and -O1. */
#include "harness.h"

#define REPEAT2(x) x x
#define REPEAT4(x) REPEAT2(x) REPEAT2(x)
#define REPEAT8(x) REPEAT4(x) REPEAT4(x)
#define REPEAT16(x) REPEAT8(x) REPEAT8(x)
#define REPEAT64(x) REPEAT4(REPEAT16(x))

/* Where an access lies is not known to the compiler. */
static _Alignas(4096) char cells[8192];

/* What the front end passes on per cycle. Processors of x86 may pass on two nops as one (11.7 per cycle on a Zen 4, which
 * begins six): there a mixture that no unit holds up, of sums, loads, and zeros that recent ones need no unit for. Elsewhere
 * operations that nothing executes, where the instruction set has one; else another mixture. */
#if defined(__x86_64__)
#define WIDTH_OPERATIONS (16 * 12)
#else
#define WIDTH_OPERATIONS (16 * 8)
#endif

static void width_body(long rounds)
{
#if defined(__x86_64__)
    while (rounds--) {
        REPEAT16(__asm__ volatile(
            "addl $1, %%eax\n movq (%0), %%r9\n  xorl %%ecx, %%ecx\n"
            "addl $1, %%esi\n movq (%0), %%r10\n xorl %%edx, %%edx\n"
            "addl $1, %%edi\n movq (%0), %%r11\n xorl %%ecx, %%ecx\n"
            "addl $1, %%r8d\n xorl %%edx, %%edx\n xorl %%ecx, %%ecx\n"
            : : "r"(cells) : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc");)
    }
#elif defined(__i386__) || defined(__aarch64__) || defined(__arm__)
    while (rounds--) {
        REPEAT64(__asm__ volatile("nop");)
        REPEAT64(__asm__ volatile("nop");)
    }
#else
    long a = 1, b = 2, c = 3, d = 4;
    double u = 1.0, v = 2.0;
    while (rounds--) {
        REPEAT16(a += 1; KEEP_INT(a); b += 1; KEEP_INT(b); c += 1; KEEP_INT(c); d += 1; KEEP_INT(d);
                 u += 1.0; KEEP_FLOAT(u); v += 1.0; KEEP_FLOAT(v);
                 { long x = *(long *)cells; KEEP_INT(x); } { long x = *(long *)cells; KEEP_INT(x); })
    }
#endif
}

/* Chains of products that begin anew after `length` of them: how much of the next chain is done while one runs says
 * how far the processor looks ahead. Alone, all operations on the way wait for operands; mixed with three that do
 * not, as loads and index arithmetic in a reduction, more of them are under way. */
#define PRODUCTS(length)                             \
    static void chain_##length##_body(long rounds)   \
    {                                                \
        double a = 1.0, start = 1.5;                 \
        KEEP_FLOAT(a);                               \
        KEEP_FLOAT(start);                           \
        while (rounds--) {                           \
            double x = start;                        \
            KEEP_FLOAT(x);                           \
            CHAIN_##length(PRODUCT)                  \
        }                                            \
    }                                                \
    static void mixed_##length##_body(long rounds)   \
    {                                                \
        double a = 1.0, start = 1.5;                 \
        long b = 0, c = 0;                           \
        KEEP_FLOAT(a);                               \
        KEEP_FLOAT(start);                           \
        while (rounds--) {                           \
            double x = start;                        \
            KEEP_FLOAT(x);                           \
            CHAIN_##length(MIXED)                    \
        }                                            \
    }
#define PRODUCT x *= a; KEEP_FLOAT(x);
#define MIXED x *= a; KEEP_FLOAT(x); b += 1; KEEP_INT(b); c += 1; KEEP_INT(c); \
    { long y = *(volatile long *)cells; KEEP_INT(y); }
#define CHAIN_64(x) REPEAT64(x)
#define CHAIN_128(x) REPEAT2(REPEAT64(x))
#define CHAIN_256(x) REPEAT4(REPEAT64(x))
#define CHAIN_512(x) REPEAT8(REPEAT64(x))
PRODUCTS(64)
PRODUCTS(128)
PRODUCTS(256)
PRODUCTS(512)

/* The greatest of many: a comparison, and a move that waits for it. */
static void compare_select_body(long rounds)
{
    long most = 0, other = 1;
    KEEP_INT(most);
    while (rounds--) {
#if defined(__x86_64__)
#define SELECT __asm__("cmpq %1, %0\n\tcmovlq %1, %0" : "+r"(most) : "r"(other) : "cc");
#elif defined(__aarch64__)
#define SELECT __asm__("cmp %0, %1\n\tcsel %0, %1, %0, lt" : "+r"(most) : "r"(other) : "cc");
#else
#define SELECT most = most < other ? other : most; KEEP_INT(most);
#endif
        KEEP_INT(other);
        REPEAT16(SELECT)
    }
    KEEP_INT(most);
}

/* Loops of few operations that depend on nothing before them: what the branch that ends each iteration takes of the
 * front end. */
static void short_loop_body(long rounds)
{
    const volatile int *from = (const volatile int *)cells;
    volatile int *to = (volatile int *)(cells + 4096);
    int a = 1, b = 2;
    KEEP_INT(a);
    KEEP_INT(b);
    while (rounds--)
        for (long k = 0; k < 1000; k++) {
            int x = from[k];
            x += a;
            KEEP_INT(x);
            x += b;
            KEEP_INT(x);
            to[k] = x;
        }
}

/* A sweep of stores with a load in each iteration of one element: where the sweep passes it, the load was executed too
 * early once. */
static void sweep(long rounds, long element)
{
    volatile int *p = (volatile int *)cells;
    KEEP_INT(element);
    while (rounds--)
        for (long k = 0; k < 64; k++)
            p[k] = p[k + 128] + p[element];
}

static void load_behind_store_body(long rounds) { sweep(rounds, 32); }
static void load_beside_stores_body(long rounds) { sweep(rounds, 1032); }

/* Products and sums in turn: what a sum waits for a result of another unit. */
static void mul_add_body(long rounds)
{
    double x = 1.0, a = 0.5, b = 1e-9;
    KEEP_FLOAT(x);
    KEEP_FLOAT(a);
    KEEP_FLOAT(b);
    while (rounds--) {
        REPEAT16(x *= a; KEEP_FLOAT(x); x += b; KEEP_FLOAT(x);)
    }
}

/* A value stored and loaded back in a chain: at an address that the code names, and at one that is computed. */
static void forward_int_body(long rounds)
{
    volatile long slot = 1;
    while (rounds--) {
        REPEAT16(slot = slot + 1;)
    }
}

static void forward_fp_body(long rounds)
{
    volatile double slot = 1.0;
    double a = 1.0;
    KEEP_FLOAT(a);
    while (rounds--) {
        REPEAT16(slot = slot + a;)
    }
}

static void forward_indexed_int_body(long rounds)
{
    volatile long *p = (volatile long *)cells;
    long i = 3, j = 3;
    KEEP_INT(i);
    KEEP_INT(j);
    while (rounds--) {
        REPEAT16(p[i] = p[j] + 1; KEEP_INT(i); KEEP_INT(j);)
    }
}

static void forward_indexed_fp_body(long rounds)
{
    volatile double *p = (volatile double *)cells;
    long i = 3, j = 3;
    double a = 1.0;
    KEEP_INT(i);
    KEEP_INT(j);
    KEEP_FLOAT(a);
    *(double *)(cells + 24) = 1.0;
    while (rounds--) {
        REPEAT16(p[i] = p[j] + a; KEEP_INT(i); KEEP_INT(j);)
    }
}

/* A value that each iteration of a loop stores to another place than the one before, which is where it comes from: an
 * integer as an operand that a sum reads from memory by itself, where the instruction set has such. */
static void forward_moving_fp_body(long rounds)
{
    volatile double *p = (volatile double *)cells;
    double a = 1e-9;
    KEEP_INT(p);
    KEEP_FLOAT(a);
    memset(cells, 0, sizeof cells);
    while (rounds--)
        for (long k = 1; k < 1000; k++)
            p[k] = p[k - 1] + a;
}

static void forward_folded_int_body(long rounds)
{
    long *p = (long *)cells;
    KEEP_INT(p);
    while (rounds--)
        for (long k = 1; k < 1000; k++) {
            long x = k;
            x += p[k - 1];
            p[k] = x;
            KEEP_MEMORY();
        }
}

/* An integer in memory that one operation reads, changes and writes. */
static void forward_update_int_body(long rounds)
{
    long *p = (long *)cells;
    KEEP_INT(p);
    while (rounds--)
        for (long k = 0; k < 1000; k++) {
            *p += k;
            KEEP_MEMORY();
        }
}

/* Sums that are kept in memory, 40 terms each: how far the next sum gets while one waits for its chain of stores and
 * loads, with so many loads in each iteration. */
#define FORWARDED 40
#define ONE_LOAD(k) { long x = *(volatile long *)(cells + 4096 + (k)); KEEP_INT(x); }
#define SUMS(loads, others)                                                \
    static void forward_sum_##loads##_body(long rounds)                    \
    {                                                                      \
        double a = 1.0;                                                    \
        KEEP_FLOAT(a);                                                     \
        memset(cells, 0, sizeof cells);                                    \
        while (rounds--)                                                   \
            for (long i = 0; i < 64; i++) {                                \
                volatile double *sum = (volatile double *)(cells + 8 * i); \
                for (long k = 0; k < 8 * FORWARDED; k += 8) {              \
                    double x = *sum;                                       \
                    x += a;                                                \
                    others                                                 \
                    *sum = x;                                              \
                    KEEP_INT(k);                                           \
                }                                                          \
            }                                                              \
    }
SUMS(1, )
SUMS(2, ONE_LOAD(k))
SUMS(3, ONE_LOAD(k) ONE_LOAD(k + 512))
SUMS(4, ONE_LOAD(k) ONE_LOAD(k + 512) ONE_LOAD(k + 1024))

/* Stores within one line, each to another line, across the border of two lines; loads across the border. */
static void store_same_line_body(long rounds)
{
    while (rounds--) {
#define SAME(k) *(volatile long *)(cells + 8 * (k)) = rounds;
        REPEAT4(SAME(0) SAME(1) SAME(2) SAME(3) SAME(4) SAME(5) SAME(6) SAME(7))
    }
}

static void store_other_line_body(long rounds)
{
    while (rounds--) {
#define OTHER(k) *(volatile long *)(cells + 256 * (k)) = rounds;
        REPEAT4(OTHER(0) OTHER(1) OTHER(2) OTHER(3) OTHER(4) OTHER(5) OTHER(6) OTHER(7))
    }
}

struct split { long at; } __attribute__((packed));

static void store_split_body(long rounds)
{
    while (rounds--) {
#define ACROSS(k) ((volatile struct split *)(cells + 256 * (k) + 60))->at = rounds;
        REPEAT4(ACROSS(0) ACROSS(1) ACROSS(2) ACROSS(3) ACROSS(4) ACROSS(5) ACROSS(6) ACROSS(7))
    }
}

static void load_split_body(long rounds)
{
    while (rounds--) {
#define FETCH(k) { long x = ((volatile struct split *)(cells + 256 * (k) + 60))->at; KEEP_INT(x); }
        REPEAT4(FETCH(0) FETCH(1) FETCH(2) FETCH(3) FETCH(4) FETCH(5) FETCH(6) FETCH(7))
    }
}

static unsigned long random_state = 88172645463325252ul;

/* A branch on a bit of random numbers that never come again, or on a bit that is always 0. */
static void branches(long rounds, unsigned long mask)
{
    unsigned long r = random_state, taken = 0;
    KEEP_INT(mask);
    while (rounds--)
        for (int k = 0; k < 64; k++) {
            r ^= r << 13;
            r ^= r >> 7;
            r ^= r << 17;
            if (r & mask) {
                taken++;
                KEEP_INT(taken);
            } else {
                __asm__ volatile("");
            }
        }
    random_state = r;
}

static void branch_random_body(long rounds) { branches(rounds, 1ul << 9); }
static void branch_steady_body(long rounds) { branches(rounds, 0); }

/* Short loops, again and again: from some length on, the end of the loop comes as a surprise. Each iteration only
 * counts: nothing is left to do behind which a surprise could hide. */
static void trips(long rounds, long length)
{
    KEEP_INT(length);
    while (rounds--)
        for (long k = 0; k < length; k++)
            KEEP_INT(k);
}

/* Loops of which each is an iteration longer than the one before. */
static void triangle(long rounds, long length)
{
    KEEP_INT(length);
    while (rounds--)
        for (long i = 0; i < length; i++)
            for (long k = 0; k < i; k++)
                KEEP_INT(k);
}

#define TRIPS(length) \
    static void trip_##length##_body(long rounds) { trips(rounds, length); }
#define TRIANGLE(length) \
    static void triangle_##length##_body(long rounds) { triangle(rounds, length); }
TRIPS(4) TRIPS(8) TRIPS(12) TRIPS(16) TRIPS(24) TRIPS(32) TRIPS(48) TRIPS(64) TRIPS(96) TRIPS(128) TRIPS(192)
TRIPS(256) TRIPS(384) TRIPS(512) TRIPS(1024) TRIPS(2048)
TRIANGLE(16) TRIANGLE(32) TRIANGLE(64) TRIANGLE(96) TRIANGLE(128) TRIANGLE(192) TRIANGLE(256) TRIANGLE(512)

#define REPORT(name, units) harness_report(#name, name##_body, units, #name)

int main(int argc, char **argv)
{
    harness_begin(argc, argv);
    REPORT(width, WIDTH_OPERATIONS);
    REPORT(chain_64, 64);
    REPORT(chain_128, 128);
    REPORT(chain_256, 256);
    REPORT(chain_512, 512);
    REPORT(mixed_64, 64);
    REPORT(mixed_128, 128);
    REPORT(mixed_256, 256);
    REPORT(mixed_512, 512);
    REPORT(compare_select, 16);
    REPORT(short_loop, 1000);
    REPORT(load_behind_store, 1);
    REPORT(load_beside_stores, 1);
    REPORT(mul_add, 16);
    REPORT(forward_int, 16);
    REPORT(forward_fp, 16);
    REPORT(forward_indexed_int, 16);
    REPORT(forward_indexed_fp, 16);
    REPORT(forward_folded_int, 999);
    REPORT(forward_update_int, 1000);
    REPORT(forward_moving_fp, 999);
    REPORT(forward_sum_1, 64 * FORWARDED);
    REPORT(forward_sum_2, 64 * FORWARDED);
    REPORT(forward_sum_3, 64 * FORWARDED);
    REPORT(forward_sum_4, 64 * FORWARDED);
    REPORT(store_same_line, 32);
    REPORT(store_other_line, 32);
    REPORT(store_split, 32);
    REPORT(load_split, 32);
    REPORT(branch_random, 64);
    REPORT(branch_steady, 64);
    REPORT(trip_4, 1);
    REPORT(trip_8, 1);
    REPORT(trip_12, 1);
    REPORT(trip_16, 1);
    REPORT(trip_24, 1);
    REPORT(trip_32, 1);
    REPORT(trip_48, 1);
    REPORT(trip_64, 1);
    REPORT(trip_96, 1);
    REPORT(trip_128, 1);
    REPORT(trip_192, 1);
    REPORT(trip_256, 1);
    REPORT(trip_384, 1);
    REPORT(trip_512, 1);
    REPORT(trip_1024, 1);
    REPORT(trip_2048, 1);
    REPORT(triangle_16, 16);
    REPORT(triangle_32, 32);
    REPORT(triangle_64, 64);
    REPORT(triangle_96, 96);
    REPORT(triangle_128, 128);
    REPORT(triangle_192, 192);
    REPORT(triangle_256, 256);
    REPORT(triangle_512, 512);
    return 0;
}
