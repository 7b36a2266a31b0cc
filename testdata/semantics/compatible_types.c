typedef int myint;
typedef const char cchar;
enum e { A, B };
enum m { M = -1 };
struct s { int a; }; struct t { int a; };
typedef struct s S;
typedef int arr4[4];
#define K(a, b) __builtin_types_compatible_p(a, b)
#define SAME(x, y) __builtin_types_compatible_p(__typeof__(x), __typeof__(y))
int f(int);
int main(void) {
    int n = 0;
    int a[3], *p = a; const int c = 1; volatile int v = 1;
    int r[] = {K(int, const int), K(int, myint), K(const int *, int *), K(int *const, int *), K(int[], int[4]), K(int[3], int[4]), K(char, signed char),
        K(long, long long), K(enum e, unsigned), K(enum e, int), K(enum m, int), K(enum e, enum m), K(struct s, struct t), K(struct s, S), K(const char, cchar), K(arr4, int[4]), K(const arr4, int[4]), K(const int[4], int[4]),
        SAME(a, p), SAME(a, &a[0]), SAME(c, v),K(int(int), int(const int)), K(int (*)(int), int (*)(long)), K(int *, const int *), K(void *, char *), K(const void *, void *),
        K(int (*)(), int (*)(int)), K(float, double), K(double, long double), K(unsigned, int), K(const volatile int, int), K(int **, int *const *), K(short, short int), K(_Bool, int), K(char[], char[2]), K(int, void), K(void, const void)};
    for (unsigned k = 0; k < sizeof r / sizeof *r; k++)
        if (r[k])
            n += k;
    for (int i = 0; i < n; i++)
        p = a;
    unsigned bits[2] = {0, 0};
    for (unsigned k = 0; k < sizeof r / sizeof *r; k++)
        bits[k / 32] |= (unsigned)r[k] << k % 32;
    for (int b = 0; b < 64; b++)
        for (unsigned i = 0; i < (bits[b / 32] >> b % 32 & 1) * b; i++)
            n++;
    return n & 127;
}
