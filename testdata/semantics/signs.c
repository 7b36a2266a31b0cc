/* Signed and unsigned operands mixed. */
int main(void) {
    int r = 0; int m = -1; unsigned u = 1; long l = -5; unsigned long ul = 3; short s = -7; unsigned char uc = 250;
    r = r * 2 + (m < (int)u); r = r * 2 + ((unsigned)m < u); r = r * 2 + (m > u); r = r * 2 + (l < ul); r = r * 2 + (s < uc);
    r = r * 2 + (l < u); r = r * 2 + (-1 > 0u); r = r * 2 + (-1L > 0u);
    unsigned long v = 0;
    v = v * 7 + (unsigned)(m / u); v = v * 7 + (unsigned)(-7 % (int)ul); v = v * 7 + -7 / 2; v = v * 7 + (-7u / 2); v = v * 7 + s % 4;
    v = v * 7 + (unsigned)s % 4; v = v * 7 + l / (long)ul; v = v * 7 + (unsigned long)l / ul; v = v * 7 + (uc - 251); v = v * 7 + (uc - 251u);
    v = v * 7 + (1 ? -1 : 1u); v = v * 7 + (u ? m : ul); v = v * 7 + (char)(uc + 10); v += (m >> 1) + ((unsigned)m >> 1);
    for (unsigned i = 10; i-- > 0;) v = v * 3 + i; for (int i = 5; i >= -5; i -= 2) v = v * 3 + i;
    return (int)((v + r) % 239);
}
