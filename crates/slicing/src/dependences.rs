//! The dependences of a program: what each value, storage class and decision is made from.

use crate::nodes::Nodes;
use crate::writes::library_writes;
use crate::{Analysis, annotations, targets};
use chronos_base::hash::{FxHashMap, FxHashSet};
use chronos_base::ids::Id;
use chronos_functions::{self as functions, Exchange, Function, GeneratorUse, Sleep};
use chronos_ir::{
    Arg, Base, BlockId, BlockKind, Branch, BranchKind, Call, Callee, FuncId, Jump, Op, OpKind, Operand, Place, Program,
    ScalarType, Step, Stride, ValueId,
};
use chronos_values::Origin;

/// `target` is made from `source`.
pub struct Edge {
    pub target: u32,
    pub source: u32,
    pub kind: Flows,
}

impl Edge {
    /// What is unknowable about the source is so about the target.
    pub fn data(&self) -> bool {
        self.kind != Flows::Nothing
    }
}

/// What goes along a dependence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flows {
    /// The value.
    Value,
    /// The value is written in one way of a branch that `source` decides: what is written may be known, whether not.
    Choice,
    /// `source` only decides whether or where a value flows.
    Nothing,
}

fn flows(data: bool) -> Flows {
    if data { Flows::Value } else { Flows::Nothing }
}

/// What a condition is computed from.
pub(crate) struct ConditionSources {
    pub value: u32,
    /// Of the comparison, where it is one.
    pub operands: Vec<u32>,
}

/// All dependences, and where analyses start.
#[derive(Default)]
pub struct Dependences {
    pub nodes: usize,
    pub edges: Vec<Edge>,
    /// What shapes MPI calls.
    pub structural: Vec<u32>,
    /// Sizes of allocations, bytes that library calls handle, and numbers that the source assumes.
    pub sizes: Vec<u32>,
    /// What nobody can know.
    pub unknowable: Vec<u32>,
    /// Nodes other than values that are known only where all that they are made from is known.
    pub(crate) joint: FxHashSet<u32>,
    pub conditions: Vec<(BlockId, ConditionSources)>,
    /// A loop and a branch in it that may end it.
    pub exits: Vec<(BlockId, BlockId)>,
}

/// Collects the dependences of a program, block by block.
pub fn collect(program: &Program, analysis: &Analysis, seeds_are_taken: bool) -> Dependences {
    let first_inside = analysis.classes.len();
    let first_entry = first_inside + program.blocks.len();
    let nodes = first_entry + program.functions.len();
    let mut collector = Collector {
        program,
        analysis,
        found: Dependences { nodes, ..Dependences::default() },
        first_inside,
        first_entry,
        payloads: FxHashMap::default(),
        any_sent: 0,
        any_received: 0,
        comparisons: FxHashMap::default(),
        left: None,
        seeds_are_taken,
    };
    (collector.any_sent, collector.any_received) = (collector.fresh(), collector.fresh());
    collector.data(collector.any_received, Some(collector.any_sent));
    collector.comparisons();
    for (_, function) in program.functions.iter() {
        collector.left = None;
        (function.blocks.0.0..function.blocks.1.0).for_each(|block| collector.block(BlockId(block)));
    }
    collector.found
}

struct Collector<'a> {
    program: &'a Program,
    analysis: &'a Analysis,
    found: Dependences,
    first_inside: usize,
    first_entry: usize,
    /// Contents of messages, by datatype and kind of call.
    payloads: FxHashMap<String, u32>,
    /// Sent with a datatype that is no constant.
    any_sent: u32,
    /// Received with such a one.
    any_received: u32,
    comparisons: FxHashMap<u32, Vec<u32>>,
    /// Decides whether the rest of the function is reached: conditional returns so far.
    left: Option<u32>,
    /// Random numbers are those of a seed that is taken, so that they are known whatever they are seeded with.
    seeds_are_taken: bool,
}

impl Collector<'_> {
    fn fresh(&mut self) -> u32 {
        self.found.nodes += 1;
        node(self.found.nodes - 1)
    }

    fn nodes(&self) -> &Nodes {
        &self.analysis.nodes
    }

    /// Decides whether the inside of a loop or branch is executed.
    fn inside(&self, block: BlockId) -> u32 {
        node(self.first_inside + block.index())
    }

    /// Decides whether a function is called.
    fn entry(&self, function: FuncId) -> u32 {
        node(self.first_entry + function.index())
    }

    /// Decides whether a block is executed.
    fn control(&self, block: BlockId) -> u32 {
        let node = &self.program.blocks[block];
        node.parent.map_or_else(|| self.entry(node.function), |parent| self.inside(parent))
    }

    fn data(&mut self, target: u32, source: Option<u32>) {
        self.found.edges.extend(source.map(|source| Edge { target, source, kind: Flows::Value }));
    }

    /// `source` says how much there is of the target.
    fn shapes(&mut self, target: u32, source: Option<u32>) {
        self.found.edges.extend(source.map(|source| Edge { target, source, kind: Flows::Nothing }));
    }

    fn decides(&mut self, target: u32, block: BlockId) {
        let control = self.control(block);
        let sources = std::iter::once(control).chain(self.left);
        self.found.edges.extend(sources.map(|source| Edge { target, source, kind: Flows::Nothing }));
    }

    fn operand(&self, function: FuncId, operand: &Operand) -> Option<u32> {
        match operand {
            Operand::Value(value) => Some(self.nodes().value(function, *value)),
            Operand::Const(_) => None,
        }
    }

    fn class(&self, function: FuncId, place: &Place) -> u32 {
        self.analysis.place(function, place).0
    }

    /// Values that an address is computed from.
    fn address(&self, function: FuncId, place: &Place) -> Vec<u32> {
        let base = if let Base::Pointer(pointer) = &place.base { self.operand(function, pointer) } else { None };
        let steps = place.steps.iter().flat_map(|step| match step {
            Step::Index { index, stride, .. } => {
                let stride = if let Stride::Value(bytes) = stride { self.operand(function, bytes) } else { None };
                [self.operand(function, index), stride]
            }
            Step::Field { .. } => [None, None],
        });
        base.into_iter().chain(steps.flatten()).collect()
    }

    fn block(&mut self, id: BlockId) {
        let program = self.program;
        let block = &program.blocks[id];
        match &block.kind {
            BlockKind::Straight(straight) => straight.ops.iter().for_each(|op| self.op(id, block.function, op)),
            BlockKind::Call(_) => {}
            BlockKind::Loop(l) => {
                self.decides(self.inside(id), id);
                if let Some(condition) = &l.condition {
                    self.condition(id, block.function, &condition.value);
                }
            }
            BlockKind::Branch(branch) => {
                self.decides(self.inside(id), id);
                self.condition(id, block.function, &branch.condition);
                self.result(block.function, branch);
            }
        }
    }

    fn condition(&mut self, id: BlockId, function: FuncId, value: &Operand) {
        let Some(value) = self.operand(function, value) else { return };
        let inside = self.inside(id);
        self.found.edges.push(Edge { target: inside, source: value, kind: Flows::Nothing });
        let operands = self.comparisons.get(&value).cloned().unwrap_or_default();
        self.found.conditions.push((id, ConditionSources { value, operands }));
    }

    /// Enters the operands of all comparisons: conditions of loops stand behind the loop.
    fn comparisons(&mut self) {
        for block in self.program.blocks.values() {
            let BlockKind::Straight(straight) = &block.kind else { continue };
            for op in &straight.ops {
                let (Some(dst), OpKind::Binary(operator, _, a, b)) = (op.dst, &op.kind) else { continue };
                if operator.is_comparison() {
                    let operands = [a, b].into_iter().filter_map(|x| self.operand(block.function, x)).collect();
                    self.comparisons.insert(self.nodes().value(block.function, dst), operands);
                }
            }
        }
    }

    fn result(&mut self, function: FuncId, branch: &Branch) {
        let Some(result) = branch.result else { return };
        let result = self.nodes().value(function, result);
        let arms: Vec<_> = branch.arms.iter().filter_map(|arm| arm.value.as_ref()).collect();
        let sources: Vec<_> = arms.into_iter().chain([&branch.condition]).map(|o| self.operand(function, o)).collect();
        sources.into_iter().for_each(|source| self.data(result, source));
    }

    fn op(&mut self, id: BlockId, function: FuncId, op: &Op) {
        let dst = op.dst.map(|dst| self.nodes().value(function, dst));
        match &op.kind {
            OpKind::Read(place) => {
                let class = self.class(function, place);
                let sources = self.address(function, place);
                // An address is no random number, whatever else stands in the object that holds it.
                let data = op.dst.is_none_or(|dst| self.program.functions[function].values[dst] != ScalarType::Pointer);
                if let Some(target) = dst {
                    let edges =
                        sources.iter().chain([&class]).map(|&source| Edge { target, source, kind: flows(data) });
                    self.found.edges.extend(edges);
                }
            }
            OpKind::Write(place, operand) => {
                let source = self.operand(function, operand);
                self.write(id, function, place, source);
            }
            OpKind::Copy { to, from, .. } => {
                let source = self.class(function, from);
                self.write(id, function, to, Some(source));
            }
            OpKind::Zero { to, .. } => self.write(id, function, to, None),
            OpKind::Allocate { variable, bytes } => {
                let source = self.operand(function, bytes);
                self.found.sizes.extend(source);
                self.shapes(self.analysis.variable(*variable).0, source);
            }
            OpKind::Call(leaf) => self.call(*leaf, function, dst),
            OpKind::Jump(jump) => self.jump(id, function, jump),
            OpKind::Opaque(_) => self.found.unknowable.extend(dst),
            OpKind::Address(place) => {
                let sources = self.address(function, place);
                dst.into_iter().for_each(|dst| sources.iter().for_each(|&source| self.data(dst, Some(source))));
            }
            OpKind::Unary(_, a) | OpKind::Convert(_, a) | OpKind::Move(a) => {
                let source = self.operand(function, a);
                dst.into_iter().for_each(|dst| self.data(dst, source));
            }
            OpKind::Binary(_, _, a, b) | OpKind::PointerDiff(a, b, _) => {
                let sources = [self.operand(function, a), self.operand(function, b)];
                dst.into_iter().for_each(|dst| sources.into_iter().for_each(|source| self.data(dst, source)));
            }
        }
    }

    fn write(&mut self, id: BlockId, function: FuncId, place: &Place, source: Option<u32>) {
        let class = self.class(function, place);
        self.data(class, source);
        for source in self.address(function, place) {
            self.found.edges.push(Edge { target: class, source, kind: Flows::Nothing });
        }
        self.decides(class, id);
        self.decided_directly(class, id);
    }

    /// What is written right in an arm is as unknowable as the branch.
    fn decided_directly(&mut self, class: u32, id: BlockId) {
        let Some(parent) = self.program.blocks[id].parent else { return };
        let BlockKind::Branch(branch) = &self.program.blocks[parent].kind else { return };
        if matches!(branch.kind, BranchKind::If | BranchKind::Switch) {
            let source = self.operand(self.program.blocks[id].function, &branch.condition);
            let edge = source.map(|source| Edge { target: class, source, kind: Flows::Choice });
            self.found.edges.extend(edge);
        }
    }

    fn jump(&mut self, id: BlockId, function: FuncId, jump: &Jump) {
        match jump {
            Jump::Return(arg) => {
                let result = self.nodes().result(function);
                if let Some(arg) = arg {
                    let source = self.argument(function, arg);
                    self.data(result, source);
                }
                self.decides(result, id);
                self.leave(id, None);
            }
            Jump::Break(target) | Jump::Continue(target) => {
                let target = self.program.functions[function].targets[*target];
                self.decides(self.inside(target), id);
                if matches!(jump, Jump::Break(_)) {
                    self.exits(id, Some(target));
                }
            }
            Jump::Goto(_) => self.leave(id, None),
        }
    }

    /// A jump to the end of the function or elsewhere: what follows depends on it, and loops around it do.
    fn leave(&mut self, id: BlockId, until: Option<BlockId>) {
        if self.program.blocks[id].parent.is_none() {
            return;
        }
        let left = self.fresh();
        self.decides(left, id);
        self.left = Some(left);
        for around in self.ancestors(id) {
            let inside = self.inside(around);
            self.found.edges.push(Edge { target: inside, source: left, kind: Flows::Nothing });
        }
        self.exits(id, until);
    }

    /// Notes the branches that decide about leaving the loops around `id`, up to `until`.
    fn exits(&mut self, id: BlockId, until: Option<BlockId>) {
        let mut decided_by = Vec::new();
        for around in self.ancestors(id) {
            match self.program.blocks[around].kind {
                BlockKind::Branch(_) => decided_by.push(around),
                BlockKind::Loop(_) => self.found.exits.extend(decided_by.iter().map(|&branch| (around, branch))),
                BlockKind::Straight(_) | BlockKind::Call(_) => {}
            }
            if until == Some(around) {
                break;
            }
        }
    }

    fn ancestors(&self, id: BlockId) -> Vec<BlockId> {
        let parent = |block: &BlockId| self.program.blocks[*block].parent;
        std::iter::successors(parent(&id), parent).collect()
    }

    fn argument(&self, function: FuncId, arg: &Arg) -> Option<u32> {
        match arg {
            Arg::Scalar(operand) => self.operand(function, operand),
            Arg::Object(place, _) => Some(self.class(function, place)),
        }
    }

    /// The storage that an argument points to.
    fn pointed(&self, function: FuncId, arg: &Arg) -> Option<u32> {
        super::writes::scalar(arg).and_then(|operand| self.analysis.pointed(function, operand)).map(|class| class.0)
    }

    fn call(&mut self, leaf: BlockId, function: FuncId, dst: Option<u32>) {
        let program = self.program;
        let Some(call) = program.call(leaf) else { return };
        for target in targets(program, call) {
            self.decides(self.entry(target), leaf);
            for (&parameter, arg) in program.functions[target].params.iter().zip(&call.args) {
                let source = self.argument(function, arg);
                self.data(self.analysis.variable(parameter).0, source);
            }
            let result = Some(self.nodes().result(target));
            dst.into_iter().for_each(|dst| self.data(dst, result));
            if let Some(place) = &call.result_place {
                self.write(leaf, function, place, result);
            }
        }
        match &call.callee {
            Callee::Library(name) => self.library(leaf, function, name, call, dst),
            Callee::Mpi(name) => self.mpi(leaf, function, name, call, dst),
            Callee::Indirect(operand) => {
                let source = self.operand(function, operand);
                let reached = targets(program, call).iter().any(|&f| program.functions[f].effects.reaches_mpi);
                self.found.structural.extend(source.filter(|_| reached));
            }
            Callee::Function(_) => {}
        }
    }

    fn library(&mut self, leaf: BlockId, function: FuncId, name: &str, call: &Call, dst: Option<u32>) {
        let values = call.args.iter().filter_map(|arg| self.argument(function, arg));
        let contents = call.args.iter().filter_map(|arg| self.pointed(function, arg));
        let state = self.program.generators.reads(name).into_iter().map(|part| self.analysis.variable(part).0);
        let sources: Vec<u32> = values.chain(contents).chain(state).collect();
        let written: Vec<u32> =
            library_writes(self.program, self.analysis, leaf).into_iter().map(|class| class.0).collect();
        let is_taken = self.seeds_are_taken && is_seeded(self.program, name);
        match is_taken {
            true => self.shape_all(&sources, &written),
            false => self.made_by_library(name, &sources, &written),
        }
        if let Some(target) = dst {
            let data = !is_taken && !self.is_pointer(function, target);
            let edges = sources.iter().filter(|&&source| source != target);
            self.found.edges.extend(edges.map(|&source| Edge { target, source, kind: flows(data) }));
        }
        written.iter().for_each(|&class| self.decides(class, leaf));
        let answered = self.program.follows_clocks && functions::reads_clock(name);
        if !self.program.generators.knows(name) && !answered {
            self.found.unknowable.extend(written.iter().chain(&dst));
        }
        let sizes: Vec<&Arg> = match functions::allocates(name) || annotations::kind(name).is_some() {
            true => call.args.iter().collect(),
            false => functions::bytes_handled(name).iter().filter_map(|&position| call.args.get(position)).collect(),
        };
        let sizes: Vec<u32> = sizes.into_iter().filter_map(|arg| self.argument(function, arg)).collect();
        self.found.sizes.extend(sizes);
        if functions::sleeps(name) == Some(Sleep::Timespec) {
            let waited = call.args.first().and_then(|arg| self.pointed(function, arg));
            self.found.sizes.extend(waited);
        }
    }

    /// What a library function writes is made from all that it is given; the size of storage and the range that
    /// is set to a constant are no content.
    fn made_by_library(&mut self, name: &str, sources: &[u32], written: &[u32]) {
        let sets = functions::lookup(name).is_some_and(Function::sets_bytes);
        let contents = !functions::allocates(name) && !sets;
        if !contents || written.is_empty() {
            return self.shape_all(sources, written);
        }
        for &target in written {
            let all = self.fresh();
            self.found.joint.insert(all);
            sources.iter().filter(|&&source| source != target).for_each(|&source| self.data(all, Some(source)));
            self.data(target, Some(all));
        }
    }

    fn shape_all(&mut self, sources: &[u32], written: &[u32]) {
        let pairs = written.iter().flat_map(|&target| sources.iter().map(move |&source| (target, source)));
        pairs.filter(|(target, source)| target != source).for_each(|(to, from)| self.shapes(to, Some(from)));
    }

    /// Whether a node is a value of `function` that holds an address.
    fn is_pointer(&self, function: FuncId, value: u32) -> bool {
        let index = value.checked_sub(self.nodes().value(function, ValueId(0))).map(ValueId);
        let values = &self.program.functions[function].values;
        index.and_then(|value| values.get(value)) == Some(&ScalarType::Pointer)
    }

    fn mpi(&mut self, leaf: BlockId, function: FuncId, name: &str, call: &Call, dst: Option<u32>) {
        if chronos_ir::openmp::stops(name) {
            // The number of threads decides what each of them does; that a region is executed is a matter of counts.
            let values: Vec<u32> = call.args.iter().filter_map(|arg| self.argument(function, arg)).collect();
            self.found.structural.extend(values);
            return;
        }
        let control = self.control(leaf);
        self.found.structural.extend(std::iter::once(control).chain(self.left));
        if functions::reads_clock(name) && !self.program.follows_clocks {
            self.found.unknowable.extend(dst);
        }
        let buffers = functions::buffers(name);
        let exposed = functions::exposed_memory(name).filter(|_| functions::hands_out_memory(name).is_none());
        let is_buffer =
            |i: usize| buffers.sent.iter().chain(&buffers.received).any(|buffer| buffer.0 == i) || exposed == Some(i);
        for (index, arg) in call.args.iter().enumerate() {
            self.found.structural.extend(self.argument(function, arg));
            let pointed = self.pointed(function, arg);
            self.found.structural.extend(pointed.filter(|_| !is_buffer(index)));
            pointed.into_iter().for_each(|class| self.decides(class, leaf));
        }
        self.exposes(function, leaf, name, call);
        for &(buffer, datatype) in &buffers.sent {
            let content = call.args.get(buffer).and_then(|arg| self.pointed(function, arg));
            let payload = self.payload(name, call.args.get(datatype)).unwrap_or(self.any_sent);
            self.data(payload, content);
        }
        for &(buffer, datatype) in &buffers.received {
            let content = call.args.get(buffer).and_then(|arg| self.pointed(function, arg));
            let payload = self.payload(name, call.args.get(datatype)).unwrap_or(self.any_received);
            content.into_iter().for_each(|content| self.data(content, Some(payload)));
        }
    }

    /// What one-sided accesses move comes from and goes to the memory of windows.
    fn exposes(&mut self, function: FuncId, leaf: BlockId, name: &str, call: &Call) {
        let Some(index) = functions::exposed_memory(name) else { return };
        let content = match functions::hands_out_memory(name) {
            None => call.args.get(index).and_then(|arg| self.pointed(function, arg)),
            Some(_) => Some(self.analysis.class(Origin::Allocation(leaf)).0),
        };
        let moved = self.contents(format!("{:?}", Exchange::Window));
        if let (Some(content), Some(moved)) = (content, moved) {
            self.data(content, Some(moved));
            self.data(moved, Some(content));
        }
    }

    /// The contents of messages of a datatype that calls of this kind exchange; `None` for a datatype that is
    /// no constant.
    fn payload(&mut self, name: &str, datatype: Option<&Arg>) -> Option<u32> {
        let Some(Arg::Scalar(Operand::Const(constant))) = datatype else { return None };
        let key = match functions::exchange(name) {
            kind @ (Exchange::Window | Exchange::File) => format!("{kind:?}"),
            kind => format!("{kind:?} {constant:?}"),
        };
        self.contents(key)
    }

    /// All that is exchanged under a key.
    fn contents(&mut self, key: String) -> Option<u32> {
        if let Some(&known) = self.payloads.get(&key) {
            return Some(known);
        }
        let payload = self.fresh();
        self.payloads.insert(key, payload);
        self.data(payload, Some(self.any_sent));
        self.data(self.any_received, Some(payload));
        Some(payload)
    }
}

/// Whether a library function seeds a generator, or draws from one whose state the caller has.
fn is_seeded(program: &Program, name: &str) -> bool {
    matches!(program.generators.used_by(name), Some((GeneratorUse::Seeds(_), _)))
        || functions::lookup(name).is_some_and(Function::draws_from_state_of_caller)
}

fn node(index: usize) -> u32 {
    u32::try_from(index).expect("programs hold fewer than 2^32 objects")
}
