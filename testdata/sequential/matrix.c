/* Matrix products and reductions in the usual forms: 2-D arrays, VLA parameters, pointer rows. */
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 24
#endif

static double a[N][N], b[N][N], c[N][N];

static void gemm(int n, double x[n][n], double y[n][n], double z[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++)
                sum += x[i][k] * y[k][j];
            z[i][j] += sum;
        }
}

static void symmetric(double (*m)[N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            m[j][i] = m[i][j];
}

static float **rows(int m, int n)
{
    float **r = malloc(m * sizeof *r);
    for (int i = 0; i < m; i++)
        r[i] = calloc(n, sizeof **r);
    return r;
}

int main(void)
{
    int i, j;
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) {
            a[i][j] = i - j;
            b[i][j] = (i * j) % N;
        }
    for (int repeat = 3; repeat--;)
        gemm(N, a, b, c);
    symmetric(c);
    float **f = rows(N, 2 * N);
    float *p = f[1];
    for (i = 0; i < 2 * N; i++)
        *p++ = (float)i;
    double total = 0;
    for (i = N; i > 0; i--)
        for (j = 2 * N - 1; j >= N; j -= 4)
            total += f[i - 1][j];
    for (i = 0; i < N; i++)
        free(f[i]);
    free(f);
    printf("%g %g\n", total, c[N - 1][0]);
    return 0;
}
