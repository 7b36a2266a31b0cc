/* Sieve of Eratosthenes: guards that depend on data, which integers determine. */
#include <stdio.h>
#include <string.h>

#define LIMIT 5000

int main(void)
{
    static char composite[LIMIT + 1];
    int primes = 0, i, k;
    memset(composite, 0, sizeof composite);
    for (i = 2; i * i <= LIMIT; i++) {
        if (composite[i])
            continue;
        for (k = i * i; k <= LIMIT; k += i)
            composite[k] = 1;
    }
    for (i = 2; i <= LIMIT; i++)
        if (!composite[i])
            primes++;
    printf("%d\n", primes);
    return primes == 669 ? 0 : 1;
}
