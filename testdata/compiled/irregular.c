/* Code whose branches, addresses and lengths data decides: the cost models `compiled` and `source` are compared on it. */
#include <stdio.h>
#define N 2000
#define REPEAT 20
#define KERNEL __attribute__((noinline)) void
/* One after the other, so that each finds its own data in the caches. */
#define RUN(call) for (int r = 0; r < REPEAT; r++) call

int keys[N], sorted[N], bins[64], order[N], next_of[N], start[N + 1], column[8 * N];
double value[8 * N], x[N], y[N];
unsigned char text[4 * N], flags[8 * N];
long total;
double result;
unsigned long state = 88172645463325252ul;

static unsigned draw(void)
{
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    return (unsigned)(state >> 40);
}

KERNEL refill(void)
{
    for (int i = 0; i < N; i++)
        keys[i] = (int)(draw() & 0xffff);
}

KERNEL histogram(void)
{
    for (int i = 0; i < N; i++)
        bins[keys[i] & 63]++;
}

KERNEL count_above(int limit)
{
    long n = 0;
    for (int i = 0; i < N; i++)
        if (keys[i] > limit)
            n++;
    total += n;
}

KERNEL sum_some(int limit)
{
    double s = 0;
    for (int i = 0; i < N; i++)
        if (keys[i] > limit)
            s += x[i] * y[i];
    result = s;
}

KERNEL follow(int steps)
{
    int at = 0;
    for (int i = 0; i < steps; i++)
        at = next_of[at];
    total += at;
}

KERNEL gather_sum(void)
{
    double s = 0;
    for (int i = 0; i < N; i++)
        s += x[order[i]];
    result = s;
}

KERNEL sparse_times(void)
{
    for (int i = 0; i < N; i++) {
        double s = 0;
        for (int k = start[i]; k < start[i + 1]; k++)
            s += value[k] * x[column[k]];
        y[i] = s;
    }
}

KERNEL search(int searches)
{
    long found = 0;
    for (int s = 0; s < searches; s++) {
        int key = keys[s], low = 0, high = N;
        while (low < high) {
            int middle = (low + high) / 2;
            if (sorted[middle] < key)
                low = middle + 1;
            else
                high = middle;
        }
        found += low;
    }
    total += found;
}

KERNEL sieve(int n)
{
    for (int i = 0; i < n; i++)
        flags[i] = 1;
    for (int i = 2; i * i < n; i++)
        if (flags[i])
            for (int j = i * i; j < n; j += i)
                flags[j] = 0;
}

KERNEL insertion(int n)
{
    int local[200];
    for (int i = 0; i < n; i++)
        local[i] = keys[i];
    for (int i = 1; i < n; i++) {
        int key = local[i], j = i - 1;
        while (j >= 0 && local[j] > key) {
            local[j + 1] = local[j];
            j--;
        }
        local[j + 1] = key;
    }
    total += local[n / 2];
}

KERNEL steps_to_one(int n)
{
    long steps = 0;
    for (int i = 1; i < n; i++) {
        long v = i;
        while (v != 1) {
            v = v & 1 ? 3 * v + 1 : v / 2;
            steps++;
        }
    }
    total += steps;
}

KERNEL words(void)
{
    long n = 0;
    int inside = 0;
    for (int i = 0; i < 4 * N; i++) {
        int letter = text[i] >= 'a' && text[i] <= 'z';
        if (letter && !inside)
            n++;
        inside = letter;
    }
    total += n;
}

KERNEL checksum(void)
{
    unsigned a = 1, b = 0;
    for (int i = 0; i < 4 * N; i++) {
        a = (a + text[i]) % 65521;
        b = (b + a) % 65521;
    }
    total += (long)b << 16 | a;
}

KERNEL divisors(int n)
{
    long common = 0;
    for (int i = 1; i < n; i++) {
        int a = keys[i] + 1, b = i;
        while (b != 0) {
            int rest = a % b;
            a = b;
            b = rest;
        }
        common += a;
    }
    total += common;
}

static long fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

KERNEL calls(int n)
{
    total += fibonacci(n);
}

static void fill(void)
{
    for (int i = 0; i < N; i++) {
        sorted[i] = i * 32;
        order[i] = (int)((unsigned)i * 7919u % N);
        next_of[i] = (int)(((unsigned)i + 1237u) % N);
        x[i] = i * 0.001;
        y[i] = 1.0;
        start[i + 1] = start[i] + 2 + (int)(draw() & 7) % 6;
    }
    for (int k = 0; k < 8 * N; k++) {
        value[k] = 0.5;
        column[k] = (int)(draw() % N);
    }
    for (int i = 0; i < 4 * N; i++)
        text[i] = (unsigned char)(draw() & 7 ? 'a' + draw() % 26 : ' ');
}

int main(void)
{
    fill();
    refill();
    RUN(histogram());
    RUN(count_above(40000));
    RUN(sum_some(40000));
    RUN(follow(4 * N));
    RUN(gather_sum());
    RUN(sparse_times());
    RUN(search(500));
    RUN(sieve(8 * N));
    RUN(insertion(200));
    RUN(steps_to_one(300));
    RUN(words());
    RUN(checksum());
    RUN(divisors(400));
    RUN(calls(16));
    printf("%g %ld\n", result, total);
    return 0;
}
