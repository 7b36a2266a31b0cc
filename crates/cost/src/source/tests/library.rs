//! Loops that call functions of the library, and the sizes that allocators are asked for.

use super::*;
use chronos_machine::MemoryLevel;

const DECLARED: &str = "double exp(double); double log(double); void *malloc(unsigned long);";

/// Every block is executed `n` times, every loop entered once; calls of `exp` take 30 cycles.
fn priced(text: &str, n: u64, volumes: &[(&str, f64)]) -> (Source, Segment) {
    let text = format!("{DECLARED} {text}");
    let program = program(&text);
    let mut machine = machine("gcc-O2");
    let cost = machine.library.get_mut("exp").expect("shipped");
    (cost.cycles, cost.cycles_per_byte) = (Cycles(30.0), Cycles(0.0));
    let all = counters(&text, |program, block| match &program.blocks[block].kind {
        BlockKind::Loop(_) => vec![n, 1],
        BlockKind::Call(call) if matches!(&call.callee, chronos_ir::Callee::Library(name) if **name == *"malloc") => {
            vec![1]
        }
        _ => vec![n],
    });
    let counts = all.into_iter().map(|(counter, n)| (ContextId(0), CounterId(counter), Count::exact(n.into())));
    let called = |wanted: &str| {
        let calls = program.blocks.iter().filter_map(|(id, block)| match &block.kind {
            BlockKind::Call(call) => Some((id, &call.callee)),
            _ => None,
        });
        let is = |callee: &chronos_ir::Callee| matches!(callee, chronos_ir::Callee::Library(n) if **n == *wanted);
        { calls }.find(|(_, callee)| is(callee)).map(|(id, _)| id).expect("called")
    };
    let volumes = volumes.iter().map(|&(name, bytes)| (ContextId(0), called(name), bytes)).collect();
    let segment = Segment { counts: counts.collect(), volumes, ..Segment::default() };
    (Source::new(&program, &machine), segment)
}

/// Cycles per iteration.
fn check(text: &str) -> f64 {
    let (model, segment) = priced(text, 1000, &[]);
    model.price(&segment, &Reuse::default()).total().0 / 1000.0
}

/// What the call itself takes, with the argument and the branch of the loop.
fn alone() -> f64 {
    check("double x[9]; void f(int n) { for (int i = 0; i < n; i++) exp(x[0]); }")
}

#[test]
fn chains_and_divisions_go_on_while_a_function_of_the_library_runs() {
    let sum = check(
        "double x[9]; double f(int n) { double s = 0; for (int i = 0; i < n; i++) s += exp(x[i & 7]); return s; }",
    );
    // The chain of the sum, 3 cycles and those through memory, is hidden; a few more operations are begun.
    assert!(sum - alone() > 0.0 && sum - alone() < 2.0, "{sum} {}", alone());
    let quotient = check("double x[9]; void f(int n) { for (int i = 0; i < n; i++) x[i & 7] = exp(x[i & 7]) / 3.1; }");
    assert!(quotient - alone() < 2.5, "{quotient} {}", alone());
}

#[test]
fn a_chain_through_a_function_of_the_library_counts_it_once() {
    let recurrence = check("double f(int n) { double x = 1; for (int i = 0; i < n; i++) x = exp(x) * 0.5; return x; }");
    assert!(recurrence >= alone() && recurrence < 1.5 * alone(), "{recurrence} {}", alone());
}

#[test]
fn what_data_chooses_stays_within_what_was_allocated() {
    let text = "int in[100000]; void f(int n) { int *histogram = malloc(4096);
        for (int i = 0; i < n; i++) histogram[in[i]]++; }";
    let lines = |volumes: &[(&str, f64)]| {
        let (mut model, segment) = priced(text, 100_000, volumes);
        let shipped = Machine::load("epyc-zen5-gcc12-O2").expect("shipped").memory.levels.remove(0);
        let level = |size: Option<u64>, ns: f64| MemoryLevel {
            size_bytes: size.map(chronos_base::units::Bytes),
            ns_per_line_read: Some(chronos_base::units::Nanoseconds(ns)),
            ns_per_line_write: None,
            ..shipped.clone()
        };
        model.levels = vec![level(Some(32 << 10), 0.0), level(Some(512 << 10), 1.0), level(None, 2.0)];
        model.price(&segment, &Reuse::default());
        let index = model.scopes.len() - 1;
        memory::lines::memory_traffic(
            &model,
            index,
            &profile::counts::ExecutionCounts::of_context(&segment, ContextId(0)),
            None,
        )
        .second_level
    };
    // 400 kB of the input come from the second level; the histogram stays in the first, once its size is known.
    let (known, unknown) = (lines(&[("malloc", 4096.0)]), lines(&[]));
    assert!((known / 6250.0 - 1.0).abs() < 0.02 && (unknown / 12500.0 - 1.0).abs() < 0.02, "{known} {unknown}");
}

#[test]
fn lines_come_while_a_copy_of_the_library_executes() {
    let mut machine = machine("gcc-O2");
    let price_of = |machine: &Machine| {
        let text = "double a[8000], b[8000]; void f(void) { for (int i = 0; i < 8000; i++) a[i] = b[i]; }";
        price(machine, text, 1, 8000).total().0
    };
    let executed = price_of(&machine);
    machine.memory = Machine::load("epyc-zen5-gcc12-O2").expect("shipped").memory;
    machine.memory.levels.truncate(2);
    let all = price_of(&machine);
    // The same lines by a machine whose library copies in no time.
    machine.library.get_mut("memcpy").expect("shipped").cycles_per_byte.0 = 0.0;
    let lines = price_of(&machine);
    assert!(all > executed.max(lines) && all < 0.9 * (executed + lines), "{executed} and {lines} are {all} together");
}
