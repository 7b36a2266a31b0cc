#include <stdio.h>
#include <string.h>
static unsigned h = 11; static void eat(const char *s, int n) { while (*s) h = h * 31 + (unsigned char)*s++; h = h * 31 + n; }
int main(void) {
    char b[200]; int n = 0; eat(b, sprintf(b, "%d %5d|%-5d|%05d|%+d|% d|%i", 42, -7, 3, 99, 8, 9, -2147483647 - 1)); eat(b, sprintf(b, "%u %x %X %#x %o %#o %lu %lld %hhd %hd", 4000000000u, 255, 255, 255, 8, 8, 18446744073709551615ul, -5ll, 300, 70000));
    eat(b, sprintf(b, "%f %.2f %10.3f|%-10.1f|%e %.3e %g %g %g %g %.10g", 3.14159, 2.718, 1.5, -2.25, 12345.678, 0.00012, 100000.0, 1e6, 0.0001, 1e-5, 1.0 / 3)); eat(b, sprintf(b, "%s|%10s|%-10s|%.3s|%c%c|%%", "str", "right", "left", "truncate", 'x', 65)); eat(b, sprintf(b, "%*d %.*f %-*s|", 6, 42, 2, 1.2345, 5, "ab")); eat(b, snprintf(b, 8, "%s", "longer than that")); eat(b, sprintf(b, "ab%ncd", &n)); h += n; eat(b, sprintf(b, "%zu %zd %jd %td %p", sizeof(int), (size_t)5, (long)7, (long)-3, (void *)0) > 10);
    eat(b, sprintf(b, "%.0f %.0f %.0f %.0f %.1f %G %E", 0.5, 1.5, 2.5, -0.5, 0.25, 1e-10, 1.0)); eat(b, sprintf(b, "%8.3s|%-8c|%08.2f|%+.1e|%#.0f|%x", "abcdef", 'q', 3.14159, 12345.6789, 3.0, -1)); eat(b, sprintf(b, "%5.3d|%.0d|%-+6d|%lx", 7, 0, 5, -1l));
    eat(b, sprintf(b, "%g %g %g %g", 1e100, 123456789.0, 0.0, -0.0)); eat(b, sprintf(b, "%f %F", 1e15, 0.1)); eat(b, sprintf(b, "%Lf %Lg", 1.5L, 2.0L)); 
    eat(b, sprintf(b, "%a %A %a %a %.3a %.0a %.15a", 1.5, -0.1, 0.0, 4.9e-324, 3.14159, 1.5, 2.0)); eat(b, sprintf(b, "%12a|%-12a|%012a|%+a|%#.0a", 1.0, 0.5, -2.0, 1e300, 1.0));
    return h % 251;
}
