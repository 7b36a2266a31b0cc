/* Loops whose counters are kept in variables, and loops where that would be wrong. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOR(i, n) for (int i = 0; i < (n); i++)
#define SEARCH(v, n, x, at) do { for (at = 0; at < (n); at++) if ((v)[at] == (x)) break; } while (0)

static int values[64], table[16][16][4];
static jmp_buf back;

static int half(int n) { return n / 2; }

static int twice(n)
    int n;
{
    int i, s = 0;
    for (i = 0; i < n; i++) s += i % 3 ? 2 : 1;
    return s;
}

static void leaves(int n)
{
    if (n == 7) longjmp(back, 1);
}

static int jumped_over(int n)
{
    volatile int s = 0;
    if (setjmp(back)) return s;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 3; j++) {
            s++;
            leaves(i);
        }
    return -s;
}

static int nests(int n)
{
    int s = 0;
    FOR(i, n)
        FOR(j, n)
            FOR(k, 4)
                table[i][j][k] = (i + j) % 3 == k ? s++ : table[j][i][k] > k ? half(s) : -1;
    for (int i = 0; i < n; i++) {
        if (i % 2)
            for (int j = 0; j < i; j++) if (j % 3) s++; else s--;
        else
            for (int j = i; j--;) s += j & 1;
        if (i == 9) continue;
        do if (s % 5 == 0) s += 3; else s++; while (s % 7);
        while (s > 40) { s -= 9; if (s % 11 == 3) break; }
    }
    return s;
}

static int leaving(int n)
{
    int at, i, j, s = 0;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            if (values[i] + values[j] == 77) goto found;
    s = 100;
found:
    SEARCH(values, n, 30, at);
    for (i = 0; i < n; i++)
        for (j = i; j < n; j++)
            if (values[j] - values[i] > 40) return s + at + i * j;
    return s + at;
}

static int entered(int n)
{
    int i = 5, s = 0;
    if (n % 2) goto inside;
    for (i = 0; i < n; i++) {
        s += 2;
inside:
        s++;
    }
    switch (n % 3) {
    case 0:
        while (i-- > 0) {
            s += i;
    case 1: s++;
        }
    case 2: for (i = 0; i < 4; i++) s ^= i;
    }
again: for (i = 0; i < 3; i++) s++;
    if (s % 4) goto again;
    return s;
}

static int ended(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (i > 1000) exit(4);
        for (int j = 0; j < i; j++) s += j > 2 && values[j] % 2 || j == 1;
    }
#pragma GCC unroll 2
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 2; j++) s += i % 2 ? j : 1;
    for (int i = 0, j = n; i < j; i++, j--) switch (i % 3) { case 0: s++; case 1: s += 2; break; default: continue; }
    return s;
}

int main(void)
{
    int i, all = 0;
    for (i = 0; i < 64; i++) values[i] = i * 37 % 64;
    for (i = 0; i < 12; i++) {
        all = all * 3 % 10007 + jumped_over(i) + nests(i) + leaving(i * 4) + entered(i) + ended(i) + twice(i);
    }
    printf("%d\n", all);
    return 0;
}
