/* Long doubles that need their precision, converted to double and float, and back. */

static unsigned sum;

static void add(long n) { sum = sum * 31 + (unsigned)n; }

int main(void)
{
    volatile long double one = 1;
    long double third = one / 3, seventh = one / 7;
    double a = (double)third, b = (double)third + (double)seventh;
    float f = (float)third;
    long double back = a;
    double all[2] = {third, seventh};
    add((long)(a * 1e15));
    add((long)(b * 1e15));
    add((long)(f * 1e9));
    add(back == third);
    add(back == a);
    add((long)(all[1] * 1e15));
    add(a < third || a > third);
    add((double)third == (double)back);
    add((long)((third - back) * 1e20L) != 0);
    add(third > seventh);
    return sum % 251;
}
