//! Jumps out of the region that is executed: whether one is taken, which, and with which state.

use crate::counts::path::Path;
use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::formula::{Conjunction, Constraint};
use crate::expressions::symbolic::Symbolic;
use crate::state::execution::{Escape, Execution};
use crate::state::store::State;
use crate::{Exit, Unsummarisable};
use chronos_activity::Count;
use chronos_ir::{Arg, BlockId, Jump, LabelId};
use chronos_values::ReasonKind;

impl Execution<'_> {
    /// The block numbers of a region.
    pub(crate) fn extent_of(&self, blocks: &[BlockId]) -> std::ops::Range<u32> {
        let end = |block: &BlockId| self.setting.analysis.subtree_end(*block).0;
        blocks.first().map_or(0, |first| first.0)..blocks.iter().map(end).max().unwrap_or(0)
    }

    /// The label stands outside the region, and the jump to it in the region's own function.
    pub(crate) fn leads_out(&self, label: LabelId) -> bool {
        let (_, block) = &self.setting.program.functions[self.function()].labels[label];
        self.frames.len() == 1 && !self.extent.is_empty() && !self.extent.contains(&block.0)
    }

    /// The jump that leaves the region, if one does; the state is that at its end, or at the jump.
    pub fn exit(&mut self, blocks: &[BlockId], through: &Path) -> Result<Option<Exit>, Unsummarisable> {
        let escapes = std::mem::take(&mut self.frame().escapes);
        let Some(&block) = blocks.first().filter(|_| !escapes.is_empty()) else { return Ok(None) };
        let mut taken = Vec::new();
        for escape in escapes {
            if self.times(block, &escape.path)? != 0 {
                taken.push(escape);
            }
        }
        match (self.times(block, through)?, taken.pop()) {
            (1, None) => Ok(None),
            (0, Some(only)) if taken.is_empty() && self.times(block, &only.path)? == 1 => self.leave_by(only).map(Some),
            _ => Err(Unsummarisable { block, why: "a jump out of the region".into() }),
        }
    }

    /// Executions of a path that has no counters of an outer region; those of unknown number are no jump that is known.
    fn times(&self, block: BlockId, path: &Path) -> Result<u128, Unsummarisable> {
        let count = path.count(&self.symbols.quotients).map_err(|error| Self::too_complex(block, error))?.number();
        match count {
            Count { value: chronos_activity::CountValue::Exact(n), .. } => Ok(n),
            _ => Err(Unsummarisable { block, why: "a jump out of the region under an unknown condition".into() }),
        }
    }

    fn leave_by(&mut self, escape: Escape) -> Result<Exit, Unsummarisable> {
        if matches!(escape.jump, Jump::Return(Some(Arg::Object(..)))) || escape.ends {
            return Err(Unsummarisable { block: escape.block, why: "a return of a structure".into() });
        }
        let point = self.point(&escape.path);
        self.state = self.state_at(escape.state, &point);
        let value = escape.value.map(|value| {
            let value = self.value_at(&value, &point);
            self.lower(&value, self.returned_type(escape.block))
        });
        Ok(Exit { block: escape.block, value })
    }

    fn returned_type(&self, block: BlockId) -> chronos_ir::ScalarType {
        let function = &self.setting.program.functions[self.setting.program.blocks[block].function];
        self.setting.program.types.scalar(function.result).unwrap_or(chronos_ir::ScalarType::I64)
    }

    /// The counters of the one iteration that a path consists of, as far as they are seen.
    fn point(&self, path: &Path) -> Vec<(Symbol, Affine)> {
        let alone = path.pieces.iter().map(|piece| Path::of(vec![piece.clone()]));
        let mut held = alone.filter(|alone| alone.count(&self.symbols.quotients).is_ok_and(|n| !n.number().is_zero()));
        let Some(alone) = held.next() else { return Vec::new() };
        let pinned = |&symbol: &Symbol| match alone.bounds().interval(symbol) {
            (Some(low), Some(high)) if low == high => Some((symbol, Affine::constant(low))),
            _ => None,
        };
        alone.pieces.iter().flat_map(|piece| &piece.symbols).filter_map(pinned).collect()
    }

    fn state_at(&mut self, mut state: State, point: &[(Symbol, Affine)]) -> State {
        for value in state.variables.values_mut() {
            *value = self.value_at(value, point);
        }
        for (_, value) in state.cells.values_mut() {
            *value = self.value_at(value, point);
        }
        state
    }

    fn value_at(&mut self, value: &Symbolic, point: &[(Symbol, Affine)]) -> Symbolic {
        let there = point
            .iter()
            .try_fold(value.clone(), |value, (symbol, number)| self.symbols.substitute_value(&value, *symbol, number));
        there.unwrap_or_else(|| Symbolic::Unknown(self.reason(ReasonKind::NotEvaluated, None)))
    }

    /// The condition on the other symbols that some value of `symbol` fulfils the constraints; `None` where that is
    /// no such condition.
    pub fn without(&self, constraints: &Conjunction, symbol: Symbol) -> Option<Conjunction> {
        let derived = |c: &Constraint| c.affine().symbols().any(|s| s != symbol && self.symbols.depends(s, symbol));
        if constraints.iter().any(derived) {
            return None;
        }
        eliminated(constraints, symbol)
    }
}

/// Fourier-Motzkin elimination where it is exact for integers.
fn eliminated(constraints: &Conjunction, symbol: Symbol) -> Option<Conjunction> {
    let (mut kept, mut below, mut above) = (Conjunction::new(), Vec::new(), Vec::new());
    for constraint in constraints {
        match constraint {
            other if !other.affine().mentions(symbol) => kept.push(other.clone()),
            Constraint::Nonnegative(affine) if affine.coefficient(symbol) > 0 => below.push(affine.clone()),
            Constraint::Nonnegative(affine) => above.push(affine.clone()),
            Constraint::Zero(affine) => {
                below.push(affine.clone());
                above.push(affine.negate()?);
                if affine.coefficient(symbol) < 0 {
                    let (low, high) = (above.pop()?, below.pop()?);
                    below.push(low);
                    above.push(high);
                }
            }
            Constraint::Residue { .. } => return None,
        }
    }
    for low in &below {
        for high in &above {
            let (a, b) = (low.coefficient(symbol), -high.coefficient(symbol));
            if a != 1 && b != 1 {
                return None;
            }
            let both = Constraint::Nonnegative(low.scale(b)?.add(&high.scale(a)?)?);
            if both.truth() != Some(true) && !kept.contains(&both) {
                kept.push(both);
            }
        }
    }
    Some(kept)
}
