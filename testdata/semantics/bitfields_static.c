struct { short a; unsigned char b; unsigned c : 6; } g = {-1, 0, 4};
struct S { signed char a; int b : 12; long d : 30; unsigned char e; int f : 3; } s[2] = {{-1, -2000, -5, 250, -3}, {.e = 7, .d = 77}};
union U { struct { unsigned lo : 5, : 3, hi : 24; } p; int w; } u = {{17, 0xabcdef}}, v = {.w = -1};
struct P { char a; long long b : 57; char c; unsigned long long d : 64; } p = {-1, -12345678901234, -1, 0xfedcba9876543210u};
static struct { _Bool x : 1; _Bool y : 1; unsigned char z; } t = {0, 1, 200};
int main(void) {
    unsigned long h = sizeof g + sizeof s + sizeof p;
    for (int i = 0; i < g.b + 3; i++) h = h * 31 + g.a + g.c;
    for (int i = 0; i < 2; i++) h = h * 33 + s[i].a + s[i].b * 3 + s[i].d * 5 + s[i].e * 7 + s[i].f * 11;
    h = h * 37 + u.p.lo + u.p.hi + u.w; h = h * 41 + v.p.lo + v.p.hi;
    h = h * 43 + p.a + p.b * 3 + p.c * 5 + p.d; h = h * 47 + t.x + t.y * 2 + t.z;
    g.c += 61; s[0].b++; s[1].d = -1; u.p.hi ^= 0xff; p.b -= 1; t.x = 1;
    h = h * 53 + g.a + g.b + g.c + s[0].a + s[0].b + s[0].d + s[1].d + s[1].b + u.w + p.a + p.b + p.c + p.d + t.x + t.y + t.z;
    return (int)(h % 251);
}
