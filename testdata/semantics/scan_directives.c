/* Directives of scanf: bases, sets, widths, counts of bytes, what is skipped, and where input ends. */
#include <stdio.h>
#include <string.h>

static unsigned sum;

static void add(long n) { sum = sum * 31 + (unsigned)n; }

int main(void)
{
    int a = 0, b = 0, c = 0;
    char s[20] = "", t[20] = "";
    double x = 0;
    short h = 0;
    unsigned char uc = 0;
    unsigned u = 0;
    add(sscanf("12,0x1f 077", "%d,%i %i", &a, &b, &c));
    add(a + b * 3 + c * 5);
    add(sscanf("ab12cd", "%[a-z]%n%d%2s", s, &a, &b, t));
    add(a + b);
    add(strlen(s) + 10 * strlen(t));
    add(sscanf("3.5e1 -2", "%lf %hd", &x, &h));
    add((long)x + h);
    add(sscanf("  xyz", "%c%c%3c", s, s + 1, t));
    add(s[0] + t[2]);
    add(sscanf("7", "%d %d", &a, &b));
    add(sscanf("", "%d", &a));
    add(sscanf("q", "%d", &a));
    add(sscanf("99 bottles", "%*d %s", s));
    add(strlen(s));
    add(sscanf("255 ff", "%hhu %x", &uc, &u));
    add(uc + u);
    add(sscanf("12345", "%2d%3d", &a, &b));
    add(a * b);
    add(sscanf("a%b", "a%%%c", s));
    add(s[0]);
    return sum % 251;
}
