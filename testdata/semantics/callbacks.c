#include <stdlib.h>
#include <string.h>
typedef int (*Op)(int, int);
static int add(int a, int b) { return a + b; } static int sub(int a, int b) { return a - b; } static int mul(int a, int b) { return a * b; }
static Op pick(char c) { switch (c) { case '+': return add; case '-': return sub; default: return mul; } }
static int fold(const int *a, int n, int z, Op f) { for (int i = 0; i < n; i++) z = f(z, a[i]); return z; }
static int up(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); }
static int down(const void *a, const void *b) { return -up(a, b); }
struct Rec { char name[8]; double key; int id; };
static int by_key(const void *a, const void *b) { double d = ((const struct Rec *)a)->key - ((const struct Rec *)b)->key; return d < 0 ? -1 : d > 0; }
static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
struct Vtable { Op run; const char *name; int (*more)(struct Vtable *); }; static int more(struct Vtable *v) { return v->run(7, 3) + v->name[0]; }
int main(void) {
    int a[20]; unsigned s = 12345, h = 0; for (int i = 0; i < 20; i++) { s = s * 1103515245u + 12345; a[i] = (int)(s >> 16) % 100; }
    h = fold(a, 20, 0, add) + 3 * fold(a, 5, 100, pick('-')) + fold(a, 3, 1, pick('?'));
    qsort(a, 20, sizeof *a, up); for (int i = 0; i < 20; i++) h = h * 3 + a[i]; int key = a[11]; int *found = bsearch(&key, a, 20, sizeof *a, up); h += found && *found == key; key = 1000; h += bsearch(&key, a, 20, sizeof *a, up) == NULL;
    qsort(a + 3, 10, sizeof *a, down); for (int i = 0; i < 20; i++) h = h * 3 + a[i];
    struct Rec r[5] = {{"e", 2.5, 1}, {"d", -1, 2}, {"c", 9, 3}, {"b", 0, 4}, {"a", 4, 5}}; qsort(r, 5, sizeof *r, by_key); for (int i = 0; i < 5; i++) h = h * 7 + r[i].id + r[i].name[0];
    char *w[] = {"pear", "apple", "fig", "kiwi"}; qsort(w, 4, sizeof *w, by_name); for (int i = 0; i < 4; i++) h = h * 5 + w[i][0] + strlen(w[i]);
    Op table[3] = {add, sub, mul}; for (int i = 0; i < 9; i++) h = h * 3 + (*table[i % 3])(i, 4); struct Vtable v[2] = {{mul, "mul", more}, {sub, "sub", more}}; h += v[0].more(&v[0]) * 5 + v[1].more(v + 1); h += (table[0] == add) + (pick('-') != sub);
    return h % 253;
}
