//! What the source says of loops and branches, where it is an expression of the parameters.

use super::*;

fn text(body: &str) -> String {
    format!(
        "int N = 4;\nint rand(void);\nvoid chronos_iterations(double);\nvoid PIC_proba(double);\n\
         int main(void) {{ int s = 0, x = rand();\n{body}\nreturn s; }}"
    )
}

#[test]
fn iterations_are_expressions_of_parameters_and_counters() {
    let body = "chronos_iterations(2 * N - 1); while (x > 1) { x /= 3; for (int j = 0; j < N; j++) s++; }\n\
                for (int i = 0; i < N; i++) { int y = rand(); chronos_iterations(N + i); while (y > 1) y /= 2; }";
    let counted = agrees(&snippet(&text(body), &["N"]), &[&[1], &[2], &[7], &[16]]);
    assert_eq!(counted.messages, Vec::<String>::new());
}

/// What is told, and the counts at points where what is said is a probability.
fn annotated(body: &str) -> Counted {
    agrees(&snippet(&text(body), &["N"]), &[&[1], &[2], &[7], &[16]])
}

#[test]
fn probabilities_are_expressions_of_parameters() {
    for body in [
        "PIC_proba(1.0 / N); if (x == 3) s += 2;",
        "PIC_proba(1 - 1.0 / N); if (x == 3) s += 2; else s++;",
        "PIC_proba(1.0 / (N * (double)N)); if (x == 3) { PIC_proba(1.0 / (N + 1)); if (x == 5) s += 2; }",
        "PIC_proba(0.25 + 0.5 / N); if (x == 3) for (int i = 0; i < N; i++) s += 2;",
        "PIC_proba((N - 1) / (3.0 * N)); if (x == 3) return 1; s += 2;",
        "for (int i = 0; i < N * N; i++) { PIC_proba(1.0 / N); if (rand() == 3) for (int j = 0; j < N; j++) s++; }",
    ] {
        assert_eq!(annotated(body).messages, Vec::<String>::new(), "{body}");
    }
}

#[test]
fn probabilities_are_expressions_of_counters() {
    let body = "for (int i = 0; i < N; i++) { PIC_proba((double)i / N); if (rand() == 3) s++; else s += 2; }";
    let counted = annotated(body);
    assert_eq!(counted.messages, Vec::<String>::new());
    assert!(
        counted.shown().contains("branch: N if N >= 1, else 0 | (N-1)/2 if N >= 2, else 0 | "),
        "{}",
        counted.shown()
    );
    annotated("for (int i = 0; i < 8; i++) { PIC_proba(i / 8.0); if (rand() == N) s++; }");
    annotated("for (int i = 0; i < N; i++) { PIC_proba(i / 16.0); if (rand() == 3) s++; }");
}

#[test]
fn fractions_of_parameters_are_shown_as_such() {
    let counted = annotated("PIC_proba(1.0 / N); if (x == 3) s += 2;");
    assert!(counted.shown().contains("branch: 1 | (1/N)"), "{}", counted.shown());
}

#[test]
fn numbers_of_iterations_are_fractions() {
    let body = "chronos_iterations(N / 3.0); while (x > 1) { x /= 3; s++; }";
    assert_eq!(annotated(body).messages, Vec::<String>::new());
}

#[test]
fn an_assumption_that_is_not_used_is_told() {
    let unused = "double sin(double); PIC_proba(sin(N)); if (x == 3) s += 2;";
    let counted = snippet(&text(unused), &["N"]).counted();
    let messages = counted.messages.join("\n");
    assert!(messages.contains("C0333 a probability that the source assumes is an expression"), "{messages}");
}
