/* Time loop over stencils with guards, strides and a tiled copy. */
#include <stdio.h>
#include <stdlib.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))

static void red_black(double *u, int n, int colour)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            if ((i + j) % 2 == colour)
                u[i * n + j] = 0.25 * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1]);
}

static void copy(double *restrict to, const double *restrict from, int n, int tile)
{
    for (int ti = 0; ti < n; ti += tile)
        for (int tj = 0; tj < n; tj += tile)
            for (int i = ti; i < MIN(ti + tile, n); i++)
                for (int j = tj; j < MIN(tj + tile, n); j++)
                    to[j * n + i] = from[i * n + j];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 50, steps = 7;
    double *u = malloc(sizeof(double) * n * n), *v = malloc(sizeof(double) * n * n);
    for (int i = 0; i < n * n; i++)
        u[i] = i % 17;
    for (int t = 0; t < steps; t++) {
        red_black(u, n, 0);
        red_black(u, n, 1);
        if (t % 3 == 2)
            copy(v, u, n, 16);
    }
    double corner = 0;
    for (int i = n - 1; i >= 0; i -= 3)
        for (int j = i; j < n; j += 2)
            corner += v[i * n + j];
    printf("%g\n", corner);
    free(u);
    free(v);
    return 0;
}
