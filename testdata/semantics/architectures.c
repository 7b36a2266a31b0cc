/* What an architecture decides: plain char, long double, predefined macros, bit-fields of plain types, wide characters. */
#include <float.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

static int sum;

static void add(int n) { sum = (sum * 31 + n) & 0xffffff; }

static int last(int count, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, count);
    long double x = 0;
    while (count-- > 0)
        x = __builtin_va_arg(list, long double);
    __builtin_va_end(list);
    return (int)(x * 1000);
}

static int kind(void)
{
#if defined __x86_64__
    return 1;
#elif defined __aarch64__
    return 2;
#else
    return 3;
#endif
}

int main(void)
{
    char c = (char)200;
    char text[] = "a\xff";
    struct { char c : 4; signed char s : 4; unsigned char u : 4; } bits = {15, 15, 15};
    union { long double x; unsigned char bytes[16]; } form = {1.5L};

    add(kind());
    add(c < 0);
    add(c >> 1);
    add(text[1]);
    add('\xff');
    add("\xfe"[0]);
    add(CHAR_MIN);
    add(CHAR_MAX);
    add(bits.c);
    add(bits.s);
    add(bits.u);
    add(_Generic((char)0, char: 1, signed char: 2, unsigned char: 3));
    add(_Generic(text[0], char: 1, signed char: 2, unsigned char: 3));
    add(_Generic("x"[0], char: 1, signed char: 2, unsigned char: 3));
    add(_Generic(1.0L, double: 1, long double: 2, default: 3));
    add(LDBL_MANT_DIG);
    add(LDBL_DIG);
    add(sizeof(long double));
    add(_Alignof(long double));
    for (int i = 0; i < 10; i++)
        add(form.bytes[i]);
    if (LDBL_MANT_DIG == 113)
        add(form.bytes[15]);

    int halvings = 0;
    for (long double e = 1; 1 + e > 1; e /= 2)
        halvings++;
    add(halvings);
    long double third = 1.0L / 3, seventh = 1.0L / 7;
    add(third * 3 == 1);
    add((int)((third + seventh) * 1e17L - (long double)((double)third + (double)seventh) * 1e17L));
    add(last(3, 1.0L, 2.0L, 0.1L));
    char printed[64];
    add(snprintf(printed, sizeof printed, "%.30Lf", third));
    add(printed[25]);
    long double read = 0;
    add(sscanf("0.1 9", "%Lf", &read));
    add(read == 0.1L);
    add(read == (long double)0.1);
    long double stored[2] = {third, seventh}, copied[2];
    memcpy(copied, stored, sizeof stored);
    add(copied[1] == seventh);
    add((wchar_t)-1 < 0);
    add(WCHAR_MAX == INT_MAX);
    add(L'\xffffffff' < 0);
    add(memcmp("\x80", "\x10", 1) > 0);
    add((char)-1 == (int)(char)-1 ? (char)-1 & 0x1ff : 0);
    for (char k = 125; k > 0 && k < 130; k++)
        add(k);
    return sum % 251;
}
