//! The way in to the abstract execution of whole programs, for crate `chronos_symbolic`.

use crate::counts::amount::Amount;
use crate::counts::by_last_call::{Divided, Item, Stretches};
use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::derived::{Derived, IntegerFunction};
use crate::expressions::symbolic::{Object, Symbolic};
use crate::state::execution::{Execution, Setting};
use crate::state::function_table::Functions;
use crate::state::liveness::Liveness;
use crate::state::whole_program::{Broadcasts, Whole};
use crate::{Environment, Uncertain, Unsummarisable};
use chronos_activity::{ContextId, CountSource, Segments};
use chronos_ir::{BlockId, CounterId, FuncId, Program, ScalarType, VarId};
use chronos_math::quasi::{self, QuasiPolynomial};
use chronos_slicing::annotations::Annotations;
use chronos_slicing::heuristics::Heuristics;
use chronos_slicing::{Analysis, Assumptions, ModSets};
use chronos_values::{ObjectId, ReasonId, Reasons};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Executes a program abstractly, once per task.
pub struct Programs<'a> {
    program: &'a Program,
    analysis: Analysis,
    assumptions: &'a Assumptions,
    annotations: Annotations,
    heuristics: Heuristics,
    mods: ModSets,
    liveness: Liveness,
    functions: Functions,
    broadcasts: Broadcasts,
}

/// How a task begins. Parameters have the numbers from 0 on.
pub struct Beginning<'a> {
    /// The function that is executed.
    pub main: FuncId,
    /// The rank of the task in `MPI_COMM_WORLD`.
    pub rank: u32,
    /// Number of tasks.
    pub tasks: u32,
    /// Number of parameters.
    pub parameters: u32,
    /// Scalars that are `constant + Σ factor · parameter`.
    pub initials: Vec<Initial>,
    /// Texts whose value as a number is a parameter.
    pub numbers: BTreeMap<ObjectId, u32>,
    /// Texts of the arguments, by object.
    pub texts: BTreeMap<ObjectId, String>,
    /// The state before `main`.
    pub environment: &'a dyn Environment,
}

/// A scalar in static storage that depends on parameters.
#[derive(Clone, Debug)]
pub struct Initial {
    /// The variable that holds the scalar.
    pub variable: VarId,
    /// The object of that variable.
    pub object: ObjectId,
    /// Bytes from the begin of the object.
    pub offset: u64,
    /// The type of the scalar.
    pub ty: ScalarType,
    /// The part that depends on no parameter.
    pub constant: i128,
    /// Numbers of parameters with their factors.
    pub terms: Vec<(u32, i128)>,
}

/// A count of a run; `None` where it is unknown.
#[derive(Clone, Debug)]
pub struct RunCount {
    /// The count as an expression of symbols of the run.
    pub value: Option<Arc<QuasiPolynomial>>,
    /// How certain the count is.
    pub source: CountSource,
    /// Why it is not exact, where it is not.
    pub reason: Option<ReasonId>,
}

/// What a symbol of a run stands for, by symbols of the run.
#[derive(Clone, Debug, PartialEq)]
pub enum Meaning {
    /// A symbol that nothing else defines, by its number: a parameter of the run.
    Parameter(u32),
    /// The product of these symbols.
    Product(Vec<quasi::Symbol>),
    /// A function of integers, applied to an affine expression.
    Function(IntegerFunction, quasi::Affine),
    /// `floor(affine / modulus)`
    Quotient(quasi::Affine, i128),
    /// `floor(dividend / divisor)` of a divisor that is positive
    Ratio(quasi::Affine, quasi::Affine),
    /// `1 / affine`.
    Reciprocal(quasi::Affine),
    /// The index of sums with so many sums around them.
    Index(u32),
    /// A sum over an index whose bounds are symbolic.
    Sum(Arc<MeaningOfSum>),
}

/// The sum of an expression over an index, from the greatest of some bounds to the least of others.
#[derive(Clone, Debug, PartialEq)]
pub struct MeaningOfSum {
    /// The symbol that runs through the integers of the range.
    pub index: quasi::Symbol,
    /// The index begins at the greatest of these.
    pub low: Vec<quasi::Affine>,
    /// The index ends at the least of these, which is included.
    pub high: Vec<quasi::Affine>,
    /// The expression that is summed.
    pub body: QuasiPolynomial,
}

/// What is executed behind one of some MPI calls, before the next.
#[derive(Debug, Default)]
pub struct RunSegment {
    /// The program may have begun without a call.
    pub from_start: bool,
    /// Calls of which one came last, with their contexts.
    pub after: Vec<(ContextId, BlockId)>,
    /// Counts by context and counter.
    pub counts: Vec<(ContextId, CounterId, RunCount)>,
    /// Bytes handled by library calls, by context and call.
    pub volumes: Vec<(ContextId, BlockId, RunCount)>,
}

/// What a task does.
#[derive(Debug, Default)]
pub struct Run {
    /// Counts of the whole run by context and counter.
    pub counts: Vec<(ContextId, CounterId, RunCount)>,
    /// Bytes handled by library calls, by context and call.
    pub volumes: Vec<(ContextId, BlockId, RunCount)>,
    /// The same, by the MPI calls of which one came last; empty where there are none.
    pub segments: Vec<RunSegment>,
    /// Of all symbols that stand in counts, parameters included.
    pub meanings: BTreeMap<quasi::Symbol, Meaning>,
    /// Branches and loops whose counts are not exact.
    pub uncertain: Vec<Uncertain>,
    /// Places that could not be followed.
    pub failures: Vec<Unsummarisable>,
    /// Tasks of other ranks may behave differently.
    pub rank_read: bool,
}

impl<'a> Programs<'a> {
    /// Analyses the program; nothing is executed yet.
    pub fn new(program: &'a Program, assumptions: &'a Assumptions) -> Self {
        let analysis = Analysis::new(program, assumptions);
        Self {
            program,
            analysis,
            assumptions,
            annotations: Annotations::new(program),
            heuristics: Heuristics::new(program),
            mods: ModSets::default(),
            liveness: Liveness::default(),
            functions: Functions::default(),
            broadcasts: Broadcasts::new(),
        }
    }

    /// Executes `main` for one task.
    pub fn run(&mut self, beginning: &Beginning<'_>, segments: &mut Segments, reasons: &mut Reasons) -> Run {
        let context = segments.root(beginning.main);
        let setting = Setting {
            program: self.program,
            analysis: &self.analysis,
            assumptions: self.assumptions,
            annotations: &self.annotations,
            heuristics: &self.heuristics,
            mods: &mut self.mods,
            liveness: &mut self.liveness,
            functions: &mut self.functions,
            environment: beginning.environment,
            segments,
            reasons,
        };
        let mut execution = Execution::new(setting, beginning.main, context);
        execution.begin(beginning, std::mem::take(&mut self.broadcasts));
        execution.program(beginning.main);
        let (run, broadcasts) = execution.into_run();
        self.broadcasts = broadcasts;
        run
    }
}

impl Execution<'_> {
    fn begin(&mut self, beginning: &Beginning<'_>, broadcasts: Broadcasts) {
        let parameters: Vec<Symbol> = (0..beginning.parameters).map(|_| self.symbols.fresh()).collect();
        self.symbols.leave_free(&parameters);
        if self.program.functions[beginning.main].effects.reaches_mpi {
            self.stretches = Stretches::new();
        }
        let symbol = |index: u32| parameters.get(index as usize).copied();
        self.whole = Some(Whole {
            rank: beginning.rank,
            tasks: beginning.tasks,
            numbers: beginning.numbers.iter().filter_map(|(&text, &index)| Some((text, symbol(index)?))).collect(),
            texts: beginning.texts.clone(),
            broadcasts,
            ..Whole::default()
        });
        for initial in &beginning.initials {
            let mut value = Some(Affine::constant(initial.constant));
            for &(index, factor) in &initial.terms {
                let term = symbol(index).and_then(|symbol| Affine::symbol(symbol).scale(factor));
                value = value.zip(term).and_then(|(sum, term)| sum.add(&term));
            }
            let Some(value) = value.map(Symbolic::Int) else { continue };
            if self.program.variables[initial.variable].address_taken
                || self.program.types.scalar(self.program.variables[initial.variable].ty).is_none()
            {
                let key = (Object::Outer(initial.object), i128::from(initial.offset));
                self.state.cells.insert(key, (initial.ty, value));
            } else {
                self.state.variables.insert(initial.variable, value);
            }
        }
    }

    fn into_run(mut self) -> (Run, Broadcasts) {
        let counts = std::mem::take(&mut self.counts);
        let volumes = std::mem::take(&mut self.volumes);
        let blamed = std::mem::take(&mut self.blamed);
        let mut export = Export { execution: &self, done: HashMap::new() };
        let counts: Vec<_> = counts
            .into_iter()
            .filter(|(_, amount)| !amount.is_zero() || amount.source() != CountSource::Static)
            .map(|(key, amount)| (key.0, key.1, export.count(&amount, blamed.get(&key).copied())))
            .collect();
        let volumes: Vec<_> =
            volumes.into_iter().map(|(key, amount)| (key.0, key.1, export.count(&amount, None))).collect();
        let segments = export.segments(self.stretches.divided(), &blamed);
        let parts = segments.iter().flat_map(RunSegment::values);
        let values = counts.iter().map(|c| &c.2).chain(volumes.iter().map(|v| &v.2)).chain(parts);
        let meanings = self.meanings(values.filter_map(|count| count.value.as_deref()));
        let whole = self.whole.unwrap_or_default();
        let run = Run {
            counts,
            volumes,
            segments,
            meanings,
            uncertain: self.uncertain,
            failures: whole.failures,
            rank_read: whole.rank_read,
        };
        (run, whole.broadcasts)
    }

    /// What the symbols in the values stand for, and what those are made of.
    fn meanings<'v>(&self, values: impl Iterator<Item = &'v QuasiPolynomial>) -> BTreeMap<quasi::Symbol, Meaning> {
        let mut meanings = BTreeMap::new();
        let mut pending: Vec<quasi::Symbol> = values.flat_map(QuasiPolynomial::symbols).collect();
        while let Some(symbol) = pending.pop() {
            if meanings.contains_key(&symbol) {
                continue;
            }
            let meaning = self.meaning(Symbol(symbol.0));
            match &meaning {
                Meaning::Parameter(_) | Meaning::Index(_) => {}
                Meaning::Sum(sum) => {
                    let bounds = sum.low.iter().chain(&sum.high).flat_map(|affine| &affine.terms);
                    pending.extend(bounds.map(|term| term.0).chain(sum.body.symbols()).chain([sum.index]));
                }
                Meaning::Product(factors) => pending.extend(factors),
                Meaning::Function(_, affine) | Meaning::Quotient(affine, _) | Meaning::Reciprocal(affine) => {
                    pending.extend(affine.terms.iter().map(|term| term.0));
                }
                Meaning::Ratio(dividend, divisor) => {
                    pending.extend(dividend.terms.iter().chain(&divisor.terms).map(|term| term.0));
                }
            }
            meanings.insert(symbol, meaning);
        }
        meanings
    }

    fn meaning(&self, symbol: Symbol) -> Meaning {
        let quotients = &self.symbols.quotients;
        match (quotients.free.get(symbol).as_deref(), quotients.get(symbol)) {
            (Some(Derived::Product(factors)), _) => {
                Meaning::Product(factors.iter().map(|factor| quasi::Symbol(factor.0)).collect())
            }
            (Some(Derived::Function(function, argument)), _) => Meaning::Function(*function, argument.clone()),
            (None, Some((affine, modulus))) => Meaning::Quotient(affine.clone(), *modulus),
            (Some(Derived::Ratio(dividend, divisor)), _) => Meaning::Ratio(dividend.clone(), divisor.clone()),
            (Some(Derived::Reciprocal(divisor)), _) => Meaning::Reciprocal(divisor.clone()),
            (Some(Derived::Index(level)), _) => Meaning::Index(*level),
            (Some(Derived::Sum(sum)), _) => {
                let affines = |all: &[Affine]| all.to_vec();
                Meaning::Sum(Arc::new(MeaningOfSum {
                    index: quasi::Symbol(sum.index.0),
                    low: affines(&sum.low),
                    high: affines(&sum.high),
                    body: sum.body.clone(),
                }))
            }
            (None, None) => Meaning::Parameter(symbol.0),
        }
    }
}

impl RunSegment {
    fn values(&self) -> impl Iterator<Item = &RunCount> {
        self.counts.iter().map(|c| &c.2).chain(self.volumes.iter().map(|v| &v.2))
    }
}

/// Turns amounts into counts; counters of one place share one.
struct Export<'e, 'a> {
    execution: &'e Execution<'a>,
    /// By the address of the amount, which is kept so that the address stays its own.
    done: HashMap<usize, (Arc<QuasiPolynomial>, Arc<QuasiPolynomial>)>,
}

impl Export<'_, '_> {
    fn count(&mut self, amount: &Amount, reason: Option<ReasonId>) -> RunCount {
        let source = amount.source();
        let value = match amount {
            Amount::Number(_) => amount.expression(),
            Amount::Expression(value, _) => Some(self.simplified(value)),
        };
        RunCount { value, source, reason: reason.filter(|_| source != CountSource::Static) }
    }

    fn segments(&mut self, divided: Divided, blamed: &BTreeMap<(ContextId, CounterId), ReasonId>) -> Vec<RunSegment> {
        let mut segments = Vec::new();
        for (calls, counts) in divided {
            let from_start = calls.contains(&None);
            let mut segment =
                RunSegment { from_start, after: calls.into_iter().flatten().collect(), ..RunSegment::default() };
            for ((context, item), amount) in counts {
                match item {
                    Item::Executions(counter) => {
                        let reason = blamed.get(&(context, counter)).copied();
                        segment.counts.push((context, counter, self.count(&amount, reason)));
                    }
                    Item::Bytes(block) => segment.volumes.push((context, block, self.count(&amount, None))),
                }
            }
            segments.push(segment);
        }
        segments
    }

    fn simplified(&mut self, value: &Arc<QuasiPolynomial>) -> Arc<QuasiPolynomial> {
        let key = Arc::as_ptr(value) as usize;
        if let Some((_, done)) = self.done.get(&key) {
            return done.clone();
        }
        let expanded = value.expanded(&|symbol| self.product(symbol));
        let expanded = self.execution.symbols.quotients.by_dividends(&expanded).unwrap_or(expanded);
        let simple = expanded.clone().simplified(&quasi::Limits::default()).unwrap_or(expanded);
        let simple = self.execution.symbols.quotients.by_dividends(&simple).unwrap_or(simple);
        let result = Arc::new(simple);
        self.done.insert(key, (value.clone(), result.clone()));
        result
    }

    /// The polynomial that a symbol stands for.
    fn product(&self, symbol: quasi::Symbol) -> Option<quasi::Polynomial> {
        match self.execution.symbols.quotients.free.get(Symbol(symbol.0))?.as_ref() {
            Derived::Product(factors) => {
                let factors = factors.iter().map(|&factor| self.factor(factor));
                Some(factors.fold(quasi::Polynomial::one(), |product, factor| product.multiply(&factor)))
            }
            _ => None,
        }
    }

    /// A symbol, or the floor that it stands for.
    fn factor(&self, symbol: Symbol) -> quasi::Polynomial {
        let quotients = &self.execution.symbols.quotients;
        let floor = quotients.get(symbol).filter(|(affine, _)| affine.symbols().all(|s| quotients.free.is_left(s)));
        let floor = floor.and_then(|(affine, by)| quasi::Polynomial::floor(affine, *by).ok());
        floor.unwrap_or_else(|| quasi::Polynomial::product(&[quasi::Symbol(symbol.0)]))
    }
}
