/* Bit-fields without a name: where they end units, and whether they align their struct. */
#include <stddef.h>

static int sum;

static void add(int n) { sum = (sum * 31 + n) & 0xffffff; }

struct a { char c; int : 3; char d; };
struct b { char c; int : 0; char d; };
struct c { char c; long : 0; };
struct d { short : 5; char x; };
union u { char c; int : 20; };
struct __attribute__((packed)) e { char c; int : 0; char d; };
struct f { char a : 3; int : 0; char b : 2; long long : 9; };
struct g { char c; struct b inner; };

int main(void)
{
    struct f x = {3, 1};
    add(sizeof(struct a)), add(_Alignof(struct a)), add(offsetof(struct a, d));
    add(sizeof(struct b)), add(_Alignof(struct b)), add(offsetof(struct b, d));
    add(sizeof(struct c)), add(_Alignof(struct c));
    add(sizeof(struct d)), add(_Alignof(struct d)), add(offsetof(struct d, x));
    add(sizeof(union u)), add(_Alignof(union u));
    add(sizeof(struct e)), add(_Alignof(struct e)), add(offsetof(struct e, d));
    add(sizeof(struct f)), add(_Alignof(struct f));
    add(sizeof(struct g)), add(offsetof(struct g, inner));
    add(((unsigned char *)&x)[0]), add(((unsigned char *)&x)[4]);
    x.b--;
    add(x.a), add(x.b);
    return sum % 251;
}
