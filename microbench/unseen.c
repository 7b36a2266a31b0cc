/* Kernels that no rule of the cost model `source` was made with: ordinary code of many kinds, written down before any
 * of it was predicted. Their residuals say how far a prediction of code may be off that nobody looked at, which those of
 * the other programs, after which rules were made, do not. Whoever changes a rule because of one of these takes it away
 * from here. None is taken from a program that predictions are validated with. Data that branches depend on is drawn anew
 * in every round. */
#include "harness.h"
#include <math.h>

#define N 1024
#define KERNEL REPEATED

/* Not static: a compiler must not know what they hold. */
unsigned char text[3 * N], coded[4 * N + 4], grid[64][64], seen[64][64];
int numbers[N], sorted[N], parent[N], queue[4096], noisy[N], coins[8] = { 1, 2, 5, 10, 20, 50, 100, 200 }, ways[N];
double xs[N], ys[N], zs[N], taps[16], band[N][5], picture[66][66], filtered[66][66];
struct point { double x, y, z; int tag; } points[N / 2];
unsigned long state = 1181783497276652981ul;
volatile long sink_int;
volatile double sink_float;

/* Random numbers that never come again: `r` is a copy of the state. */
#define DRAW(r) (r = r * 6364136223846793005ul + 1442695040888963407ul, (unsigned)(r >> 40))

SEPARATE void draw_text(unsigned char *to, int n)
{
    unsigned long r = state;
    for (int i = 0; i < n; i++)
        to[i] = (unsigned char)"0123 and 4567, e"[DRAW(r) & 15];
    state = r;
}

SEPARATE void draw_reals(double *x, int n)
{
    unsigned long r = state;
    for (int i = 0; i < n; i++)
        x[i] = (int)(DRAW(r) & 1023) * 0.03;
    state = r;
}

SEPARATE void draw_points(struct point *p, int n)
{
    unsigned long r = state;
    for (int i = 0; i < n; i++) {
        p[i].x = (int)(DRAW(r) & 1023) * 0.001;
        p[i].y = (int)(DRAW(r) & 1023) * 0.001;
        p[i].z = (int)(DRAW(r) & 1023) * 0.001;
        p[i].tag = (int)(DRAW(r) & 7);
    }
    state = r;
}

/* Sorting and searching */

KERNEL(shell_order, (int *a, int n), (sorted, 512))
{
    unsigned long r = state;
    for (int i = 0; i < n; i++)
        a[i] = (int)DRAW(r) & 0xffff;
    state = r;
    for (int gap = n / 2; gap > 0; gap /= 2)
        for (int i = gap; i < n; i++) {
            int moved = a[i], j = i;
            for (; j >= gap && a[j - gap] > moved; j -= gap)
                a[j] = a[j - gap];
            a[j] = moved;
        }
}

static int root_of(int *up, int i)
{
    while (up[i] != i) {
        up[i] = up[up[i]];
        i = up[i];
    }
    return i;
}

KERNEL(join_sets, (int *up, int n), (parent, N))
{
    unsigned long r = state;
    int sets = n;
    for (int i = 0; i < n; i++)
        up[i] = i;
    for (int i = 0; i < n; i++) {
        int a = root_of(up, (int)(DRAW(r) % N)), b = root_of(up, (int)(DRAW(r) % N));
        if (a != b) {
            up[a] = b;
            sets--;
        }
    }
    state = r;
    sink_int = sets;
}

static int place_queens(int n, unsigned columns, unsigned left, unsigned right, int row)
{
    int found = 0;
    if (row == n)
        return 1;
    for (int c = 0; c < n; c++) {
        unsigned bit = 1u << c;
        if ((columns | left | right) & bit)
            continue;
        found += place_queens(n, columns | bit, (left | bit) << 1, (right | bit) >> 1, row + 1);
    }
    return found;
}

KERNEL(queens, (int n), (6))
{
    sink_int = place_queens(n, 0, 0, 0, 0);
}

KERNEL(keep_greater, (int *x, int *y, int n), (numbers, sorted, N))
{
    unsigned long r = state;
    int kept = 0;
    for (int i = 0; i < n; i++)
        x[i] = (int)DRAW(r) & 1023;
    state = r;
    for (int i = 0; i < n; i++)
        if (x[i] > 300)
            y[kept++] = x[i];
    sink_int = kept;
}

KERNEL(flood, (unsigned char (*from)[64], unsigned char (*to)[64], int *waiting), (grid, seen, queue))
{
    unsigned long r = state;
    int first = 0, last = 0;
    for (int i = 1; i < 63; i++)
        for (int j = 1; j < 63; j++) {
            from[i][j] = (DRAW(r) & 3) != 0;
            to[i][j] = 0;
        }
    state = r;
    waiting[last++] = 1 * 64 + 1;
    to[1][1] = 1;
    while (first < last) {
        int at = waiting[first++], i = at / 64, j = at % 64;
        static const int di[4] = { 1, -1, 0, 0 }, dj[4] = { 0, 0, 1, -1 };
        for (int k = 0; k < 4; k++) {
            int y = i + di[k], x = j + dj[k];
            if (from[y][x] && !to[y][x]) {
                to[y][x] = 1;
                waiting[last++] = y * 64 + x;
            }
        }
    }
    sink_int = last;
}

/* Text */

KERNEL(encode, (const unsigned char *in, unsigned char *code, int n), (text, coded, 3 * N))
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    int k = 0;
    for (int i = 0; i + 2 < n; i += 3) {
        unsigned group = (unsigned)in[i] << 16 | (unsigned)in[i + 1] << 8 | in[i + 2];
        code[k++] = (unsigned char)letters[group >> 18 & 63];
        code[k++] = (unsigned char)letters[group >> 12 & 63];
        code[k++] = (unsigned char)letters[group >> 6 & 63];
        code[k++] = (unsigned char)letters[group & 63];
    }
    code[k] = 0;
}

KERNEL(nesting, (unsigned char *in, int n), (text, 3 * N))
{
    int depth = 0, deepest = 0, wrong = 0;
    draw_text(in, n);
    for (int i = 0; i < n; i++) {
        if (in[i] == '0') {
            depth++;
            if (depth > deepest)
                deepest = depth;
        } else if (in[i] == '1') {
            if (depth > 0)
                depth--;
            else
                wrong++;
        }
    }
    sink_int = deepest * 1000 + wrong;
}

KERNEL(occurrences, (unsigned char *in, int n, const char *word, int length), (text, 3 * N, "1 23", 4))
{
    int found = 0;
    draw_text(in, n);
    for (int i = 0; i + length <= n; i++) {
        int k = 0;
        while (k < length && in[i + k] == (unsigned char)word[k])
            k++;
        found += k == length;
    }
    sink_int = found;
}

KERNEL(upper, (unsigned char *in, unsigned char *to, int n), (text, coded, 3 * N))
{
    draw_text(in, n);
    for (int i = 0; i < n; i++)
        to[i] = in[i] >= 'a' && in[i] <= 'z' ? (unsigned char)(in[i] - 32) : in[i];
}

KERNEL(two_sums, (const unsigned char *in, int n), (text, 3 * N))
{
    unsigned a = 1, b = 0;
    for (int i = 0; i < n; i++) {
        a = (a + in[i]) % 65521;
        b = (b + a) % 65521;
    }
    sink_int = (long)(b << 16 | a);
}

/* Integers */

KERNEL(reverse_bits, (int *x, int *y, int n), (numbers, sorted, N))
{
    for (int i = 0; i < n; i++) {
        unsigned bits = (unsigned)x[i], back = 0;
        for (int k = 0; k < 32; k++) {
            back = back << 1 | (bits & 1);
            bits >>= 1;
        }
        y[i] = (int)back;
    }
}

KERNEL(change, (int *kinds, int *found, int n), (coins, ways, N))
{
    for (int i = 0; i < n; i++)
        found[i] = 0;
    found[0] = 1;
    for (int k = 0; k < 8; k++)
        for (int i = kinds[k]; i < n; i++)
            found[i] += found[i - kinds[k]];
}

KERNEL(powers, (int n, unsigned long modulus), (64, 1000003))
{
    unsigned long all = 0;
    for (int i = 1; i <= n; i++) {
        unsigned long base = (unsigned long)i, result = 1;
        for (int e = 65537; e > 0; e >>= 1) {
            if (e & 1)
                result = result * base % modulus;
            base = base * base % modulus;
        }
        all += result;
    }
    sink_int = (long)all;
}

KERNEL(shifted_noise, (int *x, int n), (noisy, N))
{
    unsigned a = 2463534242u;
    for (int i = 0; i < n; i++) {
        a ^= a << 13;
        a ^= a >> 17;
        a ^= a << 5;
        x[i] = (int)a;
    }
}

/* Floating point */

KERNEL(roots, (double *x, double *y, int n), (xs, ys, N))
{
    draw_reals(x, n);
    for (int i = 0; i < n; i++) {
        double guess = x[i] > 1.0 ? x[i] : 1.0, before;
        do {
            before = guess;
            guess = 0.5 * (guess + x[i] / guess);
        } while (before - guess > 1e-9);
        y[i] = guess;
    }
}

KERNEL(area_by_chance, (int n), (2048))
{
    unsigned long r = state;
    int inside = 0;
    for (int i = 0; i < n; i++) {
        double x = DRAW(r) * (1.0 / 16777216.0), y = DRAW(r) * (1.0 / 16777216.0);
        if (x * x * x + y * y < 0.8)
            inside++;
    }
    state = r;
    sink_int = inside;
}

KERNEL(look_up, (double *x, double *table, double *y, int n), (xs, zs, ys, N))
{
    for (int i = 0; i < n; i++) {
        double at = x[i] * 10.0;
        int k = (int)at;
        double part = at - k;
        y[i] = table[k] * (1.0 - part) + table[k + 1] * part;
    }
}

KERNEL(inside_polygon, (struct point *p, int n, double px, double py), (points, N / 2, 0.3, 0.4))
{
    int inside = 0;
    draw_points(p, n);
    for (int i = 0, j = n - 1; i < n; j = i++)
        if ((p[i].y > py) != (p[j].y > py) && px < (p[j].x - p[i].x) * (py - p[i].y) / (p[j].y - p[i].y) + p[i].x)
            inside = !inside;
    sink_int = inside;
}

KERNEL(rays, (struct point *p, int n), (points, N / 2))
{
    double nearest = 1e30;
    draw_points(p, n);
    for (int i = 0; i < n; i++) {
        double b = p[i].x * 0.6 + p[i].y * 0.64 + p[i].z * 0.48;
        double c = p[i].x * p[i].x + p[i].y * p[i].y + p[i].z * p[i].z - 0.25;
        double d = b * b - c;
        if (d > 0) {
            double t = b - sqrt(d);
            if (t > 1e-6 && t < nearest)
                nearest = t;
        }
    }
    sink_float = nearest;
}

KERNEL(pendulum, (int steps, double h), (500, 0.01))
{
    double a = 1.0, v = 0.0;
    for (int i = 0; i < steps; i++) {
        double k1 = -a - 0.1 * v, v2 = v + 0.5 * h * k1, a2 = a + 0.5 * h * v;
        double k2 = -a2 - 0.1 * v2;
        a += h * v2;
        v += h * k2;
    }
    sink_float = a + v;
}

KERNEL(centre, (struct point *p, int n, int tag), (points, N / 2, 3))
{
    double x = 0, y = 0, z = 0;
    int members = 0;
    draw_points(p, n);
    for (int i = 0; i < n; i++)
        if (p[i].tag == tag) {
            x += p[i].x;
            y += p[i].y;
            z += p[i].z;
            members++;
        }
    sink_float = members ? (x + y + z) / members : 0.0;
}

KERNEL(fir, (double *x, double *c, double *y, int n), (xs, taps, ys, N - 16))
{
    for (int i = 0; i < n; i++) {
        double s = 0.0;
        for (int k = 0; k < 16; k++)
            s += c[k] * x[i + k];
        y[i] = s;
    }
}

KERNEL(banded, (double (*a)[5], double *x, double *y, int n), (band, xs, ys, N))
{
    for (int i = 2; i < n - 2; i++) {
        double s = 0.0;
        for (int k = -2; k <= 2; k++)
            s += a[i][k + 2] * x[i + k];
        y[i] = s;
    }
}

KERNEL(spread_error, (double (*from)[66], double (*to)[66]), (picture, filtered))
{
    for (int i = 0; i < 66; i++)
        for (int j = 0; j < 66; j++)
            to[i][j] = from[i][j];
    for (int i = 0; i < 65; i++)
        for (int j = 1; j < 65; j++) {
            double old = to[i][j], new = old > 0.5 ? 1.0 : 0.0, error = old - new;
            to[i][j] = new;
            to[i][j + 1] += error * 0.4375;
            to[i + 1][j - 1] += error * 0.1875;
            to[i + 1][j] += error * 0.3125;
            to[i + 1][j + 1] += error * 0.0625;
        }
}

KERNEL(middle, (double *x, double *y, int n), (xs, ys, N))
{
    draw_reals(x, n);
    for (int i = 1; i < n - 1; i++) {
        double a = x[i - 1], b = x[i], c = x[i + 1];
        double low = a < b ? a : b, high = a < b ? b : a;
        y[i] = c < low ? low : c > high ? high : c;
    }
}

KERNEL(softened, (double *x, double *y, int n), (xs, ys, N))
{
    double greatest = 0.0, sum = 0.0;
    draw_reals(x, n);
    for (int i = 0; i < n; i++)
        if (x[i] > greatest)
            greatest = x[i];
    for (int i = 0; i < n; i++) {
        y[i] = exp(x[i] - greatest);
        sum += y[i];
    }
    for (int i = 0; i < n; i++)
        y[i] /= sum;
}

KERNEL(take_apart, (struct point *p, double *x, double *y, double *z, int n), (points, xs, ys, zs, N / 2))
{
    for (int i = 0; i < n; i++) {
        x[i] = p[i].x;
        y[i] = p[i].y;
        z[i] = p[i].z;
    }
}

#define RUN(name, kind) harness_report(#name, name##_body, 1, "kind:" kind)

int main(int argc, char **argv)
{
    harness_begin(argc, argv);
    draw_text(text, 3 * N);
    draw_reals(xs, N);
    draw_points(points, N / 2);
    for (int i = 0; i < N; i++) {
        numbers[i] = (i * 7919) % 10007;
        zs[i] = 1.0 + i * 0.01;
        for (int k = 0; k < 5; k++)
            band[i][k] = 0.1 * k + 0.001 * i;
    }
    for (int i = 0; i < 16; i++)
        taps[i] = 0.06 + 0.001 * i;
    for (int i = 0; i < 66; i++)
        for (int j = 0; j < 66; j++)
            picture[i][j] = (i * 13 + j * 29) % 64 / 64.0;
    RUN(shell_order, "irregular");
    RUN(join_sets, "irregular");
    RUN(queens, "irregular");
    RUN(keep_greater, "irregular");
    RUN(flood, "irregular");
    RUN(encode, "stream");
    RUN(nesting, "irregular");
    RUN(occurrences, "irregular");
    RUN(upper, "stream");
    RUN(two_sums, "recurrence");
    RUN(reverse_bits, "recurrence");
    RUN(change, "nest");
    RUN(powers, "recurrence");
    RUN(shifted_noise, "recurrence");
    RUN(roots, "irregular");
    RUN(area_by_chance, "irregular");
    RUN(look_up, "irregular");
    RUN(inside_polygon, "irregular");
    RUN(rays, "irregular");
    RUN(pendulum, "recurrence");
    RUN(centre, "irregular");
    RUN(fir, "nest");
    RUN(banded, "nest");
    RUN(spread_error, "recurrence");
    RUN(middle, "branch");
    RUN(softened, "call");
    RUN(take_apart, "copy");
    return 0;
}
