/* Functions of a BLAS by its C interface, at several sizes, for a file of library costs. A unit is a call; the token
 * `work:` is what the file's expression of the work gives for the call. */
#include "harness.h"

#define MOST 256
#define ROW_MAJOR 101
#define AS_IT_IS 111
#define LOWER 122
#define NOT_UNIT 131
#define LEFT 141

static double a_d[MOST * MOST], b_d[MOST * MOST], c_d[MOST * MOST];
static float a_s[MOST * MOST], b_s[MOST * MOST], c_s[MOST * MOST];
volatile double sink_float;
volatile size_t sink_index;
/* The sizes of the call that is being timed. */
static int m, n, k;

#define DECLARED(p, real)                                                                                              \
    real cblas_##p##dot(int, const real *, int, const real *, int);                                                    \
    real cblas_##p##nrm2(int, const real *, int);                                                                      \
    real cblas_##p##asum(int, const real *, int);                                                                      \
    size_t cblas_i##p##amax(int, const real *, int);                                                                   \
    void cblas_##p##copy(int, const real *, int, real *, int);                                                         \
    void cblas_##p##swap(int, real *, int, real *, int);                                                               \
    void cblas_##p##scal(int, real, real *, int);                                                                      \
    void cblas_##p##axpy(int, real, const real *, int, real *, int);                                                   \
    void cblas_##p##gemv(int, int, int, int, real, const real *, int, const real *, int, real, real *, int);           \
    void cblas_##p##ger(int, int, int, real, const real *, int, const real *, int, real *, int);                       \
    void cblas_##p##trsv(int, int, int, int, int, const real *, int, real *, int);                                     \
    void cblas_##p##gemm(int, int, int, int, int, int, real, const real *, int, const real *, int, real, real *, int); \
    void cblas_##p##trsm(int, int, int, int, int, int, int, real, const real *, int, real *, int);

#define BODIES(p, a, b, c)                                                                                             \
    ONCE(p##dot, sink_float = cblas_##p##dot(n, a, 1, b, 1))                                                           \
    ONCE(p##nrm2, sink_float = cblas_##p##nrm2(n, a, 1))                                                               \
    ONCE(p##asum, sink_float = cblas_##p##asum(n, a, 1))                                                               \
    ONCE(i##p##amax, sink_index = cblas_i##p##amax(n, a, 1))                                                           \
    ONCE(p##copy, cblas_##p##copy(n, a, 1, c, 1))                                                                      \
    ONCE(p##swap, cblas_##p##swap(n, b, 1, c, 1))                                                                      \
    ONCE(p##scal, cblas_##p##scal(n, -1, b, 1))                                                                         \
    ONCE(p##axpy, cblas_##p##axpy(n, 1e-9, a, 1, c, 1))                                                                 \
    ONCE(p##gemv, cblas_##p##gemv(ROW_MAJOR, AS_IT_IS, m, n, 1, a, MOST, b, 1, 0, c, 1))                               \
    ONCE(p##ger, cblas_##p##ger(ROW_MAJOR, m, n, 1e-9, a, 1, b, 1, c, MOST))                                            \
    ONCE(p##trsv, cblas_##p##trsv(ROW_MAJOR, LOWER, AS_IT_IS, NOT_UNIT, n, a, MOST, b, 1))                             \
    ONCE(p##gemm, cblas_##p##gemm(ROW_MAJOR, AS_IT_IS, AS_IT_IS, m, n, k, 1, a, MOST, b, MOST, 0, c, MOST))            \
    ONCE(p##trsm, cblas_##p##trsm(ROW_MAJOR, LEFT, LOWER, AS_IT_IS, NOT_UNIT, m, n, 1, a, MOST, b, MOST))

DECLARED(d, double)
DECLARED(s, float)
BODIES(d, a_d, b_d, c_d)
BODIES(s, a_s, b_s, c_s)

/* No element is zero, since some implementations skip these; solving with the first matrix changes next to nothing. */
static void fill_matrices(void)
{
    for (int i = 0; i < MOST; i++)
        for (int j = 0; j < MOST; j++) {
            int at = i * MOST + j;
            a_d[at] = i == j ? 1 : (i + j) % 2 ? 1e-8 : -1e-8;
            b_d[at] = c_d[at] = 1 + 1e-3 * (at % 7);
            a_s[at] = a_d[at], b_s[at] = b_d[at], c_s[at] = c_d[at];
        }
}

static void report(const char *name, harness_body body, int rows, int columns, int depth, double work)
{
    char full[64], token[64];
    m = rows, n = columns, k = depth;
    snprintf(full, sizeof full, "%s/%d/%d/%d", name, rows, columns, depth);
    snprintf(token, sizeof token, "work:%.0f", work);
    fill_matrices();
    harness_report(full, body, 1, token);
}

static void vectors(const char *name, harness_body body, double each)
{
    static const int sizes[] = {16, 256, 4096};
    for (int i = 0; i < 3; i++)
        report(name, body, 1, sizes[i], 1, each * sizes[i]);
}

static void matrices(const char *name, harness_body body, double each)
{
    static const int sizes[] = {16, 64, 256};
    for (int i = 0; i < 3; i++)
        report(name, body, sizes[i], sizes[i], 1, each * sizes[i] * sizes[i]);
}

static void products(const char *name, harness_body body)
{
    static const int sizes[][3] = {{8, 8, 8}, {32, 32, 32}, {128, 128, 128}, {256, 256, 32}};
    for (int i = 0; i < 4; i++)
        report(name, body, sizes[i][0], sizes[i][1], sizes[i][2], 2.0 * sizes[i][0] * sizes[i][1] * sizes[i][2]);
}

static void solutions(const char *name, harness_body body)
{
    static const int sizes[][2] = {{8, 8}, {32, 32}, {32, 256}, {128, 128}};
    for (int i = 0; i < 4; i++)
        report(name, body, sizes[i][0], sizes[i][1], 1, (double)sizes[i][0] * sizes[i][0] * sizes[i][1]);
}

#define ALL(p)                                    \
    vectors("cblas_" #p "dot", p##dot_body, 2);   \
    vectors("cblas_" #p "nrm2", p##nrm2_body, 2); \
    vectors("cblas_" #p "asum", p##asum_body, 1); \
    vectors("cblas_i" #p "amax", i##p##amax_body, 1); \
    vectors("cblas_" #p "copy", p##copy_body, 1); \
    vectors("cblas_" #p "swap", p##swap_body, 1); \
    vectors("cblas_" #p "scal", p##scal_body, 1); \
    vectors("cblas_" #p "axpy", p##axpy_body, 2); \
    matrices("cblas_" #p "gemv", p##gemv_body, 2); \
    matrices("cblas_" #p "ger", p##ger_body, 2);  \
    matrices("cblas_" #p "trsv", p##trsv_body, 1); \
    products("cblas_" #p "gemm", p##gemm_body);   \
    solutions("cblas_" #p "trsm", p##trsm_body);

int main(int argc, char **argv)
{
    harness_begin(argc, argv);
    ALL(d)
    ALL(s)
    return 0;
}
