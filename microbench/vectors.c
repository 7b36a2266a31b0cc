/* Latency and reciprocal throughput of vector instructions of one width, -DBITS=128, 256 or 512: one chain gives the
 * latency, eight the throughput. Built with the flags under calibration and -O1. */
#include "harness.h"
#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#ifndef BITS
#define BITS 128
#endif
#define BYTES (BITS / 8)

#if defined(__x86_64__) || defined(__i386__)
#if BITS == 512
#define KEEP_VECTOR(x) __asm__ volatile("" : "+v"(x))
#else
#define KEEP_VECTOR(x) __asm__ volatile("" : "+x"(x))
#endif
#elif defined(__aarch64__)
#define KEEP_VECTOR(x) __asm__ volatile("" : "+w"(x))
#else
#define KEEP_VECTOR(x) __asm__ volatile("" : "+m"(x))
#endif

typedef double doubles __attribute__((vector_size(BYTES)));
typedef float floats __attribute__((vector_size(BYTES)));
typedef int ints __attribute__((vector_size(BYTES)));

#define REPEAT4(x) x x x x
#define REPEAT16(x) REPEAT4(REPEAT4(x))

#define CHAINS(name, type, start, second, step)                                            \
    static void name##_latency(long rounds)                                                \
    {                                                                                      \
        type x = (type){0} + start, a = (type){0} + second;                                \
        KEEP_VECTOR(x);                                                                    \
        KEEP_VECTOR(a);                                                                    \
        while (rounds--) {                                                                 \
            REPEAT16(step(x); KEEP_VECTOR(x);)                                             \
        }                                                                                  \
    }                                                                                      \
    static void name##_throughput(long rounds)                                             \
    {                                                                                      \
        type a = (type){0} + second, x0 = (type){0} + start;                               \
        type x1 = x0, x2 = x0, x3 = x0, x4 = x0, x5 = x0, x6 = x0, x7 = x0;                \
        KEEP_VECTOR(a);                                                                    \
        while (rounds--) {                                                                 \
            REPEAT4(step(x0); KEEP_VECTOR(x0); step(x1); KEEP_VECTOR(x1);                  \
                    step(x2); KEEP_VECTOR(x2); step(x3); KEEP_VECTOR(x3);                  \
                    step(x4); KEEP_VECTOR(x4); step(x5); KEEP_VECTOR(x5);                  \
                    step(x6); KEEP_VECTOR(x6); step(x7); KEEP_VECTOR(x7);)                 \
        }                                                                                  \
    }

#define ADD(x) x += a
#define MUL(x) x *= a
#define DIVIDE_INTO(x) x = a / x

CHAINS(int_add, ints, 1, 3, ADD)
CHAINS(int_mul, ints, 3, 7, MUL)
CHAINS(fp_add, doubles, 1.5, 1e-9, ADD)
CHAINS(fp_mul, doubles, 1.5, 1.0, MUL)
CHAINS(fp_div, doubles, 1.7, 12.3, DIVIDE_INTO)
CHAINS(fp_add32, floats, 1.5f, 1e-5f, ADD)
CHAINS(fp_mul32, floats, 1.5f, 1.0f, MUL)
CHAINS(fp_div32, floats, 1.7f, 12.3f, DIVIDE_INTO)

#if BITS == 512 && defined(__AVX512F__)
#define VECTOR_ROOT(x) (doubles)_mm512_sqrt_pd((__m512d)(x))
#elif BITS == 256 && defined(__AVX__)
#define VECTOR_ROOT(x) (doubles)_mm256_sqrt_pd((__m256d)(x))
#elif BITS == 128 && defined(__SSE2__)
#define VECTOR_ROOT(x) (doubles)_mm_sqrt_pd((__m128d)(x))
#elif BITS == 128 && defined(__aarch64__)
#define VECTOR_ROOT(x) (doubles)vsqrtq_f64((float64x2_t)(x))
#endif
#ifdef VECTOR_ROOT
#define ROOT(x) x = VECTOR_ROOT(x + a)
CHAINS(fp_sqrt, doubles, 1.7, 2.5, ROOT)
#endif

/* Integers to floating-point numbers, of one vector of these. */
#if BITS == 512 && defined(__AVX512F__)
#define VECTOR_CONVERT(x) (doubles)_mm512_cvtepi32_pd(_mm512_castsi512_si256((__m512i)(x)))
#elif BITS == 256 && defined(__AVX__)
#define VECTOR_CONVERT(x) (doubles)_mm256_cvtepi32_pd(_mm256_castsi256_si128((__m256i)(x)))
#elif BITS == 128 && defined(__SSE2__)
#define VECTOR_CONVERT(x) (doubles)_mm_cvtepi32_pd((__m128i)(x))
#elif BITS == 128 && defined(__aarch64__)
#define VECTOR_CONVERT(x) (doubles)vcvtq_f64_s64((int64x2_t)(x))
#endif
#ifdef VECTOR_CONVERT
static void fp_convert_throughput(long rounds)
{
    ints from = (ints){0} + 3;
    while (rounds--) {
        REPEAT16(KEEP_VECTOR(from); { doubles to = VECTOR_CONVERT(from); KEEP_VECTOR(to); })
        REPEAT16(KEEP_VECTOR(from); { doubles to = VECTOR_CONVERT(from); KEEP_VECTOR(to); })
    }
}
#endif

/* Within lines, and with every access across the border of two lines. */
static _Alignas(4096) char cells[8192];

struct split { doubles at; } __attribute__((packed));

#define LOADS(name, offset)                                                                \
    static void name(long rounds)                                                          \
    {                                                                                      \
        struct split *p = (struct split *)(cells + offset);                                \
        KEEP_INT(p);                                                                       \
        while (rounds--) {                                                                 \
            REPEAT4(LOAD(0) LOAD(1) LOAD(2) LOAD(3) LOAD(4) LOAD(5) LOAD(6) LOAD(7))       \
        }                                                                                  \
    }
#define LOAD(k) { doubles x = ((volatile struct split *)((char *)p + 128 * (k)))->at; KEEP_VECTOR(x); }
#define STORES(name, offset)                                                               \
    static void name(long rounds)                                                          \
    {                                                                                      \
        doubles x = (doubles){0} + 1.5;                                                    \
        struct split *p = (struct split *)(cells + offset);                                \
        KEEP_INT(p);                                                                       \
        KEEP_VECTOR(x);                                                                    \
        while (rounds--) {                                                                 \
            REPEAT4(STORE(0) STORE(1) STORE(2) STORE(3) STORE(4) STORE(5) STORE(6) STORE(7)) \
        }                                                                                  \
    }
#define STORE(k) ((volatile struct split *)((char *)p + 128 * (k)))->at = x;
LOADS(load_throughput, 0)
LOADS(load_split, 64 - 8)
STORES(store_throughput, 0)
STORES(store_split, 64 - 8)

/* A sum in order over the elements of vectors that were just computed, as it is where its order must be kept. */
#define SUM2(k) s += x[k]; s += x[k + 1];
#if BITS == 512
#define SUM_ALL SUM2(0) SUM2(2) SUM2(4) SUM2(6)
#elif BITS == 256
#define SUM_ALL SUM2(0) SUM2(2)
#else
#define SUM_ALL SUM2(0)
#endif
#define LANES (BITS / 64)

static void ordered_sum(long rounds)
{
    doubles a = (doubles){0} + 1e-9;
    double s = 1.0;
    KEEP_VECTOR(a);
    while (rounds--) {
        REPEAT4(REPEAT4({ doubles x = a * a; KEEP_VECTOR(x); SUM_ALL }))
    }
    KEEP_FLOAT(s);
}

/* Vectors whose elements lie in different lines, put together from them and taken apart again one by one. */
#define PITCH 9
#define PLACE(k) ((volatile double *)p)[PITCH * (k)]
#if BITS == 512
#define COLLECTED { PLACE(0), PLACE(1), PLACE(2), PLACE(3), PLACE(4), PLACE(5), PLACE(6), PLACE(7) }
#define SPREAD_ALL SPREAD(0) SPREAD(1) SPREAD(2) SPREAD(3) SPREAD(4) SPREAD(5) SPREAD(6) SPREAD(7)
#elif BITS == 256
#define COLLECTED { PLACE(0), PLACE(1), PLACE(2), PLACE(3) }
#define SPREAD_ALL SPREAD(0) SPREAD(1) SPREAD(2) SPREAD(3)
#else
#define COLLECTED { PLACE(0), PLACE(1) }
#define SPREAD_ALL SPREAD(0) SPREAD(1)
#endif
#define SPREAD(k) PLACE(k) = x[k];

static inline __attribute__((always_inline)) doubles collected(double *p)
{
    return (doubles)COLLECTED;
}

static void collect(long rounds)
{
    double *p = (double *)cells;
    KEEP_INT(p);
    while (rounds--) {
        REPEAT16({ doubles x = collected(p); KEEP_VECTOR(x); })
    }
}

static void spread(long rounds)
{
    double *p = (double *)cells;
    doubles x = (doubles){0} + 1.5;
    KEEP_INT(p);
    while (rounds--) {
        REPEAT16(KEEP_VECTOR(x); SPREAD_ALL)
    }
}

/* The same by one instruction. */
#if BITS == 512 && defined(__AVX512F__)
typedef __m512i places;
#define EVERY(k) _mm512_set_epi64(7 * k, 6 * k, 5 * k, 4 * k, 3 * k, 2 * k, k, 0)
#define GATHER(at) (doubles)_mm512_i64gather_pd(at, p, 8)
#define SCATTER(at, x) _mm512_i64scatter_pd(p, at, (__m512d)(x), 8)
#elif BITS == 256 && defined(__AVX2__)
typedef __m256i places;
#define EVERY(k) _mm256_set_epi64x(3 * k, 2 * k, k, 0)
#define GATHER(at) (doubles)_mm256_i64gather_pd(p, at, 8)
#ifdef __AVX512VL__
#define SCATTER(at, x) _mm256_i64scatter_pd(p, at, (__m256d)(x), 8)
#endif
#endif
#ifdef GATHER
static void gather(long rounds)
{
    double *p = (double *)cells;
    places at = EVERY(PITCH);
    KEEP_INT(p);
    KEEP_VECTOR(at);
    while (rounds--) {
        REPEAT16(KEEP_MEMORY(); { doubles x = GATHER(at); KEEP_VECTOR(x); })
    }
}
#endif
#ifdef SCATTER
static void scatter(long rounds)
{
    double *p = (double *)cells;
    places at = EVERY(PITCH);
    doubles x = (doubles){0} + 1.5;
    KEEP_INT(p);
    KEEP_VECTOR(at);
    while (rounds--) {
        REPEAT16(KEEP_VECTOR(x); SCATTER(at, x); KEEP_MEMORY();)
    }
}
#endif

#define BOTH(name)                                                        \
    harness_report("latency." #name, name##_latency, 16, #name);          \
    harness_report("throughput." #name, name##_throughput, 32, #name)

int main(int argc, char **argv)
{
    harness_begin(argc, argv);
    BOTH(int_add);
    BOTH(int_mul);
    BOTH(fp_add);
    BOTH(fp_mul);
    BOTH(fp_div);
    BOTH(fp_add32);
    BOTH(fp_mul32);
    BOTH(fp_div32);
#ifdef VECTOR_ROOT
    BOTH(fp_sqrt);
#endif
#ifdef VECTOR_CONVERT
    harness_report("throughput.fp_convert", fp_convert_throughput, 32, "fp_convert");
#endif
    harness_report("throughput.load", load_throughput, 32, "load");
    harness_report("split.load", load_split, 32, "load");
    harness_report("throughput.store", store_throughput, 32, "store");
    harness_report("split.store", store_split, 32, "store");
    harness_report("ordered_sum", ordered_sum, 16 * LANES, "fp_add");
    harness_report("elements.load", collect, 16, "load");
    harness_report("elements.store", spread, 16, "store");
#ifdef GATHER
    harness_report("gather.load", gather, 16, "load");
#endif
#ifdef SCATTER
    harness_report("gather.store", scatter, 16, "store");
#endif
    return 0;
}
