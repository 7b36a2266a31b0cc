/* Constants that need the precision of long double, passed behind the parameters of a function, alone and among others. */
#include <stdarg.h>
#include <stdio.h>

static int sum;

static void add(int n) { sum = (sum * 31 + n) & 0xffffff; }

static void all(const char *kinds, ...)
{
    va_list list;
    va_start(list, kinds);
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'i': add(va_arg(list, int)); break;
        case 'd': add((int)(va_arg(list, double) * 100)); break;
        case 'L': add((int)(va_arg(list, long double) * 1000)); break;
        }
    va_end(list);
}

static int print(char *to, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(to, 64, format, list);
    va_end(list);
    return length;
}

int main(void)
{
    char text[64];
    all("iLidL", 3, 0.1L, 4, 2.5, 1.0L / 3);
    all("LLL", 1.0L, 0.7L, -0.3L);
    add(print(text, "%lf %5.2lf", 2.5, 0.125));
    add(text[0]);
    add(print(text, "%Lf|%ld|%lu|%zd|%lld", 0.1L, -5L, 7UL, (size_t)9, -3LL));
    add(text[4]);
    return sum % 251;
}
