/* What strtod, strtol and their relatives read, and where they stop. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned sum;

static void mix(long n)
{
    sum = sum * 31 + (unsigned)n;
}

static void real(const char *text)
{
    char *end;
    double x = strtod(text, &end);
    mix(end - text);
    mix(x > 1e300 ? 3 : x < -1e300 ? 5 : x != x ? 7 : (long)(x * 8));
}

static void whole(const char *text, int base)
{
    char *end;
    long n = strtol(text, &end, base);
    mix(end - text);
    mix(n % 1000003);
    unsigned long u = strtoul(text, &end, base);
    mix((long)(u % 1000003));
}

int main(void)
{
    const char *reals[] = {"0x1.8p3xyz", "0X.8", "0x1p-2q", "inf", "-infinity", "infin", "nan(abc)", "nan(", "NaN", "1e", "1e+",
                           ".", ".5.", "5.", "0x", "0x.p1", " \t\v+7e1 ", "1e400", "-1e400", "--1", "0x1p", "1_0", "", "e5"};
    for (unsigned i = 0; i < sizeof reals / sizeof *reals; i++)
        real(reals[i]);
    const char *wholes[] = {"0x1F", "0x", "0xg", "077", "08", "-12", "+-1", "zz", "9223372036854775808", "-9223372036854775809",
                            "18446744073709551615", "18446744073709551616", "-1", "\v 42 ", ""};
    for (unsigned i = 0; i < sizeof wholes / sizeof *wholes; i++) {
        whole(wholes[i], 0);
        whole(wholes[i], 10);
        whole(wholes[i], 16);
        whole(wholes[i], 36);
    }
    mix(strtol("9223372036854775808", 0, 10) == LONG_MAX && errno == ERANGE);
    mix(atoi("4294967299"));
    mix((int)strtol("4294967299", 0, 10));
    mix(strtof("16777217.0000001", 0) == 16777218.0f);
    unsigned a = 0;
    float f = 0;
    mix(sscanf("FF 0x1p4", "%X %A", &a, &f));
    mix(a + (long)f);
    long place = 0;
    sscanf("12345", "%*d%ln", &place);
    mix(place);
    return sum % 251;
}
