//! The way in to the abstract execution of whole programs, for crate `chronos_symbolic`.

use super::run::{Export, Run, RunSegment};
use crate::Environment;
use crate::counts::by_last_call::CountsByLastCall;
use crate::counts::path::Path;
use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::symbolic::{Object, Symbolic};
use crate::state::execution::{Execution, Setting};
use crate::state::function_table::FunctionSummaries;
use crate::state::liveness::Liveness;
use crate::state::whole_program::{Broadcasts, WholeProgram};
use chronos_activity::{CountSource, Segments};
use chronos_base::hash::FxHashMap;
use chronos_ir::{FuncId, Program, ScalarType, VarId};
use chronos_slicing::annotations::Annotations;
use chronos_slicing::heuristics::Heuristics;
use chronos_slicing::{Analysis, Assumptions, ModSets};
use chronos_values::{ObjectId, Reasons};
use std::collections::{BTreeMap, BTreeSet};

/// Executes a program abstractly, once per task.
pub struct ProgramExecutor<'a> {
    program: &'a Program,
    analysis: Analysis,
    assumptions: &'a Assumptions,
    annotations: Annotations,
    heuristics: Heuristics,
    mods: ModSets,
    liveness: Liveness,
    functions: FunctionSummaries,
    broadcasts: Broadcasts,
}

/// How a task begins. Parameters have the numbers from 0 on.
pub struct TaskStart<'a> {
    /// The function that is executed.
    pub main: FuncId,
    /// The rank of the task in `MPI_COMM_WORLD`.
    pub rank: u32,
    /// Number of tasks.
    pub tasks: u32,
    /// Number of parameters.
    pub parameters: u32,
    /// Scalars that are `constant + Σ factor · parameter`.
    pub initials: Vec<InitialScalar>,
    /// Texts whose value as a number is a parameter.
    pub numeric_strings: BTreeMap<ObjectId, u32>,
    /// Texts of the arguments, by object.
    pub argument_strings: BTreeMap<ObjectId, String>,
    /// The state before `main`.
    pub environment: &'a dyn Environment,
}

/// A scalar in static storage that depends on parameters.
#[derive(Clone, Debug)]
pub struct InitialScalar {
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

impl<'a> ProgramExecutor<'a> {
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
            functions: FunctionSummaries::default(),
            broadcasts: Broadcasts::new(),
        }
    }

    /// Executes `main` for one task.
    pub fn run(&mut self, beginning: &TaskStart<'_>, segments: &mut Segments, reasons: &mut Reasons) -> Run {
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
        execution.start_task(beginning, std::mem::take(&mut self.broadcasts));
        execution.program(beginning.main);
        let (run, broadcasts) = execution.into_run();
        self.broadcasts = broadcasts;
        run
    }
}

impl Execution<'_> {
    fn start_task(&mut self, beginning: &TaskStart<'_>, broadcasts: Broadcasts) {
        let parameters: Vec<Symbol> = (0..beginning.parameters).map(|_| self.symbols.fresh()).collect();
        self.symbols.make_free(&parameters);
        if self.setting.program.functions[beginning.main].effects.reaches_mpi {
            self.by_last_call = CountsByLastCall::new();
        }
        let symbol = |index: u32| parameters.get(index as usize).copied();
        self.whole_program = Some(WholeProgram {
            rank: beginning.rank,
            tasks: beginning.tasks,
            numeric_strings: beginning
                .numeric_strings
                .iter()
                .filter_map(|(&text, &index)| Some((text, symbol(index)?)))
                .collect(),
            argument_strings: beginning.argument_strings.clone(),
            broadcasts,
            ..WholeProgram::default()
        });
        for initial in &beginning.initials {
            let mut value = Some(Affine::constant(initial.constant));
            for &(index, factor) in &initial.terms {
                let term = symbol(index).and_then(|symbol| Affine::symbol(symbol).scale(factor));
                value = value.zip(term).and_then(|(sum, term)| sum.add(&term));
            }
            let Some(value) = value.map(Symbolic::Int) else { continue };
            if self.setting.program.variables[initial.variable].address_taken
                || self.setting.program.types.scalar(self.setting.program.variables[initial.variable].ty).is_none()
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
        let inexact_reasons = std::mem::take(&mut self.inexact_reasons);
        let mut export = Export { execution: &self, done: FxHashMap::default() };
        let counts: Vec<_> = counts
            .into_iter()
            .filter(|(_, amount)| !amount.is_zero() || amount.source() != CountSource::Static)
            .map(|(key, amount)| (key.0, key.1, export.count(&amount, inexact_reasons.get(&key).copied())))
            .collect();
        let volumes: Vec<_> =
            volumes.into_iter().map(|(key, amount)| (key.0, key.1, export.count(&amount, None))).collect();
        let segments = export.segments(self.by_last_call.divided(), &inexact_reasons);
        let parts = segments.iter().flat_map(RunSegment::values);
        let values = counts.iter().map(|c| &c.2).chain(volumes.iter().map(|v| &v.2)).chain(parts);
        let definitions = self.definitions(values.filter_map(|count| count.value.as_deref()));
        let whole = self.whole_program.unwrap_or_default();
        let run = Run {
            counts,
            volumes,
            segments,
            definitions,
            uncertain: self.uncertain,
            failures: whole.failures,
            rank_read: whole.rank_read,
        };
        (run, whole.broadcasts)
    }
}

impl Execution<'_> {
    /// Executes `main`; what cannot be followed is among the failures.
    pub fn program(&mut self, main: FuncId) {
        let body = &self.setting.program.functions[main].body;
        let depth = self.frames.len();
        let result = self.region(body, Path::once());
        self.frames.truncate(depth);
        let frame = self.frames.last().map(|frame| frame.escapes.clone()).unwrap_or_default();
        let result = result.and_then(|through| Self::all_returned(body.first().copied(), through, &frame));
        if let Err(failure) = result {
            let reason = self.note_failure(failure);
            let (context, mut seen) = (self.context(), BTreeSet::new());
            self.lose_counts_of_function(main, context, reason, &mut seen);
            self.assign_lost_counts();
        }
    }
}
