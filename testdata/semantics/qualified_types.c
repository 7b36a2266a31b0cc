#include <stddef.h>
#define IS_CONST(x) (sizeof(int) == sizeof(*(1 ? ((void *)((long)(x) * 0l)) : (int *)8)))
#define T(x) _Generic((x), int *: 1, const int *: 2, volatile int *: 3, const volatile int *: 4, void *: 5, const void *: 6, int (*)(): 7, long long: 8, unsigned long long: 9, long: 10, unsigned long: 11, _Atomic int *: 12, default: 13)
#define SAME(x, y) __builtin_types_compatible_p(__typeof__(x), __typeof__(y))
#define IS_ARRAY(a) !SAME((a), &(a)[0])
typedef int four[4];
struct s { int a; four b; struct { int c; } in; };
static int st = (1 ? -1 : 0u) > 0;
static int st2 = sizeof(1 ? 'a' : 1LL);
int f2(float);
int f3(double);
_Atomic int at;
int main(void) {
    int n = 0, x = 3;
    const struct s cs = {0};
    volatile struct s vs = {0};
    const four cf = {1};
    const int *cp = &x;
    volatile int *vp = &x;
    int arr[3];
    int v[] = {T(&cs.b[1]), T(&cs.in.c), T(&vs.a), T(cs.b), T(cf), T(&cf[1]), T(1 ? cp : vp), T(x ? cp : vp), T(x ? cp : &x), T(x ? (void *)0 : cp), T(x ? (const void *)0 : vp), T(1 ? (void *)x : cp), T(f2), T(f3), T(1 + 1LL), T(1LL + 1ul), T(1l + 1ul),
               T(x ? 1LL : 1), T(-1LL), T(1LL << 1), T(1 << 1LL), T(&at), T(cs.b + 1), T((x, cf)), IS_ARRAY(arr), st, st2, sizeof(1 ? 1 : 1.0), IS_CONST(3), IS_CONST(x)};
    for (unsigned k = 0; k < sizeof v / sizeof *v; k++)
        for (int i = 0; i < v[k]; i++)
            n++;
    for (unsigned k = 0; k < sizeof v / sizeof *v; k++)
        for (int i = 0; i < v[k] * (int)k; i++)
            n++;
    for (int i = 0; i < __builtin_types_compatible_p(__typeof__(cs), struct s) + 2 * __builtin_types_compatible_p(__typeof__(&cs), struct s *) + 4 * __builtin_types_compatible_p(__typeof__(cf), four); i++)
        n++;
    for (unsigned long i = 0; i < sizeof u'a' + 10 * sizeof U'a' + 100 * sizeof L'a' + 1000 * sizeof 'a'; i++)
        n++;
    if (u'a' - 98 < 0)
        n++;
    return n & 127;
}
