//! Snippets of C with a global variable `N` (and others) left free. The judge is the interpreter: what
//! the expressions give at a point must be what it counts there.

use super::{SymbolicCounts, count};
use chronos_abstract_execution::ClosedForms;
use chronos_activity::{Count, CountValue, Segments, Step, TaskId, Work};
use chronos_base::units::Picoseconds;
use chronos_frontend::lower::{Settings, lower_sources};
use chronos_frontend::{SourceOptions, read};
use chronos_interpreter::{Evaluator, EvaluatorOptions};
use chronos_ir::{BlockKind, CLibrary, Const, CounterId, Parameter, ParameterKind, Program, VarId};
use chronos_machine::network::Network;
use chronos_mpi_calls::{MpiState, Options};
use chronos_replay::{ReplayOptions, replay};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

mod annotations;
mod failures;
mod functions;
mod interprocedural;
mod messages;
mod nests;
mod segments;
mod sequential;
mod strides;
mod sums;

/// A program with its free variables.
struct Snippet {
    program: Program,
    names: Vec<String>,
    tasks: u32,
}

/// `parameters` are names of global variables.
fn snippet(text: &str, parameters: &[&str]) -> Snippet {
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join("a.c");
    std::fs::write(&path, text).expect("written");
    let (sources, _) = read(&SourceOptions { files: vec![path], ..SourceOptions::default() }).expect("read");
    let (program, diagnostics) =
        lower_sources(&sources, &Settings { c_library: CLibrary::Other, ..Settings::default() });
    assert!(diagnostics.iter().all(|d| !d.is_error()), "{diagnostics:?}");
    Snippet { program, names: parameters.iter().map(ToString::to_string).collect(), tasks: 1 }
}

impl Snippet {
    fn tasks(self, tasks: u32) -> Self {
        Self { tasks, ..self }
    }

    fn variable(&self, name: &str) -> VarId {
        let named = self.program.variables.iter().find(|(_, v)| &*v.name == name && v.function.is_none());
        named.expect("a global variable of this name").0
    }

    fn options(&self) -> EvaluatorOptions {
        EvaluatorOptions { tasks: self.tasks, ..EvaluatorOptions::default() }
    }

    fn free(&self) -> Arc<Program> {
        let mut program = self.program.clone();
        for name in &self.names {
            let kind = ParameterKind::Variable { variable: self.variable(name), default: None };
            program.parameters.push(Parameter { name: name.as_str().into(), kind, span: None });
        }
        Arc::new(program)
    }

    /// With the free variables initialised.
    fn at(&self, point: &[i64]) -> Arc<Program> {
        let mut program = self.program.clone();
        for (name, &value) in self.names.iter().zip(point) {
            let variable = self.variable(name);
            let ty = program.types.scalar(program.variables[variable].ty).expect("a scalar");
            program.variables[variable].init = Some(vec![(0, Const::Int(value, ty))]);
        }
        Arc::new(program)
    }

    fn counted(&self) -> Counted {
        let program = self.free();
        let (counts, diagnostics) = count(&program, &self.options());
        let messages = diagnostics.iter().map(|d| format!("{} {}", d.code.id, d.message)).collect();
        Counted { program, counts, messages }
    }
}

/// A program with its counts.
struct Counted {
    program: Arc<Program>,
    counts: SymbolicCounts,
    messages: Vec<String>,
}

impl Counted {
    /// Counts of a task at a point, over all contexts; `None` where one is unknown.
    fn evaluated(&self, task: u32, point: &[i64]) -> BTreeMap<CounterId, Option<BigRational>> {
        let values =
            self.counts.atoms.values(&|parameter| BigInt::from(point[parameter.0 as usize])).expect("few terms");
        let (_, own) = self.counts.tasks.iter().find(|(tasks, _)| tasks.contains(&TaskId(task))).expect("counted");
        let mut totals: BTreeMap<CounterId, Option<BigRational>> = BTreeMap::new();
        for (_, counter, count) in &own.counts {
            let value = count.value.as_ref().map(|v| v.evaluate_exactly(&|s| values[s.0 as usize].clone()));
            let sum = totals.entry(*counter).or_insert_with(|| Some(BigRational::zero()));
            *sum = sum.take().zip(value).map(|(sum, value)| sum + value);
        }
        totals.retain(|_, value| value.as_ref().is_none_or(|value| !value.is_zero()));
        totals
    }

    /// Per block that is executed: `line kind counts`, for all groups of tasks.
    fn shown(&self) -> String {
        let mut text = String::new();
        for (tasks, own) in &self.counts.tasks {
            if self.counts.tasks.len() > 1 {
                let ranks: Vec<String> = tasks.iter().map(|task| task.0.to_string()).collect();
                let _ = writeln!(text, "tasks {}", ranks.join(" "));
            }
            let mut totals: BTreeMap<CounterId, String> = BTreeMap::new();
            for (_, counter, count) in &own.counts {
                let shown = match &count.value {
                    Some(value) => value.display(&|symbol| self.counts.atoms.text(symbol)),
                    None => "?".to_owned(),
                };
                totals.entry(*counter).and_modify(|sum| *sum += &format!(" & {shown}")).or_insert(shown);
            }
            for (_, block) in self.program.blocks.iter() {
                let kind = match &block.kind {
                    BlockKind::Straight(_) => continue,
                    BlockKind::Call(_) => "call",
                    BlockKind::Loop(_) => "loop",
                    BlockKind::Branch(_) => "branch",
                };
                let counters = (0..block.counters()).map(|i| totals.get(&block.counter(i)));
                let counts: Vec<&str> = counters.map(|c| c.map_or("0", String::as_str)).collect();
                if counts.iter().any(|count| *count != "0") {
                    let _ = writeln!(text, "{} {kind}: {}", block.span.line_start, counts.join(" | "));
                }
            }
        }
        text
    }
}

/// What the interpreter counts, per task.
fn interpreted(snippet: &Snippet, point: &[i64]) -> Vec<BTreeMap<CounterId, Option<BigRational>>> {
    let program = snippet.at(point);
    let options = snippet.options();
    let calls = MpiState::new(options.tasks as usize, Options::default());
    let analysis = chronos_slicing::Analysis::new(&program, &options.assumptions);
    let forms = ClosedForms::new(program.clone(), analysis, options.assumptions.clone());
    let mut evaluator = Evaluator::new(program, options, Box::new(forms), Box::new(calls));
    let network = Network::load("shared-memory").expect("an embedded network");
    let mut free = |_, _, _: &_| Picoseconds(0);
    let nowhere = |_| None;
    let mut settings = ReplayOptions::new(&network, &mut free, &nowhere);
    settings.record = true;
    let activity = replay(&mut evaluator, settings).activity.expect("recorded");
    assert!(evaluator.diagnostics().iter().all(|d| !d.is_error()), "{:?}", evaluator.diagnostics());
    activity.tasks.iter().map(|steps| totals(&activity.segments, steps)).collect()
}

fn totals(segments: &Segments, steps: &[Step]) -> BTreeMap<CounterId, Option<BigRational>> {
    let mut totals = BTreeMap::new();
    add(segments, steps, 1, &mut totals);
    let exact = |count: Count| match count.value {
        CountValue::Exact(n) => Some(BigRational::from(BigInt::from(n))),
        CountValue::Expected(x) => Some(chronos_abstract_execution::rational(x)),
        CountValue::Unknown => None,
    };
    totals.into_iter().filter(|(_, count)| !count.is_zero()).map(|(counter, count)| (counter, exact(count))).collect()
}

fn add(segments: &Segments, steps: &[Step], times: u128, totals: &mut BTreeMap<CounterId, Count>) {
    for step in steps {
        match step {
            Step::Work(Work::Segment(id)) => {
                for (counter, count) in segments.get(*id).by_counter() {
                    *totals.entry(counter).or_insert(Count::ZERO) += count.times(Count::exact(times));
                }
            }
            Step::Repeat(repeat) => add(segments, &repeat.steps, times * u128::from(repeat.times), totals),
            _ => {}
        }
    }
}

/// Compares the expressions, evaluated at the points, with what the interpreter counts there.
#[track_caller]
fn agrees(snippet: &Snippet, points: &[&[i64]]) -> Counted {
    let counted = snippet.counted();
    for point in points {
        for (task, theirs) in (0..).zip(interpreted(snippet, point)) {
            let ours = counted.evaluated(task, point);
            for counter in ours.keys().chain(theirs.keys()) {
                let (own, other) = (ours.get(counter), theirs.get(counter));
                let line = counted.program.blocks[counted.program.block_of(*counter)].span.line_start;
                assert_eq!(
                    own.map(|value| shown_rational(value.as_ref())),
                    other.map(|value| shown_rational(value.as_ref())),
                    "line {line}, task {task} at {point:?}:\n{}{:?}",
                    counted.shown(),
                    counted.messages
                );
            }
        }
    }
    counted
}

fn shown_rational(value: Option<&BigRational>) -> String {
    value.map_or_else(
        || "?".into(),
        |v| if v.is_integer() { v.to_string() } else { format!("{:.9}", v.to_f64().unwrap_or(f64::NAN)) },
    )
}

/// Values of one parameter that the property is asked at.
const POINTS: &[&[i64]] = &[&[-3], &[0], &[1], &[2], &[7], &[16]];
const PAIRS: &[&[i64]] = &[&[-1, 4], &[0, 0], &[2, 5], &[6, 3], &[10, 10]];

/// Checks a snippet with the parameter N and gives how it reads.
#[track_caller]
fn check(text: &str) -> String {
    let counted = agrees(&snippet(text, &["N"]), POINTS);
    assert_eq!(counted.messages, Vec::<String>::new(), "all is followed");
    counted.shown()
}

/// The same with the parameters N and M.
#[track_caller]
fn check_two(text: &str) -> String {
    let counted = agrees(&snippet(text, &["N", "M"]), PAIRS);
    assert_eq!(counted.messages, Vec::<String>::new(), "all is followed");
    counted.shown()
}
