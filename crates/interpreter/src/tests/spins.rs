//! Loops that poll, fed with unsuccessful polls.

use super::*;
use chronos_activity::{Arrival, MessageId};
use chronos_base::units::Bytes;

const HEAD: &str = "#include <mpi.h>\nint main(int argc, char **argv) { MPI_Init(&argc, &argv); int flag = 0, n = 0; MPI_Request r; int x;\n\
                    MPI_Irecv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &r);\n";
const TAIL: &str = "\nMPI_Finalize(); return 0; }";

/// Steps of a program of which no poll succeeds, whose spins are each over after five periods, and whose `polls`th poll completes
/// its request: by their first letters.
fn story(body: &str, polls: usize) -> String {
    let mut given = options(&[]);
    given.tasks = 2;
    let mut evaluator = evaluator_with(&format!("{HEAD}{body}{TAIL}"), given, true);
    let (mut text, mut outcome, mut left) = (String::new(), Outcome::None, polls);
    loop {
        let step = evaluator.next(TaskId(0), std::mem::take(&mut outcome));
        match &step {
            Step::Event(event) if event.operation.is_poll() => {
                left = left.saturating_sub(1);
                outcome = if left == 0 { completed() } else { Outcome::NotYet };
                text += "p";
            }
            Step::Event(_) => text += "e",
            Step::Spin(spin) => {
                write!(text, " {} of {} ", spin.steps.len(), spin.most).expect("a string");
                outcome = Outcome::Spun { times: spin.most.min(5) };
            }
            Step::Repeat(repeat) => write!(text, "repeat {}", repeat.times).expect("a string"),
            Step::End | Step::Stuck => return format!("{text} {step:?} {:?}", evaluator.result(TaskId(0))),
            _ => {}
        }
        if text.len() > 200 {
            return text;
        }
    }
}

fn completed() -> Outcome {
    let message = MessageId { sender: TaskId(1), sequence: 0 };
    Outcome::Arrived(vec![Arrival { message, tag: 0, bytes: Bytes(4), request: Some(chronos_activity::RequestId(0)) }])
}

#[test]
fn a_loop_that_only_tests_spins() {
    let found = story("while (!flag) { MPI_Test(&r, &flag, MPI_STATUS_IGNORE); n++; }", 6);
    insta::assert_snapshot!(found, @"eeppp 3 of 18446744073709551615 p 3 of 18446744073709551615 p 3 of 18446744073709551615 pe End Some(Int(0))");
}

#[test]
fn a_counter_bounds_a_spin() {
    let found = story("for (n = 0; n < 8; n++) { MPI_Test(&r, &flag, MPI_STATUS_IGNORE); if (flag) break; }", 100);
    insta::assert_snapshot!(found, @"eepp 3 of 6 pe End Some(Int(0))");
}

#[test]
fn a_loop_whose_state_changes_does_not_spin() {
    let body = "while (!flag) { MPI_Test(&r, &flag, MPI_STATUS_IGNORE); n = n * 2 + 1; if (n > 100) break; }";
    insta::assert_snapshot!(story(body, 100), @"eepppppppe End Some(Int(0))");
}

#[test]
fn other_calls_keep_a_loop_from_spinning() {
    let body =
        "while (!flag) { MPI_Test(&r, &flag, MPI_STATUS_IGNORE); MPI_Send(&n, 1, MPI_INT, 1, 5, MPI_COMM_WORLD); }";
    insta::assert_snapshot!(story(body, 7), @"eepepepepepepepee End Some(Int(0))");
}

#[test]
fn two_requests_in_turn_make_a_period_of_two_iterations() {
    let body = "MPI_Request q[2]; MPI_Irecv(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &q[0]); q[1] = r;\n\
                for (int i = 0; !flag; i = 1 - i) MPI_Test(&q[i], &flag, MPI_STATUS_IGNORE);";
    insta::assert_snapshot!(story(body, 9), @"eeeppppp 6 of 18446744073709551615 p 6 of 18446744073709551615 p 6 of 18446744073709551615 p 6 of 18446744073709551615 pe End Some(Int(0))");
}

/// As `story`; the number of characters sent at the end makes `n` relevant, and is what `main` returns.
fn counting(body: &str, polls: usize) -> String {
    story(
        &format!("char text[99]; {body}\nMPI_Send(text, n, MPI_CHAR, 1, 5, MPI_COMM_WORLD); MPI_Finalize(); return n;"),
        polls,
    )
}

#[test]
fn a_counter_of_polls_is_moved_by_whole_periods() {
    let body = "while (!flag) { n++; MPI_Test(&r, &flag, MPI_STATUS_IGNORE); }";
    insta::assert_snapshot!(counting(body, 5), @"eeppp 3 of 2147483644 ppee End Some(Int(10))");
}

#[test]
fn counters_in_memory_are_moved_as_well() {
    let body = "int *to = &n; while (!flag) { n += 2; MPI_Test(&r, &flag, MPI_STATUS_IGNORE); } *to += 1;";
    insta::assert_snapshot!(counting(body, 5), @"eeppp 3 of 1073741820 ppee End Some(Int(21))");
    let read = "int *to = &n; while (!flag) { n += 2; MPI_Test(&r, &flag, MPI_STATUS_IGNORE); if (*to > 20) break; }";
    insta::assert_snapshot!(counting(read, 50), @"eepppppppppppee End Some(Int(22))");
}

#[test]
fn a_counter_that_soon_ends_the_loop_is_followed() {
    let body = "while (!flag && n < 10) { n++; MPI_Test(&r, &flag, MPI_STATUS_IGNORE); }";
    insta::assert_snapshot!(counting(body, 100), @"eeppppppppppee End Some(Int(10))");
}

#[test]
fn a_period_is_as_long_as_what_repeats() {
    let rank = "MPI_Comm_rank(MPI_COMM_WORLD, &x);";
    let body = format!("while (!flag) {{ MPI_Test(&r, &flag, MPI_STATUS_IGNORE); if (++n == 7) {{ n = 0; {rank} }} }}");
    insta::assert_snapshot!(counting(&body, 17), @"eeppppppppppppppp 21 of 18446744073709551615 p 21 of 18446744073709551615 pee End Some(Int(3))");
    let body = format!("while (!flag) {{ n++; MPI_Test(&r, &flag, MPI_STATUS_IGNORE); if (n % 7 == 0) {rank} }}");
    insta::assert_snapshot!(counting(&body, 17), @"eeppppppppppppppp 21 of 306783376 ppee End Some(Int(52))");
}

#[test]
fn a_counter_stops_where_its_type_ends() {
    let body = "signed char c = 120; while (!flag) { c++; MPI_Test(&r, &flag, MPI_STATUS_IGNORE); } n = c & 63;";
    insta::assert_snapshot!(counting(body, 5), @"eeppp 3 of 4 ppee End Some(Int(1))");
}

#[test]
fn what_a_repeat_counts_is_moved() {
    let body = "for (int i = 0; i < 20; i++) { n += 3; MPI_Barrier(MPI_COMM_WORLD); }";
    insta::assert_snapshot!(counting(body, 1), @"eeeerepeat 18ee End Some(Int(60))");
}

#[test]
fn counters_are_compared_with_bounds_of_other_types() {
    let body = "long m = 1000000000; for (int i = 0; i < m; i++) MPI_Barrier(MPI_COMM_WORLD);";
    insta::assert_snapshot!(counting(body, 1), @"eeeerepeat 999999998ee End Some(Int(0))");
    let body = "for (int i = 0; i < 1000 * sizeof(int); i++) MPI_Barrier(MPI_COMM_WORLD);";
    insta::assert_snapshot!(counting(body, 1), @"eeeerepeat 3998ee End Some(Int(0))");
    let body = "for (int i = 3; i >= 0u; i--) { n++; if (n == 30) break; MPI_Barrier(MPI_COMM_WORLD); }";
    insta::assert_snapshot!(counting(body, 1), @"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee End Some(Int(30))");
}

#[test]
fn counters_are_compared_with_bounds_of_floating_point() {
    let loops = |head: &str| counting(&format!("for ({head}) MPI_Barrier(MPI_COMM_WORLD);"), 1);
    insta::assert_snapshot!(loops("long i = 0; i < 1e10; i++"), @"eeeerepeat 9999999998ee End Some(Int(0))");
    insta::assert_snapshot!(loops("long i = 0; i <= 99.5; i++"), @"eeeerepeat 98ee End Some(Int(0))");
    insta::assert_snapshot!(loops("long i = 0; i < 99.5; i++"), @"eeeerepeat 98ee End Some(Int(0))");
    insta::assert_snapshot!(loops("int i = 100; i > 0.5; i--"), @"eeeerepeat 98ee End Some(Int(0))");
    insta::assert_snapshot!(loops("int i = 0; i < 1e10; i++"), @"eeee Stuck None");
    insta::assert_snapshot!(loops("int i = 0; i < 1000.0f; i++"), @"eeeerepeat 998ee End Some(Int(0))");
}

#[test]
fn a_counter_that_never_comes_to_its_bound_is_told() {
    let body = "for (unsigned char i = 0; i < 300; i++) MPI_Barrier(MPI_COMM_WORLD);";
    insta::assert_snapshot!(counting(body, 1), @"eeee Stuck None");
}

#[test]
fn comparisons_of_the_counter_of_a_loop_fold() {
    let once = "for (int i = 0; i < 9000; i++) { if (i == 5000) n = 7; MPI_Barrier(MPI_COMM_WORLD); }";
    insta::assert_snapshot!(counting(once, 1), @"eeeerepeat 4997eeeerepeat 3997ee End Some(Int(7))");
    let seldom = "for (int i = 0; i < 9000; i++) { if (i % 4000 == 0) n++; MPI_Barrier(MPI_COMM_WORLD); }";
    insta::assert_snapshot!(counting(seldom, 1), @"eeeeerepeat 3996eeeerepeat 3996eeeerepeat 997ee End Some(Int(3))");
    let moving_bound = "for (int i = 0; i < 100 - i; i++) { n++; MPI_Barrier(MPI_COMM_WORLD); }";
    insta::assert_snapshot!(counting(moving_bound, 1), @"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee End Some(Int(50))");
}

#[test]
fn a_counter_that_is_printed_folds_up_to_its_next_digit() {
    let printed = |text: &str| {
        let body =
            format!("for (int i = 1; i < 2000; i++) {{ MPI_Barrier(MPI_COMM_WORLD); printf(\"{text}\\n\", i, 1.5); }}");
        counting(&body, 1)
    };
    insta::assert_snapshot!(printed("iteration %d: %g"), @"eeeeeeeeeeeeerepeat 87eeerepeat 897eeerepeat 998ee End Some(Int(0))");
    let other = printed("iteration %hhd: %g");
    assert_eq!(other.matches('e').count(), printed("iteration %x: %g").matches('e').count(), "{other}");
    assert!(!other.contains("repeat"), "{other}");
}

/// What a program returns, how often its blocks are executed, and the steps that it took, where the `polls`th poll succeeds.
/// With `skips` as many whole periods go by as come before that, else none.
fn outcome(body: &str, polls: u64, skips: bool) -> (String, BTreeMap<CounterId, u128>, u64) {
    outcome_with("", body, polls, skips)
}

fn outcome_with(functions: &str, body: &str, polls: u64, skips: bool) -> (String, BTreeMap<CounterId, u128>, u64) {
    let head = HEAD.replacen("int main", &format!("{functions}\nint main"), 1);
    let text = format!(
        "{head}char text[99]; int m = 0, k = 0;\n{body}\nMPI_Send(text, (n + m) & 63, MPI_CHAR, 1, 5, MPI_COMM_WORLD);\n\
         MPI_Finalize(); return n * 1000 + m;}}"
    );
    let mut given = options(&[]);
    given.tasks = 2;
    let mut evaluator = evaluator_with(&text, given, true);
    let (mut counts, mut outcome, mut left, mut steps) = (BTreeMap::new(), Outcome::None, polls, 0);
    loop {
        let step = evaluator.next(TaskId(0), std::mem::take(&mut outcome));
        steps += 1;
        match &step {
            Step::Event(event) if event.operation.is_poll() => {
                left = left.saturating_sub(1);
                outcome = if left == 0 { completed() } else { Outcome::NotYet };
            }
            Step::Spin(spin) => {
                let is_poll = |step: &&Step| matches!(step, Step::Event(event) if event.operation.is_poll());
                let each = spin.steps.iter().filter(is_poll).count() as u64;
                let times = if skips { spin.most.min(left.saturating_sub(1) / each) } else { 0 };
                left -= times * each;
                spin.steps.iter().for_each(|step| count(&evaluator, step, times, &mut counts));
                outcome = Outcome::Spun { times };
            }
            Step::End | Step::Stuck => return (format!("{step:?} {:?}", evaluator.result(TaskId(0))), counts, steps),
            step => count(&evaluator, step, 1, &mut counts),
        }
    }
}

fn count(evaluator: &Evaluator, step: &Step, times: u64, counts: &mut BTreeMap<CounterId, u128>) {
    match step {
        Step::Work(Work::Segment(id)) => {
            for (counter, count) in evaluator.segments().get(*id).by_counter() {
                *counts.entry(counter).or_default() += count.as_f64().expect("known") as u128 * u128::from(times);
            }
        }
        Step::Repeat(repeat) => {
            repeat.steps.iter().for_each(|step| count(evaluator, step, times * repeat.times, counts));
        }
        _ => {}
    }
    counts.retain(|_, count| *count > 0);
}

/// What the program returns, and in how many steps, where no poll succeeds before the limit of a billion.
fn skipped(body: &str) -> (String, u64) {
    let (result, _, steps) = outcome(body, 1_000_000_000, true);
    (result, steps)
}

#[test]
fn a_comparison_of_the_polls_with_a_limit_is_skipped_up_to_the_limit() {
    let bounded = "while (!flag && n < 100000000) { n++; MPI_Test(&r, &flag, MPI_STATUS_IGNORE); } m = n; n = 0;";
    insta::assert_debug_snapshot!(skipped(bounded), @r#"
    (
        "End Some(Int(100000000))",
        31,
    )
    "#);
    let broken =
        "int most = 50000000; while (!flag) { MPI_Test(&r, &flag, MPI_STATUS_IGNORE); if (++m > 2 * most - 1) break; }";
    insta::assert_debug_snapshot!(skipped(broken), @r#"
    (
        "End Some(Int(100000000))",
        35,
    )
    "#);
    let shared = "static int most; MPI_Comm_size(MPI_COMM_WORLD, &most); most *= 1000; for (; !flag; m++) { MPI_Test(&r, &flag, MPI_STATUS_IGNORE); if (m >= most) break; }";
    insta::assert_debug_snapshot!(skipped(shared), @r#"
    (
        "End Some(Int(2000))",
        35,
    )
    "#);
    let down = "m = 90000000; while (!flag && m--) { MPI_Test(&r, &flag, MPI_STATUS_IGNORE); }";
    insta::assert_debug_snapshot!(skipped(down), @r#"
    (
        "End Some(Int(-1))",
        35,
    )
    "#);
    let only_failed = "while (!flag) { MPI_Test(&r, &flag, MPI_STATUS_IGNORE); if (!flag) { m++; if (m == 1000000) goto out; } } out: ;";
    insta::assert_debug_snapshot!(skipped(only_failed), @r#"
    (
        "End Some(Int(1000000))",
        31,
    )
    "#);
}

#[test]
fn polls_are_skipped_between_the_turns_of_a_comparison() {
    let reset =
        "while (!flag) { MPI_Test(&r, &flag, MPI_STATUS_IGNORE); if (++n == 500000) { n = 0; if (++m == 3) break; } }";
    insta::assert_debug_snapshot!(skipped(reset), @r#"
    (
        "End Some(Int(3))",
        71,
    )
    "#);
    let modulo =
        "while (!flag) { MPI_Test(&r, &flag, MPI_STATUS_IGNORE); if (++n % 500000 == 0) m++; if (m == 3) break; }";
    insta::assert_debug_snapshot!(skipped(modulo), @r#"
    (
        "End Some(Int(1500000003))",
        71,
    )
    "#);
    let often = "while (!flag) { MPI_Test(&r, &flag, MPI_STATUS_IGNORE); if (++n == 50) n = 0; }";
    insta::assert_debug_snapshot!(skipped(often), @r#"
    (
        "End Some(Int(0))",
        711,
    )
    "#);
}

/// What the program returns in a few steps, where its functions stand before `main`, and no poll succeeds before the limit of a
/// billion.
fn soon(functions: &str, body: &str) -> String {
    let (result, _, steps) = outcome_with(functions, body, 1_000_000_000, true);
    assert!(steps < 300, "{steps} steps: {body}");
    result
}

#[test]
fn loops_of_jumps_are_skipped() {
    let bounded = "again: MPI_Test(&r, &flag, MPI_STATUS_IGNORE); m++; if (!flag && m < 100000000) goto again;";
    assert_eq!(soon("", bounded), "End Some(Int(100000000))");
    let twice = "for (int i = 0; i < 2; i++) { k = 0;\
                 again: m++; MPI_Test(&r, &flag, MPI_STATUS_IGNORE); if (++k < 1000000) goto again; }";
    assert_eq!(soon("", twice), "End Some(Int(2000000))");
    let endless = "again: MPI_Test(&r, &flag, MPI_STATUS_IGNORE); if (flag) goto out; goto again; out: m = flag;";
    assert_eq!(soon("", endless), "End Some(Int(1))");
    let inner = "again: for (k = 0; k < 3; k++) MPI_Test(&r, &flag, MPI_STATUS_IGNORE); if (++m < 1000) goto again;";
    assert_eq!(outcome(inner, 1_000_000_000, true).0, "End Some(Int(1000))");
}

#[test]
fn what_called_functions_count_is_skipped() {
    let global = "long polls; int ready(MPI_Request *r) { int done; polls++; MPI_Test(r, &done, MPI_STATUS_IGNORE); return done; }";
    let body = "while (!ready(&r)) if (polls >= 100000000) break; m = polls;";
    assert_eq!(soon(global, body), "End Some(Int(100000000))");
    let passed = "int next(int n) { return n + 2; }";
    let body = "while (!flag && m < 100000000) { m = next(m); MPI_Test(&r, &flag, MPI_STATUS_IGNORE); }";
    assert_eq!(soon(passed, body), "End Some(Int(100000000))");
    let limit = "int tries; int lost(int most) { if (++tries % 100000 == 0) return tries / 100000 >= most; return 0; }";
    let body = "while (!flag && !lost(3)) MPI_Test(&r, &flag, MPI_STATUS_IGNORE); m = tries;";
    assert_eq!(soon(limit, body), "End Some(Int(300000))");
}

#[test]
fn what_is_counted_through_pointers_is_skipped() {
    let functions =
        "struct polls { int done; long all; }; int more(struct polls *p, long most) { return ++p->all < most; }";
    let body = "struct polls p = {0, 0}; do MPI_Test(&r, &p.done, MPI_STATUS_IGNORE);\
                while (!p.done && more(&p, 100000000)); m = p.all;";
    assert_eq!(soon(functions, body), "End Some(Int(100000000))");
    let read = "int *to = &n; while (!flag) { n += 2; MPI_Test(&r, &flag, MPI_STATUS_IGNORE); if (*to > 2000000) break; }\
                m = n; n = 0;";
    assert_eq!(soon("", read), "End Some(Int(2000002))");
}

#[test]
fn what_moves_otherwise_is_followed() {
    let followed = |functions: &str, body: &str| {
        let (result, _, steps) = outcome_with(functions, body, 1_000_000_000, true);
        assert!(steps > 2000, "{steps} steps: {body}");
        result
    };
    let index = "int all[5000]; int is(int i) { return all[i]; }";
    let body = "all[1500] = 1; while (!flag && !is(m)) { m++; MPI_Test(&r, &flag, MPI_STATUS_IGNORE); }";
    assert_eq!(followed(index, body), "End Some(Int(1500))");
    let product = "int twice(int x) { return x * x; }";
    let body = "while (!flag && twice(m) < 2250000) { m++; MPI_Test(&r, &flag, MPI_STATUS_IGNORE); }";
    assert_eq!(followed(product, body), "End Some(Int(1500))");
}

/// Statements that count, compare, reset and divide.
fn statement() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let limit = 1u32..700;
    prop_oneof![
        Just("n++;".to_string()),
        Just("if (!flag) n += 2;".to_string()),
        limit.clone().prop_map(|l| format!("if (n > {l}) m++;")),
        limit.clone().prop_map(|l| format!("if ({l} - 3 == n) m += 100;")),
        limit.clone().prop_map(|l| format!("if (++k >= {l}) {{ k = 0; m++; }}")),
        limit.clone().prop_map(|l| format!("if (k++ == {l}) m += 7;")),
        limit.clone().prop_map(|l| format!("if (n % {l} == 1) m += 3;")),
        limit.clone().prop_map(|l| format!("if ((unsigned char)n < {l}) m += 3;")),
        limit.clone().prop_map(|l| format!("if (n > {l} && k < {l}) k += 2;")),
        limit.clone().prop_map(|l| format!("if (n >= {l} * 2) break;")),
        Just("count();".to_string()),
        Just("bump(&k);".to_string()),
        Just("n = after(n);".to_string()),
        limit.clone().prop_map(|l| format!("if (is_over({l})) m++;")),
        limit.clone().prop_map(|l| format!("if (polled % {l} == 0) m += 5;")),
        limit
            .clone()
            .prop_map(|l| format!("switch (polled / 8 - {l}) {{ case 0: m++; break; case 1 ... 9: m += 2; }}")),
        limit.prop_map(|l| format!("if (++tally.all * 3 > {l} + tally.most) {{ tally.most += 400; m++; }}")),
    ]
}

/// What they call.
const FUNCTIONS: &str = "static int polled; struct { int most; long all; } tally; void count(void) { polled++; }\n\
                         void bump(int *k) { *k += 3; } int after(int n) { return n + 1; }\n\
                         int is_over(int limit) { return ++polled > limit; }";

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(200))]
    #[test]
    fn skipping_of_polls_changes_nothing(
        before in proptest::collection::vec(statement(), 0..3),
        behind in proptest::collection::vec(statement(), 0..3),
        (polls, limit) in (1u64..1500, 1u32..3000),
        form in 0..5,
    ) {
        let (before, behind) = (before.concat(), behind.concat());
        let body = format!("{{ {before} MPI_Test(&r, &flag, MPI_STATUS_IGNORE); {behind} }}");
        let text = match form {
            0 => format!("while (!flag) {body}"),
            1 => format!("while (!flag && m < {limit}) {body}"),
            2 => format!("x = 0; while (1) {{ again: {body} if (!flag && ++x < {limit}) goto again; break; }}"),
            3 => format!("for (x = 0; x < 3; x++) {{ int y = 0; if (n) y = 1; again: do {body} while (0); if (!flag && ++y < {limit} && m < 9999) goto again; }}"),
            _ => format!("for (int i = 0; i < {limit} && !flag; i++) {body}"),
        };
        let (result, counts, _) = outcome_with(FUNCTIONS, &text, polls, true);
        let (followed, every, _) = outcome_with(FUNCTIONS, &text, polls, false);
        proptest::prop_assert_eq!(result, followed, "{}", text);
        proptest::prop_assert_eq!(counts, every, "{}", text);
    }
}
