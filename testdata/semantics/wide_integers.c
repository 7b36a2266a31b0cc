/* Conversions between words and integers of 128 bits, of numbers that fill all bits of a word. */
typedef unsigned long long u64;
static void product(u64 a, u64 b, u64 *high, u64 *low) {
    unsigned __int128 whole = (unsigned __int128)a * b;
    *low = whole;
    *high = whole >> 64;
}
int main(void) {
    u64 a = 0xf549372187237fefULL, b = 0xd4736defb9330573ULL, high, low;
    int s = 0;
    product(a, b, &high, &low);
    s += high >> 56;
    s += low & 63;
    unsigned __int128 sum = a;
    sum += b;
    s += (int)(sum >> 62);
    __int128 wide = (__int128)a;
    s += (int)(wide >> 60);
    long long back = -(__int128)a;
    s += back & 31;
    __int128 negative = (long long)a;
    s += negative < 0;
    return s & 255;
}
