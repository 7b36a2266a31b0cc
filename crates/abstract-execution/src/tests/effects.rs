//! What a region leaves behind.

use super::*;

#[test]
fn induction_variables_and_last_values() {
    let found = summarise(
        "int g = 3; int a[8]; struct { int n; double x; } s;
int main(void) {
  int i, j, k, last = 0, sum = 0;
  for (i = 0; i < 10; i += 3) {
    for (j = i; j < 10; j++) {
      k = 5;
      a[j % 8] = i;
    }
    last = i;
    sum += last * i;
  }
  g += 4;
  s.n = i;
  if (g == 7) {
    s.x = 2.5;
  }
  return 0;
}
",
    );
    insta::assert_snapshot!(found.finals(), @r"
    a forgotten
    s+0 = Int(12)
    s+8 = Float(2.5)
    g = Int(7)
    i = Int(12)
    j = Int(10)
    k = Int(5)
    last = Int(9)
    sum unknown: NotEvaluated
    ");
}

#[test]
fn the_same_inputs_are_not_executed_again() {
    let text = "int g = 3; int main(void) { int i, n = 0; for (i = 0; i < g; i++) n++; return 0; }";
    let program = program(text);
    let analysis = Analysis::new(&program, &Assumptions::default());
    let mut forms = ClosedForms::new(program.clone(), analysis, Assumptions::default());
    let (mut segments, mut reasons) = (Segments::default(), Reasons::default());
    let reason = Reason { kind: ReasonKind::Uninitialised, span: None, origin: None };
    let environment = Fresh { program: &program, uninitialised: reasons.intern(reason) };
    let main = program.main.expect("the snippet has a main");
    let context = segments.root(main);
    let mut ask = || {
        let (segments, reasons) = (&mut segments, &mut reasons);
        let l = program.blocks.iter().find(|(_, block)| matches!(block.kind, BlockKind::Loop(_))).expect("a loop").0;
        forms
            .summarise_loop(l, Request { environment: &environment, context, segments, reasons })
            .expect("closed")
            .counts
    };
    let first = ask();
    assert_eq!(first, ask());
}

#[test]
fn what_nobody_reads_may_be_lost() {
    let cases = [
        ("for (i = 0; i < n; i++) { m += i; }", false),
        ("for (j = 0; j < i; j++) { m++; }", true),
        ("if (n > 2) { i = 0; } for (j = 0; j < i; j++) { m++; }", true),
        ("if (n > 2) { i = 0; } else { i = 1; } for (j = 0; j < i; j++) { m++; }", false),
        ("while (n-- > 0) { i = n; for (j = 0; j < i; j++) { m++; } }", false),
        ("while (n-- > 0) { for (j = 0; j < i; j++) { m++; } i = n; }", true),
        ("do { i = 4; } while (n-- > 0); for (j = 0; j < i; j++) { m++; }", false),
    ];
    for (rest, lost) in cases {
        let first = "for (i = 0; i < 9; i++) { if (i * i > n) break; }";
        let text = format!("int n = 7; int main(void) {{ int i, j, m = 0; {first} {rest} return m; }}");
        let program = program(&text);
        let block =
            program.blocks.iter().find(|(_, block)| matches!(block.kind, BlockKind::Loop(_))).expect("a loop").0;
        let variable = program.variables.iter().find(|(_, v)| &*v.name == "i").expect("i").0;
        assert_eq!(
            crate::state::liveness::Liveness::default().is_dead_after(&program, block, variable),
            !lost,
            "{rest}"
        );
    }
}
