/* Every control structure of C at least once. */
#include <stdio.h>
#include <stdlib.h>

enum kind { ADD, MULTIPLY, NEGATE, END };

struct instruction {
    enum kind kind;
    int operand;
};

static const struct instruction program[] = {
    {ADD, 5}, {MULTIPLY, 3}, {NEGATE, 0}, {ADD, 40}, {MULTIPLY, 2}, {END, 0}, {ADD, 1000},
};

static int run(const struct instruction *code)
{
    int accumulator = 0;
    for (;;) {
        switch (code->kind) {
        case NEGATE:
            accumulator = -accumulator;
            break;
        case MULTIPLY:
            accumulator *= code->operand;
            break;
        case ADD:
            accumulator += code->operand;
            /* fall through */
        default:
            if (code->kind == END)
                goto done;
        }
        code++;
    }
done:
    return accumulator;
}

static int twice(int x) { return 2 * x; }
static int square(int x) { return x * x; }

static int gcd(int a, int b)
{
    do {
        int t = a % b;
        a = b;
        b = t;
    } while (b != 0);
    return a;
}

int main(int argc, char **argv)
{
    int (*operations[])(int) = {twice, square, abs};
    int n = argc > 1 ? atoi(argv[1]) : 12, sum = 0, odd = 0, both = 0;

    for (int i = 0, j = n; i < j; i += 2, --j) {
        sum += operations[i % 3](i - j);
        odd += i & 1 || j & 1 ? 1 : 0;
        both += i > 2 && j < 10 && (i + j) % 2;
    }
    for (unsigned bit = 1; bit && bit < 1000; bit <<= 1) {
        if (bit == 4)
            continue;
        if (bit > 200)
            break;
        sum ^= bit;
    }
    int tries = 0;
again:
    if (++tries < 4)
        goto again;
    const char *text = "the quick brown fox";
    int words = 1;
    for (const char *c = text; *c; c++)
        words += *c == ' ';
    printf("%d %d %d %d %d %d %d\n", run(program), gcd(1071, 462), sum, odd, both, tries, words);
    return 0;
}
