#include <stddef.h>
#pragma pack(push, 1)
struct a { char c; int i; double d; };
#pragma pack(push, 2)
struct b { char c; int i; double d; };
#pragma pack(pop)
struct a2 { char c; long l; };
#pragma pack(pop)
struct d { char c; int i; double d; };
#pragma pack(4)
struct e { char c; long l; };
#pragma pack()
struct f { char c; long l; };
#pragma pack(push)
#pragma pack(1)
struct g { char c; long l; };
#pragma pack(pop)
struct h { char c; long l; };
#pragma pack(push, id, 2)
struct i { char c; long l; int b : 20; int cc : 20; };
#pragma pack(pop, id)
struct __attribute__((packed)) bf { unsigned a : 7; unsigned b : 30; unsigned c : 3; };
struct bg { unsigned a : 7; unsigned b : 30 __attribute__((packed)); char c; };
struct __attribute__((packed)) bh { char a : 3; unsigned long b : 60; short c : 9; unsigned char z; };
#pragma pack(1)
struct bi { unsigned a : 7; unsigned b : 30; unsigned c : 3; int : 0; char z; };
struct bj { short s; int x : 17; int y : 17; __attribute__((aligned(4))) char z; };
#pragma pack()
struct bk { char c; struct a in; int t; };
struct bl { char c; int i __attribute__((packed)); short s; } __attribute__((aligned(2)));
_Pragma("pack(2)")
struct bm { char c; int i; };
_Pragma("pack()")
int main(void) {
    int n = 0;
    int v[] = {sizeof(struct a), sizeof(struct b), sizeof(struct a2), sizeof(struct d), sizeof(struct e), sizeof(struct f), sizeof(struct g), sizeof(struct h), sizeof(struct i),
        sizeof(struct bf), sizeof(struct bg), sizeof(struct bh), sizeof(struct bi), sizeof(struct bj), sizeof(struct bk), sizeof(struct bl), sizeof(struct bm), offsetof(struct bh, z), offsetof(struct bi, z), offsetof(struct bj, z), offsetof(struct bg, c), offsetof(struct bl, s), offsetof(struct bk, t), _Alignof(struct bj), _Alignof(struct bl), _Alignof(struct bm), _Alignof(struct a), offsetof(struct i, l)};
    for (unsigned k = 0; k < sizeof v / sizeof *v; k++)
        for (int i = 0; i < v[k] * (int)(k + 1); i++)
            n++;
    union { struct bf f; unsigned char b[16]; } u = {.b = {0}};
    u.f.b = 0x2aaaaaab; u.f.c = 5; u.f.a = 3;
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < u.b[k]; i++)
            n++;
    union { struct bh f; unsigned char b[16]; } w = {.b = {0}};
    w.f.a = 2; w.f.b = 0x123456789abcdefUL; w.f.c = -3; w.f.z = 7;
    for (int k = 0; k < 12; k++)
        for (int i = 0; i < w.b[k]; i++)
            n++;
    for (int i = 0; i < (int)(w.f.b >> 40); i++)
        n++;
    if (w.f.c == -3)
        n++;
    static struct bf sb = {1, 0x30000001, 6};
    for (unsigned i = 0; i < ((unsigned char *)&sb)[4]; i++)
        n++;
    for (unsigned i = 0; i < sb.b >> 20; i++)
        n++;
    return n & 127;
}
