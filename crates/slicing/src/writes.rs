//! Mod-sets: which storage a block or a function may write, calls included.

use crate::{Analysis, ClassId, points_to};
use chronos_base::hash::{FxHashMap, FxHashSet};
use chronos_functions::{self as functions, Generator, GeneratorUse};
use chronos_ir::{Arg, BlockId, BlockKind, Call, Callee, CounterId, FuncId, Op, OpKind, Operand, Program, VarId};
use chronos_values::Origin;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Classes of storage that may be written.
pub type ModSet = BTreeSet<ClassId>;

/// Mod-sets made so far.
#[derive(Debug, Default)]
pub struct ModSets {
    blocks: FxHashMap<BlockId, Arc<ModSet>>,
    functions: FxHashMap<FuncId, Arc<ModSet>>,
    own: FxHashMap<FuncId, Arc<(ModSet, Vec<FuncId>)>>,
    drawing: FxHashMap<Generator, Arc<FxHashSet<CounterId>>>,
}

impl ModSets {
    /// What a block, the blocks in it and what they call may write.
    pub fn block(&mut self, program: &Program, analysis: &Analysis, block: BlockId) -> Arc<ModSet> {
        if let Some(known) = self.blocks.get(&block) {
            return known.clone();
        }
        let (mut set, callees) = direct(program, analysis, block.0..analysis.subtree_end(block).0);
        for callee in callees {
            set.extend(self.function(program, analysis, callee).iter().copied());
        }
        let set = Arc::new(set);
        self.blocks.insert(block, set.clone());
        set
    }

    /// What a call of a function may write.
    pub fn function(&mut self, program: &Program, analysis: &Analysis, function: FuncId) -> Arc<ModSet> {
        if let Some(known) = self.functions.get(&function) {
            return known.clone();
        }
        let (mut set, mut seen, mut pending) = (ModSet::new(), FxHashSet::from_iter([function]), vec![function]);
        while let Some(next) = pending.pop() {
            let own = self.own(program, analysis, next);
            set.extend(own.0.iter().copied());
            pending.extend(own.1.iter().copied().filter(|&callee| seen.insert(callee)));
        }
        let set = Arc::new(set);
        self.functions.insert(function, set.clone());
        set
    }

    /// What a call may write, by its leaf block.
    pub fn call(&mut self, program: &Program, analysis: &Analysis, leaf: BlockId) -> ModSet {
        let (mut set, callees) = direct(program, analysis, leaf.0..leaf.0 + 1);
        for callee in callees {
            set.extend(self.function(program, analysis, callee).iter().copied());
        }
        set
    }

    /// Counters of the calls that draw random numbers from a generator.
    pub fn drawing(&mut self, program: &Program, generator: Generator) -> Arc<FxHashSet<CounterId>> {
        self.drawing.entry(generator).or_insert_with(|| Arc::new(drawing(program, generator))).clone()
    }

    fn own(&mut self, program: &Program, analysis: &Analysis, function: FuncId) -> Arc<(ModSet, Vec<FuncId>)> {
        let (first, end) = program.functions[function].blocks;
        let own = self.own.entry(function).or_insert_with(|| Arc::new(direct(program, analysis, first.0..end.0)));
        own.clone()
    }
}

fn drawing(program: &Program, generator: Generator) -> FxHashSet<CounterId> {
    let draws = |kind: &BlockKind| match kind {
        BlockKind::Call(Call { callee: Callee::Library(name), .. }) => {
            matches!(program.generators.used_by(name), Some((GeneratorUse::Draws(of), _)) if of == generator)
        }
        _ => false,
    };
    program.blocks.values().filter(|block| draws(&block.kind)).map(|block| block.counter(0)).collect()
}

/// Classes written by the operations of a range of blocks, and the functions called.
fn direct(program: &Program, analysis: &Analysis, range: std::ops::Range<u32>) -> (ModSet, Vec<FuncId>) {
    let (mut set, mut callees) = (ModSet::new(), Vec::new());
    for block in range.map(BlockId) {
        let function = program.blocks[block].function;
        match &program.blocks[block].kind {
            BlockKind::Straight(straight) => {
                set.extend(straight.ops.iter().filter_map(|op| written(analysis, function, op)));
            }
            BlockKind::Call(call) => {
                set.extend(call.result_place.iter().map(|place| analysis.place(function, place)));
                set.extend(call_writes(program, analysis, block));
                callees.extend(points_to::targets(program, call));
                callees.extend(points_to::callbacks(program, call));
                for target in points_to::targets(program, call) {
                    set.extend(analysis.is_allocator(target).then(|| analysis.class(Origin::Allocation(block))));
                    let parameters = program.functions[target].params.iter();
                    set.extend(parameters.map(|&parameter| analysis.variable(parameter)));
                }
            }
            BlockKind::Loop(_) | BlockKind::Branch(_) => {}
        }
    }
    (set, callees)
}

/// The class that an operation itself writes.
pub fn written(analysis: &Analysis, function: FuncId, op: &Op) -> Option<ClassId> {
    match &op.kind {
        OpKind::Write(place, _) | OpKind::Copy { to: place, .. } | OpKind::Zero { to: place, .. } => {
            Some(analysis.place(function, place))
        }
        OpKind::Allocate { variable, .. } => Some(analysis.variable(*variable)),
        _ => None,
    }
}

/// Classes that a library or MPI call writes through its arguments.
pub fn library_writes(program: &Program, analysis: &Analysis, leaf: BlockId) -> Vec<ClassId> {
    let Some(call) = program.call(leaf) else { return Vec::new() };
    let function = program.blocks[leaf].function;
    let pointed = |arg: &Arg| match arg {
        Arg::Scalar(operand) => analysis.pointed(function, operand),
        Arg::Object(..) => None,
    };
    let is_written = |index: usize| match &call.callee {
        Callee::Library(name) => functions::effects(name).writes.contains(index),
        Callee::Mpi(_) => true,
        Callee::Function(_) | Callee::Indirect(_) => false,
    };
    let mut classes: Vec<ClassId> =
        call.args.iter().enumerate().filter(|(i, _)| is_written(*i)).filter_map(|(_, arg)| pointed(arg)).collect();
    classes.extend(fresh_storage(program, analysis, leaf));
    classes.extend(errno(program, call).map(|errno| analysis.variable(errno)));
    if let Callee::Library(name) = &call.callee {
        classes.extend(program.generators.writes(name).into_iter().map(|part| analysis.variable(part)));
    }
    classes
}

/// `errno`, where the program asks for it and the call may set it.
pub fn errno(program: &Program, call: &Call) -> Option<VarId> {
    let Callee::Library(name) = &call.callee else { return None };
    program.errno.filter(|_| functions::may_set_errno(name))
}

/// As [`library_writes`], with what the standard says of the arguments of MPI calls.
fn call_writes(program: &Program, analysis: &Analysis, leaf: BlockId) -> Vec<ClassId> {
    let Some((call, Callee::Mpi(name))) = program.call(leaf).map(|call| (call, &call.callee)) else {
        return library_writes(program, analysis, leaf);
    };
    let function = program.blocks[leaf].function;
    let arguments = functions::written_arguments(name, call.args.len()).into_iter();
    arguments.filter_map(|index| analysis.pointed(function, scalar(call.args.get(index)?)?)).collect()
}

/// The storage that the call makes.
fn fresh_storage(program: &Program, analysis: &Analysis, leaf: BlockId) -> Option<ClassId> {
    let Some(Callee::Library(_)) = program.call(leaf).map(|call| &call.callee) else { return None };
    let class = analysis.class(Origin::Allocation(leaf));
    analysis.is_reached(class).then_some(class)
}

/// Whether an operand is a pointer constant or value; for arguments of calls.
pub fn scalar(arg: &Arg) -> Option<&Operand> {
    match arg {
        Arg::Scalar(operand) => Some(operand),
        Arg::Object(..) => None,
    }
}
