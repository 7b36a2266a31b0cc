//! Calls of functions in regions.

use super::*;

#[test]
fn functions_with_arguments() {
    check_with_gcov(
        "int total;
static int smaller(int a, int b) {
  if (a < b)
    return a;
  return b;
}
static void triangle(int n) {
  int i, j;
  for (i = 0; i < n; i++) {
    for (j = 0; j < i; j++) {
      total += 1;
    }
  }
}
int main(void) {
  int k;
  for (k = 0; k < 6; k++) {
    triangle(k);
    total = smaller(k, 3);
  }
  return 0;
}
",
    );
}

#[test]
fn functions_that_return_in_several_places() {
    check_with_gcov(
        "static int clamped(int a, int b) {
  if (a < 0)
    return 0;
  if (a > b && a % 2)
    return b;
  return a;
}
int main(void) {
  int k, i, n = 0;
  for (k = -3; k < 9; k++) {
    for (i = 0; i < clamped(k, 4); i++) {
      n++;
    }
  }
  return 0;
}
",
    );
}

#[test]
fn recursion_is_refused() {
    let found = summarise(
        "int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); } int main(void) { int i, n = 0; for (i = 0; i < 3; i++) n = f(i); return n; }",
    );
    assert_eq!(found.summary.map_err(|error| error.why).err().as_deref(), Some("recursion"));
}

#[test]
fn volumes_are_totals() {
    let found = summarise(
        "void *memset(void *, int, unsigned long); char a[100];
int main(void) { int i; for (i = 0; i < 10; i++) memset(a, 0, i); return 0; }",
    );
    let bytes: Vec<f64> = found.summary().volumes.iter().map(|v| v.2).collect();
    assert_eq!(bytes, [45.0]);
}

/// Nobody else can change a local variable whose address nobody has.
#[test]
fn volatile_counters_of_a_function_are_its_own() {
    check_with_gcov(
        "static void work(volatile int n) {
  for (volatile int i = 0; i < n; i++)
    ;
}
int main(void) {
  volatile long k = 0;
  while (k < 5) {
    work(1000);
    k++;
  }
  return 0;
}
",
    );
}
