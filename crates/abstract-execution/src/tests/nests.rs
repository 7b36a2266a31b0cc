//! Loop nests: their counts are those of the real run.

use super::*;
use chronos_slicing::heuristics::Heuristic;

#[test]
fn rectangular() {
    let found = check_with_gcov(
        "double a[20][30];
int main(void) {
  int i, j;
  double s = 0;
  for (i = 0; i < 20; i++) {
    for (j = 0; j < 30; j++) {
      s += a[i][j];
    }
    a[i][0] = s;
  }
  return 0;
}
",
    );
    insta::assert_snapshot!(found.blocks(), @r"
    4 straight 1
    5 loop 20 1
    5 straight 1
    5 straight 21
    5 straight 20
    6 loop 600 20
    6 straight 20
    6 straight 620
    6 straight 600
    7 straight 600
    9 straight 20
    ");
}

#[test]
fn a_trillion_iterations_cost_as_much_as_ten() {
    let found = summarise(
        "int main(void) { long i, j, n = 0; for (i = 0; i < 1000000; i++) for (j = 0; j < 1000000; j++) n++; return 0; }",
    );
    assert!(found.totals().values().any(|&count| count == Count::exact(1_000_000_000_000)));
}

#[test]
fn triangular_and_strided() {
    for header in [
        "for (i = 0; i < 17; i++) for (j = i + 1; j < 17; j++) {",
        "for (i = 0; i < 17; i++) for (j = 0; j <= i; j += 3) {",
        "for (i = 16; i >= 0; i--) for (j = i; j > 2; j -= 2) {",
        "for (i = 1; i <= 40; i += 7) for (j = i; j < 2 * i; ++j) {",
        "for (i = 0; i < 12; i++) for (j = i; j != 12; j++) {",
        "for (i = 0; i < 30; i++) for (j = i / 2; j < (60 - i) / 3; j++) {",
        "for (i = 0; i < 100; i += 32) for (j = i; j < (i + 32 < 100 ? i + 32 : 100); j++) {",
        "for (i = 0; i < 20; i++) for (j = 0; i + j < 15 && j < 9; j++) {",
        "for (i = 10; i < 5; i++) for (j = 0; j < 3; j++) {",
        "for (i = 0; i < 9; i++) for (j = 20; j < 10 + i * 2; j++) {",
    ] {
        check_with_gcov(&format!(
            "int main(void) {{\n  int i, j, n = 0;\n  {header}\n    n += 1;\n  }}\n  n = 7;\n  return 0;\n}}\n"
        ));
    }
}

#[test]
fn guards() {
    for guard in [
        "i % 2 == 0",
        "i % 3 != 1",
        "(i + j) % 2 == 0",
        "i < j",
        "i < j && j > 5",
        "i < 3 || j > 5",
        "!(i == j)",
        "i == j",
        "i != j",
        "i & 1",
        "(i & 3) == 2",
        "i > 2 ? j > 3 : j > 7",
        "i >> 1 == j",
    ] {
        check_with_gcov(&format!(
            "int main(void) {{
  int i, j, n = 0;
  for (i = 0; i < 11; i++) {{
    for (j = 0; j < 10; j++) {{
      if ({guard}) {{
        n += 1;
      }} else {{
        n += 2;
      }}
    }}
  }}
  return 0;
}}
"
        ));
    }
}

#[test]
fn ends_of_loops() {
    for body in [
        "for (i = 0; i < 10; i++) {\n if (i == 5)\n break;\n n++;\n }",
        "for (i = 0; ; i++) {\n if (i >= 7)\n break;\n n++;\n }",
        "for (i = 0; i < 10; i++) {\n if (i % 3)\n continue;\n n++;\n }",
        "i = 0;\n while (i < 12) {\n n++;\n i += 5;\n }",
        "i = 0;\n while (i++ < 12) {\n n++;\n }",
        "i = 9;\n do {\n n++;\n i--;\n } while (i > 3);",
        "i = 9;\n do {\n n++;\n i--;\n } while (i > 30);",
        "i = 5;\n while (i--) {\n n++;\n }",
        "for (i = 0, j = 10; i < j; i++, j--) {\n n++;\n }",
        "int m = 4;\n for (i = 0; i < 6; i++) {\n if (i > m) {\n n++;\n }\n }\n for (; i < 9; i++) {\n n--;\n }",
        "for (i = 0; i < 6; i++) {\n for (j = 0; j < 6; j++) {\n if (j > i)\n break;\n n++;\n }\n }",
        "unsigned u;\n for (u = 10; u > 0; u--) {\n n++;\n }",
        "double a[9], *p;\n for (p = a; p < a + 9; p++) {\n n++;\n }",
        "for (i = 0; i < 9; i++) {\n int m = 1;\n switch (i % 4) {\n case 0:\n continue;\n case 1:\n m = 3;\n break;\n default:\n m = 5;\n }\n for (j = 0; j < m; j++) {\n n++;\n }\n }",
        "for (i = 0; i < 8; i++) {\n switch (i % 4) {\n case 0:\n n++;\n break;\n case 1:\n n--;\n case 2:\n n += 2;\n break;\n default:\n n += 3;\n }\n }",
    ] {
        check_with_gcov(&format!("int main(void) {{\n int i, j, n = 0;\n {body}\n return 0;\n}}\n"));
    }
}

#[test]
fn short_loops_without_a_closed_form_are_executed_one_by_one() {
    for body in [
        "for (i = 1; i < 100; i *= 2) {\n n++;\n }",
        "for (i = 100; i > 0; i /= 2) {\n n++;\n }\n for (j = i; j < 5; j++) {\n n++;\n }",
        "for (i = 0; i * i <= 90; i++) {\n n++;\n }",
        "for (i = 0; i < 9; i++) {\n for (j = 1; j < i; j *= 2) {\n n++;\n }\n }",
        "for (i = 0; i < 9; i++) {\n for (j = 1; j < 50; j *= 3) {\n if (j > i)\n break;\n n++;\n }\n }",
        "for (i = 0; i < 9; i++) {\n int w = 20;\n while (w > 1) {\n if (w < i)\n n++;\n w /= 2;\n }\n }",
    ] {
        check_with_gcov(&format!("int main(void) {{\n int i, j, n = 0;\n {body}\n return 0;\n}}\n"));
    }
}

#[test]
fn unknown_branches_that_jump_do_not_split_the_path() {
    let found = summarise(
        "char seen[900]; int main(void) { int i, j, n = 0; for (i = 2; i * i < 900; i++) { if (seen[i]) continue; for (j = i * i; j < 900; j += i) seen[j] = 1; n++; } return n; }",
    );
    // 2 to 29; that a flag is set is what the opcode heuristic says.
    let kinds: Vec<_> = found.summary().uncertain.iter().map(|uncertain| uncertain.kind).collect();
    assert_eq!(kinds, [UncertainKind::AssumedProbability(Heuristic::Opcode.hit_rate())]);
    assert!(found.blocks().contains("1 loop 28 1\n"), "{}", found.blocks());
}

#[test]
fn remainders_of_negative_numbers_are_negative() {
    for condition in
        ["(i - 5) % 3 == 1", "(i - 5) % 3 == -1", "(i - 5) % 3", "((i - 5) % 3 + 3) % 3 == 1", "(i - 5) / 2 == 0"]
    {
        let body = format!("for (i = 0; i < 12; i++) {{\n if ({condition})\n n++;\n }}");
        check_with_gcov(&format!("int main(void) {{\n int i, n = 0;\n {body}\n return 0;\n}}\n"));
    }
}

#[test]
fn what_is_no_closed_form_is_unknown() {
    let found = summarise(
        "int main(void) { int i, n = 0; for (i = 1; i * i < 1000000000; i += i / 90 + 1) { n++; } return 0; }",
    );
    let kinds: Vec<_> = found.summary().uncertain.iter().map(|u| u.kind).collect();
    assert_eq!(kinds, [UncertainKind::UnknownTrips]);
    assert!(found.summary().resolvable);
}
