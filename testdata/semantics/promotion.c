/* Integer promotion and wraparound of all widths. */
#include <stdint.h>
#include <limits.h>
static unsigned mix(unsigned h, unsigned long v) { return (h ^ (unsigned)v ^ (unsigned)(v >> 32)) * 16777619u; }
int main(void) {
    unsigned h = 2166136261u;
    unsigned char uc = 200; signed char sc = -100; short sh = 32000; unsigned short us = 65000;
    h = mix(h, uc + uc); uc += uc; h = mix(h, uc);
    sc = sc * 3; h = mix(h, sc); sh += 1000; h = mix(h, sh); us += 1000; h = mix(h, us);
    h = mix(h, ~(unsigned char)5); h = mix(h, (unsigned char)~5); h = mix(h, -us); h = mix(h, uc << 4);
    for (int i = 0; i < 300; i++) { uc++; sc++; us += 777; sh -= 777; h = mix(h, uc + sc * 3 + us * 5 + sh * 7); }
    unsigned u = UINT_MAX; u += 5; h = mix(h, u); u = 0; u--; h = mix(h, u);
    unsigned long ul = ULONG_MAX; ul *= ul; h = mix(h, ul); ul = 1ul << 63; h = mix(h, ul * 3);
    int64_t a = INT64_MIN; h = mix(h, a + 1); h = mix(h, (uint64_t)a - 1);
    h = mix(h, (int8_t)0x1ff); h = mix(h, (uint16_t)-3); h = mix(h, (int16_t)0x18000); h = mix(h, (_Bool)256);
    h = mix(h, sizeof(uc + uc) * 10 + sizeof(char)); h = mix(h, 'a' + sizeof('a'));
    char c = (char)0x80; h = mix(h, c); h = mix(h, c >> 1); h = mix(h, (unsigned char)c >> 1);
    unsigned short x = 65535; h = mix(h, (unsigned)x * x);
    return h % 251;
}
