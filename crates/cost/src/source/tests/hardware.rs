//! What processors do beside executing instructions: conditional moves, taken branches, loads that run too early,
//! ends of loops, sets of a cache.

use super::*;

/// The shipped test machine with one thing changed in its pipeline; instructions take no units.
fn with(change: impl Fn(&mut Pipeline)) -> Machine {
    let mut machine = machine("gcc-O1");
    change(machine.pipeline.as_mut().expect("given"));
    machine
}

#[test]
fn a_choice_waits_for_its_comparison_and_its_move() {
    let text = "int f(int *x, int n, int m) { for (int i = 0; i < n; i++) m = m < x[i] ? x[i] : m; return m; }";
    assert!(check(&with(|_| ()), text).starts_with("chain 2;"), "as a sum where nothing was measured");
    assert!(check(&with(|pipeline| pipeline.select_cycles = Some(Cycles(2.0))), text).starts_with("chain 3;"));
}

#[test]
fn the_greater_of_two_floating_point_numbers_has_a_latency_of_its_own() {
    let text = "double f(double *x, int n, double m) {
        for (int i = 0; i < n; i++) m = x[i] > m ? x[i] : m; return m; }";
    assert!(check(&with(|_| ()), text).starts_with("chain 3;"), "that of a sum where nothing was measured");
    assert!(check(&with(|pipeline| pipeline.fp_max_cycles = Some(Cycles(4.0))), text).starts_with("chain 4;"));
}

#[test]
fn a_choice_with_much_in_its_arms_stays_a_branch() {
    let mispredictions = |profile: &str, body: &str| {
        let text = format!(
            "int f(int *x, int n, int a, int b) {{ for (int i = 0; i < n; i++) {{ int y = x[i];\n{body}\n }} return a + b; }}"
        );
        let mut machine = machine(profile);
        machine.rules.vectorise = false;
        let program = program(&text);
        let model = Source::new(&program, &machine);
        model.scopes.iter().any(|scope| scope.header.is_some() && !scope.data_dependent.is_empty())
    };
    for converted in
        ["if (y > 9) a = i;", "if (y > 9) a += y ^ i;", "if (y > a) { a = y; b = i; }", "a = y & 1 ? a >> 1 : a - 3;"]
    {
        assert!(!mispredictions("gcc-O1", converted), "{converted}");
    }
    for kept in ["if (y > 9) { a = i; b += 3; }", "if (y > 9) a = ((y + i) ^ 5) - n;", "if (y > 9) a = y * i;"] {
        assert!(mispredictions("gcc-O1", kept), "{kept}");
        assert!(!mispredictions("clang-O1", kept), "{kept}");
    }
}

#[test]
fn a_branch_around_the_rest_of_an_iteration_stays_behind_an_inner_loop() {
    // What the inner loop is, and the branch in front of it, says nothing of what the second branch skips.
    let text = "double f(double (*x)[3], int *id, int n, int k, double s) {
        for (int i = 0; i < n; i++) {
            if (id[i] <= k) continue;
            double r = 0;
            for (int m = 0; m < 3; m++) r += x[i][m] * x[i][m];
            if (r > 2) continue;
            s += r;
        }
        return s; }";
    let model = Source::new(&program(text), &machine("gcc-O2"));
    let branches: Vec<usize> = model.scopes.iter().map(|scope| scope.data_dependent.len()).collect();
    assert_eq!(branches.iter().max(), Some(&2), "{branches:?}");
}

#[test]
fn an_index_costs_a_load_what_was_measured_for_it() {
    let text = "int f(int *x, int n, int m) { for (int i = 0; i < n; i++) m = x[m]; return m; }";
    // The load, its address and the widening of the index.
    assert!(check(&with(|_| ()), text).starts_with("chain 6;"));
    assert!(check(&with(|pipeline| pipeline.indexed_load_cycles = Some(Cycles(0.0))), text).starts_with("chain 5;"));
}

#[test]
fn integers_that_operations_read_from_memory_are_not_renamed() {
    let least = "void f(int *d, int *w, int n) { for (int i = 1; i < n; i++) d[i] = d[i - 1] + w[i]; }";
    let mut machine = with(|pipeline| pipeline.forward_folded_int_cycles = Some(Cycles(5.0)));
    machine.rules.profile = "gcc-O1".to_owned();
    // 2 cycles from store to load as a load of its own, and the sum.
    assert!(check(&machine, least).starts_with("chain 3;"), "{}", check(&machine, least));
    machine.rules.folds_loads = true;
    assert!(check(&machine, least).starts_with("chain 6;"), "{}", check(&machine, least));
}

#[test]
fn what_an_operation_updates_in_memory_is_not_renamed() {
    let mut machine = machine("gcc-O0");
    machine.pipeline.as_mut().expect("given").forward_update_int_cycles = Some(Cycles(6.0));
    let recurrence = |text: &str| check(&machine, text).split(';').next().expect("a chain").to_owned();
    // A sum in a variable, a counter that stores are indexed by, one that nothing is indexed by.
    assert_eq!(
        recurrence("int f(int *x, int n, int s) { for (int i = 0; i < n; i++) s += x[i]; return s; }"),
        "chain 7"
    );
    assert_eq!(recurrence("void f(int *x, int n) { for (int i = 0; i < n; i++) x[i] = n; }"), "chain 7");
    assert_eq!(recurrence("void f(int *x, int n) { for (int i = 0; i < n; i++) x[0] = n; }"), "chain 3");
}

#[test]
fn ends_of_loops_cost_what_was_measured_at_their_length() {
    use chronos_machine::ExitCost;
    let sum = "double f(double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }";
    let exit = |iterations: f64, varying: bool, cycles: f64| ExitCost { iterations, varying, cycles: Cycles(cycles) };
    let machine = with(|pipeline| {
        pipeline.exits = vec![exit(20.0, false, 0.0), exit(30.0, false, 20.0), exit(25.0, true, 99.0)];
    });
    // Half way between two lengths; what is measured goes before a threshold.
    let expected = 1000.0 * (75.0 / (1.0 + 1.0 / 3.0) + 10.0) + 75.0;
    assert_close(price(&machine, sum, 1001, 25).total().0, expected);
}

#[test]
fn sums_in_memory_let_as_many_iterations_go_ahead_as_was_measured() {
    let each = |ahead: Vec<f64>| {
        let solver = "void f(double (*l)[64], double *x, int m, int n) {
            for (int j = 0; j < m; j++) for (int k = 0; k < n; k++) x[j] -= l[j][k] * x[k]; }";
        let mut machine = machine("gcc-O2");
        machine.pipeline.as_mut().expect("given").forward_ahead = ahead;
        price(&machine, solver, 1001, 25).total().0
    };
    let free = each(Vec::new());
    assert_close(each(vec![1.0, 1.0]), free);
    let memory = |ahead: f64| {
        let mut machine = machine("gcc-O1");
        machine.pipeline.as_mut().expect("given").forward_ahead = vec![99.0, 99.0, ahead];
        let solver = "void f(double (*l)[64], double *x, int m, int n) {
            for (int j = 0; j < m; j++) for (int k = 0; k < n; k++) x[j] -= l[j][k] * x[k]; }";
        price(&machine, solver, 1001, 25).total().0
    };
    assert!(memory(1.0) > memory(2.0), "the fewer are ahead, the longer each sum is waited for");
    assert_close(memory(98.0), memory(99.0));
}

#[test]
fn a_taken_branch_ends_a_group_of_operations() {
    let text = "void f(double *x, double y, int n) { for (int i = 0; i < n; i++) x[i] = y; }";
    let mut machine = with(|pipeline| pipeline.taken_branch_cycles = Some(Cycles(0.5)));
    machine.classes.values_mut().for_each(|cost| cost.throughput_cycles = Cycles(0.1));
    // A store, a step and a branch, four per cycle: no more is lost than the rest of the group.
    assert_close(price(&machine, text, 1, 100).total().0, 100.0);
    let text = "void f(double *x, double *z, double y, int n) { for (int i = 0; i < n; i++) x[i] = z[i] = y + i; }";
    assert_close(price(&machine, text, 1, 100).total().0, 100.0 * (1.5 + 0.5));
}

#[test]
fn a_load_before_the_store_to_its_place_runs_again() {
    let late = |text: &str| {
        let machine = with(|pipeline| pipeline.reordered_load_cycles = Some(Cycles(50.0)));
        price(&machine, text, 10, 100).total().0 - price(&with(|_| ()), text, 10, 100).total().0
    };
    let sweep = "void f(double (*x)[64], int m, int n, int k) {
        for (int i = 0; i < m; i++) for (int j = BEGIN; j < n; j++) x[i][j] -= x[i][k] * x[k][j]; }";
    assert_close(late(&sweep.replace("BEGIN", "0")), 500.0);
    // It begins behind the element.
    assert_close(late(&sweep.replace("BEGIN", "k + 1")), 0.0);
    // Another row.
    assert_close(late(&sweep.replace("BEGIN", "0").replace("x[i][k]", "x[k][k]")), 0.0);
    // Another array, and a register.
    assert_close(
        late(&sweep.replace("BEGIN", "0").replace("x[i][j] -=", "y[i][j] =").replace("m,", "m, double (*y)[64],")),
        0.0,
    );
}

#[test]
fn a_mispredicted_end_sends_back_what_is_ahead_of_the_chain() {
    let sum = "double f(double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }";
    let machine = with(|pipeline| pipeline.predicted_trips = 10);
    // As in `short_chains_overlap_through_the_window`, with 10 cycles more for each of the entries that overlap.
    let expected = 1000.0 * (75.0 / (1.0 + 1.0 / 3.0) + 10.0) + 75.0;
    assert_close(price(&machine, sum, 1001, 25).total().0, expected);
    // It costs nothing where nothing is ahead.
    assert_close(price(&machine, sum, 1, 25).total().0, 75.0);
}

#[test]
fn two_columns_share_sets_where_their_first_lines_do() {
    let near = |text: &str, bytes: u64| {
        let mut machine = with(|_| ());
        machine.memory = Machine::load("epyc-zen5-gcc12-O2").expect("shipped").memory;
        machine.memory.levels[0].size_bytes = Some(chronos_base::units::Bytes(bytes));
        let program = program(text);
        let model = Source::new(&program, &machine);
        let headers: Vec<_> = model.scopes.iter().filter_map(|scope| scope.header).collect();
        let counts = [(headers[0], 100, 1), (headers[1], 26_000, 100)].into_iter().flat_map(|(header, n, entries)| {
            let [iterations, entered] = model.loop_counters(header);
            [(ContextId(0), iterations, Count::exact(n)), (ContextId(0), entered, Count::exact(entries))]
        });
        let mut counts: Vec<_> = counts.collect();
        counts.sort_by_key(|entry| entry.1);
        let segment = Segment { counts, ..Segment::default() };
        memory::lines::memory_traffic(
            &model,
            model.scopes.len() - 1,
            &profile::counts::ExecutionCounts::of_context(&segment, ContextId(0)),
            None,
        )
        .second_level
    };
    // Rows of 30 lines: a column keeps to every second set.
    let pair = "double x[260][240]; double s; void f(int n, int k) { for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) s += x[i][k] * x[i][j]; }";
    let one = pair.replace("x[i][k] * ", "");
    let kib = |n: u64| n * 1024;
    assert!(near(&one, kib(48)) < 0.2 * near(pair, kib(48)), "one column stays");
    let all = near(pair, kib(16));
    assert!((0.4..0.7).contains(&(near(pair, kib(48)) / all)), "{} of {all}", near(pair, kib(48)));
}

#[test]
fn a_load_that_runs_again_is_told() {
    let machine = with(|pipeline| pipeline.reordered_load_cycles = Some(Cycles(5000.0)));
    let text = "void f(double (*x)[64], int m, int n, int k) {
        for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) x[i][j] -= x[i][k] * x[k][j]; }";
    assert!(why(&machine, text).contains("a copy of the element in a variable would help"), "{}", why(&machine, text));
}
