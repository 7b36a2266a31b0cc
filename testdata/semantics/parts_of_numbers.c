/* Functions of math.h whose results are exact, at the ends of the ranges. */
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

static unsigned sum;

static void mix(long n)
{
    sum = sum * 31 + (unsigned)n;
}

static void split(double x)
{
    int e;
    double f = frexp(x, &e);
    mix(e);
    mix((long)(f * 1048576));
    mix(ldexp(f, e) == x);
    double whole;
    mix(modf(x, &whole) == x - whole);
}

int main(void)
{
    volatile double values[] = {8, 7.9999999999999991, 1, 0.99999999999999989, 0, -3.25, DBL_MAX, DBL_MIN, 5e-324, 1e-310};
    for (int i = 0; i < 10; i++)
        split(values[i]);
    mix(ldexp(0.5, 1024) == 8.98846567431158e307);
    mix(ldexp(0, 5000) == 0);
    mix(isinf(ldexp(1, 1024)));
    mix(ldexp(4, -1076) == 5e-324);
    mix(ldexp(1e-310, 1040) > 1);
    mix(ldexp(3, -1075) == 1e-323);
    mix(ldexp(1, -1080) == 0);
    volatile double infinite = INFINITY;
    double part;
    mix(modf(infinite, &part) == 0);
    mix(isinf(-infinite));
    volatile double not = NAN;
    mix(isnan(fdim(not, 1)));
    struct { float whole; int beside; } m = {0, 77};
    mix((long)(modff(5.75f, &m.whole) * 4));
    mix((long)m.whole * 100 + m.beside);
    volatile float x = 0.7f;
    mix((long)(sinf(x) * 16777216));
    mix((long)(powf(x, 3.3f) * 16777216));
    mix((long)(expf(x) * 8388608));
    char from[] = "abcdef", to[] = "uvwxyz";
    bcopy(from, to, 3);
    mix(to[0] * 100 + from[0]);
    mix((isalpha)('x') + (isspace)('x'));
    void *block = 0;
    mix(posix_memalign(&block, 24, 10));
    mix(posix_memalign(&block, 64, 10) == 0 && block);
    return sum % 251;
}
