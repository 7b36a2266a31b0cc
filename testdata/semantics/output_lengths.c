/* What output functions return, and formats whose width and precision are arguments. */
#include <stdio.h>
#include <string.h>

static unsigned sum;

static void mix(long n)
{
    sum = sum * 31 + (unsigned)n;
}

static void text(const char *t)
{
    mix((long)strlen(t));
    for (; *t; t++)
        mix(*t);
}

int main(void)
{
    char b[64];
    mix(puts("hello"));
    mix(puts(""));
    mix(putchar(456));
    mix(fputs("x", stdout) >= 0);
    mix((long)fwrite(b, 0, 5, stdout));
    sprintf(b, "%*d|%-*d|", -6, 1, 5, 2);
    text(b);
    sprintf(b, "%.*f|%.*s|%.*d", -1, 2.5, -3, "abc", -2, 7);
    text(b);
    mix(sprintf(b, "%.3s|%.6s|", (char *)0, (char *)0));
    text(b);
    signed char c = 0;
    long l = 0;
    sprintf(b, "ab%hhncd%ln", &c, &l);
    mix(c * 10 + l);
    return sum % 251;
}
