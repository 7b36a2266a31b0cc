//! From the blocks of an iteration to its data flow.

use crate::library;
use crate::source::address::affine::{Affine, Atom};
use crate::source::address::place::{Root, ValueNumber};
use crate::source::compiler::profile::CompilerProfile;
use crate::source::dataflow::graph::{Access, Graph, Value};
use crate::source::dataflow::opcode::{Opcode, Operation};
use crate::source::processor::costs::Costs;
use crate::source::whole_program::calls::{is_free, uses_few_registers, visit_straight};
use crate::source::whole_program::facts::Facts;
use chronos_base::hash::FxHashMap;
use chronos_base::span::Span;
use chronos_ir::{
    Base, BlockId, BlockKind, FuncId, InstructionClass, Loop, Op, OpKind, Operand, Program, Storage, ValueId, VarId,
};
use std::collections::BTreeSet;

/// What every analysis of a program shares.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    pub program: &'a Program,
    pub profile: &'a CompilerProfile,
    pub costs: &'a Costs,
    pub facts: &'a Facts,
    /// Arms with loads and stores are executed under masks.
    pub(crate) masks: bool,
    /// All arms are executed side by side, as far as that does no harm: iterations become vectors.
    pub flat: bool,
    /// Products are made as vectors, and sums add their elements in order.
    pub in_order: bool,
}

impl Setting<'_> {
    /// A scalar of the function's own that no pointer reaches.
    pub(crate) fn is_register(&self, variable: VarId) -> bool {
        let variable = &self.program.variables[variable];
        !variable.address_taken && matches!(variable.storage, Storage::Local | Storage::Parameter(_))
    }

    pub(crate) fn may_alias(&self, a: &Access, b: &Access) -> bool {
        if a.address.root == b.address.root {
            // Two accesses to one root overlap unless their distance is a known constant beyond their sizes.
            let difference = a.address.offset.sub(&b.address.offset);
            return match difference.and_then(|bytes| bytes.as_constant()) {
                Some(0) => true,
                Some(bytes) if bytes > 0 => bytes.unsigned_abs() < b.address.bytes,
                Some(bytes) => bytes.unsigned_abs() < a.address.bytes,
                None => true,
            };
        }
        // Type-based alias analysis (-fstrict-aliasing), as far as size and kind tell types apart.
        a.float == b.float && a.address.bytes == b.address.bytes && !self.apart(&a.address.root, &b.address.root)
    }

    pub fn apart(&self, a: &Root, b: &Root) -> bool {
        self.facts.apart(self.program, a, b)
    }
}

/// What is known at the end of an arm: variables, memory, the value that the arm yields.
pub type ArmEnd = (FxHashMap<VarId, Value>, Vec<(Access, Value)>, Option<Value>);

/// Builds the graph of what runs once per iteration of a loop, or once per call of a function.
pub struct Builder<'a> {
    pub(super) setting: Setting<'a>,
    pub(super) function: FuncId,
    pub graph: Graph,
    pub(super) env: FxHashMap<VarId, Value>,
    pub(super) values: FxHashMap<ValueId, Value>,
    /// What memory is known to hold.
    pub(super) memory: Vec<(Access, Value)>,
    /// Variables that the iteration changes, inner loops included.
    pub(super) written: BTreeSet<VarId>,
    /// What inner loops leave in variables.
    left: FxHashMap<ValueNumber, BlockId>,
    /// Stores of the iteration, from a first pass; `None` in that pass.
    pub(super) stores: Option<Vec<Access>>,
    /// Variables that advance by constant steps, from a first pass; `None` in that pass.
    pub(super) inductions: Option<BTreeSet<VarId>>,
    /// Branches around what is looked at, within the iteration.
    pub(super) guards: usize,
    /// Indices that every iteration computes, but for their constants; from a first pass; `None` in that pass.
    pub(super) unguarded: Option<BTreeSet<Affine>>,
    /// Values that are indices of 32 bits, computed and widened for themselves.
    pub(super) widened: BTreeSet<ValueNumber>,
    /// What earlier statements left in variables.
    pub(super) named: BTreeSet<ValueNumber>,
    /// It is the body of a function without branches, once the compiler has merged its returns.
    pub(super) branchless: bool,
    pub(super) block: BlockId,
    /// Of the operation that is looked at.
    pub(super) span: Span,
}

/// What runs once per iteration: condition, body, step; or the body of a function.
pub(crate) fn build_iteration(
    setting: Setting<'_>,
    function: FuncId,
    regions: &[&[BlockId]],
    condition: Option<&Operand>,
    condition_at: BlockId,
) -> Graph {
    let written = written(setting, regions);
    let run = |found: FirstPass| {
        let FirstPass { stores, inductions, indices } = found;
        let mut builder = Builder {
            setting,
            function,
            graph: Graph::new(setting.costs.bypass()),
            env: FxHashMap::default(),
            values: FxHashMap::default(),
            memory: Vec::new(),
            written: written.clone(),
            stores,
            inductions,
            guards: 0,
            unguarded: indices,
            widened: BTreeSet::new(),
            named: BTreeSet::new(),
            left: FxHashMap::default(),
            branchless: condition.is_none() && branchless(setting, regions),
            block: condition_at,
            span: setting.program.blocks[condition_at].span,
        };
        for region in regions {
            builder.region(region);
        }
        if let Some(condition) = condition {
            let value = builder.operand(condition);
            builder.graph.roots.push(value.node);
            builder.graph.condition = Some(value.node);
        }
        builder.finish();
        builder.graph
    };
    // Aliasing needs all stores, and indices all inductions, of the whole iteration: the first pass finds them.
    let first = run(FirstPass::default());
    run(FirstPass {
        inductions: Some(first.steps.keys().copied().collect()),
        stores: Some(first.accesses.into_iter().filter(|access| access.store).collect()),
        indices: Some(first.indices),
    })
}

/// What a first pass over an iteration finds.
#[derive(Default)]
struct FirstPass {
    stores: Option<Vec<Access>>,
    inductions: Option<BTreeSet<VarId>>,
    indices: Option<BTreeSet<Affine>>,
}

/// Functions of at most this number of operations are left without branches, where returns are merged.
const BRANCHLESS: usize = 16;

/// Whether a function holds nothing but a few operations on scalars that may all be executed, and choices of its
/// result.
fn branchless(setting: Setting<'_>, regions: &[&[BlockId]]) -> bool {
    let mut operations = 0;
    let mut plain = setting.profile.merges_returns;
    for &block in regions.iter().copied().flatten() {
        visit_straight(setting.program, block, &mut |straight| {
            operations += straight.ops.len();
            plain &= straight.ops.iter().all(|op| match &op.kind {
                OpKind::Write(place, _) => place.steps.is_empty() && matches!(place.base, Base::Variable(_)),
                OpKind::Read(place) => place.steps.is_empty() && matches!(place.base, Base::Variable(_)),
                OpKind::Jump(chronos_ir::Jump::Return(_)) => true,
                OpKind::Binary(..) | OpKind::Unary(..) | OpKind::Convert(..) | OpKind::Move(_) => true,
                _ => false,
            });
        });
        plain &= straight_or_branch(setting.program, block);
    }
    plain && operations <= BRANCHLESS
}

fn straight_or_branch(program: &Program, block: BlockId) -> bool {
    match &program.blocks[block].kind {
        BlockKind::Straight(_) => true,
        BlockKind::Branch(branch) => {
            branch.arms.iter().flat_map(|arm| &arm.region).all(|&block| straight_or_branch(program, block))
        }
        BlockKind::Call(_) | BlockKind::Loop(_) => false,
    }
}

/// Variables that blocks write, inner ones included.
fn written(setting: Setting<'_>, regions: &[&[BlockId]]) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    for &block in regions.iter().copied().flatten() {
        visit_straight(setting.program, block, &mut |straight| {
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

impl Builder<'_> {
    pub(super) fn region(&mut self, region: &[BlockId]) {
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
    pub(super) fn inner_loop(&mut self, inner: &Loop) {
        let at = self.block;
        self.region(&inner.init);
        // An inner loop may write anything that it stores to; its vectors are its own matter.
        self.graph.irregular = true;
        self.memory.clear();
        let condition: &[BlockId] = inner.condition.as_ref().map_or(&[], |condition| &condition.region);
        let changed = written(self.setting, &[condition, &inner.body, &inner.step]);
        let starts = changed.iter().filter_map(|&variable| Some((variable, self.at_begin(variable)?))).collect();
        self.graph.starts.insert(at, starts);
        self.graph.set_before.insert(at, self.env.keys().copied().collect());
        for variable in changed {
            // What an inner loop leaves in a variable is known to nobody here.
            let unknown = self.opaque(vec![], None, 0.0);
            self.left.insert(unknown.node, at);
            self.env.insert(variable, unknown);
        }
    }

    /// What a variable holds now, in values that are still those of the begin of the iteration.
    fn at_begin(&self, variable: VarId) -> Option<Affine> {
        let affine = self.env.get(&variable)?.affine.clone()?;
        let unchanged = |atom: &Atom| matches!(atom, Atom::Entry(v) if !self.env.contains_key(v));
        let known = affine.each_symbol().all(unchanged);
        known.then_some(affine)
    }

    pub(super) fn finish(&mut self) {
        for &variable in &self.written {
            let Some(value) = self.env.get(&variable) else { continue };
            self.graph.carried.insert(variable, value.node);
            if let Some(&inner) = self.left.get(&value.node) {
                self.graph.left_by.insert(variable, inner);
            }
            let from_entry = |affine: &Affine| affine.sub(&Affine::symbol(Atom::Entry(variable)))?.as_constant();
            // An induction variable: its value at the end is its value at the begin plus a constant.
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
            // A variable that only its own step uses is dead with the loop, or is replaced by its final value (GCC: -ftree-scev-cprop).
            let is_live_out = self.graph.carried.get(&variable).copied();
            // Without an optimiser everything is computed; with one, sums that leave the loop are.
            if let Some(node) = is_live_out.filter(|_| self.reads_entry(variable) || !self.setting.profile.optimises) {
                self.graph.roots.push(node);
            }
        }
    }

    /// Its value of the iteration before is used: it may be wanted behind the loop as well.
    pub(super) fn reads_entry(&self, variable: VarId) -> bool {
        !self.graph.steps.contains_key(&variable)
            && self.graph.nodes.values().any(|node| node.opcode == Opcode::Entry(variable))
    }

    pub(super) fn operation(&mut self, op: &Op) {
        self.span = op.span;
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
                self.node(Some(InstructionClass::IntAdd), Operation::PointerDifference, operands)
            }
            OpKind::Call(leaf) => self.call(*leaf),
            OpKind::Copy { bytes, .. } | OpKind::Zero { bytes, .. } => {
                self.words(*bytes);
                return;
            }
            OpKind::Jump(chronos_ir::Jump::Return(Some(chronos_ir::Arg::Scalar(operand)))) => {
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

    pub(super) fn call(&mut self, leaf: BlockId) -> Value {
        // A statement of an assumption is no code.
        let Some(call) = self.setting.program.call(leaf).cloned() else { return self.opaque(vec![], None, 0.0) };
        if call.callee.states_assumption() {
            return self.constant(0);
        }
        let mut operands = Vec::new();
        for arg in &call.args {
            if let chronos_ir::Arg::Scalar(operand) = arg {
                operands.push(self.operand(operand).node);
            }
        }
        let name = match &call.callee {
            chronos_ir::Callee::Library(name) => Some(name.clone()),
            _ => None,
        };
        if let Some(name) = &name
            && let Some(&class) = self.setting.profile.builtins.get(&**name)
        {
            return self.node(Some(class), Operation::Builtin(name.clone()), operands);
        }
        // A call ends vectors, and all that memory was known to hold.
        self.graph.irregular = true;
        let kind = &self.setting.program.blocks[leaf].kind;
        let (program, profile) = (self.setting.program, self.setting.profile);
        // With -fipa-ra a caller knows which registers a function of the unit leaves alone.
        let known = profile.sees_clobbers && uses_few_registers(program, profile, &call.callee);
        self.graph.clobbers |= !is_free(program, profile, kind) && !known;
        // What waits for the result of a library function waits as long as it takes.
        let latency =
            name.as_ref().and_then(|name| library::entry(&self.setting.costs.library, name)).copied().unwrap_or(0.0);
        if !name.as_deref().is_some_and(chronos_functions::is_mathematical) {
            self.graph.calls = true;
            self.memory.clear();
        }
        let value = self.opaque(operands, None, latency);
        self.graph.roots.push(value.node);
        value
    }
}
