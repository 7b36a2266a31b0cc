/* Loops around choices: those that can run in pieces (plain_*), and those that cannot (other_*). */
#include <stdio.h>

#define N 1000

static int a[N], b[N];
static double d[N];
static int bound = 300;

static void fill(int seed)
{
    for (int i = 0; i < N; i++) {
        seed = (seed * 1103 + 12345) % 65536;
        a[i] = seed % 100 - 50;
        b[i] = seed / 100 % 100 - 50;
        d[i] = seed % 7;
    }
}

static void plain_up(int n)
{
    int i;
    for (i = 0; i < n; i++)
        a[i] = a[i] < b[i] ? a[i] : b[i];
}

static long plain_steps(long n)
{
    long sum = 0;
    for (long i = 3; i <= n - 1; i += 7) {
        sum += a[i] > 0 ? a[i] : -1;
        sum += b[i] > 0 ? 2 : 1;
    }
    return sum;
}

static unsigned plain_down(unsigned n)
{
    unsigned m = 0;
    for (unsigned i = n; i > 5; --i) m = (unsigned)b[i - 1] > m ? (unsigned)b[i - 1] : m;
    return m;
}

static int plain_down_by(int n)
{
    int count = 0, i;
    for (i = n; i >= -n; i -= 3)
        count += i % 2 == 0 ? 3 : 1;
    return count * 1000 + i;
}

static int plain_mixed(unsigned long n)
{
    int count = 0;
    for (int i = 0; i < n; i++) { count += a[i] == b[i] ? 3 : 1; }
    return count;
}

static int plain_global(void)
{
    int count = 0;
    for (int i = 0; i < bound * 2; i++)
        count ^= a[i] & 4 ? b[i] : 1;
    return count;
}

static int other_bound(int n)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        count += a[i] > 40 ? 3 : 1;
        n -= count % 64 == 0;
    }
    return count;
}

static int other_index(int n)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        count += a[i] > 0 ? 3 : 1;
        i += count & 1;
    }
    return count;
}

static void change(int *i)
{
    *i += 1;
}

static int other_address(int n)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        count += a[i] > 0 ? 3 : 1;
        change(&i);
    }
    return count;
}

static int shrink(int count)
{
    bound -= count & 1;
    return count;
}

static int other_global(void)
{
    int count = 0;
    for (int i = 0; i < bound; i++)
        count += shrink(a[i] > 0 ? 3 : 2);
    return count;
}

static int other_jumps(int n)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (b[i] < -48)
            continue;
        count += a[i] > 0 ? 3 : 1;
        if (b[i] == 49)
            break;
    }
    return count;
}

static int other_pointer(int n)
{
    int count = 0;
    for (int *p = a; p < a + n; p++)
        count += *p > 0 ? 3 : 1;
    return count;
}

static void other_floating(int n)
{
    for (int i = 0; i < n; i++)
        d[i] = d[i] > 3.5 ? 3.5 : d[i];
}

static int other_nested(int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        count += a[i] > 0 && b[i] > 0 ? 3 : 1;
    return count;
}

static int other_float_index(void)
{
    int count = 0;
    for (double x = 0; x < 300.5; x++)
        count += a[(int)x] > 0 ? 3 : 1;
    return count;
}

int main(void)
{
    static const int lengths[] = {0, 1, 15, 16, 17, 239, 240, 241, 255, 256, 257, 479, 480, 481, 500, N};
    for (int k = 0; k < (int)(sizeof lengths / sizeof *lengths); k++) {
        int n = lengths[k];
        fill(n + 1);
        plain_up(n);
        printf("%ld %u %d %d %d\n", plain_steps(n), plain_down((unsigned)n), plain_down_by(n), plain_mixed((unsigned long)n), plain_global());
        printf("%d %d %d %d %d %d %d\n", other_bound(n), other_index(n), other_address(n / 2), other_global(), other_jumps(n), other_pointer(n), other_nested(n));
        other_floating(n);
        printf("%g %d\n", d[n / 2], other_float_index());
    }
    return 0;
}
