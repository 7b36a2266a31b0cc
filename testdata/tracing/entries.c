/* Functions that are entered in every way: how often follows from their calls for some, and from a point for others. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf back;
static int calls, jumps;

static int plain(int n) { return n + 1; }
static int twice(int n) { return plain(n) + plain(n + 1); }
static int never(int n) { return n; }
static int by_pointer(int n) { return n - 1; }
static int recursive(int n) { return n > 1 ? recursive(n - 1) + 1 : 1; }
static int leaves(int n)
{
    if (n % 3 == 0) {
        jumps++;
        longjmp(back, 1);
    }
    return n;
}
/* Behind a call that may not come back, in one expression with it. */
static int behind(int n) { return n * 2; }
static int in_condition(int n) { return n % 2; }
static int in_arm(int n) { return n + 3; }
static int many(int n) { return n; }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void deep3(void) { calls++; }
static void deep2(void) { deep3(); deep3(); }
static void deep1(void) { for (int i = 0; i < 3; i++) deep2(); }

int main(void)
{
    int sum = 0, numbers[5] = { 3, 1, 4, 1, 5 };
    int (*pointer)(int) = by_pointer;
    volatile int i;
    for (int n = 0; n < 10; n++)
        sum += plain(n) + twice(n);
    for (i = 0; i < 10; i++)
        if (!setjmp(back))
            sum += behind(leaves(i));
    for (int n = 0; n < 10; n++) {
        while (in_condition(n + sum % 2 * 0) && n < 5)
            n++;
        sum += n > 6 && in_condition(n) ? in_arm(n) : pointer(n);
    }
    sum += many(1) + many(2) + many(3) + many(4) + many(5) + many(6) + many(7) + many(8) + many(9) + many(10);
    sum += recursive(6);
    qsort(numbers, 5, sizeof numbers[0], compare);
    deep1();
    if (sum < 0)
        sum = never(sum);
    printf("%d %d %d %d\n", sum, numbers[4], calls, jumps);
    if (behind(sum) > 0)
        exit(plain(2));
    return 0;
}
