//! Memory that segments use again: its names, and what it costs where it has left the caches.

use super::columns::level;
use super::{Source, machine, program};
use crate::{CostModel, Object, Reuse, Use};
use chronos_activity::{ContextId, Count, Segment, Segments};
use chronos_base::units::Bytes;
use chronos_ir::{CounterId, Program};
use chronos_machine::Machine;

/// Lines from the second level take 3 ns, from the third 13.
fn simple() -> Machine {
    let mut machine = machine("gcc-O2");
    machine.memory.levels = vec![level("L1", Some(32), 0.0), level("L2", Some(1024), 3.0), level("L3", None, 13.0)];
    machine.memory.translation = None;
    machine
}

/// All blocks of all functions once, loops with so many iterations; contexts by the order of calls in `main`.
fn executed(program: &Program, trip: u64) -> (Segment, Segments) {
    let mut segments = Segments::default();
    let main = program.main.expect("there is a main");
    let root = segments.root(main);
    let mut counts = in_context(program, main, root, trip);
    for block in program.blocks.ids() {
        if let Some(chronos_ir::Callee::Function(callee)) = program.call(block).map(|call| &call.callee) {
            let context = segments.enter(root, block, *callee);
            counts.extend(in_context(program, *callee, context, trip));
        }
    }
    counts.sort_by_key(|entry| (entry.0, entry.1));
    (Segment { counts, ..Segment::default() }, segments)
}

fn in_context(
    program: &Program,
    function: chronos_ir::FuncId,
    context: ContextId,
    trip: u64,
) -> Vec<(ContextId, CounterId, Count)> {
    let blocks = program.functions[function].blocks;
    let blocks = (blocks.0.0..blocks.1.0).map(chronos_ir::BlockId);
    let counters = blocks.flat_map(|block| {
        let block = &program.blocks[block];
        let entered = |offset| matches!(block.kind, chronos_ir::BlockKind::Loop(_)) && offset == 1;
        (0..block.counters()).map(move |n| (block.counter(n), if entered(n) { 1 } else { trip }))
    });
    counters.map(|(counter, n)| (context, counter, Count::exact(u128::from(n)))).collect()
}

fn name(program: &Program, object: Object) -> String {
    let of = |variable| &program.variables[variable].name;
    match object {
        Object::Variable(v) => format!("object {}", of(v)),
        Object::Allocated(v) => format!("allocated {}", of(v)),
        Object::Pointed(v) => format!("pointed {}", of(v)),
        Object::Rows(v) => format!("rows of {}", of(v)),
        Object::Field(v, bytes) => format!("what {} points to at {bytes}", of(v)),
    }
}

fn check(text: &str, trip: u64) -> Vec<Vec<String>> {
    let program = program(text);
    let (segment, contexts) = executed(&program, trip);
    let uses = Source::new(&program, &simple()).uses(&segment, &contexts);
    let line = |one: &Use| format!("{} {}", name(&program, one.object), one.bytes.0);
    uses.iter().map(|nest| nest.iter().map(line).collect()).collect()
}

#[test]
fn arguments_lead_to_allocations() {
    let text = "void *malloc(unsigned long); double g[1000], s;
        static void add(double *x, const double *y, int n) { for (int i = 0; i < n; i++) x[i] += y[i]; }
        int main(void) { double *a = malloc(8000), *b = malloc(8000), *c = b; add(a, g, 1000); add(c, a, 1000); return 0; }";
    assert_eq!(check(text, 1000), [["object g 8000", "allocated a 8000"], ["allocated a 8000", "allocated b 8000"]]);
}

#[test]
fn rows_have_a_name_of_their_own() {
    let text = "void *malloc(unsigned long); double s;
        int main(void) { double **m = malloc(8000); for (int i = 0; i < 1000; i++) s += m[i][0]; return 0; }";
    let found = check(text, 1000);
    assert_eq!(found[0][1..], ["allocated m 8000", "rows of m 64000"]);
}

#[test]
fn arrays_of_a_structure_are_told_apart() {
    // Rows of a length that only the structure knows: of 1000 rows of 1000 numbers.
    let text = "struct grid { int n; double *now, *next; };
        static void step(struct grid *g) { int width = g->n + 2;
            for (int i = 0; i < g->n; i++) for (int j = 0; j < g->n; j++)
                g->next[i * width + j] = g->now[i * width + j] + g->now[(i + 1) * width + j]; }
        int main(void) { struct grid g = {0}; step(&g); return 0; }";
    let found = check(text, 1000).concat();
    assert_eq!(found.iter().filter(|one| one.starts_with("what g points to")).count(), 2, "{found:?}");
    assert!(found.iter().any(|one| one.starts_with("what g points to at 8 ")), "{found:?}");
    assert!(found.iter().any(|one| one.starts_with("what g points to at 16 ")), "{found:?}");
}

#[test]
fn pointers_that_change_are_named_after_themselves() {
    let text = "void *malloc(unsigned long); double s; int main(void) {
        double *a = malloc(8000), *b = malloc(8000), *t = a; a = b; b = t;
        for (int i = 0; i < 1000; i++) s += a[i]; return 0; }";
    assert_eq!(check(text, 1000)[0][1..], ["pointed a 8000"]);
}

#[test]
fn unknown_places_are_left_out() {
    let text =
        "int at[1000]; double x[1000], s; int main(void) { for (int i = 0; i < 1000; i++) s += x[at[i]]; return 0; }";
    assert_eq!(check(text, 1000)[0].iter().filter(|one| one.contains("object x")).count(), 0);
}

#[test]
fn what_has_left_a_level_is_brought_once() {
    let text = "double g[8000]; int main(void) { for (int i = 0; i < 8000; i++) g[i] = 1.5; return 0; }";
    let program = program(text);
    let (segment, contexts) = executed(&program, 8000);
    let model = Source::new(&program, &simple());
    let uses = model.uses(&segment, &contexts).concat();
    let at = |bytes: u64| {
        let far = |one: &Use| (one.context, one.place, Bytes(bytes));
        model.price(&segment, &Reuse(uses.iter().map(far).collect())).total().0
    };
    let near = model.price(&segment, &Reuse::default()).total().0;
    assert_eq!(at(100 << 10).round(), near.round());
    // 1000 lines, each 10 ns more than from the second level.
    let far = at(100 << 20);
    assert_eq!(far.round(), (near + 1000.0 * 10.0).round());
    assert!(at(1 << 20) > near && at(1 << 20) < far);
}
