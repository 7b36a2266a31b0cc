//! What cannot be known, and that the rest goes on.

use super::*;

fn messages(text: &str) -> (String, String) {
    let counted = snippet(text, &["N"]).counted();
    (counted.shown(), counted.messages.join("\n"))
}

#[test]
fn jumps_backwards() {
    let (shown, messages) = messages(
        r"int N = 4; int s; static int wait(int n) { int i = 0;
again: s++; i++; if (i < n) goto again;
for (int j = 0; j < 3; j++) s++;
return i; }
int main(void) { wait(N);
for (int i = 0; i < N; i++) s++;
for (int i = 0; i < s; i++) ;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    2 branch: ? | ?
    3 loop: ? | ?
    5 call: 1
    6 loop: N if N >= 1, else 0 | 1
    7 loop: ? | 1
    ");
    insta::assert_snapshot!(messages, @r"
    C0340 counts are unknown here: goto upwards or into a block
    C0306 the number of iterations of a loop depends on what is computed where values are not followed
    ");
}

#[test]
fn recursion() {
    let (shown, messages) = messages(
        r"int N = 4; int s; static void walk(int n) { s++;
if (n > 0) { walk(n - 1); walk(n - 2); } }
int main(void) { walk(N);
for (int i = 0; i < N; i++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    2 branch: ? | ?
    2 call: ?
    2 call: ?
    3 call: 1
    4 loop: N if N >= 1, else 0 | 1
    ");
    insta::assert_snapshot!(messages, @r"
    C0340 counts are unknown here: recursion
    C0340 counts are unknown here: recursion
    ");
}

#[test]
fn unknown_pointers() {
    let (shown, messages) = messages(
        r"int N = 4; int s; int rand(void); static void a(void) { s++; } static void b(void) { s--; }
static void (*table[2])(void) = { a, b };
int main(void) { table[1]();
table[rand() % 2]();
for (int i = 0; i < N; i++) a();
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 call: 1
    4 call: 1
    4 call: 1
    5 loop: N if N >= 1, else 0 | 1
    5 call: N if N >= 1, else 0
    ");
    insta::assert_snapshot!(messages, @"C0340 counts are unknown here: a call through an unknown pointer");
}

#[test]
fn data_decides() {
    let (shown, messages) = messages(
        r"int N = 4; int s; int rand(void); void exit(int);
int main(void) {
for (int i = 0; i < N; i++) if (rand() % 2) s++;
if (rand() < 0) exit(1);
while (rand() % 8) s++;
for (int i = 0; i < N; i++) s++;
return 0; }",
    );
    insta::assert_snapshot!(shown, @r"
    3 loop: N if N >= 1, else 0 | 1
    3 call: N if N >= 1, else 0
    3 branch: N if N >= 1, else 0 | 189*N/233 if N >= 1, else 0
    4 call: 1
    4 branch: 1 | 0
    5 loop: ? | 1
    5 call: ?
    6 loop: N if N >= 1, else 0 | 1
    ");
    insta::assert_snapshot!(messages, @r"
    C0307 a branch is assumed to be taken with probability 0.811: its condition depends on rand
    C0308 the program is assumed not to end here
    C0306 the number of iterations of a loop depends on rand
    ");
}

#[test]
fn given_probabilities_are_exact() {
    let text = "int N = 4; int s; int rand(void); int main(void) {\nfor (int i = 0; i < N; i++)\nif (rand() % 3) s++;\nwhile (rand() % 8) s++;\nreturn 0; }";
    let snippet = snippet(text, &["N"]);
    let program = snippet.free();
    let mut options = snippet.options();
    for (id, block) in program.blocks.iter() {
        match &block.kind {
            BlockKind::Branch(_) => drop(options.assumptions.probability.insert(id, 0.3)),
            BlockKind::Loop(_) if block.span.line_start == 4 => drop(options.assumptions.iterations.insert(id, 7.5)),
            _ => {}
        }
    }
    let (counts, diagnostics) = count(&program, &options);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let counted = Counted { program, counts, messages: Vec::new() };
    insta::assert_snapshot!(counted.shown(), @r"
    2 loop: N if N >= 1, else 0 | 1
    3 call: N if N >= 1, else 0
    3 branch: N if N >= 1, else 0 | 3*N/10 if N >= 1, else 0
    4 loop: 15/2 | 1
    4 call: 17/2
    ");
}

#[test]
fn no_main() {
    let counted = snippet("int N = 4; void f(void) {}", &["N"]).counted();
    assert_eq!(counted.messages, ["C0341 the program has no `main` function"]);
}
