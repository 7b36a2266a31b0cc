struct Flags { unsigned a : 3; unsigned b : 5; int c : 4; unsigned long d : 40; unsigned : 0; unsigned char e : 2; _Bool f : 1; int g; };
union Word { struct { unsigned lo : 12, mid : 12, hi : 8; } f; unsigned w; };
int main(void) {
    struct Flags x = {0}; unsigned long h = sizeof(struct Flags);
    for (int i = 0; i < 100; i++) {
        x.a += i; x.b ^= i * 3; x.c -= i; x.d = (unsigned long)x.d * 5 + i; x.e++; x.f = i & 2; x.g += x.c;
        h = h * 33 + x.a + x.b * 2 + x.c * 3 + (unsigned long)x.d * 4 + x.e * 5 + x.f * 6 + x.g;
    }
    struct Flags y = x; y.a = ~y.a; h += y.a * 100 + x.a + (y.d == x.d);
    struct Flags z[3] = {{1, 2, 3, 4, 1, 1, 6}, {.c = -8, .g = 9}, {.d = 0xffffffffffull}};
    for (int i = 0; i < 3; i++) h = h * 7 + z[i].a + z[i].b + z[i].c + (unsigned long)z[i].d + z[i].e + z[i].f + z[i].g;
    union Word w; w.w = 0xdeadbeefu; h = h * 7 + w.f.lo; h = h * 7 + w.f.mid; h = h * 7 + w.f.hi; w.f.mid = 0x123; h = h * 7 + w.w;
    int post = x.a++, pre = ++x.b; h += post * 3 + pre; h += (x.c = 100); h += (x.a -= 9);
    return (int)(h % 249);
}
