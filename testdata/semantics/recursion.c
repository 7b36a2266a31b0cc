static int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
static int even(int n); static int odd(int n) { return n ? even(n - 1) : 0; } static int even(int n) { return n ? odd(n - 1) : 1; }
static int queens(int n, int row, unsigned cols, unsigned d1, unsigned d2) { if (row == n) return 1; int s = 0; for (int c = 0; c < n; c++) { unsigned a = 1u << c, b = 1u << (row + c), e = 1u << (row - c + n); if (cols & a || d1 & b || d2 & e) continue; s += queens(n, row + 1, cols | a, d1 | b, d2 | e); } return s; }
static void permute(int *a, int k, int n, unsigned *h) { if (k == n) { for (int i = 0; i < n; i++) *h = *h * 7 + a[i]; return; } for (int i = k; i < n; i++) { int t = a[k]; a[k] = a[i]; a[i] = t; permute(a, k + 1, n, h); t = a[k]; a[k] = a[i]; a[i] = t; } }
static long power(long b, int e) { return e == 0 ? 1 : e % 2 ? b * power(b, e - 1) : power(b * b, e / 2); }
static int depth(int n) { char pad[16]; pad[n % 16] = n; return n == 0 ? 0 : depth(n - 1) + pad[n % 16] % 3; }
static void hanoi(int n, int a, int b, int c, int *count) { if (!n) return; hanoi(n - 1, a, c, b, count); *count += a * 3 + b; hanoi(n - 1, c, b, a, count); }
int main(void) { int a[5] = {1, 2, 3, 4, 5}, c = 0; unsigned h = 0; permute(a, 0, 5, &h); hanoi(8, 1, 2, 3, &c); return (ack(2, 5) + even(50) * 3 + odd(51) + queens(6, 0, 0, 0, 0) + (int)(power(3, 13) % 1000) + h % 1000 + depth(200) + c) % 251; }
