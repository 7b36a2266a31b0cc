#include <string.h>
struct p { int x, y; char t[4]; struct { short a, b; } in; };
int arr[] = {[3] = 1, 2, [1] = 5, [0] = 9, 8, [2 ... 4] = 3};
struct p ps[] = {[1] = {.y = 2, 3, .in.b = 4}, [0].x = 7, [1].in = {5}, {1}};
char s1[3] = "abc", s2[] = "ab" "cd", s3[5] = {"x"};
union u { char c[8]; int i; double d; } un = {.i = 258}, un2 = {"zz"};
int main(void) {
    int n = 0;
    for (unsigned k = 0; k < sizeof arr / sizeof *arr; k++)
        for (int i = 0; i < arr[k]; i++) n++;
    for (unsigned k = 0; k < sizeof ps / sizeof *ps; k++) {
        for (int i = 0; i < ps[k].x; i++) n++;
        for (int i = 0; i < ps[k].y; i++) n++;
        for (int i = 0; i < ps[k].t[0]; i++) n++;
        for (int i = 0; i < ps[k].in.a; i++) n++;
        for (int i = 0; i < ps[k].in.b; i++) n++;
    }
    for (unsigned i = 0; i < sizeof s1 + 10 * sizeof s2 + strlen(s3); i++) n++;
    for (int i = 0; i < un.c[1] + un.c[0]; i++) n++;
    for (int i = 0; i < un2.c[1]; i++) n++;
    struct p l = {.in = {1, 2}, .in.a = 9, .x = n, .x = 3};
    for (int i = 0; i < l.in.a + 10 * l.in.b + 100 * l.x; i++) n++;
    int m[2][3] = {1, 2, 3, 4}, q[2][3] = {{1}, {[2] = 5}};
    for (int i = 0; i < m[1][0] + q[1][2] * 10 + q[0][1]; i++) n++;
    for (int i = 0; i < (struct p){.y = 6}.y + ((int[]){1, 2, 3})[2] + *(int[1]){4}; i++) n++;
    return n & 127;
}
