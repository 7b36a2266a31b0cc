//! Bytes that library calls are for: what such a call takes hangs on them.

use super::*;

const STRING: &str = "void *memset(void *, int, unsigned long); void *memcpy(void *, const void *, unsigned long);
int memcmp(const void *, const void *, unsigned long); void *calloc(unsigned long, unsigned long); void *malloc(unsigned long); int unknown(void); long time(long *);
char from[5000], to[5000];\n";

/// The bytes of all calls, and what is said.
#[track_caller]
fn check(body: &str, bytes: f64, expected: &str) {
    let mut evaluator = evaluator(&format!("{STRING}int main(void) {{ {body} return 0; }}"), options(&[]));
    steps(&mut evaluator, 0);
    let volumes = evaluator.segments().iter().flat_map(|(_, segment)| segment.volumes.clone());
    assert_eq!(volumes.map(|volume| volume.2).sum::<f64>(), bytes, "{body}");
    let told = evaluator.diagnostics();
    let told = told.iter().filter(|diagnostic| diagnostic.code.id == "C0335").map(|diagnostic| &*diagnostic.message);
    assert_eq!(told.collect::<Vec<_>>().join("\n"), expected, "{body}");
}

const UNKNOWN: &str = "is called for is unknown: no time is predicted for them";

#[test]
fn unknown_bytes_are_told() {
    check("memcpy(to, from, unknown());", 0.0, &format!("how many bytes `memcpy` {UNKNOWN}"));
    check("memset(to, 0, time(0) % 8);", 0.0, &format!("how many bytes `memset` {UNKNOWN}"));
    check("int n = time(0); memset(to, 0, n);", 0.0, &format!("how many bytes `memset` {UNKNOWN}"));
    check("char *p = calloc(unknown(), 8); p[0] = 1;", 0.0, &format!("how many bytes `calloc` {UNKNOWN}"));
    check("char *p = malloc(unknown()); p[0] = 1;", 0.0, &format!("how many bytes `malloc` {UNKNOWN}"));
}

#[test]
fn unknown_bytes_are_told_where_a_loop_is_summed_up() {
    let text = "int n = unknown(); for (int i = 0; i < 100; i++) memset(to, 0, n);";
    check(text, 0.0, &format!("how many bytes `memset` {UNKNOWN}"));
    check("for (int i = 0; i < 100; i++) memset(to, 0, i);", 4950.0, "");
}

/// Where the arrays are, or what stands in them, does not matter.
#[test]
fn bytes_are_known_where_nothing_else_is() {
    check("char *p = unknown() ? from : to; memset(p, 1, 10); memcpy(p, from, 20);", 30.0, "");
    check("char *p = unknown() ? from : to; return memcmp(p, to, 40);", 40.0, "");
}

/// A loop that stores sizes is executed in order to know them.
#[test]
fn bytes_that_an_array_holds_are_looked_up() {
    check(
        "int bytes[50]; for (int i = 0; i < 50; i++) bytes[i] = i * 17 % 50;
         for (int i = 0; i < 50; i++) memcpy(to, from, bytes[i]);",
        1225.0,
        "",
    );
}
