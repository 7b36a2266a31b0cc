//! Which loads are operands, and how many registers advance.

use super::{machine, program};
use crate::Source;
use chronos_ir::BlockId;

/// Operations of an iteration of the innermost loop, with vectors of so many bits.
fn operations(bits: u32, text: &str) -> f64 {
    let mut machine = machine("gcc-O1");
    machine.rules.folds_loads = true;
    machine.rules.vector_bits = Some(bits);
    let program = program(text);
    let model = Source::new(&program, &machine);
    let innermost = model.scopes.iter().filter(|scope| scope.innermost && scope.header.is_some());
    let blocks = innermost.flat_map(|scope| &scope.blocks);
    blocks.map(|(_, _, share): &(BlockId, _, crate::source::codegen::block_demand::BlockDemand)| share.operations).sum()
}

#[test]
fn an_operation_takes_one_operand_from_memory() {
    let text = "double f(double *x, double *y, int n)
        { double s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }";
    // One load, the product with the other one, the sum; step, and comparison with branch.
    assert_eq!(operations(128, text), 5.0);
    assert_eq!(operations(256, text), 5.0);
}

#[test]
fn what_is_needed_again_is_not_overwritten() {
    let text = "void f(double *x, double y, int n) { for (int i = 0; i < n; i++) x[i] = x[i] * y; }";
    // The load, the product, the store; step, and comparison with branch. With three operands the load is one of them.
    assert_eq!(operations(128, text), 5.0);
    assert_eq!(operations(256, text), 4.0);
    // The load must come before what is taken away from it.
    let text = "void f(double *x, double *y, int n) { for (int i = 0; i < n; i++) x[i] = y[i] - x[i]; }";
    assert_eq!(operations(128, text), 5.0);
    let text = "int f(int *x, int y, int n) { int k = 0; for (int i = 0; i < n; i++) k += x[i] < y; return k; }";
    // A comparison overwrites nothing.
    assert_eq!(operations(128, text), 4.0);
}

#[test]
fn each_stride_has_a_register() {
    let column = "double f(double (*x)[80], double *y, int n)
        { double s = 0; for (int i = 0; i < n; i++) s += x[i][3] * y[i]; return s; }";
    assert_eq!(operations(128, column), 6.0);
    // One that is the other one's multiple shares it, as an index.
    let scaled = "double f(float *x, double *y, int n)
        { double s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }";
    let alike = "double f(double *x, double *y, int n)
        { double s = 0; for (int i = 0; i < n; i++) s += (float) x[i] * y[i]; return s; }";
    assert_eq!(operations(128, scaled) - operations(128, alike), -1.0);
}
