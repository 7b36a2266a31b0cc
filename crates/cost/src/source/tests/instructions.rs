//! Instructions of statements, as `gcc -O0 -S` (gcc 12, x86-64) writes them.

use super::program;
use crate::source::processor::instructions::unoptimised_instructions;
use chronos_ir::BlockKind;

/// Of a function with one statement.
fn check(statement: &str) -> f64 {
    let program = program(&format!(
        "double g[100], gg[30][40]; int gi[10];
         void f(int n, double a[][80], double b[20][20][20], double c[][90], double *p, int *q, int *z, double x)
         {{ int i, j, k; double s, v[50], w[10][12]; {statement} }}"
    ));
    let blocks = program.blocks.iter().filter(|(_, block)| !matches!(block.kind, BlockKind::Call(_)));
    blocks.map(|(_, block)| unoptimised_instructions(&program, block, 0)).sum()
}

#[test]
fn loads_spell_out_their_address() {
    assert_eq!(check("s = p[i];"), 7.0);
    assert_eq!(check("s = p[3];"), 3.0);
    assert_eq!(check("s = p[i - 1];"), 8.0);
    assert_eq!(check("s = p[i * n + j];"), 11.0);
    assert_eq!(check("s = v[i];"), 4.0);
    assert_eq!(check("s = w[i][j];"), 11.0);
    assert_eq!(check("s = g[i];"), 6.0);
    assert_eq!(check("s = gg[i][j];"), 13.0);
    assert_eq!(check("gi[i] = n;"), 6.0);
}

#[test]
fn rows_are_multiplied_by_sums_or_by_a_product() {
    assert_eq!(check("s = a[i][j];"), 13.0);
    assert_eq!(check("s = b[i][j][k];"), 22.0);
    assert_eq!(check("s = c[i][j];"), 9.0);
    assert_eq!(check("s = a[0][j];"), 5.0);
}

#[test]
fn elements_without_size_need_no_product() {
    let text = "struct empty { }; void f(struct empty *p, struct empty **q, int i) { *q = &p[i]; }";
    let program = program(text);
    let blocks = program.blocks.iter().map(|(_, block)| unoptimised_instructions(&program, block, 0));
    assert!(blocks.sum::<f64>() > 0.0);
}

#[test]
fn compound_assignments_spell_out_the_place_twice() {
    assert_eq!(check("q[i]++;"), 8.0);
    assert_eq!(check("q[i] += n;"), 14.0);
    assert_eq!(check("p[i] += x;"), 13.0);
}

#[test]
fn variables_are_operands_where_one_suffices() {
    assert_eq!(check("i++;"), 1.0);
    assert_eq!(check("i += n;"), 2.0);
    assert_eq!(check("k = i + n;"), 4.0);
    assert_eq!(check("s += x;"), 3.0);
    assert_eq!(check("s = x * s;"), 3.0);
    assert_eq!(check("s = s * 0.5;"), 4.0);
    assert_eq!(check("s = i;"), 3.0);
    assert_eq!(check("i = s;"), 3.0);
    assert_eq!(check("s = 0.0;"), 2.0);
    assert_eq!(check("k = i % n;"), 4.0);
    assert_eq!(check("k = i / 7;"), 11.0);
    assert_eq!(check("k = i * n;"), 3.0);
    assert_eq!(check("k = i * 7;"), 5.0);
    assert_eq!(check("k = i % 7;"), 15.0);
    assert_eq!(check("k = i / 8;"), 6.0);
    assert_eq!(check("k = i % 8;"), 8.0);
    assert_eq!(check("s = -x;"), 4.0);
    assert_eq!(check("k = i - n;"), 3.0);
    assert_eq!(check("k = i << j;"), 6.0);
    assert_eq!(check("k = i < n;"), 5.0);
    assert_eq!(check("k = !i;"), 4.0);
}

#[test]
fn branches_compare_and_jump() {
    assert_eq!(check("if (i < n) k = 1;"), 4.0);
    assert_eq!(check("if (i == 3) k = 1;"), 3.0);
    assert_eq!(check("if (s < x) k = 1;"), 4.0);
}
