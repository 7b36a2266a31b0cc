#include <string.h>
#include <stdint.h>
union Both { double d; uint64_t u; unsigned char b[8]; float f[2]; int i[2]; short s[4]; };
static float inverse_root(float x) { int i; float y = x; memcpy(&i, &y, 4); i = 0x5f3759df - (i >> 1); memcpy(&y, &i, 4); return y * (1.5f - 0.5f * x * y * y); }
int main(void) {
    union Both v; unsigned long h = 7;
    double list[] = {1.0, -2.5, 3.141592653589793, 1e300, 1e-300, 0.1};
    for (int k = 0; k < 6; k++) {
        v.d = list[k]; h = h * 31 + v.u; for (int i = 0; i < 8; i++) h = h * 3 + v.b[i];
        h += v.i[0] ^ v.i[1]; h = h * 5 + v.s[k % 4]; v.b[7] ^= 0x80; h += v.d < 0; v.b[0] = k; h ^= v.u;
    }
    v.f[0] = 1.5f; v.f[1] = -0.25f; h = h * 17 + v.u;
    v.u = 0; v.s[1] = -2; v.b[5] = 9; h = h * 17 + v.u;
    int n = 0x01020304; unsigned char *p = (unsigned char *)&n; h = h * 11 + p[0] + p[1] * 2 + p[3] * 3; p[2] = 0xff; h += n;
    long big = 0x1122334455667788L; h += *(int *)&big; h += ((short *)&big)[2]; h += *(int *)((char *)&big + 3);
    char raw[16]; memset(raw, 0x41, sizeof raw); h += *(int *)raw; *(double *)(raw + 8) = 2.0; h += raw[15] + raw[14] * 3;
    h += (unsigned)(inverse_root(4.0f) * 1e6f);
    return (int)((h ^ h >> 29) % 255);
}
