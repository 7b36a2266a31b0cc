//! Reads and writes of an iteration: what stays in registers, what memory is known to hold, where accesses go.

use crate::source::address::affine::IterationForm;
use crate::source::address::affine::{Affine, Atom};
use crate::source::address::place::{Address, Root, ValueNumber};
use crate::source::dataflow::build::Builder;
use crate::source::dataflow::graph::{Access, Value};
use crate::source::dataflow::opcode::{Opcode, Operation};
use chronos_ir::{Base, InstructionClass, Place, ScalarType, Step, Stride, VarId};

impl Builder<'_> {
    pub(super) fn register(&self, place: &Place) -> Option<VarId> {
        match place.base {
            Base::Variable(v) if place.steps.is_empty() && !place.volatile && self.setting.is_register(v) => Some(v),
            _ => None,
        }
    }

    pub(super) fn read(&mut self, place: &Place) -> Value {
        // Scalars whose address is not taken live in registers.
        if let Some(variable) = self.register(place) {
            return match self.env.get(&variable) {
                Some(value) => value.clone(),
                None => self.entry(variable),
            };
        }
        // What the iteration has loaded or stored there before is known (redundant load elimination; GCC: -ftree-fre).
        let (access, operands) = self.access(place, false);
        if let Some((_, value)) = self.memory.iter().find(|(known, _)| known.address == access.address) {
            return value.clone();
        }
        let stores = self.stores.as_deref().unwrap_or(&[]);
        // A load is equal to an earlier one only where no store and no call may have written the place.
        let changes = self.graph.calls || stores.iter().any(|store| self.setting.may_alias(store, &access));
        let load = || Opcode::Operation(Operation::Load(access.address.clone()));
        let opcode = if changes { self.graph.unique() } else { load() };
        let class = Some(InstructionClass::Load);
        // Address generation adds to the latency of a load where the index arrives late.
        let indexed = self.computed(&access.address.offset);
        let costs = self.setting.costs;
        // An index that was computed is scaled and added; an induction variable is a pointer by now.
        let scaling = if indexed && self.setting.profile.optimises { costs.indexed_load() } else { 0.0 };
        let mut value = self.make(class, costs.latency(InstructionClass::Load) + scaling, opcode, operands);
        self.graph.nodes[value.node].float = access.float;
        let access = Access { node: value.node, ..access };
        let ty = self.setting.program.types.scalar(place.ty);
        // What was loaded as a pointer is a root that nothing else is known of.
        if ty == Some(ScalarType::Pointer) {
            value.pointer = Some((Root::Value(value.node), Affine::default()));
        }
        // An invariant load is hoisted; it stays in the analysis of aliases.
        if self.graph.nodes[value.node].invariant {
            self.graph.invariant_loads.push(access.clone());
            if let (Base::Variable(variable), true) = (&place.base, place.steps.is_empty()) {
                value.affine = Some(Affine::symbol(Atom::Loaded(*variable, value.node)));
            }
        } else {
            self.graph.accesses.push(access.clone());
        }
        self.memory.push((access, value.clone()));
        value
    }

    pub(super) fn write(&mut self, place: &Place, value: Value) {
        self.named.insert(value.node);
        if let Some(variable) = self.register(place) {
            // At -O0 a variable has a slot in memory, and each use waits for store-to-load forwarding.
            let value = if self.setting.profile.optimises { value } else { self.slot(place, &value) };
            self.env.insert(variable, value);
            return;
        }
        let (access, mut operands) = self.access(place, true);
        operands.insert(0, value.node);
        // Nothing in an iteration waits for a store but loads of the same place: its latency is that of issuing it.
        let throughput = self.setting.costs.throughput(InstructionClass::Store);
        let stored = self.opaque(operands, Some(InstructionClass::Store), throughput);
        self.graph.roots.push(stored.node);
        let access = Access { node: stored.node, ..access };
        // The store ends what was known of places that it may reach.
        let setting = self.setting;
        self.memory.retain(|(known, _)| known.address != access.address && !setting.may_alias(known, &access));
        self.memory.push((access.clone(), value));
        self.graph.accesses.push(access);
    }

    /// Without an optimiser, what a variable is given waits in memory until it is read.
    pub(super) fn slot(&mut self, place: &Place, value: &Value) -> Value {
        let ty = self.setting.program.types.scalar(place.ty).unwrap_or(ScalarType::I32);
        let costs = self.setting.costs;
        // An integer read, changed and written by one instruction (addl $1, slot) forwards faster.
        let forward =
            if !ty.is_float() && self.updates(place, value) { costs.updating() } else { costs.forwarding(ty) };
        let mut slot = self.opaque(vec![value.node], None, forward);
        slot.affine.clone_from(&value.affine);
        slot.pointer.clone_from(&value.pointer);
        slot
    }

    /// Whether a value is the old one of its variable with something added to it, as one operation on memory does it,
    /// and in a way that a processor which renames memory does not see through: a sum that was computed, or a counter
    /// that stores take their addresses from (suite kernel `int_sum`, and all nests at -O0 on such a processor).
    fn updates(&self, place: &Place, value: &Value) -> bool {
        let Some(variable) = self.register(place) else { return false };
        let node = &self.graph.nodes[value.node];
        let old = |id: &ValueNumber| match self.env.get(&variable) {
            Some(known) => known.node == *id,
            None => self.graph.nodes[*id].opcode == Opcode::Entry(variable),
        };
        let counts = |id: &ValueNumber| self.graph.nodes[*id].opcode.is_constant();
        let indexes = || {
            let change = |other: VarId| Some(i64::from(other == variable));
            let mut stores = self.graph.accesses.iter().filter(|access| access.store);
            stores.any(|store| store.address.offset.stride(&change) != Some(0))
        };
        // Processors that rename memory see through a counter with a constant step, not through a computed sum.
        let sum = node.class == Some(InstructionClass::IntAdd) && node.operands.iter().any(old);
        sum && (!node.operands.iter().any(counts) || indexes())
    }

    pub(super) fn access(&mut self, place: &Place, store: bool) -> (Access, Vec<ValueNumber>) {
        let (root, offset) = self.locate(place);
        // An index that is a value of its own delays its access.
        let mut operands = self.widened(place);
        let widened = !operands.is_empty();
        self.needed(&offset, &mut operands);
        match &root {
            Root::Value(node) => operands.push(*node),
            // A pointer that advances is a recurrence of its own, which the access waits for.
            Root::Pointer(variable) if self.written.contains(variable) => {
                let entry = self.entry(*variable);
                operands.push(entry.node);
            }
            _ => {}
        }
        let program = self.setting.program;
        let scalar = program.types.scalar(place.ty);
        let bytes = program.types.size(place.ty, program.model).max(1);
        let address = Address { root, offset, bytes };
        let float = scalar.is_some_and(ScalarType::is_float);
        // The caller makes the node.
        let block = (self.guards > 0).then_some(self.block);
        (Access { address, node: ValueNumber(0), store, float, widened, block, span: self.span }, operands)
    }

    /// Indices of a place that are values of their own.
    fn widened(&mut self, place: &Place) -> Vec<ValueNumber> {
        let index =
            |step: &Step| if let Step::Index { index, .. } = step { Some(self.operand(index).node) } else { None };
        let nodes: Vec<ValueNumber> = place.steps.iter().filter_map(index).collect();
        nodes.into_iter().filter(|node| self.widened.contains(node)).collect()
    }

    /// What an address waits for: values of the iteration, and variables that it changes.
    pub(super) fn needed(&mut self, offset: &Affine, operands: &mut Vec<ValueNumber>) {
        let atoms: Vec<Atom> = offset.each_symbol().cloned().collect();
        for atom in atoms {
            match atom {
                Atom::Node(node) | Atom::Held(node) | Atom::Loaded(_, node) => operands.push(node),
                Atom::Entry(variable) if self.written.contains(&variable) => operands.push(self.entry(variable).node),
                // What is there before the iteration delays nothing.
                Atom::Entry(_) | Atom::Outer(_) => {}
                Atom::Product(a, b) => {
                    self.needed(&a, operands);
                    self.needed(&b, operands);
                }
            }
        }
    }

    pub(super) fn locate(&mut self, place: &Place) -> (Root, Affine) {
        let (root, mut offset) = match &place.base {
            Base::Variable(variable) => (Root::Object(*variable), Affine::default()),
            Base::Pointer(pointer) => {
                let value = self.operand(pointer);
                value.pointer.unwrap_or((Root::Value(value.node), Affine::default()))
            }
        };
        for step in &place.steps {
            match step {
                Step::Field { offset: bytes, .. } => {
                    let moved = i64::try_from(*bytes).ok().and_then(|bytes| offset.plus(bytes));
                    offset = moved.unwrap_or_else(|| self.unknown_offset(vec![]));
                }
                Step::Index { index, stride, .. } => {
                    let index = self.operand(index);
                    let stride = match stride {
                        Stride::Bytes(bytes) => i64::try_from(*bytes).ok().map(Affine::constant),
                        Stride::Value(value) => Some(self.operand(value).affine.unwrap_or_default()),
                    };
                    let elements = index.affine.unwrap_or_default();
                    let bytes = stride.and_then(|stride| elements.times(&stride));
                    let moved = bytes.and_then(|bytes| offset.add(&bytes));
                    offset = moved.unwrap_or_else(|| self.unknown_offset(vec![index.node]));
                }
            }
        }
        (root, offset)
    }

    /// Where an address leaves 64 bits it may lie anywhere, each time somewhere else.
    fn unknown_offset(&mut self, operands: Vec<ValueNumber>) -> Affine {
        let anywhere = self.opaque(operands, None, 0.0);
        Affine::symbol(Atom::Node(anywhere.node))
    }

    pub(super) fn address_value(&mut self, place: &Place) -> Value {
        let (root, offset) = self.locate(place);
        let mut operands = self.widened(place);
        self.needed(&offset, &mut operands);
        if let Root::Pointer(variable) = &root {
            operands.push(self.entry(*variable).node);
        } else if let Root::Value(node) = &root {
            operands.push(*node);
        }
        // The address of an object itself is a constant of the link.
        let class = Some(InstructionClass::IntAdd).filter(|_| offset != Affine::default());
        let operation = Operation::AddressOf(root.clone(), offset.clone());
        let mut value = self.node(class, operation, operands);
        value.pointer = Some((root, offset));
        value
    }

    pub(super) fn words(&mut self, bytes: u64) {
        self.graph.irregular = true;
        self.memory.clear();
        for _ in 0..bytes.div_ceil(16) {
            // An aggregate is copied by 16 bytes a time (movups).
            let value = self.opaque(vec![], Some(InstructionClass::CopyWord), 0.0);
            self.graph.roots.push(value.node);
        }
    }
}
