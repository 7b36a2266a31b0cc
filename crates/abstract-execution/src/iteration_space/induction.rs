//! Induction variables: scalars whose only writes in a loop add a constant, once per iteration.

use crate::expressions::affine::Affine;
use crate::expressions::symbolic::Symbolic;
use crate::expressions::symbols::Symbols;
use crate::state::execution::Execution;
use chronos_ir::{
    Base, BinaryOp, BlockId, BlockKind, Jump, Loop, Op, OpKind, Operand, Place, ScalarType, Step, Straight, Stride,
    UnaryOp, VarId,
};
use chronos_slicing::{ModSet, writes};
use std::collections::{BTreeMap, BTreeSet};

/// What a loop adds to a variable per iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Induction {
    pub variable: VarId,
    pub ty: ScalarType,
    /// A number; where a whole program is executed, any expression that is the same in all iterations.
    pub step: Affine,
}

impl<'a> Execution<'a> {
    /// The induction variables of a loop, by the state at its head.
    pub fn inductions(&mut self, l: &'a Loop) -> Vec<Induction> {
        let mut sites = self.write_sites(l);
        let always = self.unconditional(l);
        sites.retain(|_, blocks| blocks.iter().all(|block| always.contains(block)));
        let written = self.repeated_writes(l);
        sites.into_iter().filter_map(|(variable, blocks)| self.induction(&written, variable, &blocks)).collect()
    }

    /// Straight blocks of the loop that write scalars which nothing else writes.
    pub(crate) fn write_sites(&mut self, l: &Loop) -> BTreeMap<VarId, BTreeSet<BlockId>> {
        let mut sites: BTreeMap<VarId, BTreeSet<BlockId>> = BTreeMap::new();
        let mut elsewhere = BTreeSet::new();
        let blocks: Vec<BlockId> = Self::iterated(l).into_iter().flat_map(|top| self.inside(top)).collect();
        for block in blocks {
            match &self.setting.program.blocks[block].kind {
                BlockKind::Straight(straight) => {
                    for op in &straight.ops {
                        match plain_write(op) {
                            Some((variable, _)) if !self.setting.program.variables[variable].address_taken => {
                                sites.entry(variable).or_default().insert(block);
                            }
                            _ => elsewhere.extend(writes::written(self.setting.analysis, self.function(), op)),
                        }
                    }
                }
                BlockKind::Call(_) => {
                    elsewhere.extend(self.setting.mods.call(self.setting.program, self.setting.analysis, block));
                }
                BlockKind::Loop(_) | BlockKind::Branch(_) => {}
            }
        }
        sites.retain(|&variable, _| !elsewhere.contains(&self.setting.analysis.variable(variable)));
        sites
    }

    /// The blocks at the top of what is repeated: the initialisation is not.
    pub fn iterated(l: &Loop) -> Vec<BlockId> {
        let condition = l.condition.iter().flat_map(|condition| &condition.region);
        condition.chain(&l.body).chain(&l.step).copied().collect()
    }

    /// The block, those in it and the calls that it drives.
    pub fn inside(&self, top: BlockId) -> impl Iterator<Item = BlockId> + use<> {
        (top.0..self.setting.analysis.subtree_end(top).0).map(BlockId)
    }

    /// What the repeated part of a loop may write.
    pub(crate) fn repeated_writes(&mut self, l: &Loop) -> ModSet {
        let mut written = ModSet::new();
        for top in Self::iterated(l) {
            written.extend(self.setting.mods.block(self.setting.program, self.setting.analysis, top).iter().copied());
        }
        written
    }

    /// Straight blocks that every full iteration executes exactly once.
    pub(crate) fn unconditional(&self, l: &Loop) -> BTreeSet<BlockId> {
        let condition = l.condition.iter().flat_map(|condition| &condition.region);
        let continues = |block: BlockId| self.inside(block).any(|inner| self.has_continue(inner, l));
        let body = l.body.iter().take_while(|&&block| !continues(block));
        let blocks = condition.chain(body).chain(&l.step).copied();
        blocks.filter(|&block| matches!(self.setting.program.blocks[block].kind, BlockKind::Straight(_))).collect()
    }

    fn has_continue(&self, block: BlockId, l: &Loop) -> bool {
        let BlockKind::Straight(straight) = &self.setting.program.blocks[block].kind else { return false };
        matches!(straight.ops.last().map(|op| &op.kind), Some(OpKind::Jump(Jump::Continue(target))) if *target == l.target)
    }

    fn induction(&mut self, written: &ModSet, variable: VarId, blocks: &BTreeSet<BlockId>) -> Option<Induction> {
        let ty = self.setting.program.types.scalar(self.setting.program.variables[variable].ty)?;
        if ty.is_float() {
            let step = Affine::default();
            return self.adds_zeros(written, variable, blocks).then_some(Induction { variable, ty, step });
        }
        if ty.is_wide() {
            return None;
        }
        let mut step = Affine::default();
        for &block in blocks {
            let BlockKind::Straight(straight) = &self.setting.program.blocks[block].kind else { return None };
            for (at, op) in straight.ops.iter().enumerate() {
                if let Some((_, operand)) = plain_write(op).filter(|(written, _)| *written == variable) {
                    let update = Update { written, variable, straight, at };
                    step = step.add(&self.added(&update, operand)?)?;
                }
            }
        }
        Some(Induction { variable, ty, step })
    }

    /// What is added to the variable, if `operand` is the variable plus what is the same in all iterations.
    fn added(&mut self, update: &Update<'_>, operand: &Operand) -> Option<Affine> {
        let (at, op) = update.definition(operand)?;
        match &op.kind {
            OpKind::Read(place) if plain(place) == Some(update.variable) => {
                let between = &update.straight.ops[at..update.at];
                let stale = between.iter().any(|op| plain_write(op).is_some_and(|(v, _)| v == update.variable));
                (!stale).then(Affine::default)
            }
            OpKind::Convert(from, inner) if !from.is_float() => self.added(update, inner),
            OpKind::Move(inner) => self.added(update, inner),
            OpKind::Binary(BinaryOp::Add, _, a, b) => match self.added(update, a) {
                Some(sum) => sum.add(&self.constant_in(update, b)?),
                None => self.added(update, b)?.add(&self.constant_in(update, a)?),
            },
            OpKind::Binary(BinaryOp::Sub, _, a, b) => self.added(update, a)?.sub(&self.constant_in(update, b)?),
            OpKind::Address(Place { base: Base::Pointer(pointer), steps, .. }) => {
                let [Step::Index { index, stride: Stride::Bytes(bytes), .. }] = &steps[..] else { return None };
                let distance = self.constant_in(update, index)?.scale(i128::from(*bytes))?;
                self.added(update, pointer)?.add(&distance)
            }
            _ => None,
        }
    }

    /// The operand's value, if it is a constant of the loop.
    pub(crate) fn invariant(&mut self, update: &Update<'_>, operand: &Operand) -> Option<i128> {
        self.constant_in(update, operand)?.as_constant()
    }

    /// The same; where a whole program is executed, it may be any expression.
    fn constant_in(&mut self, update: &Update<'_>, operand: &Operand) -> Option<Affine> {
        let value = match operand {
            Operand::Const(_) => self.operand(operand),
            Operand::Value(_) => self.invariant_value(update, operand)?,
        };
        let Symbolic::Int(affine) = value else { return None };
        (self.symbols.may_sum() || affine.as_constant().is_some()).then_some(affine)
    }

    pub(crate) fn invariant_value(&mut self, update: &Update<'_>, operand: &Operand) -> Option<Symbolic> {
        let (_, op) = update.definition(operand)?;
        match &op.kind {
            OpKind::Read(place) => {
                let class = self.setting.analysis.place(self.function(), place);
                let ty = self.setting.program.types.scalar(place.ty)?;
                (is_fixed(place) && !update.written.contains(&class)).then(|| self.read(place, ty))
            }
            OpKind::Convert(_, inner) | OpKind::Move(inner) => Some(Symbolic::Int(self.constant_in(update, inner)?)),
            OpKind::Unary(UnaryOp::Neg, inner) => Some(Symbolic::Int(self.constant_in(update, inner)?.negate()?)),
            OpKind::Binary(op, _, a, b) => {
                let (a, b) = (self.constant_in(update, a)?, self.constant_in(update, b)?);
                Some(Symbolic::Int(match op {
                    BinaryOp::Add => a.add(&b)?,
                    BinaryOp::Sub => a.sub(&b)?,
                    BinaryOp::Mul => match (a.as_constant(), b.as_constant()) {
                        (Some(factor), _) => b.scale(factor)?,
                        (_, Some(factor)) => a.scale(factor)?,
                        (None, None) => self.symbols.product(&a, &b)?,
                    },
                    _ => return None,
                }))
            }
            _ => None,
        }
    }
}

/// A write of a variable in a loop: the operation `at` of a straight block.
pub(crate) struct Update<'p> {
    pub written: &'p ModSet,
    pub variable: VarId,
    pub straight: &'p Straight,
    pub at: usize,
}

impl<'p> Update<'p> {
    /// Whether the operand is the variable as it stands before the update, conversions of integers included.
    pub(crate) fn reads_variable(&self, operand: &Operand) -> bool {
        match self.definition(operand).map(|(_, op)| &op.kind) {
            Some(OpKind::Read(place)) => plain(place) == Some(self.variable),
            Some(OpKind::Convert(from, inner)) if !from.is_float() => self.reads_variable(inner),
            _ => false,
        }
    }

    /// The operation before the write that defines the operand.
    pub fn definition(&self, operand: &Operand) -> Option<(usize, &'p Op)> {
        let Operand::Value(value) = operand else { return None };
        let before = self.straight.ops[..self.at].iter().enumerate();
        before.rev().find(|(_, op)| op.dst == Some(*value))
    }
}

/// The variable that a place without steps names.
pub(crate) fn plain(place: &Place) -> Option<VarId> {
    match place.base {
        Base::Variable(variable) if place.steps.is_empty() && place.bits.is_none() => Some(variable),
        _ => None,
    }
}

/// The place is the same whatever was computed before.
fn is_fixed(place: &Place) -> bool {
    let fixed = |step: &Step| match step {
        Step::Field { .. } => true,
        Step::Index { index, stride, .. } => matches!((index, stride), (Operand::Const(_), Stride::Bytes(_))),
    };
    matches!(place.base, Base::Variable(_)) && place.bits.is_none() && place.steps.iter().all(fixed)
}

pub(crate) fn plain_write(op: &Op) -> Option<(VarId, &Operand)> {
    match &op.kind {
        OpKind::Write(place, operand) => Some((plain(place)?, operand)),
        _ => None,
    }
}

/// The value after `times` steps.
pub fn advanced(start: &Symbolic, times: &Affine, step: &Affine, symbols: &mut Symbols) -> Option<Symbolic> {
    let way = match step.as_constant() {
        Some(step) => times.scale(step)?,
        None => match times.as_constant() {
            Some(times) => step.scale(times)?,
            None => symbols.product(times, step)?,
        },
    };
    match start {
        Symbolic::Int(affine) => Some(Symbolic::Int(affine.add(&way)?)),
        Symbolic::Pointer(object, offset) => Some(Symbolic::Pointer(*object, offset.add(&way)?)),
        Symbolic::Cases(cases) => {
            let further = |(guard, value): &(_, Affine)| Some((Clone::clone(guard), value.add(&way)?));
            Symbolic::from_cases(cases.iter().map(further).collect::<Option<_>>()?)
        }
        Symbolic::Constant(_) if step.as_constant() == Some(0) => Some(start.clone()),
        _ => None,
    }
}
