/* A BLAS of naive loops, row by row and without transposition: what microbench/blas.c calls. */
#include <math.h>
#include <stddef.h>

#define BLAS(p, real)                                                                                               \
    real cblas_##p##dot(int n, const real *x, int dx, const real *y, int dy)                                        \
    {                                                                                                               \
        real sum = 0;                                                                                               \
        for (int i = 0; i < n; i++)                                                                                 \
            sum += x[i * dx] * y[i * dy];                                                                           \
        return sum;                                                                                                 \
    }                                                                                                               \
    real cblas_##p##nrm2(int n, const real *x, int dx) { return sqrt(cblas_##p##dot(n, x, dx, x, dx)); }            \
    real cblas_##p##asum(int n, const real *x, int dx)                                                              \
    {                                                                                                               \
        real sum = 0;                                                                                               \
        for (int i = 0; i < n; i++)                                                                                 \
            sum += fabs(x[i * dx]);                                                                                 \
        return sum;                                                                                                 \
    }                                                                                                               \
    size_t cblas_i##p##amax(int n, const real *x, int dx)                                                           \
    {                                                                                                               \
        size_t best = 0;                                                                                            \
        for (int i = 0; i < n; i++)                                                                                 \
            if (fabs(x[i * dx]) > fabs(x[best * dx]))                                                               \
                best = i;                                                                                           \
        return best;                                                                                                \
    }                                                                                                               \
    void cblas_##p##copy(int n, const real *x, int dx, real *y, int dy)                                             \
    {                                                                                                               \
        for (int i = 0; i < n; i++)                                                                                 \
            y[i * dy] = x[i * dx];                                                                                  \
    }                                                                                                               \
    void cblas_##p##swap(int n, real *x, int dx, real *y, int dy)                                                   \
    {                                                                                                               \
        for (int i = 0; i < n; i++) {                                                                               \
            real old = x[i * dx];                                                                                   \
            x[i * dx] = y[i * dy], y[i * dy] = old;                                                                 \
        }                                                                                                           \
    }                                                                                                               \
    void cblas_##p##scal(int n, real a, real *x, int dx)                                                            \
    {                                                                                                               \
        for (int i = 0; i < n; i++)                                                                                 \
            x[i * dx] *= a;                                                                                         \
    }                                                                                                               \
    void cblas_##p##axpy(int n, real a, const real *x, int dx, real *y, int dy)                                     \
    {                                                                                                               \
        for (int i = 0; i < n; i++)                                                                                 \
            y[i * dy] += a * x[i * dx];                                                                             \
    }                                                                                                               \
    void cblas_##p##gemv(int order, int how, int m, int n, real alpha, const real *a, int lda, const real *x,      \
                         int dx, real beta, real *y, int dy)                                                        \
    {                                                                                                               \
        for (int i = 0; i < m; i++)                                                                                 \
            y[i * dy] = beta * y[i * dy] + alpha * cblas_##p##dot(n, a + i * lda, 1, x, dx);                        \
    }                                                                                                               \
    void cblas_##p##ger(int order, int m, int n, real alpha, const real *x, int dx, const real *y, int dy, real *a, \
                        int lda)                                                                                    \
    {                                                                                                               \
        for (int i = 0; i < m; i++)                                                                                 \
            cblas_##p##axpy(n, alpha * x[i * dx], y, dy, a + i * lda, 1);                                           \
    }                                                                                                               \
    void cblas_##p##trsv(int order, int uplo, int how, int diag, int n, const real *a, int lda, real *x, int dx)    \
    {                                                                                                               \
        for (int i = 0; i < n; i++)                                                                                 \
            x[i * dx] = (x[i * dx] - cblas_##p##dot(i, a + i * lda, 1, x, dx)) / a[i * lda + i];                    \
    }                                                                                                               \
    void cblas_##p##gemm(int order, int ta, int tb, int m, int n, int k, real alpha, const real *a, int lda,        \
                         const real *b, int ldb, real beta, real *c, int ldc)                                       \
    {                                                                                                               \
        for (int i = 0; i < m; i++) {                                                                               \
            cblas_##p##scal(n, beta, c + i * ldc, 1);                                                               \
            for (int l = 0; l < k; l++)                                                                             \
                cblas_##p##axpy(n, alpha * a[i * lda + l], b + l * ldb, 1, c + i * ldc, 1);                         \
        }                                                                                                           \
    }                                                                                                               \
    void cblas_##p##trsm(int order, int side, int uplo, int how, int diag, int m, int n, real alpha, const real *a, \
                         int lda, real *b, int ldb)                                                                 \
    {                                                                                                               \
        for (int i = 0; i < m; i++) {                                                                               \
            for (int l = 0; l < i; l++)                                                                             \
                cblas_##p##axpy(n, -a[i * lda + l], b + l * ldb, 1, b + i * ldb, 1);                                \
            cblas_##p##scal(n, alpha / a[i * lda + i], b + i * ldb, 1);                                             \
        }                                                                                                           \
    }

BLAS(d, double)
BLAS(s, float)
