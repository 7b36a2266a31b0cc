/* Recursion with known guards: all placements of queens, and Ackermann's function. */
#include <stdio.h>

#define SIZE 6

static int column[SIZE];

static int safe(int row, int col)
{
    for (int r = 0; r < row; r++) {
        int d = column[r] - col;
        if (d == 0 || d == row - r || d == r - row)
            return 0;
    }
    return 1;
}

static int place(int row)
{
    int found = 0;
    if (row == SIZE)
        return 1;
    for (int col = 0; col < SIZE; col++) {
        if (safe(row, col)) {
            column[row] = col;
            found += place(row + 1);
        }
    }
    return found;
}

static unsigned ackermann(unsigned m, unsigned n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

int main(void)
{
    printf("%d %u\n", place(0), ackermann(2, 3));
    return 0;
}
