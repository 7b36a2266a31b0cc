#include <string.h>
typedef struct { int x, y; } Point;
typedef struct { Point corner[2]; char name[6]; double w; struct { short a; long b; } in; } Box;
static Box make(int n) { Box b = {{{n, n + 1}, {n + 2, n + 3}}, "box", n * 0.5, {n, -n}}; b.name[3] = '0' + n % 10; return b; }
static int area(Box b) { int a = (b.corner[1].x - b.corner[0].x) * (b.corner[1].y + 1 - b.corner[0].y); b.corner[0].x = 99; return a; }
static Point add(Point a, Point b) { return (Point){a.x + b.x, a.y + b.y}; }
static void change(Box *b) { b->corner[1] = add(b->corner[0], b->corner[1]); b->in.b *= 3; }
static Point swap(Point p) { Point q = {p.y, p.x}; return q; }
struct List { int v; struct List *next; };
int main(void) {
    unsigned h = 1; Box list[4], copy;
    for (int i = 0; i < 4; i++) { list[i] = make(i * 7); h = h * 31 + area(list[i]) + list[i].corner[0].x; }
    copy = list[2]; change(&list[2]); h = h * 31 + copy.corner[1].y + list[2].corner[1].y * 3 + list[2].in.b; h = h * 31 + strlen(copy.name) + copy.name[3];
    list[0] = list[1] = copy; h += list[0].corner[1].x + (int)(list[1].w * 10);
    Point p = {.y = 4}; p = swap(swap(swap(p))); h = h * 31 + p.x * 10 + p.y; h += add(p, (Point){1, 2}).y; h += make(5).corner[1].x;
    Point *pp = &list[3].corner[1]; pp->x = 17; h += list[3].corner[1].x; *pp = (Point){3, 4}; h += list[3].corner[1].y;
    struct List n[5]; for (int i = 0; i < 5; i++) { n[i].v = i * i; n[i].next = i < 4 ? &n[i + 1] : 0; }
    for (struct List *q = n; q; q = q->next) h = h * 3 + q->v;
    Box zero; memset(&zero, 0, sizeof zero); h += zero.corner[1].x + (zero.w == 0.0) + sizeof(Box) + (memcmp(&copy.corner, &list[0].corner, sizeof copy.corner) == 0);
    const Point table[2][3] = {{{1, 2}, {3, 4}}, {[2] = {5, 6}}}; for (int i = 0; i < 6; i++) h = h * 3 + table[i / 3][i % 3].x - table[i / 3][i % 3].y;
    return h % 241;
}
