/* Control flow in all the forms that instrumented sources have to keep. */
#define _POSIX_C_SOURCE 200809L
#include "forms.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int old_style(a, b)
    int a;
    char *b;
{
    if (a) if (b[0] == 'x') return 1; else return 2;
    return 3;
}

static int macros(int n)
{
    int v[4] = { n, 3, 1, 2 }, s = 0;
    EACH(i, 3) SWAP_IF(v[i], v[i + 1]);
    EACH(i, 4) s += LARGER(v[i], 2) * i;
    LEAVE_IF(s > 100);
    return s;
}

static int jumps(int n)
{
    int s = 0, i = 0;
again:
    if (i >= n) goto out;
    switch (i % 5) {
    case 0: s++;
    case 1: s += 2; break;
    case 2: { s += 3; if (s & 1) break; }
    default: s += 4;
    case 4: if (s > 20) goto next;
    }
    s ^= 1;
next:
    i++;
    goto again;
out:
    for (;;) { if (s-- < 3) break; if (s % 3) continue; s--; }
    do s += 5; while (s < 30);
    while (s > 10) s -= s > 20 ? 7 : 2;
    return s;
}

static int copied(char *to, const char *from, int count)
{
    int n = (count + 7) / 8;
    switch (count % 8) {
    case 0: do { *to++ = *from++;
    case 7: *to++ = *from++;
    case 6: *to++ = *from++;
    case 5: *to++ = *from++;
    case 4: *to++ = *from++;
    case 3: *to++ = *from++;
    case 2: *to++ = *from++;
    case 1: *to++ = *from++;
            } while (--n > 0);
    }
    return n;
}

static int checked(int n)
{
    if (n > 1000) exit(3);
    return n + 1;
}

static void note(int *p) { if (p) ++*p; }

static int expressions(int n)
{
    int k = 0, zero = 0, *p = n > 2 ? &k : NULL, *q = n > 5 ? 0 : &k;
    const char *word = n % 2 ? "odd" : "even";
    k += checked(n) > 3 && checked(k) < 9 || twice(n) == 4;
    k += p ? *p : -1;
    n > 3 ? note(p) : (void)0;
    k += zero ?: 5;
    k += checked(k) + checked(n);
    k += ({ int m = twice(k); if (m > 20) m = 20; m; });
    for (int i = 0, m = n; i < m && k < 500; i++, k++) if (i == 3) break; else k += (i & 1) ? 2 : 3;
    note(q);
    if (strcmp(word, "odd")) k++; else if (k > 7) k--; else ;
    if (checked(k) > 3)
        switch (n) case 2: k += 2;
    return(checked(k) > 0 ? k : -k);
}

static double average(double x) { return(x + checked(1)); }

int main(void)
{
    char text[40] = "", from[40] = "the quick brown fox jumps over";
    int all = 0, i;
    for (i = 0; i < 12; i++) {
        all += old_style(i % 3, i % 2 ? "x" : "y") + macros(i) + jumps(i) + expressions(i);
        all += average(i) > 3.5;
        all += copied(text, from, i + 3) + twice(i - 4);
    }
    printf("%d %s %s:%d\n", all, text, __FILE__, __LINE__);
    for (int côté = 0; côté < 2; côté++) printf("\e[0;31m\u00e9t\u00e9\e[0m %d\n", côté);
    if (all > 0) exit(all % 7);
    return 1;
}
