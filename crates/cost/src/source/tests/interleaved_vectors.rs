//! Vectors over loops with loops inside them, sums in order, elements that lie apart, and lines that are written.

use super::*;

/// With gcc -O3 and one thing changed in its pipeline.
fn with(change: impl Fn(&mut Pipeline)) -> Machine {
    let mut machine = machine("gcc-O3");
    change(machine.pipeline.as_mut().expect("given"));
    machine
}

/// How the innermost loop runs together with the one around it: lanes, and whether arrays must be found apart.
fn together(machine: &Machine, text: &str) -> Option<(u32, bool)> {
    let program = program(text);
    let model = Source::new(&program, machine);
    let found = model.scopes.last().and_then(|scope| scope.outer_vectorized.as_ref());
    found.map(|together| (together.lanes, together.checked))
}

const PRODUCT: &str = "double x[24][24], y[24][24], z[24][24];
    void f(int n) { for (int j = 0; j < n; j++) {
        double s = 0; for (int k = 0; k < n; k++) s += y[0][k] * z[k][j]; x[0][j] = s; } }";

#[test]
fn iterations_of_a_loop_run_those_of_the_loop_inside_together() {
    let o3 = machine("gcc-O3");
    assert_eq!(together(&o3, PRODUCT), Some((2, false)));
    assert_eq!(together(&machine("gcc-O2"), PRODUCT), None);
    let pointers = "void f(double *x, double *y, double *c, int n) { for (int i = 0; i < n; i++) {
        double s = 0; for (int k = 0; k < 8; k++) s += c[k] * y[i + k]; x[i] = s; } }";
    assert_eq!(together(&o3, pointers), Some((2, true)));
}

#[test]
fn they_do_not_where_elements_lie_apart_or_lengths_differ() {
    let o3 = machine("gcc-O3");
    let changes =
        [("z[k][j]", "z[j][k]"), ("k < n", "k < j"), ("= s;", "= s; if (s > 2) return;"), ("double s = 0;", "")];
    for (from, to) in changes {
        let text =
            PRODUCT.replace(from, to).replace("(int n)", if to.is_empty() { "(int n, double s)" } else { "(int n)" });
        assert_eq!(together(&o3, &text), None, "{to}");
    }
}

#[test]
fn together_they_take_a_share_of_the_time() {
    let time = |machine: &Machine| {
        let program = program(PRODUCT);
        let model = Source::new(&program, machine);
        let headers: Vec<_> = model.scopes.iter().filter_map(|scope| scope.header).collect();
        let mut counts = Vec::new();
        for (header, iterations, entries) in [(headers[0], 20, 1), (headers[1], 400, 20)] {
            let [turns, entered] = model.loop_counters(header);
            counts.extend([(turns, iterations), (entered, entries)]);
            let of = model.scopes.iter().filter(|scope| scope.header == Some(header));
            counts.extend(of.flat_map(|scope| scope.blocks.iter().map(|&(_, counter, _)| (counter, iterations))));
        }
        counts.sort();
        counts.dedup_by_key(|count| count.0);
        let counts = counts.into_iter().map(|(counter, n)| (ContextId(0), counter, Count::exact(n))).collect();
        model.loops(&Segment { counts, ..Segment::default() }, &crate::Reuse::default())[1].clone()
    };
    let (alone, vectors) = (time(&machine("gcc-O1")), time(&machine("gcc-O3")));
    assert_eq!((alone.lanes, vectors.lanes), (1, 2));
    assert_close(vectors.time.0, alone.time.0 / 2.0);
}

#[test]
fn a_sum_is_fused_or_in_order_as_the_compiler_does_it() {
    let text = "double f(double *x, double *y, int n) {
        double s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }";
    let recurrence = |machine: &Machine, text: &str| {
        let model = Source::new(&program(text), machine);
        model.scopes.last().map(|scope| scope.recurrence.cycles)
    };
    let fusing = |profile: &str| {
        let mut machine = machine(profile);
        machine.rules.contract_fma = true;
        machine.rules.fuses_sums = Some(true);
        let pipeline = machine.pipeline.as_mut().expect("given");
        pipeline.ordered_sum_cycles = [("128".to_owned(), Cycles(6.0))].into();
        machine
    };
    assert_eq!(recurrence(&fusing("gcc-O1"), text), Some(5.0), "as a product");
    assert_eq!(recurrence(&fusing("gcc-O3"), text), Some(6.0), "elements of vectors in order");
    let loaded = text.replace(" * y[i]", "");
    assert_eq!(recurrence(&fusing("gcc-O3"), &loaded), Some(3.0));
    let seen = text.replace("y[i];", "y[i], x[i] = s;");
    assert_eq!(recurrence(&fusing("gcc-O3"), &seen), Some(5.0), "no vectors where partial sums are seen");
}

#[test]
fn elements_that_lie_apart_cost_what_was_measured() {
    let text = "double x[9999], y[999]; void f(void) { for (int i = 0; i < 100; i++) y[i] = x[9 * i]; }";
    let time = |machine: &Machine| price(machine, text, 1, 100).total().0;
    // 50 vectors, with two registers that advance and a comparison; and of five cycles.
    let elements = chronos_machine::ElementsCost { load_cycles: Cycles(5.0), store_cycles: None };
    assert_close(time(&with(|_| ())), 152.0);
    assert_close(time(&with(|pipeline| pipeline.vector_elements = [("128".to_owned(), elements)].into())), 252.0);
}

#[test]
fn lines_that_are_written_cost_more_where_writing_does() {
    let mut machine = machine("gcc-O2");
    machine.memory = Machine::load("epyc-zen5-gcc12-O2").expect("shipped").memory;
    machine.memory.levels.truncate(2);
    let time = |written: f64, text: &str| {
        let mut machine = machine.clone();
        machine.memory.levels[1].ns_per_line_write = Some(chronos_base::units::Nanoseconds(written));
        price(&machine, text, 1, 9000).total().0
    };
    let store = "double x[99999]; void f(int n) { for (int i = 0; i < n; i++) x[i] += 2.0; }";
    let load = "double x[99999]; double f(int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }";
    assert!(time(80.0, store) > 2.0 * time(0.3, store));
    assert_close(time(80.0, load), time(0.3, load));
}
