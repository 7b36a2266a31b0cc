/* Shifts, rotations, bit tricks. */
#include <stdint.h>
static uint32_t rotl(uint32_t x, int k) { return x << k | x >> (32 - k); }
static int popcount(uint64_t x) { int n = 0; while (x) { x &= x - 1; n++; } return n; }
static uint32_t reverse(uint32_t x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1; x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4; return x >> 24 | (x >> 8 & 0xff00) | (x & 0xff00) << 8 | x << 24;
}
int main(void) {
    uint64_t s = 88172645463325252ull, h = 0;
    for (int i = 0; i < 200; i++) {
        s ^= s << 13; s ^= s >> 7; s ^= s << 17;
        h = h * 31 + rotl((uint32_t)s, 1 + i % 31) + popcount(s) + reverse((uint32_t)(s >> 32));
        h ^= (uint64_t)((int64_t)s >> (i % 63)); h += (int32_t)s >> (i % 31); h ^= ~s & -(int64_t)(i & 1);
    }
    signed char c = -128; h += c >> 3; h += (unsigned char)c >> 3; h += 1 << 30; h ^= 1ull << 63;
    h += __builtin_popcount(0xf0f0u) + __builtin_clz(1u) + __builtin_ctz(64u) + __builtin_popcountll(~0ull);
    return (int)((h ^ h >> 32) % 253);
}
