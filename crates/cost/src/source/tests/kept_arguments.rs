//! Parameters that are the same in each call of a loop.

use super::program;
use crate::source::whole_program::kept_arguments::{kept_arguments, registers};
use chronos_compiled::instruction::{InstructionSet, Register};
use std::collections::BTreeSet;

/// Positions of the parameters of `f` that are kept where a loop over `i` makes these calls, and the registers that hold them.
fn check(parameters: &str, calls: &str) -> (Vec<usize>, Vec<u8>) {
    let text = format!(
        "int g; int f({parameters});
         int run(int *p, int n) {{ int s = 0; int *q = p; for (int i = 0; i < n; i++) {{ {calls} }} return s; }}
         int f({parameters}) {{ return 1; }}"
    );
    let program = program(&text);
    let f = program.functions.iter().find(|(_, function)| &*function.name == "f").expect("f is there").0;
    let kept: BTreeSet<usize> = kept_arguments(&program).remove(&f).unwrap_or_default();
    let held = registers(&program, f, &kept, InstructionSet::X86.arguments()).into_iter();
    (
        kept.into_iter().collect(),
        held.filter(|held| *held == Register::integer(held.number)).map(|r| r.number).collect(),
    )
}

#[test]
fn what_no_iteration_changes_is_kept() {
    // The second parameter of integers is in rsi, whatever lies between.
    assert_eq!(check("int *a, double x, int k", "s += f(p, i, 7);"), (vec![0, 2], vec![6, 7]));
    assert_eq!(check("int *a", "s += f(&g); s += f(&g);"), (vec![0], vec![7]));
    assert_eq!(check("int *a", "s += f(p + i);"), (vec![], vec![]));
    assert_eq!(check("int *a", "s += f(q); q++;"), (vec![], vec![]));
    // Two calls of one loop with different arguments.
    assert_eq!(check("int *a", "s += f(p); s += f(&g);"), (vec![], vec![]));
}
