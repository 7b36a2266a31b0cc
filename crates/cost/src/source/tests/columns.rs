//! Walks over columns: strides that variables give, pages, sets that lines share, what execution hides.

use super::{Source, machine, program};
use crate::source::memory::lines;
use crate::source::processor::costs::Costs;
use crate::source::processor::traffic::{Execution, Traffic, measured_overlap};
use crate::source::profile::counts::ExecutionCounts;
use crate::{CostModel, Reuse};
use chronos_activity::{ContextId, Count, Segment};
use chronos_base::units::{Bytes, Nanoseconds};
use chronos_ir::InstructionClass;
use chronos_machine::{CrowdedLines, Machine, MemoryLevel, Translation};

pub fn level(name: &str, kib: Option<u64>, line: f64) -> MemoryLevel {
    let size = kib.map(|kib| Bytes(kib * 1024));
    let (ns_per_line_read, ns_per_line_write) = (Some(Nanoseconds(line)), Some(Nanoseconds(line)));
    MemoryLevel { ns_per_line_read, ns_per_line_write, ..MemoryLevel::untimed(name, size, Bytes(64)) }
}

/// Lines from the second level take 3 cycles, from the third 13.
pub fn simple() -> Machine {
    let mut machine = machine("gcc-O2");
    machine.memory.levels = vec![level("L1", Some(32), 0.0), level("L2", Some(1024), 3.0), level("L3", None, 13.0)];
    machine.memory.translation = None;
    machine
}

/// A segment that counted loops, each as `position, iterations, entries`, outermost first.
pub fn segment(model: &Source, loops: &[(usize, u64, u64)]) -> Segment {
    let headers: Vec<_> = model.scopes.iter().filter_map(|scope| scope.header).collect();
    let counts = loops.iter().flat_map(|&(position, n, entries)| {
        let [iterations, entered] = model.loop_counters(headers[position]);
        [
            (ContextId(0), iterations, Count::exact(u128::from(n))),
            (ContextId(0), entered, Count::exact(u128::from(entries))),
        ]
    });
    let mut counts: Vec<_> = counts.collect();
    counts.sort_by_key(|entry| entry.1);
    Segment { counts, ..Segment::default() }
}

/// What the innermost loop of the last function waits for, where a first segment counted the loops in `before` and the
/// second one those in `now`.
fn traffic(machine: &Machine, text: &str, before: &[(usize, u64, u64)], now: &[(usize, u64, u64)]) -> Traffic {
    let program = program(text);
    let model = Source::new(&program, machine);
    let now = segment(&model, now);
    model.price(&segment(&model, before), &Reuse::default());
    model.price(&now, &Reuse::default());
    lines::memory_traffic(&model, model.scopes.len() - 1, &ExecutionCounts::of_context(&now, ContextId(0)), None)
}

/// Two sweeps over 10 columns of 1000 rows of 101 numbers: a column is 1000 lines, more than the first level has.
pub const COLUMNS: [(usize, u64, u64); 3] = [(0, 2, 1), (1, 20, 2), (2, 20_000, 20)];

fn columns(index: &str) -> String {
    format!(
        "double s; void f(double *x, double **p, int rows, int n, int m) {{ for (int k = 0; k < m; k++)
         for (int j = 0; j < n; j++) for (int i = 0; i < rows; i++) s += {index}; }}"
    )
}

#[test]
fn a_length_gives_a_stride() {
    let known = traffic(&simple(), &columns("x[i * 101 + j]"), &[], &COLUMNS);
    // And once for each column, the line of the sum.
    assert_eq!((known.second_level.round(), known.farther.round()), (60_060.0, 0.0));
    let known = traffic(&simple(), &columns("x[i * n + j]"), &[], &COLUMNS);
    assert_eq!(known, traffic(&simple(), &columns("x[i * 10 + j]"), &[], &COLUMNS));
    // Rows of two numbers: all of a column lies in the first level.
    assert_eq!(traffic(&simple(), &columns("x[i * m + j]"), &[], &COLUMNS).second_level, 0.0);
}

#[test]
fn an_earlier_segment_may_tell_the_length() {
    let text = "double s; void f(double *x, int rows, int n, int pitch) {
        for (int i = 0; i < pitch; i++) x[i] = 0; for (int k = 0; k < 2; k++)
        for (int j = 0; j < n; j++) for (int i = 0; i < rows; i++) s += x[i * pitch + j]; }";
    let shifted = COLUMNS.map(|(position, n, entries)| (position + 1, n, entries));
    let known = traffic(&simple(), &text.replace("i * pitch", "i * 101"), &[], &shifted);
    assert_eq!(traffic(&simple(), text, &[(0, 101, 1)], &shifted), known);
    // Nobody said it: rows of ten numbers are taken to lie one beside the other, 80 KB of which each sweep brings all lines.
    assert_eq!(traffic(&simple(), text, &[], &shifted).second_level, 2.0 * 1251.0 * 3.0);
}

#[test]
fn rows_behind_pointers_lie_in_lines_of_their_own() {
    let rows = traffic(&simple(), &columns("p[i][j]"), &[], &COLUMNS);
    assert_eq!(rows.farther.round(), 0.0);
    // Each of 1000 rows is a line, and so is each eighth of the pointers.
    assert!((60_000.0..=68_000.0).contains(&rows.second_level), "{rows:?}");
    // Neighbours are of the same rows.
    let both = traffic(&simple(), &columns("p[i][j] + p[i + 1][j]"), &[], &COLUMNS);
    assert_eq!(both, rows);
}

#[test]
fn pages_beyond_those_that_are_known_are_looked_up() {
    let mut machine = simple();
    let text = columns("x[i * 520 + j]");
    let free = traffic(&machine, &text, &[], &COLUMNS);
    machine.memory.translation = Some(Translation { pages: 2000, ns_per_miss: Nanoseconds(7.0) });
    assert_eq!(traffic(&machine, &text, &[], &COLUMNS), free);
    machine.memory.translation = Some(Translation { pages: 500, ns_per_miss: Nanoseconds(7.0) });
    let found = traffic(&machine, &text, &[], &COLUMNS);
    assert_eq!((found.farther - free.farther, found.level), (20_000.0 * 7.0, lines::TRANSLATION));
    // Along the rows, the times of lines have it in them.
    let along = columns("x[j * 1000 + i]");
    let known =
        Machine { memory: chronos_machine::Memory { translation: None, ..machine.memory.clone() }, ..machine.clone() };
    assert_eq!(traffic(&machine, &along, &[], &COLUMNS), traffic(&known, &along, &[], &COLUMNS));
}

#[test]
fn what_lines_cost_that_share_sets_is_measured() {
    let mut machine = simple();
    for level in &mut machine.memory.levels {
        level.ns_per_line_strided = level.ns_per_line_read;
    }
    machine.memory.levels[1].ns_per_line_crowded = Some(Nanoseconds(5.0));
    let near =
        |pitch: u32| traffic(&machine, &columns(&format!("x[i * {pitch} + j]")), &[], &COLUMNS).second_level.round();
    // The whole pitch of a page, and half of it.
    assert_eq!((near(512), near(256)), (20_000.0 * 5.0 + 60.0, 20_000.0 * 4.0 + 60.0));
}

#[test]
fn stores_to_lines_that_share_sets_have_a_time_of_their_own() {
    let mut machine = simple();
    let stores = |pitch: u64, write: f64, update: f64| CrowdedLines {
        pitch_bytes: Bytes(pitch),
        ns_write: Nanoseconds(write),
        lines: None,
        ns_update: Nanoseconds(update),
        ns_update_slowly: None,
        ns_read: None,
        ns_mixed: None,
        ns_mixed_slowly: None,
    };
    let column = |statement: &str| {
        format!(
            "void f(double *x, int rows, int n) {{ for (int k = 0; k < 2; k++)
             for (int j = 0; j < n; j++) for (int i = 0; i < rows; i++) {statement}; }}"
        )
    };
    let shown = |machine: &Machine, statement: &str| traffic(machine, &column(statement), &[], &COLUMNS).total();
    let unknown = [shown(&machine, "x[i * 256 + j] = 1"), shown(&machine, "x[i * 264 + j] = 1")];
    let first = machine.memory.levels[0].ns_per_line_write.map_or(0.0, |ns| ns.0);
    machine.memory.levels[1].crowded_lines = vec![stores(1024, 30.0, 40.0), stores(2048, 50.0, 60.0)];
    let cycles = |ns: f64| 20_000.0 * (ns - first);
    assert!(unknown[0] < cycles(50.0));
    let [written, updated] = ["x[i * 256 + j] = 1", "x[i * 256 + j] += 1"].map(|statement| shown(&machine, statement));
    assert!((cycles(50.0)..cycles(50.5)).contains(&written), "{written}");
    assert!((cycles(60.0)..cycles(60.5)).contains(&updated), "{updated}");
    // 3 KiB have the sets of 1 KiB; other pitches use all sets.
    assert!((cycles(30.0)..cycles(30.5)).contains(&shown(&machine, "x[i * 384 + j] = 1")));
    assert_eq!(shown(&machine, "x[i * 264 + j] = 1"), unknown[1]);
}

#[test]
fn few_lines_of_a_set_and_updates_that_come_slowly_cost_less() {
    let mut machine = simple();
    let of = |lines: Option<u32>, write: f64, update: f64| CrowdedLines {
        pitch_bytes: Bytes(4096),
        lines,
        ns_write: Nanoseconds(write),
        ns_update: Nanoseconds(update),
        ns_update_slowly: Some(Nanoseconds(update / 2.0)),
        ns_read: None,
        ns_mixed: None,
        ns_mixed_slowly: None,
    };
    machine.memory.levels[1].crowded_lines = vec![of(Some(32), 20.0, 40.0), of(None, 50.0, 80.0)];
    let column = |rows: u64, operator: &str| {
        let nest = format!(
            "void f(double *x, int rows, int n) {{ for (int k = 0; k < 2; k++)
             for (int j = 0; j < n; j++) for (int i = 0; i < rows; i++) x[i * 512 + j] {operator} 1; }}"
        );
        let found = traffic(&machine, &nest, &[], &[(0, 2, 1), (1, 20, 2), (2, 20 * rows, 20)]);
        (found.second_level / (20 * rows) as f64, found)
    };
    let first = machine.memory.levels[0].ns_per_line_write.map_or(0.0, |ns| ns.0);
    let near = |rows: u64, ns: f64| (column(rows, "=").0 - (ns - first)).abs() < 0.6;
    // On the way from 32 lines to 128, 64 are half of it.
    assert!(near(32, 20.0) && near(64, 35.0) && near(128, 50.0) && near(1000, 50.0));
    let (each, update) = column(128, "+=");
    assert!((each - (80.0 - first)).abs() < 0.6, "{each}");
    let paced = |cycles: f64| update.paced(cycles * update.hurried_lines).second_level / update.hurried_lines;
    assert!((paced(1.0) - each).abs() < 0.1 && (paced(3.0) - (each - 40.0)).abs() < 0.1);
}

#[test]
fn execution_hides_lines_as_far_as_it_was_measured() {
    let traffic = Traffic { second_level: 3.0, farther: 10.0, hidden: 8.0, level: 2, ..Traffic::default() };
    let after = |traffic: Traffic, throughput: f64| traffic.during(Execution { throughput, loads: 2.0 }, None);
    // Of the shorter of both, 5 cycles, eight tenths are hidden.
    assert_eq!(after(traffic, 4.0), 5.0 + 10.0 - 0.8 * 5.0);
    // Where execution takes longer, of all lines.
    assert_eq!(after(Traffic { second_level: 0.0, ..traffic }, 30.0), 30.0 + 10.0 - 8.0);
    assert_eq!(after(Traffic { hidden: 0.0, ..traffic }, 4.0), 15.0);
}

#[test]
fn loads_and_lines_from_the_second_level_hide_a_share_of_each_other() {
    let traffic = Traffic { second_level: 3.0, farther: 0.0, hidden: 0.0, level: 1, ..Traffic::default() };
    let after = |throughput: f64, loads: f64| traffic.during(Execution { throughput, loads }, Some(0.25));
    assert_eq!(after(2.0, 2.0), 2.0 + 3.0 - 0.25 * 2.0);
    assert_eq!(after(8.0, 8.0), 8.0 + 3.0 - 0.25 * 3.0);
    // What else a loop executes goes on beside them.
    assert_eq!(after(9.0, 2.0), 9.0);
}

#[test]
fn the_share_comes_from_loops_with_many_loads() {
    let mut machine = simple();
    let costs = Costs::new(&machine);
    let load = costs.busy(InstructionClass::Load, true).0;
    let overlap = |machine: &Machine| measured_overlap(&machine.memory.levels, &costs);
    assert_eq!(overlap(&machine), None);
    let [first, second, ..] = &mut machine.memory.levels[..] else { panic!("levels") };
    (first.ns_per_line_read, first.ns_per_line_write) = (Some(Nanoseconds(0.0)), Some(Nanoseconds(0.0)));
    (second.ns_per_line_read, second.ns_per_line_write) = (Some(Nanoseconds(3.0)), Some(Nanoseconds(5.0)));
    // A line that is read and one that is written take 8 cycles, two loads for each of 8 numbers 16 of them.
    let all = 16.0 * load;
    second.ns_per_line_update = Some(Nanoseconds(all + 8.0));
    assert_eq!(overlap(&machine), Some(0.0));
    machine.memory.levels[1].ns_per_line_update = Some(Nanoseconds(all + 2.0));
    assert_eq!(overlap(&machine), Some(0.75));
    machine.memory.levels[1].ns_per_line_stencil = Some(Nanoseconds(2.0 * all + 4.0));
    assert_eq!(overlap(&machine), Some(0.5));
    // What the loop takes beyond its loads where all is in the first level is no cost of lines.
    machine.memory.levels[0].ns_per_line_stencil = Some(Nanoseconds(2.0 * all + 2.0));
    assert_eq!(overlap(&machine), Some(0.75));
}

#[test]
fn nothing_hides_lines_that_no_walk_along_them_announces() {
    let mut machine = simple();
    for (level, ns) in machine.memory.levels.iter_mut().zip([10.0, 10.0, 14.0]) {
        level.ns_per_line_beside = Some(Nanoseconds(ns));
    }
    let rows = [(0, 2, 1), (1, 20, 2), (2, 800_000, 20)];
    let found = traffic(&machine, &columns("x[i * 101 + j]"), &[], &rows);
    // But for that of the sum.
    assert!(found.hidden < 1e-4 * found.farther, "{found:?}");
}

#[test]
fn the_hidden_share_is_what_both_take_less_than_one_after_the_other() {
    let mut machine = simple();
    for (level, ns) in machine.memory.levels.iter_mut().zip([10.0, 10.0, 14.0]) {
        level.ns_per_line_beside = Some(Nanoseconds(ns));
    }
    // Rows of 40 MB: 10 + 13 - 14 of 10 cycles are hidden.
    let sweep = "double s; void f(double *x, int rows, int n) { for (int k = 0; k < 2; k++)
        for (int i = 0; i < n; i++) s += x[i]; }";
    let found = traffic(&machine, sweep, &[], &[(0, 2, 1), (1, 10_000_000, 2)]);
    assert_eq!((found.hidden / found.farther * 100.0).round(), 90.0);
}

#[test]
fn lines_of_pages_that_were_just_given_are_near() {
    let text = "double a[262144]; int main() { for (int i = 0; i < 262144; i++) a[i] = 1; return 0; }";
    let added = |ns: f64, text: &str| {
        let mut machine = simple();
        let mut time = |ns| {
            machine.memory.page_fault_ns = Some(Nanoseconds(ns));
            super::price(&machine, text, 1, 262_144).total().0
        };
        (time(ns) - time(0.0)).round()
    };
    // 512 pages, whose 64 lines take 10 cycles each from the third level, all but the few that are still in the second.
    let pages = added(1000.0, text) / 512.0 - 1000.0;
    assert!((-640.0..-630.0).contains(&pages), "{pages}");
    assert_eq!(added(100.0, text), 0.0);
    // A walk within the second level does not wait for them.
    let short = text.replace("a[i]", "a[i & 1023]");
    assert!(added(1000.0, &short) > 0.0, "{}", added(1000.0, &short));
}

#[test]
fn a_position_that_goes_through_a_whole_nest_moves_on_in_outer_loops() {
    let nest = |place: &str, step: &str| {
        format!(
            "void f(double *x, int rows, int n) {{ int k = 0; for (int r = 0; r < 2; r++)
             for (int i = 0; i < n; i++) for (int j = 0; j < rows; j++) {{ x[{place}] = 1; {step} }} }}"
        )
    };
    let lines = |text: &str| traffic(&simple(), text, &[], &COLUMNS).total();
    assert_eq!(lines(&nest("k", "k++;")), lines(&nest("(r * n + i) * rows + j", "")));
    assert!(lines(&nest("k", "k++;")) > 4.0 * lines(&nest("j", "")));
}

#[test]
fn loads_and_stores_in_the_same_sets_drive_each_other_out() {
    let mut machine = simple();
    let lines = |mixed: Option<f64>| CrowdedLines {
        pitch_bytes: Bytes(2048),
        ns_write: Nanoseconds(7.0),
        lines: None,
        ns_update: Nanoseconds(20.0),
        ns_update_slowly: None,
        ns_read: Some(Nanoseconds(6.0)),
        ns_mixed: mixed.map(Nanoseconds),
        ns_mixed_slowly: mixed.map(|ns| Nanoseconds(ns / 2.0)),
    };
    let nest = |size: usize, statement: &str| {
        format!(
            "double a[{size}][256], b[{size}][256]; void f(double *x, int rows, int n) {{ for (int k = 0; k < 2; k++)
             for (int j = 0; j < n; j++) for (int i = 0; i < rows; i++) {statement}; }}"
        )
    };
    let shown =
        |machine: &Machine, size, statement: &str| traffic(machine, &nest(size, statement), &[], &COLUMNS).second_level;
    machine.memory.levels[1].crowded_lines = vec![lines(None)];
    let (copy, loads) = ("a[i][j] = b[i][j]", "x[0] += a[i][j] + b[i][j]");
    let before = [shown(&machine, 1000, copy), shown(&machine, 1000, loads)];
    machine.memory.levels[1].crowded_lines = vec![lines(Some(30.0))];
    // Both arrays have whole pages, so that their rows begin in the same sets.
    let each = shown(&machine, 1000, copy) / 20_000.0;
    assert!((59.0..61.0).contains(&each), "{each}, {before:?}");
    assert_eq!(shown(&machine, 1000, loads), before[1]);
    // Iterations that come slowly have few lines on their way: half of that is left of the second half.
    let both = traffic(&machine, &nest(1000, copy), &[], &COLUMNS);
    let paced = |share: f64| both.paced(share * both.second_level).second_level / both.second_level;
    assert_eq!([0.0, 0.5, 1.0, 2.0].map(|share| (paced(share) * 100.0).round()), [100.0, 75.0, 50.0, 50.0]);
}
