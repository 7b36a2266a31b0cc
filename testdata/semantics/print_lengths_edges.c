/* Lengths and digits that formats give: alternative forms, stars, rounding to even, modifiers of length. */
#include <stdio.h>
#include <string.h>

static unsigned sum;

static void add(long n) { sum = sum * 31 + (unsigned)n; }

int main(void)
{
    char s[200];
    int m = 0;
    add(snprintf(s, 5, "%s", "abcdefgh"));
    add(strlen(s));
    add(snprintf(0, 0, "%d", 12345));
    add(sprintf(s, "%#x|%o|%#o", 255, 8, 8));
    add(s[3]);
    add(sprintf(s, "%-5d|%05.1f|%+.2e", 42, 3.14159, 12345.678));
    add(s[3]);
    add(sprintf(s, "%.3s|%10.2s|", "abcdef", "xyz"));
    add(s[7]);
    add(sprintf(s, "%ld %lld %hd %hhd %zu", -1L, 1LL << 40, (short)70000, (char)300, sizeof(int)));
    add(s[5]);
    add(sprintf(s, "%*d|%-*d|%.*f", 6, 1, 4, 2, 3, 2.0));
    add(sprintf(s, "%g %g %g %G", 1e10, 1e-5, 0.0001, 1e100));
    add(s[4]);
    add(sprintf(s, "%.0f %.0f %.0f", 0.5, 1.5, 2.5));
    add(s[0] + s[2] * 3 + s[4] * 5);
    add(sprintf(s, "% d % d", 5, -5));
    add(sprintf(s, "%x", -1));
    add(sprintf(s, "%i%n", 12, &m));
    add(m);
    add(sprintf(s, "%a", 1.0));
    return sum % 251;
}
