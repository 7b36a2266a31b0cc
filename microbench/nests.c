/* The calibration suite of loop nests: what compilers and memory do with two- and three-dimensional arrays that
 * functions get as pointers. Rules of the cost model `source` rest on them; none is taken from a program or suite
 * that predictions are validated with. Each kernel is called with constants, so that a compiler may know the trip
 * counts, as it does in programs of fixed size; where a name ends in `free`, it may not. */
#include "harness.h"

#define KERNEL static NOINLINE

/* Rows of no power of two, and of no multiple of a line. */
#define M 90
#define B 310
#define C 26

typedef double Row[M];
typedef double Wide[B];
typedef double Plane[C][C];
typedef int IntRow[M];

/* One row or element after the other */

KERNEL void row_scale(int n, int rounds, Row *x, Row *y)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                x[i][j] = 0.5 * x[i][j] + y[i][j];
}

KERNEL void row_scale_free(int n, int rounds, Row *x, Row *y)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                x[i][j] = 0.5 * x[i][j] + y[i][j];
}

KERNEL void outer_product(int n, int rounds, Row *x, double *u, double *v)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                x[i][j] += u[i] * v[j];
}

KERNEL void triangle_rows(int n, int rounds, Row *x, Row *y)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
                x[i][j] += 0.5 * y[i][j];
}

/* Sums of products */

KERNEL void rows_times(int n, int rounds, double *x, Row *a, double *y)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                x[i] += a[i][j] * y[j];
}

KERNEL void columns_times(int n, int rounds, double *x, Row *a, double *y)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                x[i] += a[j][i] * y[j];
}

KERNEL void scatter_times(int n, int rounds, double *x, Row *a, double *y)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                x[j] += a[i][j] * y[i];
}

KERNEL void both_times(int n, int rounds, double *x, double *z, Row *a, double *y)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                z[j] += a[i][j] * y[i];
                x[i] += a[i][j] * z[j];
            }
}

KERNEL void column_sums(int n, int rounds, double *s, Row *a)
{
    for (int r = 0; r < rounds; r++)
        for (int j = 0; j < n; j++) {
            s[j] = 0.0;
            for (int i = 0; i < n; i++)
                s[j] += a[i][j];
        }
}

KERNEL void product_ijk(int n, Row *x, Row *y, Row *z)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            x[i][j] = 0.0;
            for (int k = 0; k < n; k++)
                x[i][j] += y[i][k] * z[k][j];
        }
}

KERNEL void product_ikj(int n, Row *x, Row *y, Row *z)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                x[i][j] += 1.5 * y[i][k] * z[k][j];
}

KERNEL void product_jki(int n, Row *x, Row *y, Row *z)
{
    for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++)
            for (int i = 0; i < n; i++)
                x[i][j] += y[i][k] * z[k][j];
}

KERNEL void gram(int n, Row *x, Row *y)
{
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) {
            double s = 0.0;
            for (int k = 0; k < n; k++)
                s += y[k][i] * y[k][j];
            x[i][j] = s;
            x[j][i] = s;
        }
}

/* Triangles */

KERNEL void eliminate(int n, Row *x)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                x[i][j] -= 0.001 * x[i][k] * x[k][j];
}

KERNEL void rows_of_rows(int n, Row *x)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            for (int k = 0; k < j; k++)
                x[i][j] -= 0.001 * x[i][k] * x[j][k];
}

KERNEL void lower_upper(int n, Row *x)
{
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            for (int k = 0; k < i; k++)
                x[i][j] -= 0.001 * x[i][k] * x[k][j];
}

KERNEL void solve_lower(int n, int rounds, double *x, Row *a, double *y)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++) {
            x[i] = y[i];
            for (int j = 0; j < i; j++)
                x[i] -= a[i][j] * x[j];
            x[i] = x[i] / a[i][i];
        }
}

/* Neighbours */

KERNEL void five_points(int n, int rounds, Row *x, Row *y)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                x[i][j] = 0.2 * (y[i][j] + y[i][j - 1] + y[i][j + 1] + y[i + 1][j] + y[i - 1][j]);
}

KERNEL void wide_five_points(int n, int rounds, Wide *x, Wide *y)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                x[i][j] = 0.2 * (y[i][j] + y[i][j - 1] + y[i][j + 1] + y[i + 1][j] + y[i - 1][j]);
}

KERNEL void seven_points(int n, int rounds, Plane *x, Plane *y)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 1; k < n - 1; k++)
                    x[i][j][k] = y[i][j][k] + 0.1 * (y[i + 1][j][k] + y[i - 1][j][k] + y[i][j + 1][k]
                        + y[i][j - 1][k] + y[i][j][k + 1] + y[i][j][k - 1] - 6.0 * y[i][j][k]);
}

KERNEL void differences(int n, int rounds, Row *x, Row *y)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 1; i < n; i++)
            for (int j = 0; j < n; j++)
                x[i][j] = x[i][j] - 0.5 * (y[i][j] - y[i - 1][j]);
}

KERNEL void nine_in_place(int n, int rounds, Row *x)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                x[i][j] = (x[i - 1][j - 1] + x[i - 1][j] + x[i - 1][j + 1] + x[i][j - 1] + x[i][j] + x[i][j + 1]
                    + x[i + 1][j - 1] + x[i + 1][j] + x[i + 1][j + 1]) * 0.11;
}

KERNEL void line_pair(int n, int rounds, double *x, double *y)
{
    for (int r = 0; r < rounds; r++) {
        for (int i = 1; i < n - 1; i++)
            y[i] = 0.333 * (x[i - 1] + x[i] + x[i + 1]);
        for (int i = 1; i < n - 1; i++)
            x[i] = 0.333 * (y[i - 1] + y[i] + y[i + 1]);
    }
}

/* Recurrences along a line */

KERNEL void filter_rows(int n, int rounds, Row *x, Row *y)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++) {
            double before = 0.0, earlier = 0.0;
            for (int j = 0; j < n; j++) {
                y[i][j] = 0.2 * x[i][j] + 0.5 * before + 0.1 * earlier;
                earlier = before;
                before = y[i][j];
            }
        }
}

KERNEL void running_sums(int n, int rounds, int *x, int *y)
{
    for (int r = 0; r < rounds; r++) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += x[i];
            y[i] = sum;
        }
    }
}

KERNEL void filter_columns(int n, int rounds, Row *x, Row *y)
{
    for (int r = 0; r < rounds; r++)
        for (int j = 0; j < n; j++) {
            double before = 0.0, earlier = 0.0;
            for (int i = 0; i < n; i++) {
                y[i][j] = 0.2 * x[i][j] + 0.5 * before + 0.1 * earlier;
                earlier = before;
                before = y[i][j];
            }
        }
}

KERNEL void sweep_divided(int n, int rounds, Row *p, Row *q, Row *u)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++) {
                p[i][j] = 0.3 / (0.2 * p[i][j - 1] + 1.6);
                q[i][j] = (u[j][i - 1] + u[j][i] * 0.5 - 0.2 * q[i][j - 1]) / (0.2 * p[i][j - 1] + 1.6);
            }
}

KERNEL void backwards(int n, int rounds, Row *p, Row *q, Row *v)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 1; i < n - 1; i++)
            for (int j = n - 2; j >= 1; j--)
                v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
}

KERNEL void reversed(int n, int rounds, double *x, double *y)
{
    for (int r = 0; r < rounds; r++)
        for (int k = 1; k < n; k++) {
            double s = 0.0;
            for (int i = 0; i < k; i++)
                s += x[k - i - 1] * y[i];
            for (int i = 0; i < k; i++)
                y[i] = y[i] * 0.9 + 0.0001 * s * x[k - i - 1];
        }
}

/* The lesser of two ways */

KERNEL void shortest(int n, IntRow *x)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                x[i][j] = x[i][j] < x[i][k] + x[k][j] ? x[i][j] : x[i][k] + x[k][j];
}

KERNEL void shortest_double(int n, Row *x)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                x[i][j] = x[i][j] < x[i][k] + x[k][j] ? x[i][j] : x[i][k] + x[k][j];
}

/* Columns */

KERNEL void transposed(int n, int rounds, Row *x, Row *y)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                x[i][j] = y[j][i];
}

KERNEL void wide_transposed(int n, int rounds, Wide *x, Wide *y)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                x[i][j] = y[j][i];
}

KERNEL void column_scale(int n, int rounds, Row *x, double *v)
{
    for (int r = 0; r < rounds; r++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                x[i][j] = x[i][j] * 0.9 + v[i];
}

KERNEL void wide_product(int n, Wide *x, Wide *y, Wide *z)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            x[i][j] = 0.0;
            for (int k = 0; k < n; k++)
                x[i][j] += y[i][k] * z[k][j];
        }
}

KERNEL void wide_update(int n, Wide *x, Wide *y, Wide *z)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                x[i][j] += y[i][k] * z[k][j];
}

KERNEL void wide_rows_times(int n, int rounds, double *x, Wide *a, double *y)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                x[i] += a[i][j] * y[j];
}

KERNEL void wide_copy_add(int n, int rounds, Wide *x, Wide *y)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                x[i][j] = x[i][j] + 0.5 * y[i][j];
}

/* Few iterations */

KERNEL void small_products(int n, int rounds, Plane *x, Plane *y, double (*z)[C])
{
    for (int r = 0; r < rounds; r++)
        for (int p = 0; p < n; p++)
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    double s = 0.0;
                    for (int k = 0; k < n; k++)
                        s += y[p][i][k] * z[k][j];
                    x[p][i][j] = s;
                }
}

KERNEL void small_rows(int n, int rounds, Plane *x, Plane *y)
{
    for (int r = 0; r < rounds; r++)
        for (int p = 0; p < n; p++)
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    x[p][i][j] += 0.5 * y[p][i][j];
}

#define SIZE_M M
#define SIZE_B B
/* What takes several rounds of all rows is not repeated as often. */
#define SIZE_W 150
#define SIZE_C 25
#define ROUNDS 20

Row *x, *y, *z;
Wide *p, *q, *s;
Plane *c, *d;
double *u, *v, *w, *pu, *pv;
IntRow *paths;
int free_n = M;

static double *made(long n, double first)
{
    double *x = malloc(n * sizeof *x);
    for (long i = 0; i < n; i++)
        x[i] = first + 0.001 * (double)(i % 97);
    return x;
}

/* Distances that a way over others may shorten: every time anew. */
static void lengthen(void)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            paths[i][j] = (i * 7 + j * 13) % 100 + 1;
}

static void lengthen_double(void)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            x[i][j] = (i * 7 + j * 13) % 100 + 1;
}

#define NEST(name, before, arguments)      \
    static void name##_body(long rounds)   \
    {                                      \
        while (rounds--) {                 \
            before;                        \
            KEEP_MEMORY();                 \
            name arguments;                \
        }                                  \
    }

NEST(row_scale, , (SIZE_M, ROUNDS, x, y))
NEST(row_scale_free, , (free_n, ROUNDS, x, y))
NEST(outer_product, , (SIZE_M, ROUNDS, x, u, v))
NEST(triangle_rows, , (SIZE_M, ROUNDS, x, y))
NEST(rows_times, , (SIZE_M, ROUNDS, u, y, v))
NEST(columns_times, , (SIZE_M, ROUNDS, u, y, v))
NEST(scatter_times, , (SIZE_M, ROUNDS, u, y, v))
NEST(both_times, , (SIZE_M, ROUNDS, u, w, y, v))
NEST(column_sums, , (SIZE_M, ROUNDS, u, y))
NEST(product_ijk, , (SIZE_M, x, y, z))
NEST(product_ikj, , (SIZE_M, x, y, z))
NEST(product_jki, , (SIZE_M, x, y, z))
NEST(gram, , (SIZE_M, x, y))
NEST(eliminate, , (SIZE_M, y))
NEST(rows_of_rows, , (SIZE_M, y))
NEST(lower_upper, , (SIZE_M, y))
NEST(solve_lower, , (SIZE_M, ROUNDS, u, z, v))
NEST(five_points, , (SIZE_M, ROUNDS, x, y))
NEST(wide_five_points, , (SIZE_B, 4, p, q))
NEST(seven_points, , (SIZE_C, ROUNDS, c, d))
NEST(differences, , (SIZE_M, ROUNDS, x, y))
NEST(nine_in_place, , (SIZE_M, ROUNDS, y))
NEST(line_pair, , (4 * SIZE_M, 100, u, v))
NEST(filter_rows, , (SIZE_M, ROUNDS, x, y))
NEST(running_sums, , (SIZE_M * 4, ROUNDS, paths[0], paths[40]))
NEST(filter_columns, , (SIZE_M, ROUNDS, x, y))
NEST(sweep_divided, , (SIZE_M, ROUNDS, x, y, z))
NEST(backwards, , (SIZE_M, ROUNDS, x, y, z))
NEST(reversed, , (SIZE_M, ROUNDS, u, v))
NEST(shortest, lengthen(), (SIZE_M, paths))
NEST(shortest_double, lengthen_double(), (SIZE_M, x))
NEST(transposed, , (SIZE_M, ROUNDS, x, y))
NEST(wide_transposed, , (SIZE_B, 4, p, q))
NEST(column_scale, , (SIZE_M, ROUNDS, x, v))
NEST(wide_product, , (SIZE_W, p, q, s))
NEST(wide_update, , (SIZE_W, p, q, s))
NEST(wide_rows_times, , (SIZE_B, 10, pu, q, pv))
NEST(wide_copy_add, , (SIZE_B, 10, p, q))
NEST(small_products, , (SIZE_C, 10, c, d, (double (*)[C])y))
NEST(small_rows, , (SIZE_C, 10, c, d))

#define RUN(name, kind) harness_report(#name, name##_body, 1, "kind:" kind)

int main(int argc, char **argv)
{
    harness_begin(argc, argv);
    x = (Row *)made(M * M, 0.1), y = (Row *)made(M * M, 0.2), z = (Row *)made(M * M, 0.3);
    p = (Wide *)made(B * B, 0.1), q = (Wide *)made(B * B, 0.2), s = (Wide *)made(B * B, 0.3);
    c = (Plane *)made(C * C * C, 0.1), d = (Plane *)made(C * C * C, 0.2);
    u = made(4 * M, 1.0), v = made(4 * M, 2.0), w = made(4 * M, 3.0);
    pu = made(B, 1.0), pv = made(B, 2.0);
    paths = malloc(M * sizeof *paths);
    lengthen();
    RUN(row_scale, "nest");
    RUN(row_scale_free, "nest");
    RUN(outer_product, "nest");
    RUN(triangle_rows, "nest");
    RUN(rows_times, "nest");
    RUN(columns_times, "nest");
    RUN(scatter_times, "nest");
    RUN(both_times, "nest");
    RUN(column_sums, "nest");
    RUN(product_ijk, "nest");
    RUN(product_ikj, "nest");
    RUN(product_jki, "nest");
    RUN(gram, "nest");
    RUN(eliminate, "nest");
    RUN(rows_of_rows, "nest");
    RUN(lower_upper, "nest");
    RUN(solve_lower, "recurrence");
    RUN(five_points, "stencil");
    RUN(wide_five_points, "stencil");
    RUN(seven_points, "stencil");
    RUN(differences, "stencil");
    RUN(nine_in_place, "stencil");
    RUN(line_pair, "stencil");
    RUN(filter_rows, "recurrence");
    RUN(running_sums, "recurrence");
    RUN(filter_columns, "recurrence");
    RUN(sweep_divided, "recurrence");
    RUN(backwards, "recurrence");
    RUN(reversed, "nest");
    RUN(shortest, "branch");
    RUN(shortest_double, "branch");
    RUN(transposed, "copy");
    RUN(wide_transposed, "copy");
    RUN(column_scale, "nest");
    RUN(wide_product, "nest");
    RUN(wide_update, "nest");
    RUN(wide_rows_times, "nest");
    RUN(wide_copy_add, "nest");
    RUN(small_products, "nest");
    RUN(small_rows, "nest");
    return 0;
}
