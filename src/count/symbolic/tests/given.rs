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
    assert_eq!(counted.told, Vec::<String>::new());
}

#[test]
fn an_assumption_that_is_not_used_is_told() {
    let counted = snippet(&text("PIC_proba(1.0 / N); if (x == 3) s += 2;"), &["N"]).counted();
    let told = counted.told.join("\n");
    assert!(told.contains("C0333 a probability that the source assumes is an expression"), "{told}");
}
