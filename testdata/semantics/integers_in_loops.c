/* Every operation on integers of 32 and 64 bits, and every conversion between numbers, in loops over the ends of their
 * ranges: what is executed often has a form of its own. */
#include <limits.h>
#include <stdint.h>

static int32_t words[] = {0, 1, -1, 2, 7, -13, 31, 1000003, INT32_MAX, INT32_MIN, INT32_MIN + 1};
static int64_t longs[] = {0, 1, -1, 3, -64, 1000000007, INT32_MIN, UINT32_MAX, INT64_MAX, INT64_MIN, INT64_MIN + 1};
static double reals[] = {0.0, 0.5, -0.5, 1.5, -2.75, 123456.789, 2147483647.9, -2147483648.9, 3.0e4};
enum { WORDS = sizeof words / sizeof words[0], LONGS = sizeof longs / sizeof longs[0], REALS = sizeof reals / sizeof reals[0] };

static uint64_t sum = 1469598103934665603u;

static void add(uint64_t value)
{
    sum = (sum ^ value) * 1099511628211u;
}

static void of_words(void)
{
    for (int i = 0; i < WORDS; i++)
        for (int j = 0; j < WORDS; j++) {
            int32_t a = words[i], b = words[j];
            uint32_t u = a, v = b;
            int64_t wide = a;
            uint64_t widest = a;
            add(wide + b);
            add(widest * v);
            add(u + v), add(u - v), add(u * v), add(u ^ v), add(u | v), add(u & v);
            add((uint32_t)a), add((uint8_t)a), add((int8_t)a), add((uint16_t)a), add((int16_t)a), add((_Bool)a);
            add(a ^ b), add(a | b), add(a & b);
            if (b != 0) {
                add(u / v), add(u % v);
                if (b != -1)
                    add(a / b), add(a % b);
            }
            if (b >= 0 && b < 32)
                add(u << b), add(u >> b), add(a >> b);
            add(a < b), add(u < v), add(u <= v), add(a >= b);
            add((uint64_t)((double)a + (double)v + 1e10));
        }
}

static void of_longs(void)
{
    for (int i = 0; i < LONGS; i++)
        for (int j = 0; j < LONGS; j++) {
            int64_t a = longs[i], b = longs[j];
            uint64_t u = a, v = b;
            add(u + v), add(u - v), add(u * v), add(u ^ v), add(u | v), add(u & v);
            add(a ^ b), add(a | b), add((int32_t)a), add((uint32_t)a), add((int16_t)b);
            if (b != 0) {
                add(u / v), add(u % v);
                if (b != -1)
                    add(a / b), add(a % b);
            }
            if (b >= 0 && b < 64)
                add(u << b), add(u >> b), add(a >> b);
            add(a < b), add(u < v), add(u >= v);
            double x = a;
            add(x < 0 ? 1 : 2), add((int64_t)(x / 4));
        }
}

static void of_reals(void)
{
    for (int i = 0; i < REALS; i++)
        for (int j = 0; j < REALS; j++) {
            int32_t a = reals[i], b = reals[j];
            add(a), add(b), add((int64_t)(reals[i] * 1e6)), add((uint8_t)(b & 255));
        }
}

int main(void)
{
    of_words();
    of_longs();
    of_reals();
    return (int)((sum ^ sum >> 32) % 251);
}
