/* Short loops of ordinary C, with the operations of one iteration as the program's blocks count them. The
 * effective cost of a class is what explains the times of all of them best, built with the very flags under
 * calibration. All data lie in the first cache level. */
#include "harness.h"

#define N 512

/* for (i = 0; i < n; i++): the condition reads i and n, the step reads and writes i. */
#define LOOP "local_load local_load int_add branch local_load int_add local_store "
/* a[i], a pointer parameter and an int index: both are read, the index is widened. */
#define AT "local_load local_load int_convert address "
#define GET AT "load "
#define PUT AT "store "
/* a[i] += v: one evaluation of a and i, an access each for reading and writing. */
#define UPDATE AT "load address store "
/* x = f(x, y), all of them locals */
#define IN "local_load "
#define OUT "local_store "

/* Not static: a compiler must not know what they hold. */
int ia[N], ib[N], ic[N];
long long la[N], lb[N], lc[N];
double da[N], db[N], dc[N];
float fa[N], fb[N], fc[N];
double ma[24][24], mb[24][24], mc[24][24];
static volatile long sink_int;
static volatile double sink_float;
int counter;
double total;

#define KERNEL REPEATED

#define MAP(name, type, a, b, c, expression)                                \
    KERNEL(name, (type *x, type *y, type *z, int n), (a, b, c, N))          \
    {                                                                       \
        for (int i = 0; i < n; i++)                                         \
            z[i] = expression;                                              \
    }

#define REDUCE(name, type, sum, a, b, sink, expression)                     \
    KERNEL(name, (type *x, type *y, int n), (a, b, N))                      \
    {                                                                       \
        sum s = 1;                                                          \
        (void)y;                                                            \
        for (int i = 0; i < n; i++)                                         \
            s = expression;                                                 \
        sink = s;                                                           \
    }

MAP(int_add_map, int, ia, ib, ic, x[i] + y[i])
MAP(int_mul_map, int, ia, ib, ic, x[i] * y[i])
MAP(int_div_map, int, ia, ib, ic, x[i] / y[i])
MAP(int_rem_map, int, ia, ib, ic, x[i] % y[i])
MAP(long_div_map, long long, la, lb, lc, x[i] / y[i])
MAP(int_logic_map, int, ia, ib, ic, ((x[i] ^ y[i]) & 255) + (x[i] >> 3))
MAP(fp_add_map, double, da, db, dc, x[i] + y[i])
MAP(fp_mul_map, double, da, db, dc, x[i] * y[i])
MAP(fp_div_map, double, da, db, dc, x[i] / y[i])
MAP(fp_mix_map, double, da, db, dc, (x[i] + y[i]) * (x[i] - y[i]) + 3.0 * x[i])
MAP(float_add_map, float, fa, fb, fc, x[i] + y[i])
MAP(float_mul_map, float, fa, fb, fc, x[i] * y[i])
MAP(float_div_map, float, fa, fb, fc, x[i] / y[i])
REDUCE(int_sum, int, int, ia, ib, sink_int, s + x[i])
REDUCE(int_hash, int, int, ia, ib, sink_int, s * 31 + x[i])
REDUCE(int_dot, int, int, ia, ib, sink_int, s + x[i] * y[i])
REDUCE(fp_sum, double, double, da, db, sink_float, s + x[i])
REDUCE(fp_dot, double, double, da, db, sink_float, s + x[i] * y[i])
REDUCE(fp_horner, double, double, da, db, sink_float, s * 0.5 + x[i])
REDUCE(float_dot, float, float, fa, fb, sink_float, s + x[i] * y[i])

KERNEL(daxpy, (double a, double *x, double *y, int n), (1e-9, da, dc, N))
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

KERNEL(stencil, (double *x, double *z, int n), (da, dc, N))
{
    for (int i = 1; i < n - 1; i++)
        z[i] = 0.25 * (x[i - 1] + 2.0 * x[i] + x[i + 1]);
}

KERNEL(to_double, (int *x, double *z, int n), (ia, dc, N))
{
    for (int i = 0; i < n; i++)
        z[i] = x[i];
}

KERNEL(to_int, (double *x, int *z, int n), (da, ic, N))
{
    for (int i = 0; i < n; i++)
        z[i] = (int)x[i];
}

KERNEL(count_positive, (int *x, int n), (ia, N))
{
    int found = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > 0)
            found++;
    sink_int = found;
}

KERNEL(greatest, (double *x, int n), (da, N))
{
    double most = x[0];
    for (int i = 0; i < n; i++)
        if (x[i] > most)
            most = x[i];
    sink_float = most;
}

KERNEL(generator, (unsigned seed, int n), (12345u, N))
{
    unsigned s = seed;
    for (int i = 0; i < n; i++) {
        s = s * 1103515245u + 12345u;
        s = s ^ (s >> 7);
    }
    sink_int = s;
}

KERNEL(rotation, (int n), (N))
{
    int a = 1, b = 2, c = 3;
    for (int i = 0; i < n; i++) {
        int t = a;
        a = b + i;
        b = c;
        c = t;
    }
    sink_int = a + b + c;
}

KERNEL(integrate, (double h, int n), (1.0 / N, N))
{
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        double x = h * ((double)i + 0.5);
        s = s + 4.0 / (1.0 + x * x);
    }
    sink_float = s;
}

KERNEL(inside_circle, (double *x, double *y, int n), (da, db, N))
{
    int hits = 0;
    for (int i = 0; i < n; i++) {
        double u = 2.0 * x[i] - 1.0;
        double v = 2.0 * y[i] - 1.0;
        if (u * u + v * v <= 1e9)
            hits++;
    }
    sink_int = hits;
}

KERNEL(globals, (int n), (N))
{
    for (int i = 0; i < n; i++) {
        counter = counter + i;
        total = total + 0.5;
    }
}

SEPARATE int plus(int a, int b)
{
    return a + b;
}

SEPARATE double scaled(double x)
{
    return x * 0.5;
}

KERNEL(calls, (int n), (N))
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s = plus(s, i);
    sink_int = s;
}

KERNEL(fp_calls, (double *x, int n), (da, N))
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s = s + scaled(x[i]);
    sink_float = s;
}

SEPARATE int fibonacci(int n)
{
    if (n < 2)
        return n;
    return fibonacci(n - 1) + fibonacci(n - 2);
}

KERNEL(recursion, (int n), (11))
{
    sink_int = fibonacci(n);
}

KERNEL(product, (int n), (24))
{
    int i, j, k;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            for (k = 0; k < n; k++)
                mc[i][j] = mc[i][j] + ma[i][k] * mb[k][j];
}

KERNEL(product_local, (int n), (24))
{
    int i, j, k;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            double s = 0.0;
            for (k = 0; k < n; k++)
                s = s + ma[i][k] * mb[k][j];
            mc[i][j] = s;
        }
}

KERNEL(plane, (int n), (24))
{
    int i, j;
    for (i = 1; i < n - 1; i++)
        for (j = 1; j < n - 1; j++)
            mc[i][j] = 0.25 * (ma[i - 1][j] + ma[i + 1][j] + ma[i][j - 1] + ma[i][j + 1]);
}

struct particle { double x, y, z, m, u, v, w, q; };
struct particle flock[64], other[64];

KERNEL(copies, (struct particle *to, struct particle *from, int n), (flock, other, 64))
{
    for (int i = 0; i < n; i++)
        to[i] = from[i];
}

KERNEL(sift, (int *x, int n), (ic, N))
{
    for (int i = 0; i < n - 1; i++)
        if (x[i] > x[i + 1]) {
            int t = x[i];
            x[i] = x[i + 1];
            x[i + 1] = t;
        }
}

/* The kind of code stands in front of the operations: residuals are told apart by it. */
#define RUN(name, units, kind, tokens) harness_report(#name, name##_body, units, "kind:" kind " " tokens)
/* A subscript with a constant offset is computed first. */
#define NEAR "local_load local_load int_add int_convert address load "
/* m[i][j] of a global array, both indices int */
#define CELL "local_load local_load int_convert int_convert address address "

int main(int argc, char **argv)
{
    harness_begin(argc, argv);
    for (int i = 0; i < N; i++) {
        ia[i] = 1000 + 37 * i;
        ib[i] = 3 + i % 61;
        la[i] = 100000000000LL + 977LL * i;
        lb[i] = 300001 + i % 61;
        da[i] = 1.0 + 0.01 * i;
        db[i] = 2.0 + 0.02 * (i % 50);
        fa[i] = 1.0f + 0.01f * i;
        fb[i] = 2.0f + 0.02f * (i % 50);
    }
    for (int i = 0; i < 24 * 24; i++) {
        (&ma[0][0])[i] = 1.0 + 0.001 * i;
        (&mb[0][0])[i] = 2.0 - 0.001 * i;
    }
    RUN(int_add_map, N, "stream", LOOP GET GET PUT "int_add");
    RUN(int_mul_map, N, "stream", LOOP GET GET PUT "int_mul");
    RUN(int_div_map, N, "division", LOOP GET GET PUT "int_div");
    RUN(int_rem_map, N, "division", LOOP GET GET PUT "int_div");
    RUN(long_div_map, N, "division", LOOP GET GET PUT "int_div64");
    RUN(int_logic_map, N, "stream", LOOP GET GET GET PUT "int_add int_add int_add int_add");
    RUN(fp_add_map, N, "stream", LOOP GET GET PUT "fp_add");
    RUN(fp_mul_map, N, "stream", LOOP GET GET PUT "fp_mul");
    RUN(fp_div_map, N, "division", LOOP GET GET PUT "fp_div");
    RUN(fp_mix_map, N, "stream", LOOP GET GET GET GET GET PUT "fp_add fp_add fp_add fp_mul fp_mul");
    RUN(float_add_map, N, "stream", LOOP GET GET PUT "fp_add32");
    RUN(float_mul_map, N, "stream", LOOP GET GET PUT "fp_mul32");
    RUN(float_div_map, N, "division", LOOP GET GET PUT "fp_div32");
    RUN(int_sum, N, "reduction", LOOP GET IN OUT "int_add");
    RUN(int_hash, N, "reduction", LOOP GET IN OUT "int_mul int_add");
    RUN(int_dot, N, "reduction", LOOP GET GET IN OUT "int_mul int_add");
    RUN(fp_sum, N, "reduction", LOOP GET IN OUT "fp_add");
    RUN(fp_dot, N, "reduction", LOOP GET GET IN OUT "fp_mul fp_add");
    RUN(fp_horner, N, "reduction", LOOP GET IN OUT "fp_mul fp_add");
    RUN(float_dot, N, "reduction", LOOP GET GET IN OUT "fp_mul32 fp_add32");
    RUN(daxpy, N, "stream", LOOP GET IN UPDATE "fp_mul fp_add");
    RUN(stencil, N - 2, "stencil", LOOP "int_add " NEAR GET NEAR PUT "fp_mul fp_mul fp_add fp_add");
    RUN(to_double, N, "stream", LOOP GET PUT "fp_convert");
    RUN(to_int, N, "stream", LOOP GET PUT "fp_convert");
    RUN(count_positive, N, "branch", LOOP GET "int_add branch local_load int_add local_store");
    RUN(greatest, N, "branch", LOOP GET GET IN OUT "fp_add branch");
    RUN(generator, N, "recurrence", LOOP IN IN IN OUT OUT "int_mul int_add int_add int_add");
    RUN(rotation, N, "recurrence", LOOP IN IN IN IN IN OUT OUT OUT OUT "int_add");
    RUN(integrate, N, "division", LOOP IN IN IN IN IN OUT OUT "fp_convert fp_add fp_mul fp_mul fp_add fp_div fp_add");
    RUN(inside_circle, N, "branch", LOOP GET GET IN IN IN IN OUT OUT IN OUT
        "fp_mul fp_add fp_mul fp_add fp_mul fp_mul fp_add fp_add branch int_add");
    RUN(globals, N, "recurrence", LOOP "load load store store int_add fp_add local_load");
    RUN(calls, N, "call", LOOP IN IN OUT "call local_load local_load int_add");
    RUN(fp_calls, N, "call", LOOP GET IN OUT "fp_add call local_load fp_mul");
    /* fibonacci(11) makes 287 calls, half of which end at once. */
    RUN(recursion, 143.5, "call", "call call local_load local_load local_load local_load local_load "
        "int_add int_add branch branch int_add int_add int_add");
    RUN(product, 24 * 24 * 24, "nest", LOOP CELL "load " CELL "load " CELL "load " CELL "store fp_mul fp_add");
    RUN(product_local, 24 * 24 * 24, "nest", LOOP IN OUT CELL "load " CELL "load fp_mul fp_add");
    RUN(plane, 22 * 22, "stencil", LOOP "int_add " CELL "load int_add " CELL "load int_add " CELL "load int_add " CELL
        "load int_add " CELL "store fp_add fp_add fp_add fp_mul");
    RUN(copies, 64, "copy", LOOP AT AT "copy_word copy_word copy_word copy_word copy_word copy_word copy_word copy_word");
    RUN(sift, N - 1, "branch", LOOP "int_add " GET NEAR "int_add branch");
    return 0;
}
