/* Machine modes, vectors as memory, other names of variables, and where operands of sizeof are evaluated. */
#include <stddef.h>

typedef int byte __attribute__((mode(QI)));
typedef unsigned quarter __attribute__((__mode__(__HI__)));
typedef int vector __attribute__((vector_size(16)));
typedef float __attribute__((vector_size(32))) wide_vector;

int original = 3;
extern __typeof__(original) another __attribute__((alias("original")));

static unsigned sum;

static void mix(unsigned long n)
{
    sum = sum * 31 + (unsigned)n;
}

int main(void)
{
    byte b = 300;
    quarter q = 70000;
    mix(sizeof(byte) * 100 + sizeof(quarter));
    mix((unsigned)b * 7 + q);
    struct { char c; vector v; wide_vector w; char d; } s;
    mix(sizeof s + offsetof(__typeof__(s), w));
    vector v = {1, 2, 3, 4};
    v[1] = 9;
    vector copy = v;
    for (int i = 0; i < 4; i++)
        mix(copy[i]);
    mix(sizeof v + _Alignof(vector));
    another += 5;
    mix(original);
    mix(__builtin_constant_p("text") + 4 * __builtin_constant_p(3 * 5));
    int k = 4;
    int a[k][k + 1];
    mix(sizeof a[k++]);
    mix(k);
    mix(sizeof(k++, a));
    int c[7];
    mix(sizeof(0, c));
    mix(k);
    return sum % 251;
}
