/* LU factorisation without pivoting, triangular nests. */
#include <stdio.h>

#define N 40

static double a[N][N];

static void init(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = i == j ? N + 1.0 : 1.0 / (i + j + 1);
}

static void factorise(int n)
{
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++) {
            a[i][k] /= a[k][k];
            for (int j = k + 1; j < n; j++)
                a[i][j] -= a[i][k] * a[k][j];
        }
    }
}

int main(void)
{
    init();
    factorise(N);
    double trace = 0;
    int i = 0;
    while (i < N) {
        trace += a[i][i];
        i++;
    }
    printf("%g\n", trace);
    return 0;
}
