#include <stddef.h>
#include <stdint.h>
enum e { A, B };
enum neg { M = -1 };
typedef const char *text;
struct s { const int a; int b; };
#define T(x) _Generic((x), char: 1, signed char: 2, unsigned char: 3, short: 4, unsigned short: 5, int: 6, unsigned: 7, long: 8, unsigned long: 9, long long: 10, unsigned long long: 11, float: 12, double: 13, long double: 14, char *: 15, const char *: 16, volatile char *: 17, const volatile char *: 18, char *const *: 19, const char **: 20, int *: 21, const int *: 22, int (*)[3]: 23, int (*)[4]: 24, const int (*)[4]: 25, int (*)(void): 26, int (*)(int): 27, void *: 28, const void *: 29, _Bool: 30, long *: 31, long long *: 32, unsigned *: 33, signed char *: 34, unsigned char *: 35, char **: 36, int *restrict *: 37, default: 40)
int fv(void) { return 1; }
int fi(int x) { return x; }
int main(void) {
    int n = 0;
    char c = 1; signed char sc = 1; unsigned char uc = 1;
    const char cc = 1; const char *cp = &cc; char *const pc = &c; volatile char *vp = &c; const volatile char *cvp = &c;
    enum e ee = A; enum neg en = M; text tt = "x"; const text ct = "x";
    const struct s cs = {1, 2}; struct s ss = {1, 2};
    int a3[3], a4[4], m[2][4]; const int ca[4] = {0};
    long l; long long ll; size_t sz = 1; int64_t i64 = 1; uint64_t u64 = 1; ptrdiff_t pd = 1; intmax_t im = 1;
    const int cm[2][4] = {{0}};
    volatile int vi = 1;
    struct { unsigned b : 3; int sb : 5; unsigned long w : 40; } bf = {1, 1, 1};
    int v[] = {T(c), T(sc), T(uc), T(cc), T(cp), T(pc), T(vp), T(cvp), T(ee), T(en), T(A), T(M), T(tt), T(ct),
               T(&cs.b), T(&ss.a), T(&ss.b), T(cs.b), T(a3), T(&a3), T(&a4), T(m), T(&l), T(&ll), T(sz), T(i64), T(u64), T(pd), T(im),
               T(fv), T(&fi), T(1L), T(1LL), T(1u), T(1ul), T(1ull), T(1.f), T(1.), T(1.L), T((_Bool)1), T(!c), T((char)c), T((const int)3), T(c + c), T(vi), T(+uc),
               T(&tt), T(&ct), T(&pc), T((void *)0), T((const void *)0), T(1 ? cp : &c), T(1 ? (void *)&c : cp), T(1 ? 0 : cp), T(&ee), T(&en), T(&sc), T(&uc), T(&c),
               T(l = 1), T(0 ? 1 : 1L), T((0, a4)), T("abc"), T(&"abc"), T('a'), T(L'a'), T(u'a'), T(sizeof 1), T(bf.w), T(bf.b), T(bf.sb), T(+bf.b), T(c << 1L), T(&a4[1]), T(m[0]), T(*m)};
    for (unsigned k = 0; k < sizeof v / sizeof *v; k++)
        for (int i = 0; i < v[k]; i++)
            n++;
    for (unsigned k = 0; k < sizeof v / sizeof *v; k++)
        for (int i = 0; i < v[k] * (int)k; i++)
            n++;
    return n & 127;
}
