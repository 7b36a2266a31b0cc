//! Counts with free parameters: what the expressions give at a point is what is counted there with
//! numbers.

use crate::common;
use crate::generated::{indented, seeds};
use crate::generator::{self, FUEL, Level};
use crate::meaning;
use crate::print;
use crate::shrink;
use crate::tree::{Expr, Run, Source};
use chronos::activity::CountSource;
use chronos::frontend::{self as source, SourceOptions};
use chronos::interpreter::EvaluatorOptions;
use chronos::ir::{BlockKind, DataModel, Program};
use chronos::symbolic::{SymbolicCounts, count};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// Nests of one program.
const NESTS: usize = 20;
/// Values of `N` and `M`.
const POINTS: [(i64, i64); 8] = [(0, 0), (1, 3), (2, 7), (5, -2), (6, 4), (9, 9), (12, 1), (-3, 5)];
/// Seeds of programs of linear constructs begin here.
const PLAIN: u64 = 2_000_000;
/// Seeds of the others.
const FULL: u64 = 3_000_000;

/// Line and, per point, what is executed there; `None` where it is unknown.
type Table = BTreeMap<u32, Option<Vec<BigRational>>>;

#[test]
fn expressions_of_linear_nests_are_exact() {
    check(PLAIN, Level::Plain, 15);
}

#[test]
fn expressions_of_all_nests_are_exact_or_unknown() {
    check(FULL, Level::Full, 85);
}

/// None is wrong; of 100 nests at most so many have a count that is unknown or assumed.
fn check(first: u64, level: Level, most_unknown: usize) {
    let outcomes = outcomes(first, level);
    let of = |verdict| outcomes.iter().filter(|outcome| outcome.verdict == verdict).collect::<Vec<&Outcome>>();
    let (wrong, unknown) = (of(Verdict::Wrong), of(Verdict::Unknown));
    report(&wrong, outcomes.len());
    println!("{level:?}: {} of {} nests have counts that are not exact", unknown.len(), outcomes.len());
    unknown.iter().for_each(|outcome| println!("{}", outcome.place()));
    if unknown.len() * 100 > outcomes.len() * most_unknown {
        report(&unknown, outcomes.len());
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Equal,
    Unknown,
    Wrong,
}

struct Outcome {
    seed: u64,
    source: Source,
    verdict: Verdict,
}

fn outcomes(first: u64, level: Level) -> Vec<Outcome> {
    let seeds = seeds();
    let few = seeds.start..seeds.start + (seeds.end - seeds.start).div_ceil(8);
    few.into_par_iter().flat_map_iter(|seed| judged(first + seed, level)).collect()
}

/// The verdict of each nest of a program.
fn judged(seed: u64, level: Level) -> Vec<Outcome> {
    let source = parametric(generator::source_of(seed, level));
    let wholly = verdicts(&source).expect("it is valid C");
    let nest = |run: &Run| {
        let verdict = wholly.get(&run.nest).copied().unwrap_or(Verdict::Equal);
        Outcome { seed, source: shrink::only(&source, &run.nest), verdict }
    };
    source.runs.iter().map(nest).collect()
}

/// Each nest once, called with `N` and `M`, where it is defined at all points.
fn parametric(mut source: Source) -> Source {
    let mut seen = BTreeSet::new();
    source.runs.retain(|run| seen.insert(run.nest.clone()));
    for run in &mut source.runs {
        run.arguments = vec![Expr::Name("N".into()), Expr::Name("M".into())];
    }
    let functions = source.functions.clone();
    source.runs.retain(|run| POINTS.iter().all(|&point| is_defined(&functions, run, point)));
    source.runs.truncate(NESTS);
    shrink::without_unused(source)
}

fn is_defined(functions: &[crate::tree::Function], run: &Run, (n, m): (i64, i64)) -> bool {
    let run = Run { arguments: vec![Expr::Number(n), Expr::Number(m)], ..run.clone() };
    meaning::Machine::new(functions).run(&run, FUEL).is_ok()
}

/// By nest; `None` where the program is not valid.
fn verdicts(source: &Source) -> Option<BTreeMap<String, Verdict>> {
    let text = text_at(source, POINTS[0]);
    let symbolic = symbolic_table(&text)?;
    let numeric: Vec<BTreeMap<u32, BigRational>> =
        POINTS.iter().map(|&point| numeric_table(&text_at(source, point))).collect::<Option<_>>()?;
    let mut verdicts = BTreeMap::new();
    for (line, counts) in &symbolic {
        let verdict = match counts {
            None => Verdict::Unknown,
            Some(counts) if (0..POINTS.len()).all(|k| numeric[k].get(line) == Some(&counts[k])) => Verdict::Equal,
            Some(_) => Verdict::Wrong,
        };
        let worst: &mut Verdict = verdicts.entry(owner(&text, *line)).or_insert(Verdict::Equal);
        if *worst != Verdict::Wrong && verdict != Verdict::Equal {
            *worst = verdict;
        }
    }
    Some(verdicts)
}

/// The function that a line stands in.
fn owner(text: &str, line: u32) -> String {
    let lines: Vec<&str> = text.lines().take(line as usize).collect();
    let header = lines.iter().rev().find(|line| line.contains('(') && line.starts_with(|c: char| c.is_alphabetic()));
    let before = header.and_then(|header| header.split('(').next()).unwrap_or_default();
    before.rsplit(' ').next().unwrap_or_default().to_owned()
}

fn text_at(source: &Source, (n, m): (i64, i64)) -> String {
    print::text(source).replacen(
        "static long sink;\n",
        &format!("static long sink;\nstatic int N = {n}, M = {m};\n"),
        1,
    )
}

fn program(text: &str, symbolic: &[&str]) -> Option<Arc<Program>> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("generated.c");
    std::fs::write(&file, text).expect("written");
    let symbolic = symbolic.iter().map(|&name| name.to_owned()).collect();
    let options = SourceOptions { files: vec![file], model: DataModel::Lp64, symbolic, ..SourceOptions::default() };
    source::program(&options).0.map(Arc::new)
}

/// Straight blocks alone: sums by line.
fn symbolic_table(text: &str) -> Option<Table> {
    let program = program(text, &["N", "M"])?;
    assert_eq!(program.parameters.len(), 2, "N and M are free");
    let (counts, _) = count(&program, &EvaluatorOptions { tasks: 1, ..EvaluatorOptions::default() });
    let mut table = Table::new();
    for (id, block) in program.blocks.iter().filter(|(_, block)| block.span.file.0 == 0) {
        if matches!(block.kind, BlockKind::Straight(_)) {
            let sum = table.entry(block.span.line_start).or_insert_with(|| Some(zeros()));
            *sum = sum.take().zip(at_points(&program, &counts, id)).map(|(a, b)| added(a, b));
        }
    }
    Some(table)
}

fn zeros() -> Vec<BigRational> {
    vec![BigRational::zero(); POINTS.len()]
}

fn added(a: Vec<BigRational>, b: Vec<BigRational>) -> Vec<BigRational> {
    a.into_iter().zip(b).map(|(a, b)| a + b).collect()
}

/// How often a block is executed at each point; `None` where that is unknown or assumed.
fn at_points(program: &Program, counts: &SymbolicCounts, block: chronos::ir::BlockId) -> Option<Vec<BigRational>> {
    let counter = program.blocks[block].counter(0);
    let mut sums = zeros();
    for (_, _, count) in counts.tasks.iter().flat_map(|task| &task.1.counts).filter(|count| count.1 == counter) {
        let value = count.value.as_ref().filter(|_| count.source == CountSource::Static)?;
        for (sum, (n, m)) in sums.iter_mut().zip(POINTS) {
            let of = |parameter: chronos::ir::ParameterId| {
                BigInt::from(if &*program.parameters[parameter].name == "N" { n } else { m })
            };
            let values = counts.atoms.values(&of).expect("few terms");
            *sum += value.evaluate_exactly(&|symbol| values[symbol.0 as usize].clone());
        }
    }
    Some(sums)
}

fn numeric_table(text: &str) -> Option<BTreeMap<u32, BigRational>> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("generated.c");
    std::fs::write(&file, text).expect("written");
    let job = common::job(Path::new(&file), 1, &[]);
    let prediction = common::predict(&job);
    let mut table = BTreeMap::new();
    for (id, block) in job.program.blocks.iter().filter(|(_, block)| block.span.file.0 == 0) {
        if matches!(block.kind, BlockKind::Straight(_)) {
            let count = prediction.blocks[id.0 as usize].count.as_f64()?;
            let sum = table.entry(block.span.line_start).or_insert_with(BigRational::zero);
            *sum += BigRational::from_float(count)?;
        }
    }
    Some(table)
}

fn report(failed: &[&Outcome], all: usize) {
    let reduced: Vec<String> = failed.iter().take(4).map(|outcome| outcome.reduced()).collect();
    let others: Vec<String> = failed.iter().skip(4).map(|outcome| outcome.place()).collect();
    let count = failed.len();
    assert!(failed.is_empty(), "{count} of {all} nests differ\n{}\n{}", reduced.join("\n"), others.join("\n"));
}

impl Outcome {
    fn place(&self) -> String {
        format!("seed {}, {}: {:?}", self.seed, self.source.runs[0].nest, self.verdict)
    }

    fn reduced(&self) -> String {
        let still = |source: &Source| {
            source.runs.iter().all(|run| {
                matches!(run.arguments[..], [Expr::Name(_), Expr::Name(_)])
                    && POINTS.iter().all(|&point| is_defined(&source.functions, run, point))
            }) && compiles(source)
                && verdicts(source).is_some_and(|found| found.values().any(|verdict| *verdict == self.verdict))
        };
        let smallest = shrink::shrink(self.source.clone(), &still);
        let text = text_at(&smallest, POINTS[0]);
        let expressions = expressions(&text);
        format!("{}\n{}\n{expressions}", self.place(), indented(&text))
    }
}

fn compiles(source: &Source) -> bool {
    program(&text_at(source, POINTS[0]), &[]).is_some()
}

/// What is counted, and how often the same happens at the points.
fn expressions(text: &str) -> String {
    let Some(table) = symbolic_table(text) else { return String::new() };
    let line = |(line, counts): (&u32, &Option<Vec<BigRational>>)| {
        let shown = counts.as_ref().map(|counts| counts.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
        format!("  line {line}: {}", shown.unwrap_or_else(|| "unknown".into()))
    };
    let points = POINTS.map(|(n, m)| format!("({n},{m})")).join(" ");
    let lines: Vec<String> = table.iter().map(line).collect();
    format!("  at {points}\n{}", lines.join("\n"))
}
