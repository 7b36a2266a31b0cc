//! Code for aarch64: an object that gcc 12 made (`testdata/compiled/kernels-aarch64.c`, -O2 -g1), and, where a cross compiler is
//! installed, what it makes of small functions.

use chronos_compiled::compile::object_of;
use chronos_compiled::core::Core;
use chronos_compiled::induction::Reduction;
use chronos_compiled::instruction::{FamilyUse, InstructionSet};
use chronos_compiled::listing::{FunctionListing, MachineLoop, listing};
use chronos_compiled::object_code::read;
use chronos_compiled::{Compilation, CompiledUnit};
use std::process::Command;

fn shipped() -> CompiledUnit {
    let bytes = include_bytes!("../../../testdata/compiled/kernels-aarch64.o");
    let (unit, diagnostics) = read(bytes, "kernels.c").expect("an object");
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(unit.set, InstructionSet::Aarch64);
    unit
}

/// Hands the listing of a function to `look`.
fn check(unit: &CompiledUnit, core: &str, function: &str, look: impl Fn(&FunctionListing<'_>)) {
    let core = Core::load(core).expect("shipped");
    core.executes(unit.set, &[]).expect("its instruction set");
    look(&listing(unit, unit.function(function).expect("it is there"), &core));
}

fn cycles(l: &MachineLoop) -> f64 {
    let paths = l.paths.as_ref().expect("it is timed");
    paths[0].time.as_ref().expect("all have figures").cycles
}

#[test]
fn sums_of_products_wait_for_the_sum_alone() {
    for (core, each) in [("neoverse-n1", 2.0), ("cortex-a72", 3.0)] {
        check(&shipped(), core, "dot", |found| {
            let [l] = &found.loops[..] else { panic!("one loop") };
            assert_eq!(l.place.as_ref().map(|place| place.line), Some(3));
            assert_eq!(l.facts.reductions.iter().map(|r| r.operation).collect::<Vec<_>>(), [Reduction::Sum]);
            let steps: Vec<_> = l.facts.accesses.iter().map(|access| access.step.clone()).collect();
            assert_eq!(steps, [Ok(8), Ok(8)]);
            assert_eq!(cycles(l), each, "{core}");
        });
    }
}

#[test]
fn addresses_that_are_moved_do_not_wait_for_what_is_loaded() {
    // ldr w2, [x0], #4: the next address is there after a cycle. The counter in memory is loaded once, and stored each time.
    check(&shipped(), "neoverse-n1", "count", |found| {
        let [l] = &found.loops[..] else { panic!("one loop") };
        let steps: Vec<_> = l.facts.accesses.iter().map(|access| access.step.clone()).collect();
        assert_eq!(steps, [Ok(4), Ok(0)]);
        assert_eq!(l.facts.inductions.len(), 1);
        assert!(cycles(l) < 2.0, "{}", cycles(l));
    });
}

#[test]
fn symbols_are_made_of_pages_and_the_bits_below() {
    let unit = shipped();
    let core = Core::load("neoverse-n1").expect("shipped");
    let function = unit.function("count").expect("it is there");
    let found = listing(&unit, function, &core);
    let store = found.loops[0].facts.accesses.iter().find(|access| access.writes).expect("a store");
    let text = &function.instructions[store.instruction].text;
    assert_eq!(text, "str w1, [x4]");
    assert!(function.instructions.iter().any(|i| i.text == "add x4, x2, #0x0 <.bss>"), "{text}");
}

#[test]
fn loops_of_another_instruction_set_are_refused() {
    let zen = Core::load("zen4").expect("shipped");
    let error = zen.executes(InstructionSet::Aarch64, &["gcc".to_owned()]).expect_err("another set");
    assert_eq!(error.code.id, "C1311");
    assert!(error.help.is_some());
}

/// The unit that the cross compiler makes of a text; `None`, and a line that says so, where there is none.
fn compiled(flags: &str, text: &str) -> Option<CompiledUnit> {
    const COMPILER: &str = "aarch64-linux-gnu-gcc";
    if !Command::new(COMPILER).arg("--version").output().is_ok_and(|output| output.status.success()) {
        println!("skipped: {COMPILER} is not installed (package gcc-aarch64-linux-gnu)");
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("kernel.c");
    std::fs::write(&file, text).expect("written");
    let command = std::iter::once(COMPILER).chain(flags.split_whitespace()).map(str::to_owned).collect();
    let object = object_of(&Compilation { command, ..Compilation::default() }, &file).expect("it compiles");
    Some(read(&object.bytes, "kernel.c").expect("it is read").0)
}

#[test]
fn kernels_have_figures_at_all_levels() {
    let text = "#include <math.h>\n\
        double f(double *restrict a, const double *restrict b, const float *c, int *k, long n) {\n\
          double m = 0;\n\
          for (long i = 0; i < n; i++) { a[i] = a[i] * 3 + b[i] / (c[i] + 1); if (fabs(a[i]) > m) m = fabs(a[i]); }\n\
          for (long i = 0; i < n; i++) k[i] = k[i] * 7 + (k[i] >> 3) % 5;\n\
          for (long i = 1; i < n; i++) a[i] = sqrt(a[i - 1]) + (double)k[i];\n\
          return m;\n}\n";
    for flags in ["-O1", "-O2", "-O3", "-O3 -ffast-math"] {
        let Some(unit) = compiled(flags, text) else { return };
        for core in ["neoverse-n1", "cortex-a72"] {
            check(&unit, core, "f", |found| {
                let unknown = found.function.instructions.iter().find(|i| i.family == FamilyUse::Unknown);
                assert!(unknown.is_none(), "{flags}: {unknown:?}");
                assert!(found.loops.len() >= 3, "{flags}");
                let timed = found.loops.iter().filter_map(|l| l.paths.as_ref().ok()).flatten();
                timed.for_each(|path| assert!(path.time.is_ok(), "{flags}, {core}: {:?}", path.time));
            });
        }
    }
}

#[test]
fn switches_are_followed_through_their_tables() {
    let cases: String = (0..24).map(|n| format!("case {n}: s = g(s + {}); break;\n", n * n)).collect();
    let text = format!(
        "int g(int); int f(int k, const int *a) {{ int s = 0;\n\
         for (int i = 0; i < k; i++) switch (a[i]) {{ {cases} default: s = -s; }}\n return s; }}\n"
    );
    let Some(unit) = compiled("-O2", &text) else { return };
    check(&unit, "neoverse-n1", "f", |found| {
        let [jump] = &found.graph.indirect_jumps[..] else { panic!("one jump through a table") };
        assert!((24..=25).contains(&jump.targets.len()), "{:?}", jump.targets);
        assert_eq!(found.loops.len(), 1);
    });
}
