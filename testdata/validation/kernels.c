/* Functions that are timed in different ways: called often, recursive, left by exit, too short, made by a macro. */
#include <stdio.h>
#include <stdlib.h>
#define N 20000
#define MADE(name) static double name(double x) { double s = 0; for (int i = 0; i < N; i++) s += x * i; return s; }

static double a[N], b[N];

MADE(made)

static double tiny(double x)
{
    return 0.5 * x;
}

static void smooth(int n)
{
    for (int i = 1; i < n - 1; i++)
        b[i] = tiny(a[i - 1] + a[i + 1]);
}

static double total(int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += b[i];
    return s;
}

/* Outermost calls are timed, all of them counted. */
static double factorial(int n)
{
    double s = 0;
    for (int i = 0; i < N; i++)
        s += b[i] * i;
    return n < 2 ? s : n * factorial(n - 1) + s;
}

static void leave(double s)
{
    for (int i = 0; i < N; i++)
        s += a[i];
    printf("%g\n", s);
    exit(0);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 10;
    double s = 0;
    for (int i = 0; i < N; i++)
        a[i] = i;
    for (int k = 0; k < rounds; k++) {
        smooth(N);
        s += total(N);
    }
    leave(s + factorial(rounds) + made(s));
}
