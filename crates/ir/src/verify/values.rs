//! Values of one function: defined once, before their uses, with the types that operations ask for.

use crate::block::{BlockKind, Branch, Loop, LoopForm, Region, Straight};
use crate::op::{Arg, Base, Call, Callee, Const, Jump, Op, OpKind, Operand, Place, Step, Stride, UnaryOp};
use crate::types::{ScalarType, TypeId};
use crate::{BlockId, FuncId, Function, Program, ValueId};
use chronos_base::hash::FxHashSet;

/// The function's violations.
pub(super) fn check(program: &Program, id: FuncId) -> Vec<String> {
    let function = &program.functions[id];
    let mut checker = Checker::new(program, function);
    checker.region(&function.body);
    for value in function.values.ids().filter(|value| !checker.defined.contains(value)) {
        checker.violations.push(format!("{value} of {id} is defined nowhere"));
    }
    checker.violations
}

struct Checker<'a> {
    program: &'a Program,
    function: &'a Function,
    /// Ever defined.
    defined: FxHashSet<ValueId>,
    /// Defined on every path to here.
    visible: FxHashSet<ValueId>,
    /// The same in order of definition.
    order: Vec<ValueId>,
    /// Number of files that places may lie in.
    files: usize,
    /// The block looked at.
    at: BlockId,
    violations: Vec<String>,
}

impl<'a> Checker<'a> {
    fn new(program: &'a Program, function: &'a Function) -> Self {
        let at = function.blocks.0;
        let files = program.files.iter().count();
        let (defined, visible) = (FxHashSet::default(), FxHashSet::default());
        Self { program, function, defined, visible, order: Vec::new(), files, at, violations: Vec::new() }
    }

    fn check(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            self.violations.push(format!("{}: {}", self.at, message()));
        }
    }

    fn region(&mut self, region: &Region) {
        for &id in region {
            let Some(block) = self.program.blocks.get(id) else { continue };
            self.at = id;
            match &block.kind {
                BlockKind::Straight(straight) => self.straight(straight),
                BlockKind::Loop(node) => self.loop_node(node),
                BlockKind::Branch(branch) => self.branch(id, branch),
                BlockKind::Call(_) => {}
            }
        }
    }

    /// A region that not every path takes: what it defines is unseen behind it.
    fn optional(&mut self, region: &Region) {
        let before = self.order.len();
        self.region(region);
        self.forget(before);
    }

    /// Values defined after the first `before` are unseen from here on.
    fn forget(&mut self, before: usize) {
        for value in self.order.drain(before..) {
            self.visible.remove(&value);
        }
    }

    fn loop_node(&mut self, node: &Loop) {
        self.region(&node.init);
        if node.form == LoopForm::DoWhile {
            self.optional(&node.body);
        }
        if let Some(condition) = &node.condition {
            self.region(&condition.region);
            self.scalar(&condition.value);
        }
        if node.form != LoopForm::DoWhile {
            self.optional(&node.body);
        }
        self.optional(&node.step);
    }

    fn branch(&mut self, id: BlockId, branch: &Branch) {
        self.scalar(&branch.condition);
        let result = branch.result.and_then(|value| self.function.values.get(value)).copied();
        for arm in &branch.arms {
            let before = self.order.len();
            self.region(&arm.region);
            self.at = id;
            if let Some(value) = &arm.value {
                let found = self.scalar(value);
                // `&&` and `||` make a truth value of any scalar.
                let same = found.is_none() || found == result || branch.target.is_some() || is_logical(branch);
                self.check(same, || format!("an arm yields {found:?} for a result of {result:?}"));
            }
            self.forget(before);
        }
        if let Some(value) = branch.result {
            self.define(value);
        }
    }

    fn straight(&mut self, straight: &Straight) {
        for op in &straight.ops {
            let file = op.span.file;
            self.check((file.0 as usize) < self.files, || format!("lies in the unknown {file}"));
            self.op(op);
            if let Some(value) = op.dst {
                self.define(value);
            }
        }
    }

    fn define(&mut self, value: ValueId) {
        let known = self.function.values.get(value).is_some();
        self.check(known, || format!("{value} has no type"));
        let first = self.defined.insert(value);
        self.check(first, || format!("{value} is defined twice"));
        if self.visible.insert(value) {
            self.order.push(value);
        }
    }

    fn op(&mut self, op: &Op) {
        let dst = op.dst.and_then(|value| self.function.values.get(value)).copied();
        match self.result(&op.kind) {
            Wanted::Nothing => self.check(op.dst.is_none(), || format!("defines {:?} and has no result", op.dst)),
            Wanted::Maybe => {}
            Wanted::Type(ty) => {
                self.check(op.dst.is_some(), || format!("{:?} defines nothing", op.kind));
                let same = dst.is_none() || ty.is_none() || dst == ty;
                self.check(same, || format!("{:?} defines {dst:?}, not {ty:?}", op.kind));
            }
        }
    }

    /// Checks the operands; what type the result must have.
    fn result(&mut self, kind: &OpKind) -> Wanted {
        match kind {
            OpKind::Read(place) => Wanted::Type(self.place(place)),
            OpKind::Address(place) => {
                self.place(place);
                Wanted::Type(Some(ScalarType::Pointer))
            }
            OpKind::Unary(UnaryOp::LogicalNot, value) => {
                self.scalar(value);
                Wanted::Type(Some(ScalarType::I32))
            }
            OpKind::Unary(_, value) | OpKind::Move(value) => Wanted::Type(self.scalar(value)),
            OpKind::Binary(op, ty, a, b) => {
                self.typed(a, *ty);
                self.typed(b, *ty);
                Wanted::Type(Some(if op.is_comparison() { ScalarType::I32 } else { *ty }))
            }
            OpKind::Convert(from, value) => {
                self.typed(value, *from);
                Wanted::Type(None)
            }
            OpKind::PointerDiff(a, b, stride) => {
                self.typed(a, ScalarType::Pointer);
                self.typed(b, ScalarType::Pointer);
                self.check(*stride > 0, || "a pointer difference has stride 0".to_owned());
                Wanted::Type(Some(self.program.model.long()))
            }
            OpKind::Call(leaf) => self.leaf(*leaf),
            OpKind::Opaque(_) => Wanted::Maybe,
            _ => self.effect(kind),
        }
    }

    /// Operations without a result.
    fn effect(&mut self, kind: &OpKind) -> Wanted {
        match kind {
            OpKind::Write(place, value) => {
                let (to, from) = (self.place(place), self.scalar(value));
                let same = from.is_none() || to == from;
                self.check(same, || format!("writes {from:?} to {to:?}"));
            }
            OpKind::Copy { to, from, .. } => {
                self.place(to);
                self.place(from);
            }
            OpKind::Zero { to, .. } => drop(self.place(to)),
            OpKind::Allocate { variable, bytes } => {
                let known = self.program.variables.get(*variable).is_some();
                self.check(known, || format!("allocates the unknown {variable}"));
                let ty = self.scalar(bytes);
                self.check(ty.is_none_or(ScalarType::is_integer), || format!("allocates {ty:?} bytes"));
            }
            OpKind::Jump(Jump::Return(Some(value))) => self.arg(value),
            _ => {}
        }
        Wanted::Nothing
    }

    fn leaf(&mut self, leaf: BlockId) -> Wanted {
        if let Some(BlockKind::Call(call)) = self.program.blocks.get(leaf).map(|block| &block.kind) {
            self.call(call);
        }
        Wanted::Maybe
    }

    fn call(&mut self, call: &Call) {
        match &call.callee {
            Callee::Function(id) => {
                let defined = self.program.functions.get(*id).is_some();
                self.check(defined, || format!("calls the unknown {id}"));
            }
            Callee::Indirect(value) => self.typed(value, ScalarType::Pointer),
            Callee::Library(_) | Callee::Mpi(_) => {}
        }
        for arg in &call.args {
            self.arg(arg);
        }
        if let Some(place) = &call.result_place {
            self.place(place);
        }
    }

    fn arg(&mut self, arg: &Arg) {
        match arg {
            Arg::Scalar(value) => drop(self.scalar(value)),
            Arg::Object(place, _) => drop(self.place(place)),
        }
    }

    fn typed(&mut self, operand: &Operand, expected: ScalarType) {
        let found = self.scalar(operand);
        self.check(found.is_none_or(|found| found == expected), || format!("{found:?} stands for {expected:?}"));
    }

    /// The operand's type; `None` (and a violation) where it is unknown.
    fn scalar(&mut self, operand: &Operand) -> Option<ScalarType> {
        match operand {
            Operand::Const(value) => self.constant(value),
            Operand::Value(value) => {
                let visible = self.visible.contains(value);
                self.check(visible, || format!("{value} is used and not defined on every path to here"));
                self.function.values.get(*value).copied()
            }
        }
    }

    fn constant(&mut self, value: &Const) -> Option<ScalarType> {
        let known = match value {
            Const::Int(_, ty) | Const::Float(_, ty) | Const::Wide(_, ty) => return Some(*ty),
            Const::Str(id, _) => self.program.strings.get(*id).is_some(),
            Const::Address(id, _) => self.program.variables.get(*id).is_some(),
            Const::Function(id) => self.program.functions.get(*id).is_some(),
            Const::Library(_) => true,
        };
        self.check(known, || format!("{value:?} does not exist"));
        Some(ScalarType::Pointer)
    }

    /// The type that the place is read as; `None` for aggregates.
    fn place(&mut self, place: &Place) -> Option<ScalarType> {
        match &place.base {
            Base::Variable(id) => {
                let known = self.program.variables.get(*id).is_some();
                self.check(known, || format!("reaches the unknown {id}"));
            }
            Base::Pointer(value) => self.typed(value, ScalarType::Pointer),
        }
        for step in &place.steps {
            self.step(step);
        }
        self.type_of(place.ty)
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Field { structure, index, offset } => {
                let fields = self.program.types.structs.get(*structure).and_then(|s| s.fields.as_ref());
                let field = fields.and_then(|fields| fields.get(*index as usize));
                let right = field.is_some_and(|field| field.offset == *offset);
                self.check(right, || format!("{structure} has no field {index} at {offset}"));
            }
            Step::Index { index, stride, .. } => {
                self.typed(index, ScalarType::I64);
                if let Stride::Value(value) = stride {
                    self.typed(value, ScalarType::I64);
                }
            }
        }
    }

    fn type_of(&mut self, id: TypeId) -> Option<ScalarType> {
        let known = self.program.types.types.get(id).is_some();
        self.check(known, || format!("names the unknown type {id}"));
        if known { self.program.types.scalar(id) } else { None }
    }
}

fn is_logical(branch: &Branch) -> bool {
    use crate::BranchKind::{And, Or};
    matches!(branch.kind, And | Or)
}

enum Wanted {
    /// No result.
    Nothing,
    /// A result or none, of any type.
    Maybe,
    /// A result, of this type where it is known.
    Type(Option<ScalarType>),
}
