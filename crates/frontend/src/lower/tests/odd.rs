//! Sources that a compiler rejects, or that are unusual: nothing panics, and the program stays sound.

use super::*;

#[test]
fn invalid_sources_are_reported_and_survived() {
    let snippets = [
        "struct U; enum { K = sizeof(struct U) };",
        "extern int undefd; int arr[undefd]; int dup = 1; int dup = 2;",
        "int g(int); int g(int a, int b); int v = foo; extern int u; int w = u + 1;",
        "double _Complex f0(double _Complex a) { a += 1.0; a++; return -(a * a + 1.0); }",
        "struct S { struct U u; int a[]; } s = { .zz = 1, [3] = 2 };",
        "int x[2] = { 1, 2, 3, 4 }; int y[] = {}; char st[2] = \"abc\"; char q[] = { \"xy\" };",
        "struct T { int a, b[2]; struct { int c; } d; } t = { 1, 2, 3, 4 }, tt[] = { { 1 }, 2, 3, 4, 5, [4].b[1] = 6 };",
        "_Static_assert(sizeof(int) == 5, \"no\");",
        "void h() { break; continue; case 3: ; default: ; goto nowhere; }",
        "struct S { int x; } s; void h() { int l = l + 1; l(); 3 = 4; &3; *l; l.x; s.nope = 1; s->a; }",
        "int main() { switch (1) { } switch (2) case 2: main(1, 2); switch (3) { int z = 2; case 1: z++; } }",
        "int main() { for (;;) ; do ; while (0); while (0) { } if (1) ; else ; return \"x\"; }",
        "struct S { int x; } s; int main() { int n = main(1); -s; !s; s + 1; if (s) n = s; return s; }",
        "void f() { int n; 1 ? f() : 2; (1, 2, n); n << 70; 1 / 0; n = 5 % 0; ~1.0; 'ab'; L\"wide\"; 0x1p-3; 017; }",
        "int k(a) { return a; } int (*kk(int z))(double) { return 0; } int m(void) { return kk(1)(2.0); }",
        "void f(void) { int a[0], b[-1]; long c[1L << 62]; __func__; sizeof(c); __builtin_foo(3); }",
        "void f(int a, ...) { __builtin_va_list ap; __builtin_va_start(ap, a); __builtin_va_arg(ap, double); }",
        "void f(void) { int a; asm volatile(\"nop\"); asm(\"x\" : \"=r\"(a) : \"r\"(1)); }",
        "typedef int T1; void shadow(T1 T2) { int T3 = T2; { typedef double T3; T3 x = 1; } }",
        "int f(void) { return 99999999999999999999999; } int f(void) { return 1; }",
        "void f(void) { struct U x; struct U *p; p->a; sizeof(*p); x = *p; }",
        "void f(int n) { switch (n) { if (n) { case 1: break; } while (n) { default: n--; continue; } } }",
        "int f(int n) { static int a[n]; typedef int row[n]; row r; return sizeof(row) + sizeof(int[n]) + r[1]; }",
        "void f(void) { int a[3], i; for (int i = 0, j = sizeof(int[i]); i < 3; i++) L: a[i] = j; goto L; }",
        "void f(void) { L: L: ; undeclared(1); undeclared; *undeclared; undeclared = 3; }",
        "int a[] = { [2 ... 5] = 1, [1] = 9 }; int *p = a + 2, *q = &a[1]; long d = (long)&a[3]; char *s = \"x\" + 1;",
        "union U { int i; float f; } u = { 1, 2 }; struct B { int a : 3, : 0, b : 40; unsigned c : 2; } b = { 1, 2, 3 };",
        "int f(int); int (*tab[])(int) = { f, &f, *f }; int g(void) { return tab[0](1) + (*tab)(2) + (&f)(3); }",
        "void f(void) { ({ int x = 1; x; }); int y = ({ 3; }); ({ ; }); ({ }); y = ({ L: y; }); goto L; }",
        "int main(void) { return _Generic(1, float: 2); }",
        "struct S { int a[2]; } f(void); int g(void) { return f().a[1]; } struct S s = (struct S){ { 1, 2 } };",
        "enum E { A = -1, B = 5000000000 }; enum E e = B; enum { C = 1 ? 2 : (1 / 0) }; int z[C && 0 || 3];",
        "int *f(int *p, long n) { return n + p - 1; } int g(int *p, int *q) { return p < q || !p || p == 0; }",
        "void f(const volatile int *p, int *volatile q) { *p; *q; q[1]; volatile int v; v; v = 1; }",
    ];
    for text in snippets {
        check(text);
        lower_texts(&[text, text], DataModel::Ilp32, &Settings::default());
    }
}

#[test]
fn deep_nesting_is_followed() {
    let depth = 500;
    let sum = format!("int f(int a) {{ return {}a{}; }}", "a + (".repeat(depth), ")".repeat(depth));
    let blocks = format!("int g(int a) {{ {} a++; {} }}", "{ if (a) ".repeat(depth), "}".repeat(depth));
    let run = move || {
        let ast = parse(&(sum + &blocks));
        let span = |_: lang_c::span::Span| Span::line(FileId(0), 1);
        let input = LowerInput { ast: &ast, span: &span, file: FileId(0), is_system: &|_| false };
        lower(&[input], DataModel::Lp64, &Settings::default()).0.blocks.len()
    };
    let blocks = std::thread::Builder::new().stack_size(256 << 20).spawn(run).map(std::thread::JoinHandle::join);
    assert!(matches!(blocks, Ok(Ok(count)) if count > depth));
}
