/* The calibration suite of whole loops: kernels of many kinds, each a function that `chronos validate` times.
 * Rules of the cost model `source` rest on them, and so do its intervals. None is taken from a program or suite
 * that predictions are validated with. Each kernel touches its data again and again, so that its first touch and
 * cold caches count little; between its rounds a compiler must take all of memory for changed, and every result is
 * stored where it counts, so that nothing is hoisted, fused or left out. Irregular code is in irregular.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define KERNEL __attribute__((noinline)) static
#define CLOBBER() __asm__ volatile("" : : : "memory")
#else
#define KERNEL static
#define CLOBBER()
#endif

/* All of memory may have changed: for a compiler, not for the processor. */
KERNEL void clobber(void)
{
    CLOBBER();
}

#define ROUNDS_OF(rounds) for (int r = 0; r < (rounds); r++, clobber())

/* Trip counts come from the command line: no compiler knows them. */
#define N 2000
#define M 60
#define ROUNDS 40
#define LARGE 400000

double a[N], b[N], c[N], d[N];
float fa[N], fb[N];
int ia[N], ib[N], permuted[N];
long la[N];
double ma[M][M], mb[M][M], mc[M][M];
unsigned char text[N];
double big_a[LARGE], big_b[LARGE];
double tall[LARGE];
double *rows_a[M], *rows_b[M], *rows_c[M];
struct node { struct node *next; double value; };
struct node nodes[N];
struct point { double x, y, z; };
struct point points[N];

volatile double sink;
volatile long int_sink;

/* Recurrences */

KERNEL void sum_products(int n, int rounds)
{
    double s = 0;
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i++)
            s += a[i] * b[i];
    sink = s;
}

KERNEL void two_sums(int n, int rounds)
{
    double s = 0, t = 0;
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i++) {
            s += a[i];
            t += b[i] * c[i];
        }
    sink = s - t;
}

KERNEL void prefix(double *x, const double *y, int n, int rounds)
{
    ROUNDS_OF(rounds)
        for (int i = 1; i < n; i++)
            x[i] = x[i - 1] * 0.5 + y[i];
}

KERNEL void continued(int n)
{
    double x = 1.0;
    for (int i = 0; i < n; i++)
        x = 1.0 / (1.0 + x);
    sink = x;
}

KERNEL void newton(int n)
{
    double x = 2.0;
    for (int i = 0; i < n; i++)
        x = sqrt(x + 1.5);
    sink = x;
}

KERNEL void hash(const unsigned char *s, int n, int rounds)
{
    unsigned h = 5381;
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i++)
            h = (h * 33) ^ s[i];
    int_sink = h;
}

KERNEL void chase(const int *next, int n)
{
    int at = 0;
    for (int i = 0; i < n; i++)
        at = next[at];
    int_sink = at;
}

KERNEL void list_sum(const struct node *first, int rounds)
{
    double s = 0;
    ROUNDS_OF(rounds)
        for (const struct node *p = first; p; p = p->next)
            s += p->value;
    sink = s;
}

/* Streams */

KERNEL void scale_add(double *x, const double *y, double f, int n, int rounds)
{
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i++)
            x[i] = f * x[i] + y[i];
}

KERNEL void scale_add_restrict(double *restrict x, const double *restrict y, double f, int n, int rounds)
{
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i++)
            x[i] = f * x[i] + y[i];
}

KERNEL void globals_add(int n, int rounds)
{
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i++)
            d[i] = a[i] + b[i] * c[i];
}

KERNEL void fixed_add(int rounds)
{
    ROUNDS_OF(rounds)
        for (int i = 0; i < N; i++)
            d[i] = a[i] + b[i] * 0.25;
}

KERNEL void three_point(double *x, const double *y, int n, int rounds)
{
    ROUNDS_OF(rounds)
        for (int i = 1; i < n - 1; i++)
            x[i] = 0.3 * (y[i - 1] + y[i] + y[i + 1]);
}

KERNEL void float_scale(float *x, const float *y, int n, int rounds)
{
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i++)
            x[i] = 0.99f * x[i] + y[i];
}

KERNEL void divide_all(double *x, const double *y, int n, int rounds)
{
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i++)
            x[i] = y[i] / (y[i] + 3.0);
}

KERNEL void roots(double *x, const double *y, int n, int rounds)
{
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i++)
            x[i] = sqrt(y[i]);
}

KERNEL void set_zero(double *x, int n, int rounds)
{
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i++)
            x[i] = 0.0;
}

KERNEL void copy_all(double *x, const double *y, int n, int rounds)
{
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i++)
            x[i] = y[i];
}

KERNEL void gather(double *x, const double *y, const int *index, int n, int rounds)
{
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i++)
            x[i] = y[index[i]];
}

KERNEL void every_fourth(double *x, const double *y, int n, int rounds)
{
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i += 4)
            x[i] = y[i] + 1.0;
}

KERNEL void move_points(struct point *p, int n, double h, int rounds)
{
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i++) {
            p[i].x += h * p[i].y;
            p[i].z -= h;
        }
}

/* Integers */

KERNEL void int_sum(const int *x, int n, int rounds)
{
    int s = 0;
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i++)
            s += x[i];
    int_sink = s;
}

KERNEL void long_products(const long *x, int n, int rounds)
{
    long s = 0;
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i++)
            s += x[i] * x[i];
    int_sink = s;
}

KERNEL void remainders(const int *x, int n, int m, int rounds)
{
    int s = 0;
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i++)
            s += x[i] % m;
    int_sink = s;
}

KERNEL void bits(const int *x, int n, int rounds)
{
    int s = 0;
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i++)
            s += (x[i] >> 3 & 15) ^ (x[i] << 1);
    int_sink = s;
}

KERNEL void divisors(int n)
{
    int found = 0;
    for (int i = 1; i < n; i++)
        if (n % i == 0)
            found++;
    int_sink = found;
}

/* Branches */

KERNEL void count_less(const int *x, int limit, int n, int rounds)
{
    int found = 0;
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i++)
            if (x[i] < limit)
                found++;
    int_sink = found;
}

KERNEL void greatest(const double *x, int n, int rounds)
{
    double most = x[0];
    ROUNDS_OF(rounds)
        for (int i = 1; i < n; i++)
            if (x[i] > most)
                most = x[i];
    sink = most;
}

KERNEL void clipped(double *x, const double *y, int n, int rounds)
{
    double s = 0;
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i++) {
            x[i] = y[i] > 1.5 ? 1.5 : y[i];
            s += x[i];
        }
    sink = s;
}

KERNEL void alternating(const int *x, int *y, int n, int rounds)
{
    int s = 0;
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i++) {
            if (i & 1)
                y[i] = x[i] + 1;
            else
                s += x[i];
        }
    int_sink = s;
}

/* Nests */

KERNEL void nest_update(int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                mc[i][j] += ma[i][k] * mb[k][j];
}

KERNEL void nest_pointer(int n, double (*x)[M], double (*y)[M], double (*z)[M])
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                x[i][j] += y[i][k] * z[k][j];
}

KERNEL void nest_dot(int n, double (*x)[M], double (*y)[M], double (*z)[M])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            x[i][j] = 0.0;
            for (int k = 0; k < n; k++)
                x[i][j] += y[i][k] * z[k][j];
        }
}

KERNEL void nest_dot_local(int n, double (*x)[M], double (*y)[M], double (*z)[M])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double s = 0.0;
            for (int k = 0; k < n; k++)
                s += y[i][k] * z[k][j];
            x[i][j] = s;
        }
}

KERNEL void nest_triangle(int n, double (*x)[M], double (*y)[M])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            for (int k = 0; k < j; k++)
                x[i][j] -= x[i][k] * y[j][k];
}

KERNEL void nest_five(int n, int rounds, double (*x)[M], double (*y)[M])
{
    ROUNDS_OF(rounds)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                x[i][j] = 0.2 * (y[i][j] + y[i - 1][j] + y[i + 1][j] + y[i][j - 1] + y[i][j + 1]);
}

KERNEL void nest_sweep(int n, int rounds, double (*x)[M])
{
    ROUNDS_OF(rounds)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                x[i][j] = (x[i - 1][j] + x[i][j - 1] + x[i][j] + x[i + 1][j]) / 4.0;
}

KERNEL void nest_columns(int n, int rounds, double (*x)[M], const double *v)
{
    ROUNDS_OF(rounds)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                x[i][j] = x[i][j] * v[i] + 0.1;
}

KERNEL void short_loops(int n, int rounds, double *x, const double *y)
{
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i++) {
            double s = 0;
            for (int k = 0; k < 4; k++)
                s += y[i + k] * 0.5;
            x[i] = s;
        }
}

/* Calls */

KERNEL double half(double x)
{
    return 0.5 * x;
}

KERNEL void many_calls(const double *x, int n, int rounds)
{
    double s = 0;
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i++)
            s += half(x[i]);
    sink = s;
}

KERNEL int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

KERNEL void exponentials(const double *x, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += exp(-x[i]);
    sink = s;
}

KERNEL void waves(const double *x, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += sin(x[i]) * cos(x[i]);
    sink = s;
}

KERNEL void powers(double *x, const double *y, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = pow(y[i], 1.3);
}

KERNEL void drawn_remainders(int n, long m)
{
    long s = 0;
    for (int i = 0; i < n; i++)
        s += random() % m;
    int_sink = s;
}

KERNEL void quotients_of_logs(double *x, const double *y, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = log(y[i]) / (y[i] + 1.0) / 3.7;
}

KERNEL void random_walk(double *x, int n)
{
    double at = 0;
    for (int i = 0; i < n; i++) {
        at += drand48() - 0.5;
        x[i] = at;
    }
}

KERNEL void fixed_point(int n)
{
    double x = 0.3;
    for (int i = 0; i < n; i++)
        x = cos(x) * 0.9;
    sink = x;
}

/* The sum stays in memory: for a compiler it may be errno, which a root of a negative number sets. */
KERNEL void sums_of_roots(double *s, const double *x, int n)
{
    for (int i = 0; i < n; i++)
        s[3] += sqrt(x[i]);
}

/* Indices of 32 bits that are computed under a condition only: gcc computes and widens them there. */
KERNEL void guarded_rows(int m, int first, int rounds, const double *x, double *y)
{
    ROUNDS_OF(rounds)
        for (int r = 0; r < m; r++) {
            int i = first + r;
            for (int j = 0; j < m; j++) {
                double s = 4.0 * x[i * m + j];
                if (i > 0)
                    s -= x[(i - 1) * m + j];
                if (i < m + first - 1)
                    s -= x[(i + 1) * m + j];
                y[r * m + j] = s;
            }
        }
}

/* The sum behind a pointer that stays, handed on in a register: the store stays, the load does not. */
KERNEL void nest_rows(int m, double **x, double **y, double **z)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < m; k++)
                x[i][j] += y[i][k] * z[k][j];
}

/* Memory beyond the caches near the core */

KERNEL void big_sum(const double *x, int n, int rounds)
{
    double s = 0;
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i++)
            s += x[i];
    sink = s;
}

KERNEL void big_triad(double *x, const double *y, const double *z, int n, int rounds)
{
    ROUNDS_OF(rounds)
        for (int i = 0; i < n; i++)
            x[i] = y[i] + 3.0 * z[i];
}

KERNEL void big_columns(double *x, int rows, int columns, int rounds)
{
    ROUNDS_OF(rounds)
        for (int j = 0; j < columns; j++)
            for (int i = 0; i < rows; i++)
                x[i * columns + j] += 1.0;
}

/* First touch */

KERNEL double *fresh(int n)
{
    double *x = malloc(n * sizeof *x);
    for (int i = 0; i < n; i++)
        x[i] = i;
    return x;
}


static void fill(int n)
{
    unsigned seed = 12345;
    for (int i = 0; i < n; i++) {
        a[i] = 1.0 + 0.001 * i;
        b[i] = 2.0 - 0.0005 * i;
        c[i] = 0.5;
        d[i] = 0.25 * i;
        fa[i] = 0.5f;
        fb[i] = 0.01f * i;
        ia[i] = i;
        ib[i] = 3 * i + 1;
        la[i] = i;
        text[i] = (unsigned char)(i * 7);
        permuted[i] = i;
        points[i].x = points[i].y = points[i].z = i;
    }
    for (int i = n - 1; i > 0; i--) {
        int k, t;
        seed = seed * 1103515245u + 12345u;
        k = (int)(seed % (unsigned)(i + 1));
        t = permuted[i];
        permuted[i] = permuted[k];
        permuted[k] = t;
    }
    for (int i = 0; i < n; i++) {
        nodes[i].value = i;
        nodes[i].next = i + 1 < n ? &nodes[i + 1] : 0;
    }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            ma[i][j] = 1.0 + 0.01 * i;
            mb[i][j] = 2.0 - 0.01 * j;
            mc[i][j] = 0.0;
        }
    for (int i = 0; i < M; i++) {
        rows_a[i] = ma[i];
        rows_b[i] = mb[i];
        rows_c[i] = mc[i];
    }
    for (int i = 0; i < LARGE; i++) {
        big_a[i] = 1.0;
        big_b[i] = 2.0;
        tall[i] = 0.0;
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : N, m = argc > 2 ? atoi(argv[2]) : M, r = argc > 3 ? atoi(argv[3]) : ROUNDS;
    int large = argc > 4 ? atoi(argv[4]) : LARGE;
    double *new_memory;
    fill(n);
    sum_products(n, r);
    two_sums(n, r);
    prefix(d, a, n, r);
    continued(n * r);
    newton(n * r);
    hash(text, n, r);
    chase(permuted, n * r);
    list_sum(nodes, r);
    scale_add(d, a, 0.5, n, r);
    scale_add_restrict(d, a, 0.5, n, r);
    globals_add(n, r);
    fixed_add(r);
    three_point(d, a, n, r);
    float_scale(fa, fb, n, r);
    divide_all(d, a, n, r);
    roots(d, a, n, r);
    set_zero(d, n, r);
    copy_all(d, a, n, r);
    gather(d, a, permuted, n, r);
    every_fourth(d, a, n, r);
    move_points(points, n, 0.01, r);
    int_sum(ia, n, r);
    long_products(la, n, r);
    remainders(ib, n, n / 7, r);
    bits(ib, n, r);
    divisors(n * 10);
    count_less(ia, n / 2, n, r);
    greatest(a, n, r);
    clipped(d, a, n, r);
    alternating(ia, ib, n, r);
    nest_update(m);
    nest_pointer(m, mc, ma, mb);
    nest_dot(m, mc, ma, mb);
    nest_dot_local(m, mc, ma, mb);
    nest_triangle(m, mc, mb);
    nest_five(m, r, mc, ma);
    nest_sweep(m, r, mc);
    nest_columns(m, r, ma, c);
    short_loops(n - 4, r, d, a);
    many_calls(a, n, r);
    int_sink = fibonacci(20);
    exponentials(c, n);
    waves(a, n);
    powers(d, b, n);
    drawn_remainders(n, m + 1000);
    quotients_of_logs(d, b, n);
    random_walk(d, n);
    fixed_point(n);
    sums_of_roots(d, a, n);
    guarded_rows(m, 0, r, ma[0], mb[0]);
    nest_rows(m, rows_c, rows_a, rows_b);
    big_sum(big_a, large, 4);
    big_triad(big_a, big_b, tall, large, 4);
    big_columns(tall, large / 400, 400, 4);
    new_memory = fresh(large);
    sink = new_memory[n];
    printf("%g %ld\n", sink, int_sink);
    return 0;
}
