#include <stdint.h>
static int n = 5;
static long total;
static unsigned char flag;
static int next(void) { return __sync_fetch_and_add(&n, 3); }
int main(void)
{
    unsigned h = next() * 31 + n;
    int64_t wide = 1;
    h = h * 31 + __sync_val_compare_and_swap(&n, 8, 40) + n;
    h = h * 31 + __sync_val_compare_and_swap(&n, 8, 41) + n;
    h = h * 31 + __sync_bool_compare_and_swap(&n, 40, -7) + n;
    h = h * 31 + __sync_bool_compare_and_swap(&n, 40, -8) + n;
    h = h * 31 + (int)__sync_sub_and_fetch(&wide, 12) + (int)wide;
    h = h * 31 + __sync_fetch_and_nand(&n, 6) + n;
    h = h * 31 + __atomic_or_fetch(&n, 64, __ATOMIC_SEQ_CST) + __atomic_load_n(&n, __ATOMIC_RELAXED);
    __atomic_store_n(&total, 77, __ATOMIC_RELEASE);
    h = h * 31 + (unsigned)__atomic_exchange_n(&total, 5, __ATOMIC_ACQ_REL) + (unsigned)total;
    h = h * 31 + __sync_lock_test_and_set(&flag, 1) + flag;
    __sync_lock_release(&flag);
    __sync_synchronize();
    int many[4] = { 1, 2, 3, 4 }, *at = many;
    h = h * 31 + __sync_add_and_fetch(at++, 10) + many[0] + *at;
    return (h + flag) % 251;
}
