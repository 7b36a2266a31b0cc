//! Mispredictions: branches and ends of loops that data decides.

use super::*;

/// Of the first function that has loops or branches: mispredictions of all scopes with these counts, and chains.
fn mispredictions(profile: &str, text: &str, counts: &[(u32, u64)]) -> String {
    let program = program(text);
    let model = Source::new(&program, &machine(profile));
    let entries: Vec<_> =
        counts.iter().map(|&(counter, n)| (ContextId(0), CounterId(counter), Count::exact(n.into()))).collect();
    let segment = Segment { counts: entries, ..Segment::default() };
    let counts = profile::counts::ExecutionCounts::of_context(&segment, ContextId(0));
    let times = (0..model.scopes.len())
        .map(|scope| price::loop_time::scope_time(&model, scope, &counts).misprediction.to_string());
    times.collect::<Vec<_>>().join(" ")
}

/// A loop of 100 iterations with one branch, taken 30 times.
fn branchy(profile: &str, condition: &str) -> String {
    let text =
        format!("int x[100], y[100]; void f(int n) {{ for (int i = 0; i < n; i++) if ({condition}) y[i] = i; }}");
    let counts = counters(&text, |program, block| match &program.blocks[block].kind {
        BlockKind::Loop(_) => vec![100, 1],
        BlockKind::Branch(_) => vec![100, 30],
        _ => vec![],
    });
    mispredictions(profile, &text, &counts)
}

#[test]
fn a_branch_on_data_goes_the_rarer_way_unexpectedly() {
    // 0.6 times 30 times the penalty of 10, and a load (4), the comparison (1), less what the penalty holds (2).
    insta::assert_snapshot!(branchy("gcc-O2", "x[i] > 5"), @"0 234");
    // Counters repeat themselves.
    insta::assert_snapshot!(branchy("gcc-O2", "i % 3 == 0"), @"0 0");
}

#[test]
fn what_is_known_late_adds_to_the_penalty() {
    // Two loads, mask, widening, scaled address, comparison: 12, less 2.
    insta::assert_snapshot!(branchy("gcc-O2", "x[x[i] & 63] > 5"), @"0 360");
}

#[test]
fn loops_that_data_ends_do_so_unexpectedly_unless_all_have_one_length() {
    let text = "int f(int *x, int n) { int s = 0; for (int i = 0; i < n; i++) { int v = x[i]; while (v > 0) { v = v / 3; s++; } } return s; }";
    let of = |inner: u64| {
        let outer = std::cell::Cell::new(true);
        counters(text, |program, block| match &program.blocks[block].kind {
            BlockKind::Loop(_) if outer.replace(false) => vec![100, 1],
            BlockKind::Loop(_) => vec![inner, 100],
            _ => vec![],
        })
    };
    insta::assert_snapshot!(mispredictions("gcc-O2", text, &of(450)), @"0 0 1000");
    insta::assert_snapshot!(mispredictions("gcc-O2", text, &of(400)), @"0 0 0");
    insta::assert_snapshot!(mispredictions("gcc-O2", text, &of(40)), @"0 0 400");
}

#[test]
fn a_length_that_changes_farther_out_is_learnt_in_the_loop_around() {
    let levels = |step: &str, change: &str| {
        format!(
            "double x[4096]; void f(int n) {{ for (int d = 1; d < n; {change}) for (int a = 0; a < d; a++)
             for (int b = 0; b < n; b += {step}) x[b + a] += 1; }}"
        )
    };
    let of = |text: &str| {
        let at = std::cell::Cell::new(0);
        let counts = counters(text, |program, block| match &program.blocks[block].kind {
            BlockKind::Loop(_) => {
                at.set(at.get() + 1);
                [vec![10, 1], vec![1000, 10], vec![4100, 1000]][at.get() - 1].clone()
            }
            _ => vec![],
        });
        let found = mispredictions("gcc-O2", text, &counts);
        found.split(' ').next_back().map(str::to_owned)
    };
    // All 100 entries of a level have one length: two ends of each of the ten levels are missed, of ten cycles each.
    assert_eq!(of(&levels("2 * d", "d *= 2")).as_deref(), Some("200"));
    // The step is another one in each entry.
    assert_eq!(of(&levels("2 * a + 1", "d *= 2")), of(&levels("2 * a + 1", "d++")));
    assert_ne!(of(&levels("2 * a + 1", "d *= 2")).as_deref(), Some("0"));
}
