/* The tables and aliases that glibc's headers lead to. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int __isoc99_sscanf(const char *, const char *, ...);
int __sprintf_chk(char *, int, size_t, const char *, ...);
int __snprintf_chk(char *, size_t, int, size_t, const char *, ...);
void *__memcpy_chk(void *, const void *, size_t, size_t);
int main(void) {
    unsigned h = 3; const unsigned short *table = *__ctype_b_loc(); const int *lower = *__ctype_tolower_loc(), *upper = *__ctype_toupper_loc();
    for (int i = -128; i < 256; i++) h = h * 31 + (i == -1 ? 0 : table[i] + lower[i] * 3 + upper[i] * 7);
    for (int i = 0; i < 128; i++) h = h * 31 + ((table[i] & (unsigned short)_ISalpha) != 0) + ((table[i] & (unsigned short)_ISdigit) != 0) * 2;
    int n = 0; char b[40]; h = h * 31 + __isoc99_sscanf("77 x", "%d", &n) + n; h = h * 31 + __sprintf_chk(b, 1, sizeof b, "%d/%s", 12, "ab") + b[2];
    h = h * 31 + __snprintf_chk(b, 3, 1, sizeof b, "%d", 12345) + b[1]; __memcpy_chk(b, "hello", 6, sizeof b); h = h * 31 + strlen(b);
    errno = 0; h += errno; *__errno_location() = 5; h = h * 31 + errno; h += __builtin_strlen("four") + __builtin_abs(-3) + __builtin_expect(n == 77, 1); h += __builtin_constant_p(3) * 2 + (int)__builtin_sqrt(16.0); __builtin_memset(b, 'z', 3); h += b[2]; h += abs(-4) + labs(-5l) + div(17, 5).rem + (int)ldiv(-17, 5).quot;
    return h % 251;
}
