#ifndef FORMS_H
#define FORMS_H

#define EACH(i, n) for (int i = 0; i < (n); i++)
#define SWAP_IF(a, b) do { if ((a) > (b)) { int t_ = (a); (a) = (b); (b) = t_; } } while (0)
#define LEAVE_IF(condition) if (condition) return -1
#define LARGER(a, b) ((a) > (b) ? (a) : (b))

static int twice(int x)
{
    if (x < 0)
        return -2 * x;
    return 2 * x;
}

#endif
