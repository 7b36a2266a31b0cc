//! From the blocks of an iteration to its data flow.

use super::affine::{Affine, Atom};
use super::costs::Costs;
use super::facts::Facts;
use super::graph::{Access, Address, Graph, Key, Node, NodeId, Root, Value};
use super::profile::Profile;
use crate::program::{
    Base, BinaryOp, BlockId, BlockKind, Branch, BranchKind, Const, FuncId, InstructionClass, Loop, Op, OpKind, Operand,
    Place, Program, ScalarType, Step, Storage, Straight, Stride, UnaryOp, ValueId, VarId,
};
use std::collections::{BTreeSet, HashMap};

/// What every analysis of a program shares.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    pub program: &'a Program,
    pub profile: &'a Profile,
    pub costs: &'a Costs,
    pub facts: &'a Facts,
}

impl Setting<'_> {
    /// A scalar of the function's own that no pointer reaches.
    pub fn is_register(&self, variable: VarId) -> bool {
        let variable = &self.program.variables[variable];
        !variable.address_taken && matches!(variable.storage, Storage::Local | Storage::Parameter(_))
    }

    pub fn may_alias(&self, a: &Access, b: &Access) -> bool {
        if a.address.root == b.address.root {
            let difference = a.address.offset.plus(&b.address.offset, -1);
            return match difference.as_constant() {
                Some(0) => true,
                Some(bytes) if bytes > 0 => bytes.unsigned_abs() < b.address.bytes,
                Some(bytes) => bytes.unsigned_abs() < a.address.bytes,
                None => true,
            };
        }
        a.float == b.float && a.address.bytes == b.address.bytes && !self.apart(&a.address.root, &b.address.root)
    }

    pub fn apart(&self, a: &Root, b: &Root) -> bool {
        self.facts.apart(self.program, a, b)
    }
}

/// What is known at the end of an arm: variables, memory, the value that the arm yields.
type End = (HashMap<VarId, Value>, Vec<(Access, Value)>, Option<Value>);

/// Builds the graph of what runs once per iteration of a loop, or once per call of a function.
pub struct Builder<'a> {
    setting: Setting<'a>,
    function: FuncId,
    pub graph: Graph,
    env: HashMap<VarId, Value>,
    values: HashMap<ValueId, Value>,
    /// What memory is known to hold.
    memory: Vec<(Access, Value)>,
    /// Variables that the iteration changes, inner loops included.
    written: BTreeSet<VarId>,
    /// Stores of the iteration, from a first pass; `None` in that pass.
    stores: Option<Vec<Access>>,
    block: BlockId,
}

/// What runs once per iteration: condition, body, step; or the body of a function.
pub fn build(
    setting: Setting<'_>,
    function: FuncId,
    regions: &[&[BlockId]],
    condition: Option<&Operand>,
    condition_at: BlockId,
) -> Graph {
    let written = written(setting, regions);
    let run = |stores: Option<Vec<Access>>| {
        let mut builder = Builder {
            setting,
            function,
            graph: Graph::default(),
            env: HashMap::new(),
            values: HashMap::new(),
            memory: Vec::new(),
            written: written.clone(),
            stores,
            block: condition_at,
        };
        for region in regions {
            builder.region(region);
        }
        if let Some(condition) = condition {
            let value = builder.operand(condition);
            builder.graph.roots.push(value.node);
        }
        builder.finish();
        builder.graph
    };
    let first = run(None);
    let stores = first.accesses.into_iter().filter(|access| access.store).collect();
    run(Some(stores))
}

/// Variables that blocks write, inner ones included.
fn written(setting: Setting<'_>, regions: &[&[BlockId]]) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    for &block in regions.iter().copied().flatten() {
        visit(setting.program, block, &mut |straight| {
            for op in &straight.ops {
                if let OpKind::Write(place, _) = &op.kind
                    && let Base::Variable(variable) = place.base
                    && place.steps.is_empty()
                {
                    found.insert(variable);
                }
            }
        });
    }
    found
}

/// Every straight block at or below `block`.
pub fn visit(program: &Program, block: BlockId, see: &mut impl FnMut(&Straight)) {
    match &program.blocks[block].kind {
        BlockKind::Straight(straight) => see(straight),
        BlockKind::Call(_) => {}
        BlockKind::Loop(inner) => {
            let condition = inner.condition.iter().flat_map(|condition| &condition.region);
            let all = inner.init.iter().chain(condition).chain(&inner.body).chain(&inner.step);
            all.for_each(|&block| visit(program, block, see));
        }
        BlockKind::Branch(branch) => {
            branch.arms.iter().flat_map(|arm| &arm.region).for_each(|&block| visit(program, block, see));
        }
    }
}

impl Builder<'_> {
    fn region(&mut self, region: &[BlockId]) {
        for &block in region {
            self.block = block;
            let program = self.setting.program;
            match &program.blocks[block].kind {
                BlockKind::Straight(straight) => straight.ops.iter().for_each(|op| self.operation(op)),
                BlockKind::Loop(inner) => self.inner_loop(inner),
                BlockKind::Branch(branch) => self.branch(block, branch),
                BlockKind::Call(_) => {}
            }
        }
    }

    /// An inner loop is analysed for itself: here it only makes what it changes unknown.
    fn inner_loop(&mut self, inner: &Loop) {
        self.region(&inner.init);
        self.graph.irregular = true;
        self.memory.clear();
        let condition: &[BlockId] = inner.condition.as_ref().map_or(&[], |condition| &condition.region);
        for variable in written(self.setting, &[condition, &inner.body, &inner.step]) {
            let unknown = self.opaque(vec![], None, 0.0);
            self.env.insert(variable, unknown);
        }
    }

    fn finish(&mut self) {
        for &variable in &self.written {
            let Some(value) = self.env.get(&variable) else { continue };
            self.graph.carried.insert(variable, value.node);
            let from_entry = |affine: &Affine| {
                let rest = affine.plus(&Affine::atom(Atom::Entry(variable)), -1);
                rest.as_constant()
            };
            let step = match (&value.pointer, &value.affine) {
                (Some((root, offset)), _) if *root == Root::Pointer(variable) => offset.as_constant(),
                (_, Some(affine)) => from_entry(affine),
                _ => None,
            };
            if let Some(step) = step {
                self.graph.steps.insert(variable, step);
            }
        }
        for variable in self.written.clone() {
            let is_live_out = self.graph.carried.get(&variable).copied();
            // Without an optimiser everything is computed; with one, sums that leave the loop are.
            if let Some(node) = is_live_out.filter(|_| self.reads_entry(variable) || !self.setting.profile.optimises) {
                self.graph.roots.push(node);
            }
        }
    }

    /// Its value of the iteration before is used: it may be wanted behind the loop as well.
    fn reads_entry(&self, variable: VarId) -> bool {
        !self.graph.steps.contains_key(&variable)
            && self.graph.nodes.iter().any(|node| node.key == Key::Entry(variable))
    }

    fn operation(&mut self, op: &Op) {
        let value = match &op.kind {
            OpKind::Read(place) => self.read(place),
            OpKind::Write(place, operand) => {
                let value = self.operand(operand);
                return self.write(place, value);
            }
            OpKind::Address(place) => self.address_value(place),
            OpKind::Binary(binary, ty, a, b) => self.binary(op, *binary, *ty, a, b),
            OpKind::Unary(unary, a) => self.unary(op, *unary, a),
            OpKind::Convert(from, a) => self.convert(op, *from, a),
            OpKind::Move(a) => self.operand(a),
            OpKind::PointerDiff(a, b, _) => {
                let operands = vec![self.operand(a).node, self.operand(b).node];
                self.node(Some(InstructionClass::IntAdd), "difference", operands)
            }
            OpKind::Call(leaf) => self.call(*leaf),
            OpKind::Copy { bytes, .. } | OpKind::Zero { bytes, .. } => {
                self.words(*bytes);
                return;
            }
            OpKind::Jump(crate::program::Jump::Return(Some(crate::program::Arg::Scalar(operand)))) => {
                let value = self.operand(operand);
                self.graph.roots.push(value.node);
                self.graph.irregular = true;
                return;
            }
            OpKind::Jump(_) | OpKind::Opaque(_) | OpKind::Allocate { .. } => {
                self.graph.irregular = true;
                self.memory.clear();
                self.opaque(vec![], None, 0.0)
            }
        };
        if let Some(dst) = op.dst {
            self.values.insert(dst, value);
        }
    }

    fn words(&mut self, bytes: u64) {
        self.graph.irregular = true;
        self.memory.clear();
        for _ in 0..bytes.div_ceil(16) {
            let value = self.opaque(vec![], Some(InstructionClass::CopyWord), 0.0);
            self.graph.roots.push(value.node);
        }
    }

    fn type_of(&self, value: Option<ValueId>) -> ScalarType {
        let values = &self.setting.program.functions[self.function].values;
        value.and_then(|value| values.get(value)).copied().unwrap_or(ScalarType::I32)
    }

    fn binary(&mut self, op: &Op, binary: BinaryOp, ty: ScalarType, a: &Operand, b: &Operand) -> Value {
        let (x, y) = (self.operand(a), self.operand(b));
        let affine = match (&x.affine, &y.affine, binary) {
            (Some(x), Some(y), BinaryOp::Add) => Some(x.plus(y, 1)),
            (Some(x), Some(y), BinaryOp::Sub) => Some(x.plus(y, -1)),
            (Some(x), Some(y), BinaryOp::Mul) => Some(x.times(y)),
            (Some(x), Some(y), BinaryOp::Shl) => {
                y.as_constant().filter(|bits| (0..62).contains(bits)).map(|bits| x.times(&Affine::constant(1 << bits)))
            }
            _ => None,
        };
        if let Some(constant) = affine.as_ref().and_then(Affine::as_constant) {
            return self.constant(constant);
        }
        if let Some(fused) = self.fused(binary, ty, &x, &y) {
            return fused;
        }
        let mut operands = vec![x.node, y.node];
        let class = InstructionClass::of_arithmetic(&op.kind, self.type_of(op.dst))
            .map(|class| self.cheaper(class, binary, &y));
        if matches!(binary, BinaryOp::Add | BinaryOp::Mul) {
            operands.sort_unstable();
        }
        let mut value = self.node(class, &format!("{binary:?} {ty:?}"), operands);
        value.affine = affine.filter(|_| ty.is_integer());
        value
    }

    /// A division or product by a constant is no division or product.
    fn cheaper(&self, class: InstructionClass, binary: BinaryOp, divisor: &Value) -> InstructionClass {
        use InstructionClass as C;
        let Some(constant) = divisor.affine.as_ref().and_then(Affine::as_constant) else { return class };
        let power = constant.unsigned_abs().is_power_of_two();
        match (class, binary) {
            (C::IntDiv | C::IntDiv64, _) if power => C::IntAdd,
            (C::IntDiv | C::IntDiv64, _) => C::IntMul,
            (C::IntMul, BinaryOp::Mul) if power => C::IntAdd,
            _ => class,
        }
    }

    /// A product and a sum become one operation.
    fn fused(&mut self, binary: BinaryOp, ty: ScalarType, x: &Value, y: &Value) -> Option<Value> {
        if !self.setting.costs.contract_fma || !ty.is_float() || !matches!(binary, BinaryOp::Add | BinaryOp::Sub) {
            return None;
        }
        let product = |value: &Value| {
            let node = &self.graph.nodes[value.node as usize];
            matches!(node.class, Some(InstructionClass::FpMul | InstructionClass::FpMul32)) && !node.invariant
        };
        let (product, other) = if product(y) {
            (y, x)
        } else if product(x) {
            (x, y)
        } else {
            return None;
        };
        let node = self.graph.nodes[product.node as usize].clone();
        let operands = node.operands.iter().copied().chain([other.node]).collect();
        Some(self.node(node.class, &format!("fused {binary:?} {ty:?}"), operands))
    }

    fn unary(&mut self, op: &Op, unary: UnaryOp, a: &Operand) -> Value {
        let x = self.operand(a);
        let affine = x.affine.as_ref().filter(|_| unary == UnaryOp::Neg).map(|x| Affine::default().plus(x, -1));
        if let Some(constant) = affine.as_ref().and_then(Affine::as_constant) {
            return self.constant(constant);
        }
        let class = InstructionClass::of_arithmetic(&op.kind, self.type_of(op.dst));
        let mut value = self.node(class, &format!("{unary:?}"), vec![x.node]);
        value.affine = affine.filter(|_| !self.type_of(op.dst).is_float());
        value
    }

    /// Widening an index is part of its address; other conversions between integers are cheap, not free.
    fn convert(&mut self, op: &Op, from: ScalarType, a: &Operand) -> Value {
        let x = self.operand(a);
        let to = self.type_of(op.dst);
        if x.pointer.is_some() || (from.is_integer() && to.is_integer() && x.affine.is_some()) {
            return x;
        }
        let class = InstructionClass::of_arithmetic(&op.kind, to);
        let widens = from.is_integer() && to.is_integer() && self.setting.profile.optimises;
        let mut value = self.node(class.filter(|_| !widens), &format!("convert {from:?} {to:?}"), vec![x.node]);
        value.affine = x.affine.filter(|_| to.is_integer());
        value
    }

    fn node(&mut self, class: Option<InstructionClass>, name: &str, operands: Vec<NodeId>) -> Value {
        let key = Key::Operation(name.to_owned());
        let latency = class.map_or(0.0, |class| self.setting.costs.latency(class));
        self.make(class, latency, key, operands)
    }

    fn make(&mut self, class: Option<InstructionClass>, latency: f64, key: Key, operands: Vec<NodeId>) -> Value {
        let invariant = self.graph.all_invariant(&operands) && !matches!(key, Key::Unique(_));
        let node = self.graph.add(Node { class, latency, operands, invariant, block: self.block, key });
        Value { node, affine: Some(Affine::atom(Atom::Node(node))), pointer: None }
    }

    fn opaque(&mut self, operands: Vec<NodeId>, class: Option<InstructionClass>, latency: f64) -> Value {
        let key = self.graph.unique();
        self.make(class, latency, key, operands)
    }

    fn constant(&mut self, constant: i64) -> Value {
        let mut value = self.make(None, 0.0, Key::Constant(constant.to_string()), vec![]);
        value.affine = Some(Affine::constant(constant));
        value
    }

    fn operand(&mut self, operand: &Operand) -> Value {
        match operand {
            Operand::Value(value) => match self.values.get(value) {
                Some(known) => known.clone(),
                None => {
                    let mut made = self.make(None, 0.0, Key::Outer(*value), vec![]);
                    made.affine = Some(Affine::atom(Atom::Outer(*value)));
                    made
                }
            },
            Operand::Const(Const::Int(n, _)) => self.constant(*n),
            Operand::Const(Const::Address(object, bytes)) => {
                let mut made = self.make(None, 0.0, Key::Constant(format!("{object} {bytes}")), vec![]);
                made.pointer = Some((Root::Object(*object), Affine::constant(*bytes)));
                made
            }
            Operand::Const(other) => self.make(None, 0.0, Key::Constant(format!("{other:?}")), vec![]),
        }
    }

    fn entry(&mut self, variable: VarId) -> Value {
        if let Some(&constant) = self.setting.facts.constants.get(&variable) {
            return self.constant(constant);
        }
        let mut value = self.make(None, 0.0, Key::Entry(variable), vec![]);
        self.graph.nodes[value.node as usize].invariant = !self.written.contains(&variable);
        value.affine = Some(Affine::atom(Atom::Entry(variable)));
        let ty = self.setting.program.variables[variable].ty;
        if self.setting.program.types.scalar(ty) == Some(ScalarType::Pointer) {
            let root = self.setting.facts.objects.get(&variable).map_or(Root::Pointer(variable), |&o| Root::Object(o));
            value.pointer = Some((root, Affine::default()));
        }
        value
    }

    fn register(&self, place: &Place) -> Option<VarId> {
        match place.base {
            Base::Variable(v) if place.steps.is_empty() && !place.volatile && self.setting.is_register(v) => Some(v),
            _ => None,
        }
    }

    fn read(&mut self, place: &Place) -> Value {
        if let Some(variable) = self.register(place) {
            return match self.env.get(&variable) {
                Some(value) => value.clone(),
                None => self.entry(variable),
            };
        }
        let (access, operands) = self.access(place, false);
        if let Some((_, value)) = self.memory.iter().find(|(known, _)| known.address == access.address) {
            return value.clone();
        }
        let stores = self.stores.as_deref().unwrap_or(&[]);
        let changes = self.graph.calls || stores.iter().any(|store| self.setting.may_alias(store, &access));
        let key = if changes { self.graph.unique() } else { Key::Operation(format!("load {:?}", access.address)) };
        let class = Some(InstructionClass::Load);
        let mut value = self.make(class, self.setting.costs.latency(InstructionClass::Load), key, operands);
        let access = Access { node: value.node, ..access };
        let ty = self.setting.program.types.scalar(place.ty);
        if ty == Some(ScalarType::Pointer) {
            value.pointer = Some((Root::Value(value.node), Affine::default()));
        }
        if !self.graph.nodes[value.node as usize].invariant {
            self.graph.accesses.push(access.clone());
        }
        self.memory.push((access, value.clone()));
        value
    }

    fn write(&mut self, place: &Place, value: Value) {
        if let Some(variable) = self.register(place) {
            let value = if self.setting.profile.optimises { value } else { self.slot(place, &value) };
            self.env.insert(variable, value);
            return;
        }
        let (access, mut operands) = self.access(place, true);
        operands.insert(0, value.node);
        let throughput = self.setting.costs.throughput(InstructionClass::Store);
        let stored = self.opaque(operands, Some(InstructionClass::Store), throughput);
        self.graph.roots.push(stored.node);
        let access = Access { node: stored.node, ..access };
        let setting = self.setting;
        self.memory.retain(|(known, _)| known.address != access.address && !setting.may_alias(known, &access));
        self.memory.push((access.clone(), value));
        self.graph.accesses.push(access);
    }

    /// Without an optimiser, what a variable is given waits in memory until it is read.
    fn slot(&mut self, place: &Place, value: &Value) -> Value {
        let ty = self.setting.program.types.scalar(place.ty).unwrap_or(ScalarType::I32);
        let mut slot = self.opaque(vec![value.node], None, self.setting.costs.forwarding(ty));
        slot.affine.clone_from(&value.affine);
        slot.pointer.clone_from(&value.pointer);
        slot
    }

    fn access(&mut self, place: &Place, store: bool) -> (Access, Vec<NodeId>) {
        let (root, offset) = self.locate(place);
        let mut operands = Vec::new();
        self.needed(&offset, &mut operands);
        match &root {
            Root::Value(node) => operands.push(*node),
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
        (Access { address, node: 0, store, float }, operands)
    }

    /// What an address waits for: values of the iteration, and variables that it changes.
    fn needed(&mut self, offset: &Affine, operands: &mut Vec<NodeId>) {
        let atoms: Vec<Atom> = offset.terms.keys().cloned().collect();
        for atom in atoms {
            match atom {
                Atom::Node(node) => operands.push(node),
                Atom::Entry(variable) if self.written.contains(&variable) => operands.push(self.entry(variable).node),
                Atom::Entry(_) | Atom::Outer(_) => {}
                Atom::Product(a, b) => {
                    self.needed(&a, operands);
                    self.needed(&b, operands);
                }
            }
        }
    }

    fn locate(&mut self, place: &Place) -> (Root, Affine) {
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
                    offset = offset.plus(&Affine::constant(i64::try_from(*bytes).unwrap_or(0)), 1);
                }
                Step::Index { index, stride, .. } => {
                    let index = self.operand(index).affine.unwrap_or_default();
                    let stride = match stride {
                        Stride::Bytes(bytes) => Affine::constant(i64::try_from(*bytes).unwrap_or(0)),
                        Stride::Value(value) => self.operand(value).affine.unwrap_or_default(),
                    };
                    offset = offset.plus(&index.times(&stride), 1);
                }
            }
        }
        (root, offset)
    }

    fn address_value(&mut self, place: &Place) -> Value {
        let (root, offset) = self.locate(place);
        let mut operands = Vec::new();
        self.needed(&offset, &mut operands);
        if let Root::Pointer(variable) = &root {
            operands.push(self.entry(*variable).node);
        } else if let Root::Value(node) = &root {
            operands.push(*node);
        }
        let class = Some(InstructionClass::IntAdd).filter(|_| offset != Affine::default());
        let mut value = self.node(class, &format!("address {root:?} {offset:?}"), operands);
        value.pointer = Some((root, offset));
        value
    }

    fn call(&mut self, leaf: BlockId) -> Value {
        let Some(call) = self.setting.program.call(leaf).cloned() else { return self.opaque(vec![], None, 0.0) };
        if call.callee.states_assumption() {
            return self.constant(0);
        }
        let mut operands = Vec::new();
        for arg in &call.args {
            if let crate::program::Arg::Scalar(operand) = arg {
                operands.push(self.operand(operand).node);
            }
        }
        let name = match &call.callee {
            crate::program::Callee::Library(name) => Some(name.to_string()),
            _ => None,
        };
        if let Some(&class) = name.as_ref().and_then(|name| self.setting.profile.builtins.get(name)) {
            return self.node(Some(class), &format!("builtin {name:?}"), operands);
        }
        self.graph.irregular = true;
        let latency = name.as_ref().and_then(|name| self.setting.costs.library.get(name)).copied().unwrap_or(0.0);
        if !name.as_deref().is_some_and(super::is_mathematical) {
            self.graph.calls = true;
            self.memory.clear();
        }
        let value = self.opaque(operands, None, latency);
        self.graph.roots.push(value.node);
        value
    }

    fn branch(&mut self, at: BlockId, branch: &Branch) {
        let condition = self.operand(&branch.condition);
        let (first, was_irregular, roots) = (self.graph.nodes.len(), self.graph.irregular, self.graph.roots.len());
        let before = (self.env.clone(), self.memory.clone());
        let mut ends = Vec::new();
        for arm in &branch.arms {
            (self.env, self.memory) = before.clone();
            self.region(&arm.region);
            let value = arm.value.as_ref().map(|value| self.operand(value));
            ends.push((std::mem::take(&mut self.env), std::mem::take(&mut self.memory), value));
        }
        if branch.arms.len() < 2 || branch.kind == BranchKind::Switch {
            ends.push((before.0.clone(), before.1.clone(), None));
        }
        self.block = at;
        let converts = self.converts(branch, first, was_irregular) && self.graph.roots.len() == roots;
        if !converts {
            self.graph.irregular = true;
            self.graph.roots.push(condition.node);
        }
        self.join(condition.node, converts, branch.result, &ends);
    }

    /// After the arms: what they agree on stays known, what differs is selected.
    fn join(&mut self, condition: NodeId, converts: bool, result: Option<ValueId>, ends: &[End]) {
        let variables: BTreeSet<VarId> = ends.iter().flat_map(|(env, ..)| env.keys().copied()).collect();
        let mut env = HashMap::new();
        for variable in variables {
            let all: Vec<Value> = ends
                .iter()
                .map(|(end, ..)| end.get(&variable).cloned().unwrap_or_else(|| self.entry(variable)))
                .collect();
            let joined = if all.iter().all(|value| value.node == all[0].node) {
                all[0].clone()
            } else {
                self.select(condition, converts, all.iter().map(|value| value.node).collect())
            };
            env.insert(variable, joined);
        }
        self.env = env;
        let known_everywhere = |(access, value): &(Access, Value)| {
            ends.iter()
                .all(|(_, memory, _)| memory.iter().any(|(a, v)| a.address == access.address && v.node == value.node))
        };
        self.memory = ends[0].1.iter().filter(|known| known_everywhere(known)).cloned().collect();
        if let Some(result) = result {
            let nodes = ends.iter().filter_map(|(_, _, value)| value.as_ref().map(|value| value.node)).collect();
            let value = self.select(condition, converts, nodes);
            self.values.insert(result, value);
        }
    }

    fn select(&mut self, condition: NodeId, converts: bool, mut operands: Vec<NodeId>) -> Value {
        if let Some(extreme) = self.extreme(condition, &operands) {
            return extreme;
        }
        if converts && !self.is_float(&operands) {
            operands.push(condition);
            return self.node(Some(InstructionClass::IntAdd), "select", operands);
        }
        // A branch is predicted: what is chosen does not wait for the condition.
        self.graph.irregular = true;
        self.graph.roots.push(condition);
        self.opaque(operands, None, 0.0)
    }

    /// Whether arms hold nothing but a few operations that may be executed without need: nodes from `first` on.
    fn converts(&self, branch: &Branch, first: usize, was_irregular: bool) -> bool {
        use InstructionClass as C;
        let harmless = |node: &Node| {
            !matches!(
                node.class,
                Some(C::Load | C::Store | C::CopyWord | C::IntDiv | C::IntDiv64 | C::FpDiv | C::FpSqrt)
            )
        };
        self.setting.profile.if_converts
            && branch.kind != BranchKind::Switch
            && self.graph.irregular == was_irregular
            && self.graph.nodes[first..].iter().all(harmless)
    }

    /// Of two floating values that a comparison of the same two chooses from: the lesser or greater.
    fn extreme(&mut self, condition: NodeId, operands: &[NodeId]) -> Option<Value> {
        let compared = &self.graph.nodes[condition as usize];
        let Key::Operation(name) = &compared.key else { return None };
        let orders = ["Lt F", "Le F", "Gt F", "Ge F"].iter().any(|prefix| name.starts_with(prefix));
        let same = operands.len() == 2 && operands.iter().all(|operand| compared.operands.contains(operand));
        let class = compared.class.filter(|_| orders && same && self.setting.profile.if_converts);
        class.map(|class| self.node(Some(class), "extreme", operands.to_vec()))
    }

    fn is_float(&self, nodes: &[NodeId]) -> bool {
        use InstructionClass as C;
        let float = |&id: &NodeId| {
            let class = self.graph.nodes[id as usize].class;
            matches!(class, Some(C::FpAdd | C::FpMul | C::FpAdd32 | C::FpMul32 | C::FpConvert))
        };
        nodes.iter().any(float)
    }
}
