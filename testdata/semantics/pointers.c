#include <stddef.h>
#include <stdlib.h>
static int sum(const int *from, const int *to) { int s = 0; while (from != to) s += *from++; return s; }
static void reverse(int *a, int n) { int *b = a + n - 1; while (a < b) { int t = *a; *a++ = *b; *b-- = t; } }
static void set(int **where, int *what) { *where = what; }
int main(void) {
    int a[10], m[3][4][2], h = 0; int *p = a + 9; for (int i = 0; i < 10; i++) *p-- = i * i; p = &a[5];
    h += p[-2] * 3 + p[4] + *(p - 5) + 2[p]; h += (int)(&a[9] - p) * 100; h += (p > a) + (p == &a[5]) * 2 + (p - 1 <= a) * 4;
    reverse(a + 1, 8); h = h * 3 + sum(a, a + 10) + a[1] - a[8]; h += sum(&a[3], p);
    for (int i = 0; i < 24; i++) ((int *)m)[i] = i * i - 5 * i; h = h * 3 + m[2][1][1] + m[0][3][0]; int (*row)[4][2] = m + 1; h += row[1][2][0] - row[-1][0][1]; h += *(*(*(m + 1) + 2) + 1);
    int *q; set(&q, a + 3); *q += 5; q += 2; *--q = 77; h = h * 3 + a[4] + a[3]; int **pp = &q; (*pp)++; **pp = -3; h += a[5]; h += (int)(*pp - a);
    char *c = (char *)a; h += (int)((int *)(c + 8) - a); h += (int)sizeof(m) + (int)sizeof(*m) + (int)sizeof(row); h += *(int *)(c + 4);
    struct S { char c; double d; short s; } s[3]; h += (int)offsetof(struct S, s) + (int)((char *)&s[2].d - (char *)s);
    double **g = malloc(6 * sizeof *g); g[0] = calloc(30, sizeof **g); for (int i = 1; i < 6; i++) g[i] = g[0] + i * 5; for (int i = 0; i < 6; i++) for (int j = 0; j < 5; j++) g[i][j] += i * 10 + j; h += (int)g[0][17] + (int)g[4][-3]; free(g[0]); free(g);
    const char *t[] = {"alpha", "beta", "gamma"}; const char **tp = t + 2; h += (*tp--)[1] + (*tp)[0] + **--tp; int neg = -2; h += p[neg] + *(p + neg); p += -3; h += *p; long off = (long)(p - a); h += (int)off; void *vp = a; h += vp == (void *)&a[0]; return (unsigned)h % 247;
}
