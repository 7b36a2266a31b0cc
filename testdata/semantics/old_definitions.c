/* Definitions without a prototype: arguments come promoted and are converted to what is declared. */
int narrow(a, b) int a; char b; { return a + b; }
int bits(h, u) short h; unsigned char u; { h += 1; return h ^ u; }
double half(f) float f; { return f / 3; }
int truth(t) _Bool t; { return t; }
int last(n) { return n - 1; }
int changed(c) signed char c; { signed char *p = &c; *p += 100; return c; }

int main(void) {
    int sum = narrow(3, 300) + bits(70000, 511) + last(9) + truth(1) * 5 + changed(200);
    sum += half(0.1f) == 0.1f / 3 ? 7 : 11;
    sum += half(16777217.0) * 3 == 16777216.0f ? 13 : 17;
    return sum & 255;
}
