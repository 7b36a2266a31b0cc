//! Abstract execution of a region: every block once, with counters for iterations.

use super::function_table::{FunctionInputs, FunctionSummaries};
use super::liveness::Liveness;
use super::recorder::Recorder;
use super::store::{State, Written};
use super::whole_program::WholeProgram;
use crate::counts::TooComplex;
use crate::counts::amount::Amount;
use crate::counts::by_last_call::{CountsByLastCall, Item};
use crate::counts::path::Path;
use crate::expressions::symbolic::{Fraction, Symbolic};
use crate::expressions::symbols::Symbols;
use crate::{Environment, Uncertain, UncertainKind, Unsummarisable};
use chronos_activity::{ContextId, Segments};
use chronos_base::hash::FxHashMap;
use chronos_base::span::Span;
use chronos_ir::{BlockId, CounterId, FuncId, Jump, Program, ValueId};
use chronos_slicing::annotations::{AnnotationCheck, Annotations, Target};
use chronos_slicing::heuristics::{Heuristics, Outcome};
use chronos_slicing::{Analysis, Assumptions, ModSets};
use chronos_values::{Reason, ReasonId, ReasonKind, Reasons};
use std::collections::{BTreeMap, BTreeSet};

/// A function that is being executed.
#[derive(Debug)]
pub struct Frame {
    pub function: FuncId,
    pub context: ContextId,
    pub values: FxHashMap<ValueId, Symbolic>,
    pub escapes: Vec<Escape>,
    /// In a function that only allocates: the call that its storage counts for.
    pub site: Option<BlockId>,
}

/// Executions that left their place by a jump.
#[derive(Clone, Debug)]
pub(crate) struct Escape {
    pub jump: Jump,
    /// The straight block that ends with it.
    pub block: BlockId,
    pub path: Path,
    pub state: State,
    /// What `return` returns.
    pub value: Option<Symbolic>,
    /// The program ends here; the jump then is a return without a value.
    pub ends: bool,
}

/// One abstract execution: what it is given, and what it has found so far.
pub struct Execution<'a> {
    pub setting: Setting<'a>,
    /// What was asked of the environment.
    pub environment: Recorder<'a>,
    pub symbols: Symbols,
    pub state: State,
    pub frames: Vec<Frame>,
    pub written: Written,
    pub counts: BTreeMap<(ContextId, CounterId), Amount>,
    pub volumes: BTreeMap<(ContextId, BlockId), Amount>,
    /// The same, by the MPI call that came last.
    pub by_last_call: CountsByLastCall,
    /// Why counts are not exact.
    pub(crate) inexact_reasons: BTreeMap<(ContextId, CounterId), ReasonId>,
    /// What is known besides where a whole program is executed.
    pub whole_program: Option<WholeProgram>,
    /// What a function asks of its caller, where it is executed for all its arguments at once.
    pub function_inputs: Option<FunctionInputs>,
    pub uncertain: Vec<Uncertain>,
    pub resolvable: bool,
    /// What the source said last.
    pub annotated_values: BTreeMap<Target, f64>,
    /// As `annotated_values`, where it is an expression of what is left free.
    pub(crate) annotated_expressions: BTreeMap<Target, Fraction>,
    /// What is known of the values of `&&`, `||` and `?:`.
    pub outcomes: FxHashMap<BlockId, Outcome>,
    pub annotation_checks: BTreeMap<BlockId, AnnotationCheck>,
    /// Trial executions around this one: they count nothing.
    pub(crate) trials: u32,
    /// Loops around this place that are executed several times, those of callers included.
    pub nested: u32,
    /// Iterations executed one by one so far.
    pub unrolls: u32,
    /// How often something was found that makes counts inexact.
    pub uncertainties: u64,
    /// Loops where executing every iteration on its own makes no count more exact.
    pub(crate) unrolling_in_vain: BTreeSet<BlockId>,
    /// Storage handed out by library calls so far.
    pub allocations: u32,
    pub(crate) operations: u64,
    /// The blocks of the region that is executed, where jumps may lead out of it.
    pub extent: std::ops::Range<u32>,
}

/// What a block's execution gives: where control goes on after it.
pub type Flow = Result<Path, Unsummarisable>;

/// What an execution works on.
pub struct Setting<'a> {
    pub program: &'a Program,
    pub analysis: &'a Analysis,
    pub assumptions: &'a Assumptions,
    pub annotations: &'a Annotations,
    pub heuristics: &'a Heuristics,
    pub mods: &'a mut ModSets,
    pub(crate) liveness: &'a mut Liveness,
    pub functions: &'a mut FunctionSummaries,
    pub environment: &'a dyn Environment,
    pub segments: &'a mut Segments,
    pub reasons: &'a mut Reasons,
}

impl<'a> Execution<'a> {
    pub fn new(setting: Setting<'a>, function: FuncId, context: ContextId) -> Self {
        let base = Frame { function, context, values: FxHashMap::default(), escapes: Vec::new(), site: None };
        Self {
            environment: Recorder::new(setting.environment),
            setting,
            symbols: Symbols::default(),
            state: State::default(),
            frames: vec![base],
            written: Written::default(),
            counts: BTreeMap::new(),
            volumes: BTreeMap::new(),
            by_last_call: CountsByLastCall::default(),
            inexact_reasons: BTreeMap::new(),
            whole_program: None,
            function_inputs: None,
            uncertain: Vec::new(),
            resolvable: false,
            annotated_values: BTreeMap::new(),
            annotated_expressions: BTreeMap::new(),
            outcomes: FxHashMap::default(),
            annotation_checks: BTreeMap::new(),
            trials: 0,
            nested: 0,
            unrolls: 0,
            uncertainties: 0,
            unrolling_in_vain: BTreeSet::new(),
            allocations: 0,
            operations: 0,
            extent: 0..0,
        }
    }

    pub fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the base frame stays")
    }

    pub fn context(&self) -> ContextId {
        self.frames.last().expect("the base frame stays").context
    }

    pub fn function(&self) -> FuncId {
        self.frames.last().expect("the base frame stays").function
    }

    /// Adds the executions of `path` to a counter of a block.
    pub fn count(&mut self, block: BlockId, offset: u32, path: &Path) -> Result<(), Unsummarisable> {
        if self.trials > 0 {
            return Ok(());
        }
        let key = (self.context(), self.setting.program.blocks[block].counter(offset));
        let count = match path.count(&self.symbols.quotients) {
            Ok(count) => count,
            Err(_) if self.whole_program.is_some() => {
                self.uncountable(block, key);
                return Ok(());
            }
            Err(error) => return Err(Self::too_complex(block, error)),
        };
        self.attribute_to_last_call(Item::Executions(key.1), path, &count, |run, part| {
            part.count(&run.symbols.quotients)
        });
        let sum = self.counts.entry(key).or_insert(Amount::ZERO);
        *sum = std::mem::replace(sum, Amount::ZERO).plus(count);
        if let Some(reason) = path.inexact_reason() {
            self.inexact_reasons.entry(key).or_insert(reason);
        }
        Ok(())
    }

    pub fn executions(&self, block: BlockId, path: &Path) -> Result<Amount, Unsummarisable> {
        path.count(&self.symbols.quotients).map_err(|error| Self::too_complex(block, error))
    }

    pub(crate) fn too_complex(block: BlockId, _: TooComplex) -> Unsummarisable {
        Unsummarisable { block, why: "an iteration space that is too complex to count".into() }
    }

    pub fn reason(&mut self, kind: ReasonKind, span: Option<Span>) -> ReasonId {
        self.setting.reasons.intern(Reason { kind, span, origin: None })
    }

    pub fn unknown(&mut self, kind: ReasonKind, span: Span) -> Symbolic {
        Symbolic::Unknown(self.reason(kind, Some(span)))
    }

    /// Notes that counts inside `block` are not exact.
    pub fn note_uncertain(&mut self, block: BlockId, kind: UncertainKind, reason: Option<ReasonId>) {
        if self.trials > 0 {
            return;
        }
        self.uncertainties += 1;
        self.resolvable |= !self.setting.analysis.is_unknowable_condition(block);
        if !self.uncertain.iter().any(|known| known.block == block) {
            self.uncertain.push(Uncertain { block, kind, reason });
        }
    }

    /// Executes without counting and without leaving a trace.
    pub fn trial<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let state = self.state.clone();
        let escapes = self.frame().escapes.len();
        self.trials += 1;
        let result = run(self);
        self.trials -= 1;
        self.frame().escapes.truncate(escapes);
        self.state = state;
        result
    }

    /// Whether a variable is one that the environment knows.
    pub(crate) fn is_outer(&self, variable: chronos_ir::VarId) -> bool {
        use chronos_ir::Storage;
        if self.function_inputs.is_some() {
            return false;
        }
        let object = &self.setting.program.variables[variable];
        matches!(object.storage, Storage::Global | Storage::Static) || object.function == Some(self.frames[0].function)
    }
}
