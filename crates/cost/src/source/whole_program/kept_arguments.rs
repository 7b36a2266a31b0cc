//! Parameters that hold the same in each call of a function: a store of one call may be what the next one loads.
//!
//! A generator of random numbers that keeps its state behind a pointer waits for its own last call. Of a function that is given
//! another element each time nothing is known, and its calls are taken not to wait for each other.

use crate::source::whole_program::calls::visit_straight;
use chronos_base::hash::FxHashMap;
use chronos_compiled::instruction::Register;
use chronos_ir::{
    Arg, Base, BlockId, BlockKind, Callee, Const, FuncId, Op, OpKind, Operand, Place, Program, Step, Storage, Stride,
    ValueId, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// By function, the positions of parameters that every loop with calls of it gives one value.
pub(crate) fn kept_arguments(program: &Program) -> BTreeMap<FuncId, BTreeSet<usize>> {
    let mut found = Found::default();
    for (_, function) in program.functions.iter() {
        let values = definitions(program, &function.body);
        let caller = Caller { program, values: &values };
        function.body.iter().for_each(|&block| found.block(&caller, block, None));
    }
    let kept =
        |((function, parameter), held): ((FuncId, usize), Held)| held.then_kept().then_some((function, parameter));
    let mut all: BTreeMap<FuncId, BTreeSet<usize>> = BTreeMap::new();
    for (function, parameter) in found.arguments.into_iter().filter_map(kept) {
        all.entry(function).or_default().insert(parameter);
    }
    all
}

/// What the calls of a function in loops give one parameter.
#[derive(Default)]
struct Held {
    /// By the loop around the calls.
    by_loop: BTreeMap<BlockId, Vec<Option<Argument>>>,
}

impl Held {
    fn then_kept(self) -> bool {
        let one = |all: &Vec<Option<Argument>>| all.iter().all(|argument| argument.is_some() && *argument == all[0]);
        self.by_loop.values().all(one)
    }
}

/// A value that is the same in all iterations of a loop.
#[derive(Clone, Debug, PartialEq)]
enum Argument {
    Constant(Const),
    Variable(VarId),
    AddressOf(Place),
}

struct Caller<'a> {
    program: &'a Program,
    values: &'a FxHashMap<ValueId, &'a OpKind>,
}

#[derive(Default)]
struct Found {
    arguments: BTreeMap<(FuncId, usize), Held>,
}

impl Found {
    fn block(&mut self, caller: &Caller<'_>, block: BlockId, around: Option<BlockId>) {
        match &caller.program.blocks[block].kind {
            BlockKind::Straight(straight) => {
                let calls = straight
                    .ops
                    .iter()
                    .filter_map(|op| if let OpKind::Call(leaf) = op.kind { Some(leaf) } else { None });
                calls.for_each(|leaf| self.call(caller, leaf, around));
            }
            BlockKind::Call(_) => {}
            BlockKind::Loop(inner) => {
                let condition = inner.condition.iter().flat_map(|condition| &condition.region);
                inner.init.iter().for_each(|&inside| self.block(caller, inside, around));
                condition
                    .chain(&inner.body)
                    .chain(&inner.step)
                    .for_each(|&inside| self.block(caller, inside, Some(block)));
            }
            BlockKind::Branch(branch) => {
                let arms = branch.arms.iter().flat_map(|arm| &arm.region);
                arms.for_each(|&inside| self.block(caller, inside, around));
            }
        }
    }

    fn call(&mut self, caller: &Caller<'_>, leaf: BlockId, around: Option<BlockId>) {
        let (BlockKind::Call(call), Some(around)) = (&caller.program.blocks[leaf].kind, around) else { return };
        let Callee::Function(callee) = call.callee else { return };
        for (parameter, argument) in call.args.iter().enumerate() {
            let held = self.arguments.entry((callee, parameter)).or_default();
            held.by_loop.entry(around).or_default().push(caller.kept(argument, around));
        }
    }
}

impl Caller<'_> {
    /// What an argument is in every iteration of the loop `around`.
    fn kept(&self, argument: &Arg, around: BlockId) -> Option<Argument> {
        let value = match argument {
            Arg::Scalar(Operand::Const(constant)) => return Some(Argument::Constant(constant.clone())),
            Arg::Scalar(Operand::Value(value)) => value,
            Arg::Object(..) => return None,
        };
        match self.defined(*value)? {
            OpKind::Read(Place { base: Base::Variable(variable), steps, .. }) if steps.is_empty() => {
                (self.is_private(*variable) && !self.writes(around, *variable)).then_some(Argument::Variable(*variable))
            }
            OpKind::Address(place) if matches!(place.base, Base::Variable(_)) && place.steps.iter().all(is_fixed) => {
                Some(Argument::AddressOf(place.clone()))
            }
            _ => None,
        }
    }

    /// The operation behind conversions and copies.
    fn defined(&self, value: ValueId) -> Option<&OpKind> {
        let found = *self.values.get(&value)?;
        match found {
            OpKind::Convert(_, Operand::Value(from)) | OpKind::Move(Operand::Value(from)) => self.defined(*from),
            found => Some(found),
        }
    }

    /// Nothing but the function itself can change it.
    fn is_private(&self, variable: VarId) -> bool {
        let variable = &self.program.variables[variable];
        matches!(variable.storage, Storage::Local | Storage::Parameter(_)) && !variable.address_taken
    }

    fn writes(&self, around: BlockId, variable: VarId) -> bool {
        let mut found = false;
        let writes = |op: &Op| matches!(&op.kind, OpKind::Write(place, _) if matches!(place.base, Base::Variable(own) if own == variable));
        visit_straight(self.program, around, &mut |straight| found |= straight.ops.iter().any(writes));
        found
    }
}

fn is_fixed(step: &Step) -> bool {
    match step {
        Step::Field { .. } => true,
        Step::Index { index, stride, .. } => matches!((index, stride), (Operand::Const(_), Stride::Bytes(_))),
    }
}

/// What each value of a function is computed by.
fn definitions<'a>(program: &'a Program, body: &[BlockId]) -> FxHashMap<ValueId, &'a OpKind> {
    let mut found = FxHashMap::default();
    for &block in body {
        visit_straight(program, block, &mut |straight| {
            found.extend(straight.ops.iter().filter_map(|op| Some((op.dst?, &op.kind))));
        });
    }
    found
}

/// Those of `arguments`, which hold integers, that parameters at these positions are in; none where structs
/// are among the parameters, which take as many registers as they need.
pub(crate) fn registers(
    program: &Program,
    function: FuncId,
    kept: &BTreeSet<usize>,
    arguments: &[Register],
) -> BTreeSet<Register> {
    let types: Vec<_> = { program.functions[function].params.iter() }
        .map(|&parameter| program.types.scalar(program.variables[parameter].ty))
        .collect();
    if types.iter().any(Option::is_none) {
        return BTreeSet::new();
    }
    let integers = types.iter().enumerate().filter(|(_, ty)| ty.is_some_and(|ty| !ty.is_float()));
    let of = |((position, _), register): ((usize, _), &Register)| kept.contains(&position).then_some(*register);
    integers.zip(arguments).filter_map(of).collect()
}
