#include <stdarg.h>
#include <stdio.h>
static int sum(int n, ...) { va_list v; va_start(v, n); int s = 0; for (int i = 0; i < n; i++) s += va_arg(v, int); va_end(v); return s; }
static double mixed(const char *f, ...) { va_list v; va_start(v, f); double s = 0; for (; *f; f++) switch (*f) { case 'i': s += va_arg(v, int); break; case 'd': s += va_arg(v, double) * 2; break; case 's': s += va_arg(v, const char *)[1]; break; case 'l': s += va_arg(v, long); break; case 'u': s += va_arg(v, unsigned); break; case 'p': s += *va_arg(v, int *); } va_end(v); return s; }
static int inner(va_list v, int n) { int s = 0; while (n--) s = s * 3 + va_arg(v, int); return s; }
static int outer(int n, ...) { va_list v, w; va_start(v, n); va_copy(w, v); int s = inner(v, n); s = s * 5 + va_arg(w, int); va_end(w); va_end(v); return s; }
static int print(char *to, const char *f, ...) { va_list v; va_start(v, f); int n = vsprintf(to, f, v); va_end(v); return n; }
static int print_n(char *to, int size, const char *f, ...) { va_list v; va_start(v, f); int n = vsnprintf(to, size, f, v); va_end(v); return n; }
int main(void) { int x = 13; char b[50]; unsigned h = sum(3, 10, 20, 30) + sum(0); h = h * 31 + (int)mixed("idslup", 5, 2.5, "abc", 7l, 9u, &x); h = h * 31 + outer(3, 1, 2, 3); h = h * 31 + print(b, "%d-%s-%.1f", 42, "xyz", 2.5); for (char *p = b; *p; p++) h = h * 31 + *p; h = h * 31 + print_n(b, 4, "%05d", 77); for (char *p = b; *p; p++) h = h * 31 + *p; char c = 'c'; short s = -4; float f = 1.5f; h = h * 31 + (int)mixed("iid", c, s, f); return h % 251; }
