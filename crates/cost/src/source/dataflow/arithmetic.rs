//! Arithmetic of an iteration: strength reduction, fusion, and which values are affine.

use crate::source::address::affine::IterationForm;
use crate::source::address::affine::{Affine, Atom};
use crate::source::address::place::{Address, Root, ValueNumber};
use crate::source::dataflow::build::Builder;
use crate::source::dataflow::comparison::comparison_margin;
use crate::source::dataflow::graph::{Node, Value};
use crate::source::dataflow::opcode::{Constant, Opcode, Operation};
use chronos_ir::{BinaryOp, Const, InstructionClass, Op, Operand, ScalarType, Storage, UnaryOp, Unit, ValueId, VarId};

impl Builder<'_> {
    pub(super) fn type_of(&self, value: Option<ValueId>) -> ScalarType {
        let values = &self.setting.program.functions[self.function].values;
        value.and_then(|value| values.get(value)).copied().unwrap_or(ScalarType::I32)
    }

    pub(super) fn binary(&mut self, op: &Op, binary: BinaryOp, ty: ScalarType, a: &Operand, b: &Operand) -> Value {
        let (x, y) = (self.operand(a), self.operand(b));
        // Sums, differences and products by constants of affine values are affine again; nothing else is followed.
        let affine = match (&x.affine, &y.affine, binary) {
            (Some(x), Some(y), BinaryOp::Add) => x.add(y),
            (Some(x), Some(y), BinaryOp::Sub) => x.sub(y),
            (Some(x), Some(y), BinaryOp::Mul) => x.times(y),
            (Some(x), Some(y), BinaryOp::Shl) => {
                y.as_constant().filter(|bits| (0..62).contains(bits)).and_then(|bits| x.scale(1 << bits))
            }
            _ => None,
        };
        // Constant folding: the compiler needs no instruction for it.
        if let Some(constant) = affine.as_ref().and_then(Affine::as_constant) {
            return self.constant(constant);
        }
        // Contraction: a product and a sum become one instruction (GCC: -ffp-contract=fast is the default).
        if let Some(fused) = self.fused(binary, ty, &x, &y) {
            return fused;
        }
        if let Some(divided) = self.divided(op, binary, ty, &x, &y) {
            return divided;
        }
        // From here on the operation is one instruction.
        let mut operands = vec![x.node, y.node];
        let class = InstructionClass::of_arithmetic(&op.kind, self.type_of(op.dst))
            .map(|class| Self::cheaper(class, binary, &y))
            .map(|class| self.exact_reciprocal(class, b));
        // Value numbering sees `a + b` and `b + a` as one expression where the operation commutes.
        if matches!(binary, BinaryOp::Add | BinaryOp::Mul) {
            operands.sort_unstable();
        }
        let operation = Operation::Binary(binary, ty);
        let mut value = match self.ordered(binary, ty, &x, &y) {
            Some(cycles) => self.make(class, cycles, Opcode::Operation(operation), operands),
            None => self.node(class, operation, operands),
        };
        if let (Some(x), Some(y)) = (&x.affine, &y.affine) {
            self.graph.rests.extend(comparison_margin(binary, x, y).map(|rest| (value.node, rest)));
        }
        // What is not affine stands for itself: an address that it is part of waits for it.
        value.affine = affine.filter(|_| ty.is_integer()).or(value.affine);
        value
    }

    /// A quotient or remainder of integers by a constant: multiplications by a reciprocal, or shifts.
    fn divided(&mut self, op: &Op, binary: BinaryOp, ty: ScalarType, x: &Value, y: &Value) -> Option<Value> {
        use InstructionClass as C;
        let class = InstructionClass::of_arithmetic(&op.kind, self.type_of(op.dst));
        // Without an optimiser the counts of instructions know such divisions (processor/instructions.rs).
        let divides =
            class.is_some_and(|class| class.unit() == Unit::IntegerQuotient) && self.setting.profile.optimises;
        let constant = y.affine.as_ref().and_then(Affine::as_constant).filter(|&n| divides && n != 0)?;
        let signed = matches!(ty, ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64);
        // Division by an invariant integer is a product by its reciprocal (Granlund and Montgomery, PLDI 1994); by a power of two it is a shift.
        let mut steps: Vec<C> = match (constant.unsigned_abs().is_power_of_two(), signed) {
            (true, false) => vec![],
            // The sign rounds towards zero: it is made a small number and added.
            (true, true) => vec![C::IntAdd; 2],
            (false, false) => vec![C::IntMul],
            (false, true) => vec![C::IntMul, C::IntAdd],
        };
        // A shift or mask ends it; a remainder without a mask is what the quotient's product leaves.
        match (binary, steps.contains(&C::IntMul)) {
            (BinaryOp::Rem, true) => steps.extend([C::IntAdd, C::IntMul, C::IntAdd]),
            (BinaryOp::Rem, false) if signed => steps.extend([C::IntAdd; 2]),
            _ => steps.push(C::IntAdd),
        }
        // The steps form a recurrence: each waits for the one before.
        let mut value = x.clone();
        for (step, class) in steps.into_iter().enumerate() {
            let operation = Operation::DivisionStep { op: binary, ty, divisor: constant, step };
            value = self.node(Some(class), operation, vec![value.node]);
        }
        Some(value)
    }

    /// A division or product by a constant is no division or product.
    pub(super) fn cheaper(class: InstructionClass, binary: BinaryOp, divisor: &Value) -> InstructionClass {
        use InstructionClass as C;
        let Some(constant) = divisor.affine.as_ref().and_then(Affine::as_constant) else { return class };
        // Shifts take what a sum takes.
        let power = constant.unsigned_abs().is_power_of_two();
        match (class.unit(), binary) {
            (Unit::IntegerQuotient, _) if power => C::IntAdd,
            (Unit::IntegerQuotient, _) => C::IntMul,
            (Unit::IntegerProduct, BinaryOp::Mul) if power => C::IntAdd,
            _ => class,
        }
    }

    /// A quotient by a power of two is a product: its reciprocal is exact.
    fn exact_reciprocal(&self, class: InstructionClass, divisor: &Operand) -> InstructionClass {
        let Operand::Const(Const::Float(number, _)) = divisor else { return class };
        // A mantissa of zero says that the number is a power of two.
        let mantissa = number.to_bits() & ((1 << 52) - 1);
        match class {
            InstructionClass::FpDiv if mantissa == 0 && self.setting.profile.optimises => InstructionClass::FpMul,
            InstructionClass::FpDiv32 if mantissa == 0 && self.setting.profile.optimises => InstructionClass::FpMul32,
            _ => class,
        }
    }

    /// A product and a sum become one operation.
    pub(super) fn fused(&mut self, binary: BinaryOp, ty: ScalarType, x: &Value, y: &Value) -> Option<Value> {
        if !self.setting.costs.contract_fma || !ty.is_float() || !matches!(binary, BinaryOp::Add | BinaryOp::Sub) {
            return None;
        }
        let product = |value: &Value| {
            if !self.setting.profile.fuses_statements && self.named.contains(&value.node) {
                return false;
            }
            let node = &self.graph.nodes[value.node];
            node.opcode.is_binary(BinaryOp::Mul) && !node.invariant
        };
        // Of two products the one that was computed first is fused.
        // One instruction holds one product.
        let (product, other) = match (product(x), product(y)) {
            (true, true) if x.node <= y.node => (x, y),
            (_, true) => (y, x),
            (true, false) => (x, y),
            (false, false) => return None,
        };
        // The latency of a fused operation would stand in the recurrence of the sum, which is why gcc -mtune=znver* avoids it.
        if !self.setting.profile.fuses_sums && self.sums_up(other) || self.adds_in_order(other) {
            return None;
        }
        // The product is no value of its own any more: its operands are those of the fused operation.
        let node = self.graph.nodes[product.node].clone();
        let operands = node.operands.iter().copied().chain([other.node]).collect();
        let opcode = Opcode::Operation(Operation::FusedMultiply(binary, ty));
        Some(self.make(node.class, self.setting.costs.fused(), opcode, operands))
    }

    /// It is a variable that the iteration before left, in a loop whose sums add elements of vectors in order.
    fn adds_in_order(&self, value: &Value) -> bool {
        let carried = matches!(self.graph.nodes[value.node].opcode, Opcode::Entry(v) if self.written.contains(&v));
        self.setting.in_order && carried
    }

    /// Cycles of a sum in order over elements that were computed.
    fn ordered(&self, binary: BinaryOp, ty: ScalarType, x: &Value, y: &Value) -> Option<f64> {
        let computed = |value: &Value| {
            let class = self.graph.nodes[value.node].class;
            class.is_some_and(|class| class != InstructionClass::Load)
        };
        // Integers have no order to keep.
        let sums = ty.is_float() && matches!(binary, BinaryOp::Add | BinaryOp::Sub);
        let either = |x: &Value, y: &Value| self.adds_in_order(x) && computed(y);
        (sums && (either(x, y) || either(y, x))).then(|| self.setting.costs.ordered_sum())
    }

    /// It is what the iteration before left: a variable, or a place in memory that the iteration stores to again.
    fn sums_up(&self, value: &Value) -> bool {
        if matches!(self.graph.nodes[value.node].opcode, Opcode::Entry(v) if self.written.contains(&v)) {
            return true;
        }
        // A sum in memory is loaded and stored at one place in each iteration.
        let stores = self.stores.as_deref().unwrap_or(&[]);
        let loaded = self.graph.accesses.iter().find(|access| access.node == value.node && !access.store);
        // Every iteration the same place: no induction in its address.
        let still = |address: &Address| {
            address.offset.each_symbol().all(|atom| matches!(atom, Atom::Entry(v) if !self.written.contains(v)))
        };
        loaded.is_some_and(|load| still(&load.address) && stores.iter().any(|store| store.address == load.address))
    }

    pub(super) fn unary(&mut self, op: &Op, unary: UnaryOp, a: &Operand) -> Value {
        // Only the negation of an affine value is affine.
        let x = self.operand(a);
        let affine = x.affine.as_ref().filter(|_| unary == UnaryOp::Neg).and_then(Affine::negate);
        if let Some(constant) = affine.as_ref().and_then(Affine::as_constant) {
            return self.constant(constant);
        }
        let class = InstructionClass::of_arithmetic(&op.kind, self.type_of(op.dst));
        let mut value = self.node(class, Operation::Unary(unary), vec![x.node]);
        value.affine = affine.filter(|_| !self.type_of(op.dst).is_float()).or(value.affine);
        value
    }

    /// Whether a form holds what is computed anew in each iteration: no counter, nothing that stays.
    pub(super) fn computed(&self, affine: &Affine) -> bool {
        let anew = |atom: &Atom| match atom {
            Atom::Node(_) => true,
            Atom::Entry(variable) => {
                self.written.contains(variable) && self.inductions.as_ref().is_some_and(|all| !all.contains(variable))
            }
            Atom::Held(_) | Atom::Loaded(..) | Atom::Outer(_) | Atom::Product(..) => false,
        };
        affine.each_symbol().any(anew)
    }

    /// Widening an index is part of its address; other conversions between integers are cheap, not free.
    pub(super) fn convert(&mut self, op: &Op, from: ScalarType, a: &Operand) -> Value {
        let x = self.operand(a);
        let to = self.type_of(op.dst);
        // A conversion from or to a floating-point number is an instruction in any case.
        let index = from.is_integer() && to.is_integer();
        // What was computed in 32 bits has no address that advances with it: it is sign-extended (movslq).
        if index
            && from == ScalarType::I32
            && self.setting.profile.optimises
            && x.affine.as_ref().is_some_and(|x| self.computed(x))
        {
            return self.node(Some(InstructionClass::IntConvert), Operation::Extend(to), vec![x.node]);
        }
        // Signed overflow is undefined, so that an induction variable of 32 bits may be kept in 64.
        if index && from == ScalarType::I32 && to == ScalarType::I64 {
            return self.index(x);
        }
        // Truncation and reinterpretation take no instruction.
        if x.pointer.is_some() || (index && x.affine.is_some()) {
            return x;
        }
        let class = InstructionClass::of_arithmetic(&op.kind, to);
        // A load widens as it loads (movzx, movsx), and operations on 32 bits clear the upper half.
        let widens = from.is_integer() && to.is_integer() && self.setting.profile.optimises;
        let mut value = self.node(class.filter(|_| !widens), Operation::Convert(from, to), vec![x.node]);
        value.affine = x.affine.filter(|_| index).or(value.affine);
        value
    }

    /// A number of 32 bits as an index: nothing is left of it but an address that advances, unless it is computed only
    /// under a condition, where compilers do not use that a sum of this type cannot overflow (kernel `guarded_rows`).
    fn index(&mut self, mut value: Value) -> Value {
        let Some(affine) = &value.affine else { return value };
        let form = affine.without_constant();
        if self.guards == 0 {
            self.graph.indices.insert(form);
            return value;
        }
        // What stands in every iteration as well is computed there once.
        let known = self.unguarded.as_ref().is_none_or(|all| all.contains(&form));
        if known || !self.setting.profile.extends_guarded_indices || self.setting.flat || !self.is_sum(&form) {
            return value;
        }
        // The sum and its extension stay in the guarded block.
        let mut operands = Vec::new();
        self.needed(&form, &mut operands);
        let operation = Operation::GuardedIndex(affine.clone(), self.block);
        let sum = self.node(Some(InstructionClass::IntAdd), operation.clone(), operands);
        value.node = self.node(Some(InstructionClass::IntConvert), operation, vec![sum.node]).node;
        self.widened.insert(value.node);
        value
    }

    /// Whether a form has anything but a counter in it that changes, and changes by inductions only.
    fn is_sum(&self, form: &Affine) -> bool {
        let counter = matches!(form.terms.first(), Some((Atom::Entry(_), 1)));
        let changes = |variable: VarId| Some(i64::from(self.written.contains(&variable)));
        // An index that stays the same is hoisted, and a counter alone is an address mode.
        let varies = form.stride(&changes).is_none_or(|stride| stride != 0);
        varies && !self.computed(form) && !(form.terms.len() == 1 && counter)
    }

    pub(super) fn node(
        &mut self,
        class: Option<InstructionClass>,
        operation: Operation,
        operands: Vec<ValueNumber>,
    ) -> Value {
        let opcode = Opcode::Operation(operation);
        let latency = class.map_or(0.0, |class| self.setting.costs.latency(class));
        self.make(class, latency, opcode, operands)
    }

    pub(super) fn make(
        &mut self,
        class: Option<InstructionClass>,
        latency: f64,
        opcode: Opcode,
        operands: Vec<ValueNumber>,
    ) -> Value {
        // Loop-invariant code motion: a value of invariant operands is computed before the loop.
        let invariant = self.graph.all_invariant(&operands) && !matches!(opcode, Opcode::Unique(_));
        let node = self.graph.add(Node {
            class,
            latency,
            operands,
            invariant,
            block: self.block,
            line: self.span.line_start,
            float: false,
            opcode,
        });
        // An invariant value has stride 0, another one no known stride.
        let atom = if invariant { Atom::Held(node) } else { Atom::Node(node) };
        Value { node, affine: Some(Affine::symbol(atom)), pointer: None }
    }

    pub(super) fn opaque(
        &mut self,
        operands: Vec<ValueNumber>,
        class: Option<InstructionClass>,
        latency: f64,
    ) -> Value {
        let opcode = self.graph.unique();
        self.make(class, latency, opcode, operands)
    }

    pub(super) fn constant(&mut self, constant: i64) -> Value {
        let mut value = self.make(None, 0.0, Opcode::Constant(Constant::Int(constant)), vec![]);
        value.affine = Some(Affine::constant(constant));
        value
    }

    pub(super) fn operand(&mut self, operand: &Operand) -> Value {
        match operand {
            Operand::Value(value) => match self.values.get(value) {
                Some(known) => known.clone(),
                None => {
                    let mut made = self.make(None, 0.0, Opcode::Outer(*value), vec![]);
                    made.affine = Some(Affine::symbol(Atom::Outer(*value)));
                    made
                }
            },
            Operand::Const(Const::Int(n, _)) => self.constant(*n),
            Operand::Const(constant) => {
                let mut made = self.make(None, 0.0, Opcode::Constant(Constant::of(constant)), vec![]);
                if let Const::Address(object, bytes) = constant {
                    made.pointer = Some((Root::Object(*object), Affine::constant(*bytes)));
                }
                made
            }
        }
    }

    pub(super) fn entry(&mut self, variable: VarId) -> Value {
        // A parameter is a constant only to compilers that clone functions for it (GCC: -fipa-cp).
        let parameter = matches!(self.setting.program.variables[variable].storage, Storage::Parameter(_));
        let known = !parameter || self.setting.profile.passes_constants;
        if let Some(&constant) = self.setting.facts.constants.get(&variable).filter(|_| known) {
            return self.constant(constant);
        }
        let mut value = self.make(None, 0.0, Opcode::Entry(variable), vec![]);
        // What no block of the loop writes is loop-invariant.
        self.graph.nodes[value.node].invariant = !self.written.contains(&variable);
        value.affine = Some(Affine::symbol(Atom::Entry(variable)));
        // A pointer is a root of addresses, or leads to the one object that it always points to.
        let ty = self.setting.program.variables[variable].ty;
        if self.setting.program.types.scalar(ty) == Some(ScalarType::Pointer) {
            let root = self.setting.facts.objects.get(&variable).map_or(Root::Pointer(variable), |&o| Root::Object(o));
            value.pointer = Some((root, Affine::default()));
        }
        value
    }
}
