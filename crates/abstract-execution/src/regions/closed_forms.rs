//! The summariser: abstract execution behind a memory of what was asked before.

use super::memo::Memo;
use crate::counts::path::Path;
use crate::state::execution::{Escape, Execution, Setting};
use crate::state::function_table::FunctionSummaries;
use crate::state::liveness::Liveness;
use crate::{EarlyReturn, Request, Summariser, Summary, Unsummarisable};
use chronos_activity::{ContextId, Count, CountValue};
use chronos_base::governor::{self, Phase};
use chronos_base::hash::FxHashMap;
use chronos_ir::{Arg, BlockId, FuncId, Jump, Operand, Program, Region, ScalarType, ValueId, VarId};
use chronos_slicing::annotations::Annotations;
use chronos_slicing::heuristics::Heuristics;
use chronos_slicing::{Analysis, Assumptions, ModSets};
use chronos_values::{Origin, ReasonKind, Value};
use std::sync::Arc;

/// Makes summaries of regions in closed form.
///
/// One is to be used with one table of contexts and one of reasons: their ids stand in the
/// summaries that it keeps.
#[derive(Debug)]
pub struct ClosedForms {
    program: Arc<Program>,
    analysis: Analysis,
    assumptions: Assumptions,
    annotations: Annotations,
    heuristics: Heuristics,
    mods: ModSets,
    liveness: Liveness,
    functions: FunctionSummaries,
    memos: FxHashMap<(ContextId, Vec<BlockId>), Memo>,
}

/// Effort of any abstract execution, as `Summary::effort` counts it.
pub const BEGINNING: u32 = 5;

impl ClosedForms {
    /// A summariser without summaries yet.
    pub fn new(program: Arc<Program>, analysis: Analysis, assumptions: Assumptions) -> Self {
        Self {
            annotations: Annotations::new(&program),
            heuristics: Heuristics::new(&program),
            program,
            analysis,
            assumptions,
            mods: ModSets::default(),
            liveness: Liveness::default(),
            functions: FunctionSummaries::default(),
            memos: FxHashMap::default(),
        }
    }

    /// The slices of the program.
    pub fn analysis(&self) -> &Analysis {
        &self.analysis
    }

    fn summarise(&mut self, blocks: &[BlockId], request: Request<'_>) -> Result<Summary, Unsummarisable> {
        let Some(&first) = blocks.first() else { return Ok(Summary::default()) };
        let memo = self.memos.entry((request.context, blocks.to_vec())).or_default();
        if let Some(known) = memo.find(request.environment) {
            return known.clone();
        }
        if governor::exceeded().is_some() {
            return Err(Unsummarisable { block: first, why: "the limit of time or memory".into() });
        }
        let _phase = governor::enter(Phase::Summaries, Some(self.program.blocks[first].span));
        let function = self.program.blocks[first].function;
        let setting = Setting {
            program: &self.program,
            analysis: &self.analysis,
            assumptions: &self.assumptions,
            annotations: &self.annotations,
            heuristics: &self.heuristics,
            mods: &mut self.mods,
            liveness: &mut self.liveness,
            functions: &mut self.functions,
            environment: request.environment,
            segments: request.segments,
            reasons: request.reasons,
        };
        let mut execution = Execution::new(setting, function, request.context);
        let outcome = execution.whole_program(blocks);
        let known = outcome.clone().map(|summary| Summary { effort: 0, ..summary });
        memo.keep(&execution.environment.into_trail(), known);
        outcome
    }
}

impl Execution<'_> {
    /// Executes the region once and gathers what it did.
    fn whole_program(&mut self, blocks: &[BlockId]) -> Result<Summary, Unsummarisable> {
        if let Some(&block) = blocks.iter().find(|&&block| self.setting.analysis.reaches_mpi(block)) {
            return Err(Unsummarisable { block, why: "an MPI call".into() });
        }
        self.extent = self.extent_of(blocks);
        let through = self.region(blocks, Path::once())?;
        let escapes = self.frame().escapes.clone();
        let (exit, early_return) = match (self.exit(blocks, &through), blocks.first()) {
            (Err(_), Some(&block)) => {
                self.frame().escapes = escapes;
                (None, Some(self.early_return(block, &through)?))
            }
            (exit, _) => (exit?, None),
        };
        let last = blocks.last().copied().filter(|_| exit.is_none());
        let region_effects = self.region_effects(last);
        let counts = std::mem::take(&mut self.counts).into_iter();
        let volumes = std::mem::take(&mut self.volumes).into_iter();
        Ok(Summary {
            counts: counts
                .map(|((context, counter), n)| (context, counter, n.number()))
                .filter(|(.., n)| !n.is_zero())
                .collect(),
            volumes: volumes
                .filter_map(|((context, block), bytes)| Some((context, block, bytes.number().as_f64()?)))
                .collect(),
            effects: region_effects.effects,
            exit,
            uncertain: std::mem::take(&mut self.uncertain),
            loses: region_effects.loses,
            resolvable: self.resolvable,
            annotation_checks: std::mem::take(&mut self.annotation_checks).into_iter().collect(),
            early_return,
            effort: self.unrolls.saturating_add(BEGINNING),
        })
    }
}

impl Execution<'_> {
    /// The executions that returned; the state becomes one of theirs or of those that came through.
    fn early_return(&mut self, block: BlockId, through: &Path) -> Result<EarlyReturn, Unsummarisable> {
        let jumps = || Unsummarisable { block, why: "a jump out of the region".into() };
        let escapes = std::mem::take(&mut self.frame().escapes);
        let returns = |escape: &Escape| matches!(&escape.jump, Jump::Return(Some(Arg::Scalar(_)) | None));
        if !escapes.iter().all(returns) {
            return Err(jumps());
        }
        let mut count = Count::ZERO;
        for escape in &escapes {
            count += self.executions(block, &escape.path)?.number();
        }
        // What is certain is followed by interpretation.
        let CountValue::Expected(share) = count.value else { return Err(jumps()) };
        let first = escapes.first().and_then(|escape| escape.value.clone());
        let same = escapes.iter().all(|escape| escape.value == first);
        let value = first.map(|value| if same { self.lower(&value, ScalarType::I64) } else { self.indefinite(block) });
        let end = std::mem::take(&mut self.state);
        let mut states: Vec<_> = escapes.into_iter().map(|escape| (None, escape.state)).collect();
        if !through.is_unreachable() {
            states.push((None, end));
        }
        self.state = self.merge(states);
        Ok(EarlyReturn { share: share.min(1.0), source: count.source, value })
    }

    fn indefinite(&mut self, block: BlockId) -> Value {
        let span = self.setting.program.blocks[block].span;
        Value::Unknown(self.reason(ReasonKind::UnknownBranch, Some(span)))
    }
}

impl Summariser for ClosedForms {
    fn summarise_loop(&mut self, block: BlockId, request: Request<'_>) -> Result<Summary, Unsummarisable> {
        self.summarise(&[block], request)
    }

    fn summarise_region(&mut self, region: &Region, request: Request<'_>) -> Result<Summary, Unsummarisable> {
        self.summarise(region, request)
    }

    fn is_relevant(&self, origin: Origin) -> bool {
        self.analysis.is_relevant(origin)
    }

    fn relevant_variable(&self, variable: VarId) -> bool {
        self.analysis.relevant_variable(variable)
    }

    fn reached_by(&self, function: FuncId, pointer: ValueId) -> Option<&[Origin]> {
        let class = self.analysis.pointed(function, &Operand::Value(pointer));
        Some(class.map_or(&[], |class| self.analysis.members(class)))
    }
}
