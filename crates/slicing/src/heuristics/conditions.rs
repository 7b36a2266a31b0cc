//! What a condition is: a comparison, and of what.

use super::guess::{Grounds, Heuristic, Likelihood, Outcome, Outcomes, sides};
use chronos_base::ids::Id;
use chronos_ir::{
    Base, BinaryOp, BlockId, BlockKind, BranchKind, Const, FuncId, OpKind, Operand, Program, ScalarType, Storage,
    UnaryOp, ValueId, VarId,
};

/// How a value came about, as far as heuristics ask.
#[derive(Clone, Debug, PartialEq)]
pub enum Definition {
    Compare(BinaryOp, ScalarType, Operand, Operand),
    Not(Operand),
    Same(Operand),
    /// Of an `&&`, `||` or `?:`.
    Branch(BlockId),
    /// The content of a named scalar.
    Variable(VarId),
    Other,
}

/// Definitions of all values.
#[derive(Clone, Debug)]
pub struct Definitions {
    by_function: Vec<Vec<Definition>>,
}

/// What a condition alone says about its truth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Evidence {
    None,
    Measured(f64, Heuristic),
    /// It follows from its parts, of which some may be assumed.
    Parts(Likelihood),
}

impl Evidence {
    pub(crate) fn likelihood(self) -> Likelihood {
        match self {
            Self::None => Likelihood { p: 0.5, assumed: true },
            Self::Measured(p, _) => Likelihood { p, assumed: true },
            Self::Parts(likelihood) => likelihood,
        }
    }

    fn negated(self) -> Self {
        match self {
            Self::None => Self::None,
            Self::Measured(p, heuristic) => Self::Measured(1.0 - p, heuristic),
            Self::Parts(Likelihood { p, assumed }) => Self::Parts(Likelihood { p: 1.0 - p, assumed }),
        }
    }
}

/// Conditions within conditions; deeper ones say nothing.
const MAX_DEPTH: u32 = 64;

impl Definitions {
    pub fn new(program: &Program) -> Self {
        let empty = |function: &chronos_ir::Function| vec![Definition::Other; function.values.len()];
        let mut by_function: Vec<Vec<Definition>> = program.functions.values().map(empty).collect();
        for (id, block) in program.blocks.iter() {
            let values = &mut by_function[block.function.index()];
            let mut define = |value: Option<ValueId>, definition: Definition| {
                if let Some(slot) = value.and_then(|value| values.get_mut(value.index())) {
                    *slot = definition;
                }
            };
            match &block.kind {
                BlockKind::Straight(straight) => {
                    straight.ops.iter().for_each(|op| define(op.dst, definition(&op.kind)));
                }
                BlockKind::Branch(branch) => define(branch.result, Definition::Branch(id)),
                BlockKind::Loop(_) | BlockKind::Call(_) => {}
            }
        }
        Self { by_function }
    }

    pub fn of(&self, function: FuncId, operand: &Operand) -> &Definition {
        match operand {
            Operand::Value(value) => {
                self.by_function[function.index()].get(value.index()).unwrap_or(&Definition::Other)
            }
            Operand::Const(_) => &Definition::Other,
        }
    }

    /// How likely a condition is true, from what it compares.
    pub fn truth(&self, program: &Program, function: FuncId, operand: &Operand, outcomes: &Outcomes<'_>) -> Evidence {
        Question { definitions: self, program, function, outcomes }.truth(operand, 0)
    }

    /// The condition is a comparison of floating numbers, or the negation of one.
    pub(crate) fn compares_floats(&self, function: FuncId, operand: &Operand) -> bool {
        let mut operand = operand;
        for _ in 0..MAX_DEPTH {
            match self.of(function, operand) {
                Definition::Compare(_, ty, _, _) if ty.is_float() => return true,
                Definition::Not(a) | Definition::Same(a) => operand = a,
                Definition::Compare(_, _, a, Operand::Const(_)) => operand = a,
                _ => return false,
            }
        }
        false
    }

    /// The named scalars that a condition compares.
    pub fn tested(&self, program: &Program, function: FuncId, operand: &Operand) -> Vec<VarId> {
        let mut found = Vec::new();
        self.collect_tested(function, operand, 0, &mut found);
        found.retain(|&variable| in_register(program, variable));
        found
    }

    fn collect_tested(&self, function: FuncId, operand: &Operand, depth: u32, found: &mut Vec<VarId>) {
        match self.of(function, operand) {
            _ if depth > 4 => {}
            Definition::Compare(_, _, a, b) => {
                [a, b].into_iter().for_each(|x| self.collect_tested(function, x, depth + 1, found));
            }
            Definition::Not(a) | Definition::Same(a) => self.collect_tested(function, a, depth + 1, found),
            Definition::Variable(variable) => found.push(*variable),
            Definition::Branch(_) | Definition::Other => {}
        }
    }
}

/// A scalar that a compiler keeps in a register.
pub fn in_register(program: &Program, variable: VarId) -> bool {
    let named = &program.variables[variable];
    !named.address_taken && matches!(named.storage, Storage::Local | Storage::Parameter(_))
}

fn definition(kind: &OpKind) -> Definition {
    match kind {
        OpKind::Binary(op, ty, a, b) if op.is_comparison() => Definition::Compare(*op, *ty, a.clone(), b.clone()),
        OpKind::Unary(UnaryOp::LogicalNot, a) => Definition::Not(a.clone()),
        OpKind::Move(a) | OpKind::Convert(_, a) => Definition::Same(a.clone()),
        OpKind::Read(place) => match place.base {
            Base::Variable(variable) if place.steps.is_empty() => Definition::Variable(variable),
            _ => Definition::Other,
        },
        _ => Definition::Other,
    }
}

struct Question<'a> {
    definitions: &'a Definitions,
    program: &'a Program,
    function: FuncId,
    outcomes: &'a Outcomes<'a>,
}

impl Question<'_> {
    fn truth(&self, operand: &Operand, depth: u32) -> Evidence {
        if depth > MAX_DEPTH {
            return Evidence::None;
        }
        match self.definitions.of(self.function, operand) {
            Definition::Not(a) => self.truth(a, depth + 1).negated(),
            Definition::Same(a) => self.truth(a, depth + 1),
            Definition::Branch(id) => Evidence::Parts(self.of_parts(*id, depth)),
            Definition::Compare(op, ty, a, b) => self.comparison(*op, *ty, a, b, depth),
            Definition::Variable(_) | Definition::Other => self.nonzero(operand),
        }
    }

    /// The operand is compared with zero.
    fn nonzero(&self, operand: &Operand) -> Evidence {
        match operand {
            Operand::Const(Const::Int(n, _)) => Evidence::Parts(Likelihood::sure(*n != 0)),
            Operand::Const(Const::Float(x, _)) => Evidence::Parts(Likelihood::sure(*x != 0.0)),
            Operand::Const(_) => Evidence::Parts(Likelihood::sure(true)),
            Operand::Value(_) if self.is_pointer(operand) => fails(Heuristic::Pointer).negated(),
            Operand::Value(_) => fails(Heuristic::Opcode).negated(),
        }
    }

    fn is_pointer(&self, operand: &Operand) -> bool {
        match operand {
            Operand::Value(value) => self.program.functions[self.function].values[*value] == ScalarType::Pointer,
            Operand::Const(constant) => !matches!(constant, Const::Int(..) | Const::Float(..)),
        }
    }

    fn comparison(&self, op: BinaryOp, ty: ScalarType, a: &Operand, b: &Operand, depth: u32) -> Evidence {
        if let Operand::Const(Const::Int(0, _)) = b
            && matches!(op, BinaryOp::Eq | BinaryOp::Ne)
            && self.is_truth(a)
        {
            let truth = self.truth(a, depth + 1);
            return if op == BinaryOp::Ne { truth } else { truth.negated() };
        }
        let equality = match op {
            BinaryOp::Eq => Some(true),
            BinaryOp::Ne => Some(false),
            _ => None,
        };
        match equality {
            Some(equal) => {
                let heuristic = self.equality(ty, a, b);
                let evidence = heuristic.map_or(Evidence::None, fails);
                if equal { evidence } else { evidence.negated() }
            }
            None if ty.is_integer() => with_zero(op, a, b),
            None => Evidence::None,
        }
    }

    /// The value is already one of a condition.
    fn is_truth(&self, operand: &Operand) -> bool {
        match self.definitions.of(self.function, operand) {
            Definition::Compare(..) | Definition::Not(_) => true,
            Definition::Branch(id) => match &self.program.blocks[*id].kind {
                BlockKind::Branch(branch) => {
                    matches!(branch.kind, BranchKind::And | BranchKind::Or)
                }
                _ => false,
            },
            Definition::Same(a) => self.is_truth(a),
            Definition::Variable(_) | Definition::Other => false,
        }
    }

    fn equality(&self, ty: ScalarType, a: &Operand, b: &Operand) -> Option<Heuristic> {
        let constant = |operand: &Operand| matches!(operand, Operand::Const(_));
        if ty == ScalarType::Pointer || self.is_pointer(a) || self.is_pointer(b) {
            return Some(Heuristic::Pointer);
        }
        (ty.is_float() || constant(a) || constant(b)).then_some(Heuristic::Opcode)
    }

    /// The truth of what an `&&`, `||` or `?:` gives, from its condition and the values of its arms.
    fn of_parts(&self, id: BlockId, depth: u32) -> Likelihood {
        let even = Likelihood { p: 0.5, assumed: true };
        let BlockKind::Branch(branch) = &self.program.blocks[id].kind else { return even };
        let arm_truth = |arm: usize| {
            let value = branch.arms.get(arm).and_then(|arm| arm.value.as_ref());
            value.map_or(even, |value| self.truth(value, depth + 1).likelihood())
        };
        match (self.outcomes)(id) {
            Some(Outcome::Truth(likelihood)) => likelihood,
            Some(Outcome::Arm(arm)) => arm_truth(arm as usize),
            None => {
                let condition = self.truth(&branch.condition, depth + 1).likelihood();
                let ways = sides(branch, condition.p, Grounds::Nothing);
                let none = if branch.kind == BranchKind::Or { ways.none } else { 0.0 };
                let mut sum = Likelihood { p: none, assumed: condition.assumed };
                for (arm, share) in ways.arms.iter().enumerate().filter(|(_, share)| **share > 0.0) {
                    let truth = arm_truth(arm);
                    sum = Likelihood { p: sum.p + share * truth.p, assumed: sum.assumed || truth.assumed };
                }
                sum
            }
        }
    }
}

/// The condition is false as often as the heuristic is right.
fn fails(heuristic: Heuristic) -> Evidence {
    Evidence::Measured(1.0 - heuristic.hit_rate(), heuristic)
}

/// An integer compared with zero, on either side.
fn with_zero(op: BinaryOp, a: &Operand, b: &Operand) -> Evidence {
    let zero = |operand: &Operand| matches!(operand, Operand::Const(Const::Int(0, _)));
    let below = match op {
        BinaryOp::Lt | BinaryOp::Le => true,
        BinaryOp::Gt | BinaryOp::Ge => false,
        _ => return Evidence::None,
    };
    match (zero(a), zero(b)) {
        (false, true) if below => fails(Heuristic::Opcode),
        (false, true) => fails(Heuristic::Opcode).negated(),
        (true, false) if below => fails(Heuristic::Opcode).negated(),
        (true, false) => fails(Heuristic::Opcode),
        _ => Evidence::None,
    }
}
