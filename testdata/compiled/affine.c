/* Regular nests of ordinary numerical code: the cost models `compiled` and `source` are compared on them. Calls are some
 * ten microseconds long, data stays in the second level of the cache. */
#include <stdio.h>
#define N 120
#define V 2000
#define REPEAT 20
#define KERNEL __attribute__((noinline)) void
/* One after the other, so that each finds its own data in the caches. */
#define RUN(call) for (int r = 0; r < REPEAT; r++) call
/* Long ones: a shared computer leaves few undisturbed milliseconds. */
#define FEW(call) for (int r = 0; r < 2; r++) call

double A[N][N], B[N][N], C[N][N], D[N][N];
double x[V], y[V], z[V], w[V];
double H[20][20][20], G[20][20][20];
int counts[V], numbers[2 * V];
long total;
double result;

KERNEL gemm(double alpha, double beta)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            C[i][j] *= beta;
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++)
                C[i][j] += alpha * A[i][k] * B[k][j];
    }
}

KERNEL product_ijk(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < N; k++)
                s += A[i][k] * B[k][j];
            C[i][j] = s;
        }
}

KERNEL atax(int n)
{
    for (int i = 0; i < n; i++)
        y[i] = 0;
    for (int i = 0; i < n; i++) {
        z[i] = 0;
        for (int j = 0; j < n; j++)
            z[i] += A[i][j] * x[j];
        for (int j = 0; j < n; j++)
            y[j] += A[i][j] * z[i];
    }
}

KERNEL bicg(int n)
{
    for (int i = 0; i < n; i++)
        y[i] = 0;
    for (int i = 0; i < n; i++) {
        double q = 0;
        for (int j = 0; j < n; j++) {
            y[j] += x[i] * A[i][j];
            q += A[i][j] * w[j];
        }
        z[i] = q;
    }
}

KERNEL mvt(int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x[i] += A[i][j] * y[j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            z[i] += A[j][i] * w[j];
}

KERNEL syrk(int n, double alpha)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double s = 0;
            for (int k = 0; k < n; k++)
                s += A[i][k] * A[j][k];
            C[i][j] = alpha * s;
        }
}

KERNEL lower_solve(int n)
{
    for (int i = 0; i < n; i++) {
        double s = y[i];
        for (int j = 0; j < i; j++)
            s -= A[i][j] * x[j];
        x[i] = s / A[i][i];
    }
}

KERNEL factorise(int n)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            D[i][k] /= D[k][k];
            for (int j = k + 1; j < n; j++)
                D[i][j] -= D[i][k] * D[k][j];
        }
}

KERNEL jacobi_line(int steps, int n)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            y[i] = 0.33333 * (x[i - 1] + x[i] + x[i + 1]);
        for (int i = 1; i < n - 1; i++)
            x[i] = 0.33333 * (y[i - 1] + y[i] + y[i + 1]);
    }
}

KERNEL jacobi_plane(void)
{
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j] + A[i - 1][j]);
}

KERNEL seidel(void)
{
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            D[i][j] = (D[i - 1][j] + D[i][j - 1] + D[i][j] + D[i][j + 1] + D[i + 1][j]) / 5.0;
}

KERNEL nine_points(void)
{
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            C[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j] + A[i][j + 1]
                       + A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) * 0.1111;
}

KERNEL heat(void)
{
    for (int i = 1; i < 19; i++)
        for (int j = 1; j < 19; j++)
            for (int k = 1; k < 19; k++)
                H[i][j][k] = 0.125 * (G[i + 1][j][k] - 2.0 * G[i][j][k] + G[i - 1][j][k])
                    + 0.125 * (G[i][j + 1][k] - 2.0 * G[i][j][k] + G[i][j - 1][k])
                    + 0.125 * (G[i][j][k + 1] - 2.0 * G[i][j][k] + G[i][j][k - 1]) + G[i][j][k];
}

KERNEL shortest_paths(int n)
{
    for (int k = 0; k < 12; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                B[i][j] = B[i][j] < B[i][k] + B[k][j] ? B[i][j] : B[i][k] + B[k][j];
}

KERNEL column_means(int n)
{
    for (int j = 0; j < n; j++) {
        double m = 0;
        for (int i = 0; i < n; i++)
            m += A[i][j];
        y[j] = m / n;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            C[i][j] = A[i][j] - y[j];
}

KERNEL axpy(double a, int n)
{
    for (int r = 0; r < 8; r++)
        for (int i = 0; i < n; i++)
            y[i] += a * x[i];
}

KERNEL dot(int n)
{
    double s = 0;
    for (int r = 0; r < 8; r++)
        for (int i = 0; i < n; i++)
            s += x[i] * y[i];
    result = s;
}

KERNEL integer_sum(int n)
{
    long s = 0;
    for (int r = 0; r < 8; r++) {
        int t = r;
        for (int i = 0; i < n; i++)
            t += counts[i];
        s += t;
    }
    total = s;
}

KERNEL strided_sum(int n)
{
    long s = 0;
    for (int r = 0; r < 8; r++) {
        int t = r;
        for (int i = 0; i < n; i++)
            t += numbers[2 * i];
        s += t;
    }
    total = s;
}

KERNEL residual_maximum(void)
{
    double most = 0;
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++) {
            double d = A[i][j] - 0.25 * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]);
            if (d < 0)
                d = -d;
            if (d > most)
                most = d;
        }
    result = most;
}

KERNEL prefix(int n)
{
    for (int r = 0; r < 8; r++)
        for (int i = 1; i < n; i++)
            z[i] = z[i - 1] * 0.5 + x[i];
}

KERNEL polynomial(int n)
{
    for (int i = 0; i < n; i++) {
        double p = 0;
        for (int k = 0; k < 8; k++)
            p = p * x[i] + w[k];
        z[i] = p;
    }
}

KERNEL quotients(int n)
{
    for (int r = 0; r < 4; r++)
        for (int i = 0; i < n; i++)
            z[i] = x[i] / (y[i] + 2.0);
}

KERNEL transpose(int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            C[j][i] = A[i][j];
}

static void fill(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            A[i][j] = ((i * j + 1) % 17) * 0.05 + 0.1;
            B[i][j] = ((i + 2 * j) % 19) * 0.05;
            C[i][j] = 0.5;
            D[i][j] = i == j ? 200.0 : 0.3;
        }
    for (int i = 0; i < V; i++) {
        x[i] = (i % 13) * 0.01;
        y[i] = (i % 7) * 0.02;
        z[i] = 0.1;
        w[i] = 0.3;
        counts[i] = i % 11;
        numbers[i] = numbers[i + V] = i % 5;
    }
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 20; j++)
            for (int k = 0; k < 20; k++)
                G[i][j][k] = H[i][j][k] = (i + j + k) * 0.01;
}

int main(void)
{
    fill();
    FEW(gemm(1.0, 0.01));
    FEW(product_ijk());
    RUN(atax(N));
    RUN(bicg(N));
    RUN(mvt(N));
    FEW(syrk(N, 0.1));
    RUN(lower_solve(N));
    RUN(factorise(60));
    RUN(jacobi_line(5, V));
    RUN(jacobi_plane());
    RUN(seidel());
    RUN(nine_points());
    RUN(heat());
    RUN(shortest_paths(N));
    RUN(column_means(N));
    RUN(axpy(0.001, V));
    RUN(dot(V));
    RUN(integer_sum(V));
    RUN(strided_sum(V));
    RUN(residual_maximum());
    RUN(prefix(V));
    RUN(polynomial(V));
    RUN(quotients(V));
    RUN(transpose(N));
    printf("%g %ld\n", result, total);
    return 0;
}
