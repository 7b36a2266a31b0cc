/* Numbers at the begin of texts: bases, signs, what is left behind them, and what does not fit. */
#include <limits.h>
#include <stdlib.h>

static unsigned sum;

static void add(long n) { sum = sum * 31 + (unsigned)n; }

int main(void)
{
    char *e = 0;
    add(strtol("  -0x1Az", &e, 16));
    add(*e);
    add(strtoul("-1", 0, 10) == ULONG_MAX);
    add(strtol("08", &e, 0));
    add(*e);
    add(strtol("zz", 0, 36));
    add(strtol("", &e, 10));
    add(strtod("inf", &e) > 1e308);
    add((long)strtod("0x1p4", 0));
    add((long)(strtod(".5.5", &e) * 10));
    add(*e);
    add((long)atof("12.9abc"));
    add(atol("-99999999999") < 0);
    add(strtoll("9223372036854775808", 0, 10) == LLONG_MAX);
    add((long)strtof("3.99", 0));
    add(atoi("-42"));
    add(strtol("1e3", &e, 10));
    add(*e);
    add(strtod("nan", 0) != strtod("nan", 0));
    add(strtol("+5", 0, 10));
    return sum % 251;
}
