//! Points-to analysis: which storage may be reached through which pointer. Unification-based, so it
//! takes almost linear time; insensitive to flow and context.

use crate::classes::Classes;
use crate::integers;
use crate::nodes::{Nodes, operand_type};
use chronos_base::hash::FxHashSet;
use chronos_base::ids::Id;
use chronos_functions::{self as functions, Function as Row, Returns, Role};
use chronos_ir::{
    Arg, Base, BlockId, BlockKind, Call, Callee, Const, FuncId, Function, Jump, Op, OpKind, Operand, Place, Program,
    SPAWNED_MAIN, ScalarType, ValueId,
};

/// The classes of a program's storage.
pub fn analyse(program: &Program, nodes: &Nodes, allocators: &[bool]) -> Classes {
    let classes = Classes::with_nodes(nodes.count);
    let (operations, addresses) = (operations(program), integers::addresses(program, nodes));
    let attributes = attributes(program);
    let mut unifier = Unifier { program, nodes, allocators, operations, attributes, addresses, classes };
    unifier.environment();
    unifier.initialisers();
    for (id, block) in program.blocks.iter() {
        match &block.kind {
            BlockKind::Straight(straight) => straight.ops.iter().for_each(|op| unifier.op(block.function, op)),
            BlockKind::Call(call) => unifier.results(block.function, id, call),
            BlockKind::Branch(branch) => {
                if let Some(result) = branch.result {
                    let values = branch.arms.iter().filter_map(|arm| arm.value.as_ref());
                    values.for_each(|value| unifier.assign(block.function, result, value));
                }
            }
            BlockKind::Loop(_) => {}
        }
    }
    unifier.classes.flatten();
    unifier.classes
}

/// Functions that a call may reach.
pub fn targets(program: &Program, call: &Call) -> Vec<FuncId> {
    match &call.callee {
        Callee::Function(function) => vec![*function],
        Callee::Indirect(_) => {
            let taken = program.functions.iter().filter(|(_, f)| f.effects.address_taken);
            taken.filter(|(_, f)| f.variadic || f.params.len() == call.args.len()).map(|(id, _)| id).collect()
        }
        Callee::Library(_) | Callee::Mpi(_) => Vec::new(),
    }
}

/// Functions that a call of a library may call: those that it is handed (qsort), and where it is not known which these
/// are, or the library keeps them (raise), all that fit of those whose address is taken.
pub fn callbacks(program: &Program, call: &Call) -> Vec<FuncId> {
    let Callee::Library(name) = &call.callee else { return Vec::new() };
    let constant = |arg: &Arg| match arg {
        Arg::Scalar(Operand::Const(Const::Function(function))) => Some(*function),
        _ => None,
    };
    let mut found: Vec<FuncId> = call.args.iter().filter_map(constant).collect();
    let unknown = |&(at, _): &(usize, usize)| matches!(call.args.get(at), Some(Arg::Scalar(Operand::Value(_))));
    let row = functions::lookup(name);
    let arities = row.into_iter().flat_map(Row::callbacks).filter(unknown).map(|(_, arity)| arity);
    let arities: Vec<usize> = arities.chain(row.is_some_and(|row| row.raises_signals).then_some(1)).collect();
    let fits = |f: &Function| f.effects.address_taken && arities.contains(&f.params.len());
    found.extend(program.functions.iter().filter(|(_, f)| fits(f)).map(|(id, _)| id));
    found
}

fn makes_operation(name: &str) -> bool {
    functions::lookup(name).is_some_and(functions::Function::makes_operation)
}

/// Functions that the program makes reductions of; all whose address is taken where it is no constant which.
fn operations(program: &Program) -> Vec<FuncId> {
    let mut found = Vec::new();
    for block in program.blocks.values() {
        let BlockKind::Call(call) = &block.kind else { continue };
        match (&call.callee, call.args.first()) {
            (Callee::Mpi(name), Some(Arg::Scalar(Operand::Const(Const::Function(function)))))
                if makes_operation(name) =>
            {
                found.push(*function);
            }
            (Callee::Mpi(name), _) if makes_operation(name) => {
                let taken = program.functions.iter().filter(|(_, f)| f.effects.address_taken && f.params.len() == 4);
                found.extend(taken.map(|(id, _)| id));
            }
            _ => {}
        }
    }
    found
}

/// Parameters of the function that copies an attribute; the last two are where it puts the value and whether there is one.
const COPY_PARAMETERS: usize = 6;

/// What the program attaches to objects of MPI.
#[derive(Default)]
struct Attributes {
    /// With the functions in which they are attached.
    values: Vec<(FuncId, Arg)>,
    /// Functions of keys.
    functions: Vec<FuncId>,
}

fn attributes(program: &Program) -> Attributes {
    let mut found = Attributes::default();
    for block in program.blocks.values() {
        let BlockKind::Call(call) = &block.kind else { continue };
        let Callee::Mpi(name) = &call.callee else { continue };
        let Some(row) = functions::lookup(name) else { continue };
        if row.has(Role::SetsAttribute) {
            found.values.extend(call.args.get(2).map(|value| (block.function, value.clone())));
        }
        for arg in call.args.iter().take(2).filter(|_| row.makes_key()) {
            if let Arg::Scalar(Operand::Const(Const::Function(function))) = arg {
                found.functions.push(*function);
            }
        }
    }
    found
}

struct Unifier<'a> {
    program: &'a Program,
    nodes: &'a Nodes,
    allocators: &'a [bool],
    /// Functions that `MPI_Op_create` may be given.
    operations: Vec<FuncId>,
    attributes: Attributes,
    /// Integers that hold addresses.
    addresses: FxHashSet<u32>,
    classes: Classes,
}

impl Unifier<'_> {
    /// argv and its strings: one class that points to itself; parameters of `main` lead there.
    fn environment(&mut self) {
        let environment = self.nodes.environment();
        let target = self.classes.pointee(environment);
        self.classes.join(environment, target);
        let begins = |function: &&Function| function.name.starts_with(SPAWNED_MAIN);
        let main = self.program.main.map(|main| &self.program.functions[main]);
        let started = self.program.functions.values().filter(begins);
        for &parameter in main.into_iter().chain(started).flat_map(|function| &function.params) {
            let pointer = self.program.types.scalar(self.program.variables[parameter].ty) == Some(ScalarType::Pointer);
            if pointer {
                let target = self.classes.pointee(self.nodes.variable(parameter));
                self.classes.join(target, environment);
            }
        }
    }

    fn initialisers(&mut self) {
        for (variable, data) in self.program.variables.iter() {
            for (_, constant) in data.init.iter().flatten() {
                if let Some(storage) = self.nodes.addressed(constant) {
                    let target = self.classes.pointee(self.nodes.variable(variable));
                    self.classes.join(target, storage);
                }
            }
        }
    }

    fn op(&mut self, function: FuncId, op: &Op) {
        match &op.kind {
            OpKind::Read(place) => {
                if let Some(dst) = op.dst.filter(|&dst| self.is_pointer(function, &Operand::Value(dst))) {
                    let location = self.location(function, place);
                    self.classes.copy(self.nodes.value(function, dst), location);
                }
            }
            OpKind::Write(place, operand) if self.is_pointer(function, operand) => {
                let location = self.location(function, place);
                let target = self.classes.pointee(location);
                self.points(function, operand, target);
            }
            OpKind::Address(place) => {
                let location = self.location(function, place);
                if let Some(dst) = op.dst {
                    let target = self.classes.pointee(self.nodes.value(function, dst));
                    self.classes.join(target, location);
                }
            }
            OpKind::Copy { to, from, .. } => {
                let (to, from) = (self.location(function, to), self.location(function, from));
                self.classes.copy(to, from);
            }
            OpKind::Jump(Jump::Return(Some(arg))) => {
                let result = self.nodes.result(function);
                self.pass(function, arg, result);
            }
            OpKind::Call(leaf) => self.call(function, *leaf, op.dst),
            OpKind::Unary(_, operand) | OpKind::Convert(_, operand) | OpKind::Move(operand) => {
                op.dst.into_iter().for_each(|dst| self.assign(function, dst, operand));
            }
            OpKind::Binary(_, _, a, b) => op.dst.into_iter().for_each(|dst| {
                self.assign(function, dst, a);
                self.assign(function, dst, b);
            }),
            _ => {}
        }
    }

    /// Pointers travel in values of pointer type, and through conversions from and to those.
    fn assign(&mut self, function: FuncId, dst: ValueId, operand: &Operand) {
        let pointer = self.is_pointer(function, operand) || self.is_pointer(function, &Operand::Value(dst));
        if pointer && !matches!(operand, Operand::Const(chronos_ir::Const::Int(..))) {
            let target = self.classes.pointee(self.nodes.value(function, dst));
            self.points(function, operand, target);
        }
    }

    fn is_pointer(&self, function: FuncId, operand: &Operand) -> bool {
        let as_integer =
            matches!(operand, Operand::Value(v) if self.addresses.contains(&self.nodes.value(function, *v)));
        as_integer || operand_type(self.program, function, operand) == ScalarType::Pointer
    }

    /// The storage that `operand` points to joins `target`.
    fn points(&mut self, function: FuncId, operand: &Operand, target: u32) {
        match operand {
            Operand::Value(value) => {
                let pointee = self.classes.pointee(self.nodes.value(function, *value));
                self.classes.join(pointee, target);
            }
            Operand::Const(constant) => {
                if let Some(storage) = self.nodes.addressed(constant) {
                    self.classes.join(storage, target);
                }
            }
        }
    }

    fn location(&mut self, function: FuncId, place: &Place) -> u32 {
        match &place.base {
            Base::Variable(variable) => self.nodes.variable(*variable),
            Base::Pointer(Operand::Value(value)) => self.classes.pointee(self.nodes.value(function, *value)),
            Base::Pointer(Operand::Const(constant)) => {
                self.nodes.addressed(constant).unwrap_or(self.nodes.environment())
            }
        }
    }

    /// An argument or result goes into the storage `into`.
    fn pass(&mut self, function: FuncId, arg: &Arg, into: u32) {
        match arg {
            Arg::Scalar(operand) if self.is_pointer(function, operand) => {
                let target = self.classes.pointee(into);
                self.points(function, operand, target);
            }
            Arg::Scalar(_) => {}
            Arg::Object(place, _) => {
                let location = self.location(function, place);
                self.classes.copy(into, location);
            }
        }
    }

    fn call(&mut self, function: FuncId, leaf: BlockId, dst: Option<ValueId>) {
        let program = self.program;
        let Some(call) = program.call(leaf) else { return };
        for target in targets(program, call) {
            for (&parameter, arg) in program.functions[target].params.iter().zip(&call.args) {
                self.pass(function, arg, self.nodes.variable(parameter));
            }
            if let Some(dst) = dst.filter(|&dst| self.is_pointer(function, &Operand::Value(dst))) {
                self.returned(target, leaf, self.nodes.value(function, dst));
            }
        }
        match &call.callee {
            Callee::Library(name) => self.library(function, leaf, name, call, dst),
            Callee::Mpi(name) => {
                self.handed_out(function, leaf, name, call);
                self.reduced(function, leaf, name, call);
                self.attributes(function, leaf, name, call);
                if let Some(dst) = dst.filter(|&dst| self.is_pointer(function, &Operand::Value(dst))) {
                    let target = self.classes.pointee(self.nodes.value(function, dst));
                    self.classes.join(target, self.nodes.allocation(leaf));
                }
            }
            _ => {}
        }
    }

    /// What a call returns: with an allocator, fresh storage of the call.
    fn returned(&mut self, callee: FuncId, leaf: BlockId, into: u32) {
        if self.allocators[callee.index()] {
            let target = self.classes.pointee(into);
            self.classes.join(target, self.nodes.allocation(leaf));
        } else {
            self.classes.copy(into, self.nodes.result(callee));
        }
    }

    fn results(&mut self, function: FuncId, _leaf: BlockId, call: &Call) {
        let Some(place) = &call.result_place else { return };
        let location = self.location(function, place);
        for target in targets(self.program, call) {
            self.classes.copy(location, self.nodes.result(target));
        }
    }

    /// What a library is handed it may pass on to the functions that it is handed.
    fn called_back(&mut self, function: FuncId, call: &Call) {
        for callback in callbacks(self.program, call) {
            for &parameter in &self.program.functions[callback].params {
                for arg in &call.args {
                    self.pass(function, arg, self.nodes.variable(parameter));
                }
            }
        }
    }

    /// An attribute may be any that the program sets, or that a function of a key makes of it.
    fn attributes(&mut self, function: FuncId, leaf: BlockId, name: &str, call: &Call) {
        let Some(row) = functions::lookup(name) else { return };
        let (values, functions) = (self.attributes.values.clone(), self.attributes.functions.clone());
        if row.has(Role::GetsAttribute) {
            let Some(slot) = call.args.get(2).and_then(|arg| self.pointed(function, arg)) else { return };
            for (setter, value) in &values {
                self.pass(*setter, value, slot);
            }
            for &made in functions.iter().filter(|&&f| self.program.functions[f].params.len() == COPY_PARAMETERS) {
                let place = self.nodes.variable(self.program.functions[made].params[COPY_PARAMETERS - 2]);
                let place = self.classes.pointee(place);
                self.classes.copy(slot, place);
            }
        }
        for &made in functions.iter().filter(|_| row.makes_key()) {
            for &parameter in &self.program.functions[made].params {
                let variable = self.nodes.variable(parameter);
                for (setter, value) in &values {
                    self.pass(*setter, value, variable);
                }
                if let Some(extra) = call.args.get(3) {
                    self.pass(function, extra, variable);
                }
            }
        }
        for &made in functions.iter().filter(|_| row.copies_attributes) {
            for &parameter in self.program.functions[made].params.iter().skip(COPY_PARAMETERS - 2) {
                let place = self.nodes.variable(parameter);
                let place = self.classes.pointee(place);
                self.classes.join(place, self.nodes.allocation(leaf));
            }
        }
    }

    /// A reduction may call what the program made operations of, on parts of the data that its own memory holds.
    fn reduced(&mut self, function: FuncId, leaf: BlockId, name: &str, call: &Call) {
        if !functions::lookup(name).is_some_and(Row::reduces) {
            return;
        }
        for operation in self.operations.clone() {
            for (index, &parameter) in self.program.functions[operation].params.iter().enumerate() {
                let variable = self.nodes.variable(parameter);
                let target = self.classes.pointee(variable);
                self.classes.join(target, self.nodes.allocation(leaf));
                for arg in call.args.iter().take(2).filter(|_| index < 2) {
                    self.pass(function, arg, variable);
                }
            }
        }
    }

    fn library(&mut self, function: FuncId, leaf: BlockId, name: &str, call: &Call, dst: Option<ValueId>) {
        if functions::lookup(name).is_some_and(Row::copies_bytes) {
            let contents: Vec<u32> = call.args.iter().take(2).filter_map(|arg| self.pointed(function, arg)).collect();
            if let [a, b] = contents[..] {
                self.classes.copy(a, b);
            }
        }
        self.stored_pointer(function, leaf, name, call);
        self.called_back(function, call);
        let Some(dst) = dst.filter(|&dst| self.is_pointer(function, &Operand::Value(dst))) else { return };
        let target = self.classes.pointee(self.nodes.value(function, dst));
        let fresh = self.nodes.allocation(leaf);
        let storage = match functions::effects(name).returns {
            Returns::Fresh => Some(fresh),
            Returns::Environment => Some(self.nodes.environment()),
            Returns::Errno => self.program.errno.map(|errno| self.nodes.variable(errno)),
            Returns::Argument(index) | Returns::Itself(index) => {
                call.args.get(index).and_then(|arg| self.pointed(function, arg))
            }
            Returns::Reallocated => {
                self.classes.join(target, fresh);
                call.args.first().and_then(|arg| self.pointed(function, arg))
            }
        };
        storage.into_iter().for_each(|storage| self.classes.join(target, storage));
    }

    /// Calls that store a pointer through an argument.
    fn stored_pointer(&mut self, function: FuncId, leaf: BlockId, name: &str, call: &Call) {
        let Some(row) = functions::lookup(name) else { return };
        let (slot, storage) = match (row.position_of(Role::Fresh), row.position_of(Role::IntoFirst)) {
            (Some(slot), _) => (slot, Some(self.nodes.allocation(leaf))),
            (None, Some(slot)) => (slot, call.args.first().and_then(|arg| self.pointed(function, arg))),
            (None, None) => return,
        };
        let slot = call.args.get(slot).and_then(|arg| self.pointed(function, arg));
        if let (Some(slot), Some(storage)) = (slot, storage) {
            let target = self.classes.pointee(slot);
            self.classes.join(target, storage);
        }
    }

    /// MPI calls that store a pointer to memory of the library through an argument.
    fn handed_out(&mut self, function: FuncId, leaf: BlockId, name: &str, call: &Call) {
        let slot = functions::hands_out_memory(name).and_then(|slot| call.args.get(slot));
        if let Some(slot) = slot.and_then(|arg| self.pointed(function, arg)) {
            let target = self.classes.pointee(slot);
            let storage = self.nodes.allocation(leaf);
            self.classes.join(target, storage);
        }
    }

    /// The storage that an argument points to.
    fn pointed(&mut self, function: FuncId, arg: &Arg) -> Option<u32> {
        match arg {
            Arg::Scalar(Operand::Value(value)) if self.is_pointer(function, &Operand::Value(*value)) => {
                Some(self.classes.pointee(self.nodes.value(function, *value)))
            }
            Arg::Scalar(Operand::Const(constant)) => self.nodes.addressed(constant),
            _ => None,
        }
    }
}
