//! How many instructions gcc makes of a program for x86-64 without optimisation, where each expression is spelled out
//! by itself: nothing is kept from one to the next but in memory. Read from the assembly of small functions, one for
//! each construct (`gcc -O0 -S`, gcc 12). It must not know what an instruction costs.

use crate::classes::of_counter;
use chronos_base::hash::{FxHashMap, FxHashSet};
use chronos_ir::op::{Base, Const, Op, OpKind, Operand, Place, Step, Stride};
use chronos_ir::{BinaryOp, Block, BlockKind, FuncId, Program, ScalarType, Storage, Straight, UnaryOp, ValueId, VarId};

/// Instructions that one unit of the counter `[offset]` of a block stands for, calls apart.
pub(crate) fn unoptimised_instructions(program: &Program, block: &Block, offset: u32) -> f64 {
    match &block.kind {
        BlockKind::Straight(straight) => of_straight(program, block.function, straight),
        // Entries jump to the condition at the end first.
        BlockKind::Loop(inner) if offset == 1 && inner.condition.is_some() => 2.0,
        // The first arm jumps over the second one.
        BlockKind::Branch(branch) if offset == 1 && branch.arms.len() == 2 => 1.0,
        BlockKind::Loop(_) | BlockKind::Branch(_) => of_counter(program, block, offset).iter().map(|w| w.1).sum(),
        BlockKind::Call(_) => 0.0,
    }
}

fn of_straight(program: &Program, function: FuncId, straight: &Straight) -> f64 {
    let mut counter = Counter::new(program, function);
    straight.ops.iter().for_each(|op| counter.meet(op));
    straight.ops.iter().map(|op| counter.operation(op) + counter.spelled_again(op)).sum()
}

/// Elements that an address can be scaled by.
fn is_scale(bytes: u64) -> bool {
    matches!(bytes, 1 | 2 | 4 | 8)
}

/// The operations of a block, by what they make and use.
struct Counter<'a> {
    program: &'a Program,
    function: FuncId,
    uses: FxHashMap<ValueId, u32>,
    /// What uses a value first.
    users: FxHashMap<ValueId, &'a Op>,
    made: FxHashMap<ValueId, &'a Op>,
    /// Variables of the frame that values are stored to.
    stored: FxHashSet<(ValueId, VarId)>,
    /// Places that are read and have no fixed address, by the values that it is made of.
    reads: FxHashMap<Vec<ValueId>, Vec<&'a Place>>,
}

impl<'a> Counter<'a> {
    fn new(program: &'a Program, function: FuncId) -> Self {
        let (uses, users, made) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
        Self { program, function, uses, users, made, stored: FxHashSet::default(), reads: FxHashMap::default() }
    }

    fn meet(&mut self, op: &'a Op) {
        for value in op.kind.values() {
            *self.uses.entry(value).or_default() += 1;
            self.users.entry(value).or_insert(op);
        }
        self.made.extend(op.dst.map(|value| (value, op)));
        match &op.kind {
            OpKind::Read(place) if place.values().next().is_some() => {
                self.reads.entry(place.values().collect()).or_default().push(place);
            }
            OpKind::Write(place, value) => self.stored.extend(value.value().zip(self.local(place))),
            _ => {}
        }
    }
}

impl Counter<'_> {
    fn operation(&self, op: &Op) -> f64 {
        match &op.kind {
            OpKind::Read(_) if op.dst.is_some_and(|value| self.is_operand(value)) => 0.0,
            OpKind::Read(place) => self.address(place) + 1.0,
            OpKind::Write(place, value) => self.write(place, value),
            OpKind::Address(place) => self.address(place) + if place.steps.is_empty() { 0.0 } else { 1.0 },
            OpKind::Unary(UnaryOp::Neg, a) if self.type_of(a).is_float() => 2.0,
            OpKind::Unary(UnaryOp::LogicalNot, _) => self.as_value(op),
            OpKind::Unary(..) => 1.0,
            OpKind::Binary(binary, ty, a, b) if ty.is_float() => of_floats(a, b) + self.compared(*binary, op),
            OpKind::Binary(binary, ty, a, b) => self.of_integers(*binary, *ty, a, b) + self.compared(*binary, op),
            OpKind::Convert(from, a) => self.conversion(op, *from, a),
            // A difference of bytes, shifted, or by the inverse of an odd number of elements.
            OpKind::PointerDiff(_, _, 1) => 1.0,
            OpKind::PointerDiff(_, _, stride) if stride.is_power_of_two() => 2.0,
            OpKind::PointerDiff(..) => 4.0,
            OpKind::Copy { to, from, bytes } => self.address(to) + self.address(from) + bytes.div_ceil(8) as f64 * 2.0,
            OpKind::Zero { to, bytes } => self.address(to) + bytes.div_ceil(8) as f64,
            OpKind::Jump(_) | OpKind::Allocate { .. } => 1.0,
            OpKind::Move(_) | OpKind::Call(_) | OpKind::Opaque(_) => 0.0,
        }
    }

    fn type_of(&self, operand: &Operand) -> ScalarType {
        match operand {
            Operand::Value(value) => {
                self.program.functions[self.function].values.get(*value).copied().unwrap_or(ScalarType::I32)
            }
            Operand::Const(Const::Int(_, ty) | Const::Float(_, ty)) => *ty,
            Operand::Const(_) => ScalarType::Pointer,
        }
    }

    /// A constant is part of the store, a floating-point one is loaded first; a sum of integers may be made in memory.
    fn write(&self, place: &Place, value: &Operand) -> f64 {
        let made = value.value().and_then(|value| self.made.get(&value));
        let updated = made.and_then(|op| self.updated(op));
        match value {
            Operand::Const(Const::Float(..)) => self.address(place) + 2.0,
            _ if updated.is_some() && updated == self.local(place) => 0.0,
            _ if self.increments(value) && self.is_read(place) => 1.0,
            _ => self.address(place) + 1.0,
        }
    }

    /// The variable of the frame that an integer operation changes where it stands.
    fn updated(&self, op: &Op) -> Option<VarId> {
        use BinaryOp as B;
        let OpKind::Binary(binary, ty, a, b) = &op.kind else { return None };
        if ty.is_float() || !matches!(binary, B::Add | B::Sub | B::And | B::Or | B::Xor) {
            return None;
        }
        let commutes = *binary != B::Sub;
        let written = |variable: &VarId| op.dst.is_some_and(|value| self.stored.contains(&(value, *variable)));
        let first = self.read(a).filter(written);
        first.or_else(|| self.read(b).filter(|_| commutes).filter(written))
    }

    /// The variable of the frame that an operand was read from, where nothing else uses the value.
    fn read(&self, operand: &Operand) -> Option<VarId> {
        let value = operand.value()?;
        let once = self.uses.get(&value) == Some(&1);
        match &self.made.get(&value)?.kind {
            OpKind::Read(place) if once => self.local(place),
            _ => None,
        }
    }

    /// A scalar of the frame.
    fn local(&self, place: &Place) -> Option<VarId> {
        let Base::Variable(variable) = place.base else { return None };
        let storage = &self.program.variables[variable].storage;
        let frame = matches!(storage, Storage::Local | Storage::Parameter(_));
        (frame && place.steps.is_empty() && place.bits.is_none()).then_some(variable)
    }

    /// A variable that the operation which uses it takes from memory.
    fn is_operand(&self, value: ValueId) -> bool {
        let Some(&user) = self.users.get(&value) else { return false };
        if self.read(&Operand::Value(value)).is_none() {
            return false;
        }
        let is = |operand: &Operand| operand.value() == Some(value);
        match &user.kind {
            OpKind::Binary(op, ty, a, b) if ty.is_float() => {
                let constant = matches!(a, Operand::Const(_)) || matches!(b, Operand::Const(_));
                let commutes = matches!(op, BinaryOp::Add | BinaryOp::Mul);
                !constant && (is(b) || commutes && is(a) && self.read(b).is_none())
            }
            OpKind::Binary(op, _, a, b) => {
                let updates = self.updated(user);
                let constant = matches!(b, Operand::Const(_));
                let other = self.read(a).is_some();
                if updates.is_some() {
                    updates == self.read(&Operand::Value(value))
                } else if op.is_comparison() && constant {
                    is(a)
                } else {
                    !matches!(op, BinaryOp::Add | BinaryOp::Shl | BinaryOp::Shr) && is(b) && other
                }
            }
            OpKind::PointerDiff(_, b, _) => is(b),
            OpKind::Convert(..) => self.result(user).is_float(),
            _ => false,
        }
    }

    fn result(&self, op: &Op) -> ScalarType {
        op.dst.map_or(ScalarType::I32, |value| self.type_of(&Operand::Value(value)))
    }

    /// What a comparison takes to become a number, where it does not only decide.
    fn as_value(&self, op: &Op) -> f64 {
        if op.dst.is_some_and(|value| self.uses.contains_key(&value)) { 2.0 } else { 0.0 }
    }

    fn compared(&self, binary: BinaryOp, op: &Op) -> f64 {
        if binary.is_comparison() { self.as_value(op) } else { 0.0 }
    }

    fn of_integers(&self, op: BinaryOp, ty: ScalarType, a: &Operand, b: &Operand) -> f64 {
        let constant = |operand: &Operand| match operand {
            Operand::Const(Const::Int(n, _)) => Some(n.unsigned_abs()),
            _ => None,
        };
        match (op, constant(a).or(constant(b))) {
            (BinaryOp::Mul, Some(n)) => multiplied(n),
            (BinaryOp::Div | BinaryOp::Rem, Some(n)) if constant(b).is_some() && n.is_power_of_two() => {
                match (ty.is_signed(), op) {
                    (false, _) => 1.0,
                    (true, BinaryOp::Div) => 4.0,
                    (true, _) => 6.0,
                }
            }
            (BinaryOp::Div, Some(_)) if constant(b).is_some() => 9.0,
            (BinaryOp::Rem, Some(_)) if constant(b).is_some() => 13.0,
            (BinaryOp::Div | BinaryOp::Rem, _) => 2.0,
            // The number of bits goes through a register of its own.
            (BinaryOp::Shl | BinaryOp::Shr, None) => 3.0,
            // A computed value makes room for the next.
            (BinaryOp::Add, None) if self.is_computed(a) => 2.0,
            _ => 1.0,
        }
    }

    fn is_computed(&self, operand: &Operand) -> bool {
        let made = operand.value().and_then(|value| self.made.get(&value));
        made.is_some_and(|op| matches!(op.kind, OpKind::Binary(..)))
    }

    fn conversion(&self, op: &Op, from: ScalarType, a: &Operand) -> f64 {
        let to = self.result(op);
        match (from.is_float(), to.is_float()) {
            _ if matches!(a, Operand::Const(_)) => 0.0,
            (false, true) => 2.0,
            (true, true) if self.read(a).is_some() => 2.0,
            (true, _) => 1.0,
            (false, false) if matches!(from, ScalarType::I32) && matches!(to, ScalarType::I64) => 1.0,
            // A narrow load widens as it loads.
            _ => 0.0,
        }
    }

    /// Instructions that make an address, beside those of indices and pointers themselves.
    fn address(&self, place: &Place) -> f64 {
        let pointer = matches!(place.base, Base::Pointer(_));
        let steps: Vec<(&Operand, &Stride)> = { place.steps.iter() }
            .filter_map(|step| match step {
                Step::Index { index, stride, .. } => Some((index, stride)),
                Step::Field { .. } => None,
            })
            .collect();
        let first = match (place.steps.first(), steps.first()) {
            // What a pointer points to, from there on an array.
            (Some(Step::Index { length: None, .. }), Some(&(index, stride))) if pointer => Some((index, stride)),
            _ => None,
        };
        let rest = &steps[usize::from(first.is_some())..];
        let advance = first.map_or(0.0, |(index, stride)| advanced(index, stride));
        advance + elements(rest) + self.of_global(place, rest)
    }

    /// Arrays outside the frame have no address that an instruction can hold beside an index.
    fn of_global(&self, place: &Place, steps: &[(&Operand, &Stride)]) -> f64 {
        let Base::Variable(variable) = place.base else { return 0.0 };
        let frame = matches!(self.program.variables[variable].storage, Storage::Local | Storage::Parameter(_));
        let moves = steps.iter().any(|(index, _)| matches!(index, Operand::Value(_)));
        if moves && !frame { 2.0 } else { 0.0 }
    }

    /// Compound assignments to memory spell out the place twice; increments by one do not.
    fn spelled_again(&self, op: &Op) -> f64 {
        match &op.kind {
            OpKind::Write(place, value) if self.is_read(place) && !self.increments(value) => {
                place.values().map(|value| self.spelled(value)).sum()
            }
            _ => 0.0,
        }
    }

    fn is_read(&self, place: &Place) -> bool {
        let values: Vec<ValueId> = place.values().collect();
        self.reads.get(&values).is_some_and(|places| places.contains(&place))
    }

    /// It adds 1 to what was read, or -1.
    fn increments(&self, value: &Operand) -> bool {
        let made = value.value().and_then(|value| self.made.get(&value));
        let one = |operand: &Operand| matches!(operand, Operand::Const(Const::Int(1 | -1, _)));
        made.is_some_and(|op| matches!(&op.kind, OpKind::Binary(BinaryOp::Add | BinaryOp::Sub, _, _, b) if one(b)))
    }

    /// All that makes a value.
    fn spelled(&self, value: ValueId) -> f64 {
        let Some(op) = self.made.get(&value) else { return 0.0 };
        let own = match &op.kind {
            OpKind::Read(place) => self.address(place) + 1.0,
            OpKind::Call(_) => return 0.0,
            _ => self.operation(op),
        };
        own + op.kind.values().map(|value| self.spelled(value)).sum::<f64>()
    }
}

/// A constant is loaded first.
fn of_floats(a: &Operand, b: &Operand) -> f64 {
    let constants = [a, b].into_iter().filter(|operand| matches!(operand, Operand::Const(_))).count();
    1.0 + constants as f64
}

/// A pointer that advances by an index: scaled or multiplied, and added.
fn advanced(index: &Operand, stride: &Stride) -> f64 {
    match (index, stride) {
        (Operand::Const(_), _) => 0.0,
        (_, Stride::Bytes(1)) => 1.0,
        (_, Stride::Bytes(bytes)) if is_scale(*bytes) => 2.0,
        (_, Stride::Bytes(bytes)) => multiplied_aside(*bytes) + 1.0,
        (_, Stride::Value(_)) => 4.0,
    }
}

/// Indices of an array become one number of elements, which the access scales.
fn elements(steps: &[(&Operand, &Stride)]) -> f64 {
    let Some((&(index, last), rows)) = steps.split_last() else { return 0.0 };
    let (scale, unscaled) = match last {
        Stride::Bytes(bytes) if is_scale(*bytes) => (*bytes, 0.0),
        Stride::Bytes(bytes) if matches!(index, Operand::Value(_)) => (*bytes, multiplied(*bytes) + 1.0),
        Stride::Bytes(bytes) => (*bytes, 0.0),
        Stride::Value(_) => (1, 3.0),
    };
    let row = |&(index, stride): &(&Operand, &Stride)| match (index, stride) {
        (Operand::Const(_), _) => 0.0,
        (_, Stride::Bytes(bytes)) => multiplied(bytes / scale.max(1)) + 1.0,
        (_, Stride::Value(_)) => 3.0,
    };
    rows.iter().map(row).sum::<f64>() + unscaled
}

/// A product by a constant, and the copy that makes room for what comes next.
fn multiplied_aside(by: u64) -> f64 {
    multiplied(by) + if steps(by).is_some() { 1.0 } else { 0.0 }
}

/// A product by a constant: shifts and sums where that is short, of a copy of the value; else a product.
fn multiplied(by: u64) -> f64 {
    if by <= 1 {
        return 0.0;
    }
    let shift = if by.is_multiple_of(2) { 1.0 } else { 0.0 };
    match steps(by) {
        Some(0) => shift,
        Some(steps) => 1.0 + 2.0 * f64::from(steps) + shift,
        None => 1.0,
    }
}

/// Odd factors that two sums of shifted values make (of all row sizes from 3 to 130).
const TWO_STEPS: [u64; 10] = [11, 13, 19, 21, 25, 27, 37, 41, 73, 81];

/// Sums or differences of shifted values that a product by a constant takes, beside a last shift; `None` where it is
/// a product.
fn steps(by: u64) -> Option<u32> {
    let odd = by.checked_shr(by.trailing_zeros()).unwrap_or(1);
    match odd {
        1 => Some(0),
        _ if (odd - 1).is_power_of_two() || (odd + 1).is_power_of_two() => Some(1),
        _ if TWO_STEPS.contains(&odd) => Some(2),
        _ => None,
    }
}
