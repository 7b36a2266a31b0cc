#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <limits.h>
int main(void) {
    unsigned long h = 3; int a = 0, b = 0, n = 0, k; double d = 0; float f = 0; char w[20], c; long l; unsigned u; short s;
    k = sscanf("12 -7 3.5 word x", "%d %d %lf %s %c", &a, &b, &d, w, &c); h = h * 31 + k * 1000 + a - b + (int)(d * 4) + w[3] + c; k = sscanf("0x1f 017 99", "%x %o %i", &u, (unsigned *)&a, &b); h = h * 31 + k + u + a + b; k = sscanf("a=5,b=6", "a=%d,b=%d", &a, &b); h = h * 31 + k + a * b; k = sscanf("12ab", "%d%n%2s", &a, &n, w); h = h * 31 + k + a + n + w[1]; k = sscanf("abc", "%d", &a); h = h * 31 + k + 5; k = sscanf("", "%d", &a); h = h * 31 + k + 5; k = sscanf("1:2:3", "%d:%*d:%d", &a, &b); h = h * 31 + k + a + b; k = sscanf("123456", "%3d%hd", &a, &s); h = h * 31 + k + a + s; k = sscanf("hello123", "%[a-z]%d", w, &a); h = h * 31 + k + a + w[4]; k = sscanf("9999999999 1e3", "%ld %f", &l, &f); h = h * 31 + k + l + (int)f; k = sscanf("x,y", "%[^,],%c", w, &c); h = h * 31 + k + w[0] + c; k = sscanf("0x1A -010 077", "%i %i %i", &a, &b, &n); h = h * 31 + k + a - b + n;
    char *e; h = h * 31 + strtol("  -42abc", &e, 10) + 100 + *e; h = h * 31 + strtol("0x7fz", &e, 0) + *e; h = h * 31 + strtol("0777", &e, 0); h = h * 31 + strtol("zz", &e, 36) + (*e == 0); h = h * 31 + strtol("none", &e, 10) + *e; h = h * 31 + strtoul("4294967296", 0, 10); errno = 0; h = h * 31 + (strtol("99999999999999999999", 0, 10) == LONG_MAX) + (errno == ERANGE); h = h * 31 + strtoll("-9223372036854775808", 0, 10); h = h * 31 + (long)(strtod("  2.5e2xyz", &e) * 2) + *e; h = h * 31 + (long)(strtod(".5", &e) * 8) + (long)(strtod("-1e-2", 0) * 1000 - .5); h = h * 31 + (long)strtod("0x1p4", 0) + (strtod("inf", 0) > 1e308); h = h * 31 + atoi("  17x") + atoi("-3") + atol("123456789012") + (int)(atof("1.25") * 4) + atoi(""); h += strtof("3.25", 0) * 4;
    return (int)(h % 251);
}
