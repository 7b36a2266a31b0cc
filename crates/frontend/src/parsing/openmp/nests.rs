//! Iterations of several loops in one order (`collapse`): the first and the last row of each may be parts.

use super::canonical::{parts, relation_number};
use super::loops::Head;
use std::fmt::Write;

/// Loops whose shares the runtime tells: three numbers for each (`library::openmp` of the interpreter).
pub(super) const DEEPEST: usize = 5;

/// Tells the runtime of the loops.
pub(super) fn setup(kind: u32, heads: &[Head]) -> String {
    let mut text = format!("__chronos_omp_nest({kind}, {}", heads.len());
    for head in heads.iter().map(|head| &head.canonical) {
        let relation = relation_number(head.relation);
        let _ = write!(text, ", {}, {}, {}, {relation}", head.first, head.bound, head.step);
    }
    text.push_str("); ");
    text
}

/// The heads: `__omp_begin` is the counter of a level in the first iteration of the thread, `__omp_row` in its last one.
pub(super) fn nested(heads: &[Head], n: u32) -> String {
    let mut text = String::new();
    for (level, head) in heads.iter().enumerate() {
        let (ty, _, _) = parts(&head.canonical);
        let [begin, row, whole] = [0, 1, 2].map(|part| 3 * level + part);
        let _ = write!(
            text,
            "{ty} __omp_begin{n}_{level} = __chronos_omp_range({begin}), __omp_row{n}_{level} = __chronos_omp_range({row}), \
             __omp_first{n}_{level} = {}, __omp_whole{n}_{level} = __chronos_omp_range({whole}), \
             __omp_after{n}_{level} = __omp_row{n}_{level} + ({}); ",
            head.canonical.first, head.canonical.step,
        );
    }
    for (level, head) in heads.iter().enumerate() {
        inner(&mut text, heads, level, n);
        let (_, declared, than) = parts(&head.canonical);
        let (low, high) = match level {
            0 => (format!("__omp_begin{n}_0"), format!("__omp_after{n}_0")),
            _ => (format!("__omp_low{n}_{level}"), format!("__omp_high{n}_{level}")),
        };
        let (counter, step) = (&head.canonical.counter, &head.canonical.step);
        let _ = write!(text, "for ({declared} = {low}; {counter} {than} {high}; {counter} += {step})");
    }
    text
}

/// Where a loop inside another one begins and ends.
fn inner(text: &mut String, heads: &[Head], level: usize, n: u32) {
    if level == 0 {
        return;
    }
    let (ty, _, _) = parts(&heads[level].canonical);
    let at = |what: &str| {
        let outer = heads[..level].iter().enumerate();
        let equal = outer.map(|(l, head)| format!("{} == __omp_{what}{n}_{l}", head.canonical.counter));
        equal.collect::<Vec<_>>().join(" && ")
    };
    let _ = write!(
        text,
        " {{ {ty} __omp_low{n}_{level} = __omp_first{n}_{level}, __omp_high{n}_{level} = __omp_whole{n}_{level}; \
         if ({}) __omp_low{n}_{level} = __omp_begin{n}_{level}; \
         if ({}) __omp_high{n}_{level} = __omp_after{n}_{level}; ",
        at("begin"),
        at("row"),
    );
}
