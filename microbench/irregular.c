/* Irregular code, as whole functions: branches, trip counts and addresses that data decides. The residuals of the cost
 * model `source` on them say how far a prediction of such code may be off. None is taken from a program that
 * predictions are validated with. Data that branches depend on is drawn anew in every round: predictors learn
 * tens of thousands of random bits by heart that come again. Everything fits the first cache level; every kernel
 * leaves its result where the compiler must not lose it. */
#include "harness.h"

#define N 2048
#define KERNEL REPEATED

/* Not static: a compiler must not know what they hold. */
unsigned char noise[N + 64], other[N + 64], text[3 * 1024];
unsigned table[256], buckets[256];
int perm[N], values[N], work[N], left[N / 2], right[N / 2], merged[N];
double reals[N], out[N];
unsigned modulus = 65521;
unsigned long state = 88172645463325252ul;
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

SEPARATE void draw_bytes(unsigned char *x, int n)
{
    unsigned long r = state;
    for (int i = 0; i < n; i++)
        x[i] = (unsigned char)DRAW(r);
    state = r;
}

SEPARATE void draw_integers(int *x, int n)
{
    unsigned long r = state;
    for (int i = 0; i < n; i++)
        x[i] = (int)DRAW(r) & 0xffff;
    state = r;
}

/* A branch on random bits, once in two, four and sixteen; with a store, so that nothing is selected instead. */
#define SPLIT(name, mask)                                                    \
    KERNEL(name, (unsigned char *y, int n), (other, N))                      \
    {                                                                        \
        unsigned long r = state;                                             \
        for (int i = 0; i < n; i++)                                          \
            if ((DRAW(r) & mask) == 0)                                       \
                y[i] = (unsigned char)i;                                     \
        state = r;                                                           \
    }
SPLIT(split_half, 1)
SPLIT(split_quarter, 3)
SPLIT(split_rare, 15)

/* The same on data in memory: the branch waits for a load. */
KERNEL(split_loaded, (unsigned char *x, unsigned char *y, int n), (noise, other, N))
{
    draw_bytes(x, n);
    for (int i = 0; i < n; i++)
        if (x[i] & 1)
            y[i] = (unsigned char)i;
}

/* Of every eight, one: periodic. */
KERNEL(split_periodic, (unsigned char *y, int n), (other, N))
{
    for (int i = 0; i < n; i++)
        if (i % 8 == 3)
            y[i] = (unsigned char)i;
}

KERNEL(two_ways, (unsigned char *x, int n), (noise, N))
{
    double up = 0, down = 1;
    draw_bytes(x, n);
    for (int i = 0; i < n; i++) {
        if (x[i] < 100)
            up += 0.5;
        else
            down *= 0.999;
    }
    sink_float = up + down;
}

KERNEL(cases, (unsigned char *x, int n), (noise, N))
{
    unsigned long s = 1;
    draw_bytes(x, n);
    for (int i = 0; i < n; i++)
        switch (x[i] & 7) {
        case 0: s += (unsigned long)i; break;
        case 1: s ^= 77; break;
        case 2: s -= 3; break;
        case 3: s *= 5; break;
        case 4: s |= 8; break;
        default: s += 1;
        }
    sink_int = (long)s;
}

/* Trip counts from data. */
KERNEL(ragged, (unsigned char *lengths, const double *x, int n), (noise, reals, N))
{
    double s = 0;
    draw_bytes(lengths, n);
    for (int i = 0; i < n; i++) {
        int m = 1 + (lengths[i] & 7);
        for (int k = 0; k < m; k++)
            s += x[k];
    }
    sink_float = s;
}

KERNEL(set_bits, (unsigned char *x, int n), (noise, N))
{
    long found = 0;
    draw_bytes(x, n);
    for (int i = 0; i < n; i++) {
        unsigned v = x[i];
        while (v) {
            v &= v - 1;
            found++;
        }
    }
    sink_int = found;
}

KERNEL(digits, (int *x, int n), (values, N / 2))
{
    long s = 0;
    draw_integers(x, n);
    for (int i = 0; i < n; i++) {
        int v = x[i];
        while (v > 0) {
            s += v % 10;
            v /= 10;
        }
    }
    sink_int = s;
}

KERNEL(run_lengths, (unsigned char *x, unsigned char *y, int n), (noise, other, N))
{
    int i = 0, found = 0;
    draw_bytes(x, n);
    for (int k = 1; k < n; k++)
        x[k] = x[k] & 3 ? x[k - 1] : x[k];
    while (i < n) {
        int j = i + 1;
        while (j < n && x[j] == x[i])
            j++;
        y[found++] = (unsigned char)(j - i);
        i = j;
    }
    sink_int = found;
}

KERNEL(converge, (int *x, int n), (values, N / 4))
{
    double s = 0;
    draw_integers(x, n);
    for (int i = 0; i < n; i++) {
        double v = 1.0 + x[i], root = v;
        while (root * root - v > 1e-6)
            root = 0.5 * (root + v / root);
        s += root;
    }
    sink_float = s;
}

KERNEL(merge, (int *a, int *b, int *c, int n), (left, right, merged, N / 2))
{
    int i = 0, j = 0, k = 0;
    draw_integers(a, n);
    draw_integers(b, n);
    a[0] = b[0] = 0;
    for (int m = 1; m < n; m++) {
        a[m] = a[m - 1] + (a[m] & 63);
        b[m] = b[m - 1] + (b[m] & 63);
    }
    while (i < n && j < n) {
        if (a[i] < b[j])
            c[k++] = a[i++];
        else
            c[k++] = b[j++];
    }
    while (i < n)
        c[k++] = a[i++];
    while (j < n)
        c[k++] = b[j++];
}

KERNEL(shake, (int *x, int n), (work, 256))
{
    draw_integers(x, n);
    for (int pass = 0; pass < 64; pass++)
        for (int i = pass & 1; i + 1 < n; i += 2)
            if (x[i] > x[i + 1]) {
                int t = x[i];
                x[i] = x[i + 1];
                x[i + 1] = t;
            }
}

KERNEL(sift_down, (int *x, int n), (work, 128))
{
    draw_integers(x, n);
    for (int last = n - 1; last > 0; last--)
        for (int i = 0; i < last; i++)
            if (x[i] > x[i + 1]) {
                int t = x[i];
                x[i] = x[i + 1];
                x[i + 1] = t;
            }
}

KERNEL(first_greater, (int *x, int n), (values, N))
{
    int found = 0;
    draw_integers(x, n);
    for (int i = 0; i + 8 < n; i++)
        for (int k = 1; k <= 8; k++)
            if (x[i + k] > x[i]) {
                found += k;
                break;
            }
    sink_int = found;
}

/* Structured data: what branches on it do has a pattern, more or less. Other numbers in each round, lest it be learned. */
const char sentence[] = "a sentence of some length, again and again ";

KERNEL(vowels, (const char *text, unsigned char *y, int n), (sentence, other, N))
{
    int found = 0, at = 0;
    for (int i = 0; i < n; i++) {
        char c = text[at];
        if (c == 'a' || c == 'e' || c == 'i' || c == 'o')
            y[found++] = (unsigned char)i;
        if (!text[++at])
            at = 0;
    }
    sink_int = found;
}

KERNEL(sawtooth, (int *x, int n), (values, N))
{
    int above = 0, turns = 0, step = 1 + (int)(DRAW(state) & 63);
    for (int i = 0; i < n; i++)
        x[i] = i * step % 101;
    for (int i = 1; i < n; i++) {
        if (x[i] > 70)
            above += x[i - 1];
        if (x[i] < x[i - 1])
            x[turns++] = i;
    }
    sink_int = above + turns;
}

KERNEL(happy, (int n), (512))
{
    int found = 0, first = 1 + (int)(DRAW(state) & 0xffff);
    for (int i = first; i < first + n; i++) {
        int v = i;
        while (v != 1 && v != 4) {
            int s = 0;
            for (; v > 0; v /= 10)
                s += v % 10 * (v % 10);
            v = s;
        }
        found += v == 1;
    }
    sink_int = found;
}

KERNEL(gnome, (int *x, int n), (work, 256))
{
    int i = 1, step = 1 + (int)(DRAW(state) & 63);
    for (int k = 0; k < n; k++)
        x[k] = k * step % 64 + k / 2;
    while (i < n)
        if (i == 0 || x[i - 1] <= x[i]) {
            i++;
        } else {
            int t = x[i];
            x[i] = x[i - 1];
            x[--i] = t;
        }
}

int cost[48][48], reach[48];

KERNEL(relax, (int n), (48))
{
    int step = 1 + (int)(DRAW(state) & 63);
    for (int i = 0; i < n; i++) {
        reach[i] = i ? 100000 : 0;
        for (int j = 0; j < n; j++)
            cost[i][j] = 1 + (i * 5 + j * step) % 37;
    }
    for (int pass = 0; pass < 8; pass++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (reach[i] + cost[i][j] < reach[j])
                    reach[j] = reach[i] + cost[i][j];
}

KERNEL(coprime, (int n), (40))
{
    int found = 0, first = 1 + (int)(DRAW(state) & 127);
    for (int i = first; i < first + n; i++)
        for (int j = 1; j < n; j++) {
            int a = i, b = j;
            while (a != b) {
                if (a > b)
                    a -= b;
                else
                    b -= a;
            }
            found += a == 1;
        }
    sink_int = found;
}

/* Chains through memory. */
KERNEL(state_table, (const unsigned char *x, int n), (noise, N))
{
    unsigned s = 1;
    for (int i = 0; i < n; i++)
        s = table[(s + x[i]) & 255] ^ (s >> 3);
    sink_int = s;
}

KERNEL(walk, (const int *next, int n), (perm, 2 * N))
{
    int at = 0;
    for (int i = 0; i < n; i++)
        at = next[at];
    sink_int = at;
}

KERNEL(count_keys, (const unsigned char *x, unsigned *y, int n), (noise, buckets, N))
{
    for (int i = 0; i < n; i++)
        y[x[i]]++;
}

KERNEL(scatter_add, (const int *at, const double *x, double *y, int n), (perm, reals, out, N))
{
    for (int i = 0; i < n; i++)
        y[at[i]] += x[i];
}

KERNEL(gather_sum, (const int *at, const double *x, int n), (perm, reals, N))
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[at[i]];
    sink_float = s;
}

/* Integer recurrences. */
KERNEL(residue, (unsigned m, int n), (modulus, N))
{
    unsigned s = 17;
    for (int i = 0; i < n; i++)
        s = s * 75u % m;
    sink_int = s;
}

KERNEL(least_path, (const int *w, const int *c, int *d, int n), (values, perm, work, N))
{
    d[0] = 0;
    for (int i = 1; i < n; i++) {
        int best = d[i - 1] + w[i];
        if (c[i] < best)
            best = c[i];
        d[i] = best;
    }
}

KERNEL(to_and_fro, (int n), (N))
{
    double x = 0.3;
    for (int i = 0; i < n; i++) {
        x = x * 3.7;
        x = x - (int)x;
    }
    sink_float = x;
}

/* Calls */
SEPARATE int classify(int x)
{
    if (x < 64)
        return 1;
    if (x < 128)
        return 3;
    return x & 7;
}

KERNEL(read_numbers, (unsigned char *in, int n), (text, 3 * 1024))
{
    long sum = 0, number = 0;
    int inside = 0;
    draw_text(in, n);
    for (int i = 0; i < n; i++) {
        if (in[i] >= '0' && in[i] <= '9') {
            number = number * 10 + (in[i] - '0');
            inside = 1;
        } else if (inside) {
            sum += number;
            number = 0;
            inside = 0;
        }
    }
    sink_int = sum + number;
}

KERNEL(classes, (unsigned char *x, int n), (noise, N))
{
    long s = 0;
    draw_bytes(x, n);
    for (int i = 0; i < n; i++)
        s += classify(x[i]);
    sink_int = s;
}

struct tree { struct tree *left, *right; long value; };
struct tree nodes[256];

SEPARATE struct tree *insert(struct tree *at, struct tree *one)
{
    if (!at)
        return one;
    if (one->value < at->value)
        at->left = insert(at->left, one);
    else
        at->right = insert(at->right, one);
    return at;
}

KERNEL(tree_growth, (struct tree *t, int n), (nodes, 256))
{
    unsigned long r = state;
    struct tree *root = 0;
    for (int i = 0; i < n; i++) {
        t[i].left = t[i].right = 0;
        t[i].value = DRAW(r);
        root = insert(root, &t[i]);
    }
    state = r;
    sink_int = root->value;
}

#define RUN(name, kind) harness_report(#name, name##_body, 1, "kind:" kind)

int main(int argc, char **argv)
{
    harness_begin(argc, argv);
    draw_bytes(noise, N);
    draw_integers(values, N);
    for (int i = 0; i < 256; i++)
        table[i] = DRAW(state);
    for (int i = 0; i < N; i++) {
        perm[i] = i;
        reals[i] = 1.0 + 0.001 * (double)values[i];
    }
    for (int i = N - 1; i > 0; i--) {
        int k = (int)(DRAW(state) % (unsigned)i), t = perm[i];
        perm[i] = perm[k];
        perm[k] = t;
    }
    RUN(split_half, "irregular");
    RUN(split_quarter, "irregular");
    RUN(split_rare, "irregular");
    RUN(split_loaded, "irregular");
    RUN(split_periodic, "irregular");
    RUN(two_ways, "irregular");
    RUN(cases, "irregular");
    RUN(ragged, "irregular");
    RUN(set_bits, "irregular");
    RUN(digits, "irregular");
    RUN(run_lengths, "irregular");
    RUN(converge, "irregular");
    RUN(merge, "irregular");
    RUN(shake, "irregular");
    RUN(sift_down, "irregular");
    RUN(first_greater, "irregular");
    RUN(vowels, "irregular");
    RUN(sawtooth, "irregular");
    RUN(happy, "irregular");
    RUN(gnome, "irregular");
    RUN(relax, "irregular");
    RUN(coprime, "irregular");
    RUN(state_table, "recurrence");
    RUN(walk, "recurrence");
    RUN(count_keys, "irregular");
    RUN(scatter_add, "irregular");
    RUN(gather_sum, "reduction");
    RUN(residue, "recurrence");
    RUN(least_path, "recurrence");
    RUN(to_and_fro, "recurrence");
    RUN(classes, "irregular");
    RUN(read_numbers, "irregular");
    RUN(tree_growth, "irregular");
    return 0;
}
