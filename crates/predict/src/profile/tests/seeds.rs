//! Random numbers whose seed is unknown, where the evaluation cannot go on without them.

use super::{Counted, counted_linked};
use chronos_interpreter::Inputs;
use chronos_ir::CLibrary;
use chronos_slicing::Assumptions;

fn counted(seeds: &str, draw: &str) -> Counted {
    let text = format!(
        "#include <stdlib.h>\n#include <time.h>\nint a[40], n;\nint main(void) {{\n{seeds}\n\
         for (int i = 0; i < 40; i++) a[i] = {draw} % 50;\nfor (int i = 0; a[i] != 7 && i < 39; i++)\n\
         for (int j = a[i]; j; j /= 2) n++;\nreturn 0; }}\n"
    );
    counted_linked(&text, 1, Assumptions::default(), Inputs::default(), ("", CLibrary::Glibc))
}

/// How often a line is executed, and whether all counts are assumed.
fn line(counted: &Counted, number: u32) -> (f64, bool) {
    let line = counted.lines.iter().find(|line| line.line == number).expect("it is executed");
    let count = line.counts[0].amount.count.as_f64().expect("it is known");
    (count, counted.summary.exact == 0 && counted.summary.assumed > 0)
}

#[test]
fn a_seed_is_taken_where_its_numbers_decide() {
    let (known, taken) = (counted("srand(1);", "rand()"), counted("srand(time(NULL));", "rand()"));
    assert!(known.complete && taken.complete);
    let (count, assumed) = line(&known, 8);
    assert!(!assumed);
    assert_eq!(line(&taken, 8), (count, true), "{:?}", taken.diagnostics);
    assert_eq!(taken.diagnostics.iter().filter(|d| d.code.id == "C0336").count(), 1, "{:?}", taken.diagnostics);
}

#[test]
fn states_of_the_program_are_taken_as_well() {
    let known = counted("unsigned s = 1;", "rand_r(&s)");
    let taken = counted("unsigned s = time(NULL);", "rand_r(&s)");
    assert_eq!(line(&taken, 8), (line(&known, 8).0, true), "{:?}", taken.diagnostics);
}
