//! The textual form of a program: readable, stable, one operation per line.
//!
//! It is for people and snapshots, and is never read back.

use super::block::{BlockKind, Branch, BranchKind, Condition, Loop, LoopForm, Straight};
use super::op::{Arg, Base, Call, Callee, Const, Jump, Op, OpKind, Operand, Place, Step, Stride};
use super::types::{Type, TypeId, TypeTable};
use super::{BlockId, FuncId, Function, Program, VarId};
use chronos_base::span::Span;
use std::fmt::Write;

mod names;
mod parameters;
mod types;
pub use names::scalar_name;
use names::{binary_name, effects, label_text, offset_text, storage_name, type_suffix, unary_name};
pub use types::type_name;

/// The whole program: structs, globals, strings, functions.
pub fn program(program: &Program) -> String {
    let mut printer = Printer { program, out: String::new(), depth: 0 };
    parameters::lines(program).iter().for_each(|line| printer.line(line));
    printer.structs();
    printer.globals();
    printer.strings();
    for id in program.functions.ids() {
        printer.function(id);
    }
    printer.out
}

/// One function.
pub fn function(program: &Program, id: FuncId) -> String {
    let mut printer = Printer { program, out: String::new(), depth: 0 };
    printer.function(id);
    printer.out
}

/// One operation, without its place; `function` gives the types of its values.
pub fn operation(program: &Program, function: FuncId, op: &Op) -> String {
    let printer = Printer { program, out: String::new(), depth: 0 };
    printer.op(&program.functions[function], op)
}

struct Printer<'a> {
    program: &'a Program,
    out: String,
    depth: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn place_of(&self, span: Span) -> String {
        self.program.files.locate(span)
    }

    fn structs(&mut self) {
        for (id, structure) in self.program.types.structs.iter() {
            let keyword = if structure.is_union { "union" } else { "struct" };
            let name = structure.name.as_deref().unwrap_or("<anonymous>");
            self.line(&format!("{keyword} {id} {name}: size {}, align {}", structure.size, structure.align));
            for field in structure.fields.iter().flatten() {
                let bits = field.bits.map_or(String::new(), |(first, count)| format!(" bits {first}+{count}"));
                let ty = type_name(&self.program.types, field.ty);
                self.line(&format!("  +{} {}: {ty}{bits}", field.offset, field.name));
            }
        }
    }

    fn globals(&mut self) {
        for (id, variable) in self.program.variables.iter().filter(|(_, v)| v.function.is_none()) {
            let storage = if variable.undefined { "extern" } else { storage_name(variable.storage) };
            let head = format!("{storage} {}{}", self.declaration(id), self.initializer(id));
            let place = self.place_of(variable.span);
            self.line(&format!("{head}  ; {place}"));
        }
    }

    fn declaration(&self, id: VarId) -> String {
        let variable = &self.program.variables[id];
        let taken = if variable.address_taken { " &" } else { "" };
        format!("{id} {}: {}{taken}", variable.name, type_name(&self.program.types, variable.ty))
    }

    fn initializer(&self, id: VarId) -> String {
        let Some(init) = self.program.variables[id].init.as_deref().filter(|init| !init.is_empty()) else {
            return String::new();
        };
        let items: Vec<String> =
            init.iter().map(|(offset, value)| format!("+{offset}: {}", self.constant(value))).collect();
        format!(" = {{{}}}", items.join(", "))
    }

    fn strings(&mut self) {
        for (id, bytes) in self.program.strings.iter() {
            self.line(&format!("{id} = \"{}\"", bytes.escape_ascii()));
        }
    }

    fn function(&mut self, id: FuncId) {
        let function = &self.program.functions[id];
        let result = type_name(&self.program.types, function.result);
        let params: Vec<String> = function.params.iter().map(|&param| self.declaration(param)).collect();
        let variadic = if function.variadic { ", ..." } else { "" };
        let linkage = if function.is_static { "static " } else { "" };
        let place = self.place_of(function.span);
        let effects = effects(function);
        self.line(&format!(
            "{linkage}function {id} {}({}{variadic}) -> {result}{effects}  ; {place}",
            function.name,
            params.join(", ")
        ));
        self.depth += 1;
        for &local in &function.locals {
            let storage = storage_name(self.program.variables[local].storage);
            let text = format!("{storage} {}{}", self.declaration(local), self.initializer(local));
            self.line(&text);
        }
        self.region(&function.body);
        self.depth -= 1;
    }

    fn region(&mut self, region: &[BlockId]) {
        for &block in region {
            self.block(block);
        }
    }

    fn nested(&mut self, title: &str, region: &[BlockId]) {
        if region.is_empty() {
            return;
        }
        self.line(title);
        self.depth += 1;
        self.region(region);
        self.depth -= 1;
    }

    fn block(&mut self, id: BlockId) {
        let Some(block) = self.program.blocks.get(id) else {
            self.line(&format!("{id} does not exist"));
            return;
        };
        match &block.kind {
            BlockKind::Straight(straight) => self.straight(id, straight),
            BlockKind::Call(call) => {
                let text = self.call(call);
                self.header(id, &format!("call {text}"));
            }
            BlockKind::Loop(node) => self.loop_node(id, node),
            BlockKind::Branch(branch) => self.branch(id, branch),
        }
    }

    fn header(&mut self, id: BlockId, text: &str) {
        let block = &self.program.blocks[id];
        let place = self.place_of(block.span);
        self.line(&format!("{id} {text}  ; {}, {place}", block.first_counter));
    }

    fn straight(&mut self, id: BlockId, straight: &Straight) {
        let function = &self.program.functions[self.program.blocks[id].function];
        let label = straight.label.map_or(String::new(), |label| match function.labels.get(label) {
            Some((name, _)) => format!(" {label} {name}"),
            None => format!(" {label}"),
        });
        self.header(id, &format!("straight{label}"));
        self.depth += 1;
        for op in &straight.ops {
            let text = self.op(function, op);
            self.line(&format!("{text}  ; {}", op.span.line_start));
            if let OpKind::Call(leaf) = op.kind
                && matches!(self.program.blocks.get(leaf).map(|block| &block.kind), Some(BlockKind::Call(_)))
            {
                self.nested_block(leaf);
            }
        }
        self.depth -= 1;
    }

    fn nested_block(&mut self, id: BlockId) {
        self.depth += 1;
        self.block(id);
        self.depth -= 1;
    }

    fn loop_node(&mut self, id: BlockId, node: &Loop) {
        let form = match node.form {
            LoopForm::For => "for",
            LoopForm::While => "while",
            LoopForm::DoWhile => "do-while",
        };
        self.header(id, &format!("loop {form} {}", node.target));
        self.depth += 1;
        self.nested("init:", &node.init);
        // In the order in which the blocks run.
        if node.form == LoopForm::DoWhile {
            self.nested("body:", &node.body);
            self.condition(node.condition.as_ref());
        } else {
            self.condition(node.condition.as_ref());
            self.nested("body:", &node.body);
        }
        self.nested("step:", &node.step);
        self.depth -= 1;
    }

    fn condition(&mut self, condition: Option<&Condition>) {
        let Some(condition) = condition else { return };
        let text = format!("condition {}:", self.operand(&condition.value));
        self.line(&text);
        self.depth += 1;
        self.region(&condition.region);
        self.depth -= 1;
    }

    fn branch(&mut self, id: BlockId, branch: &Branch) {
        let result = branch.result.map_or(String::new(), |value| format!("{value} = "));
        let target = branch.target.map_or(String::new(), |target| format!(" {target}"));
        let kind = match branch.kind {
            BranchKind::If => "if",
            BranchKind::And => "and",
            BranchKind::Or => "or",
            BranchKind::Conditional => "conditional",
            BranchKind::Switch => "switch",
        };
        let condition = self.operand(&branch.condition);
        self.header(id, &format!("{result}branch {kind} {condition}{target}"));
        self.depth += 1;
        for arm in &branch.arms {
            let labels: Vec<String> = arm.labels.iter().map(label_text).collect();
            let value = arm.value.as_ref().map_or(String::new(), |value| format!(" -> {}", self.operand(value)));
            let falls = if arm.falls_through { " falls through" } else { "" };
            self.line(&format!("{}{value}{falls}:", labels.join(", ")));
            self.depth += 1;
            self.region(&arm.region);
            self.depth -= 1;
        }
        self.depth -= 1;
    }

    fn op(&self, function: &Function, op: &Op) -> String {
        let text = self.kind(&op.kind);
        match op.dst {
            Some(value) => format!("{}{} = {text}", value, type_suffix(function, value)),
            None => text,
        }
    }

    fn kind(&self, kind: &OpKind) -> String {
        match kind {
            OpKind::Read(place) => format!("read {}", self.place(place)),
            OpKind::Write(place, value) => format!("write {}, {}", self.place(place), self.operand(value)),
            OpKind::Address(place) => format!("address {}", self.place(place)),
            OpKind::Unary(op, value) => format!("{} {}", unary_name(*op), self.operand(value)),
            OpKind::Binary(op, ty, a, b) => {
                format!("{} {} {}, {}", binary_name(*op), scalar_name(*ty), self.operand(a), self.operand(b))
            }
            OpKind::Convert(from, value) => format!("convert {} {}", scalar_name(*from), self.operand(value)),
            OpKind::PointerDiff(a, b, stride) => format!("diff {}, {} / {stride}", self.operand(a), self.operand(b)),
            OpKind::Copy { to, from, bytes } => format!("copy {}, {}, {bytes}", self.place(to), self.place(from)),
            OpKind::Zero { to, bytes } => format!("zero {}, {bytes}", self.place(to)),
            OpKind::Allocate { variable, bytes } => {
                format!("allocate {}, {}", self.variable(*variable), self.operand(bytes))
            }
            OpKind::Call(block) => format!("call {block}"),
            OpKind::Jump(jump) => self.jump(jump),
            OpKind::Move(value) => format!("move {}", self.operand(value)),
            OpKind::Opaque(text) => format!("opaque \"{}\"", text.escape_default()),
        }
    }

    fn jump(&self, jump: &Jump) -> String {
        match jump {
            Jump::Break(target) => format!("break {target}"),
            Jump::Continue(target) => format!("continue {target}"),
            Jump::Goto(label) => format!("goto {label}"),
            Jump::Return(None) => "return".to_owned(),
            Jump::Return(Some(value)) => format!("return {}", self.arg(value)),
        }
    }

    fn call(&self, call: &Call) -> String {
        let callee = match &call.callee {
            Callee::Function(id) => self.function_name(*id),
            Callee::Library(name) => format!("library {name}"),
            Callee::Mpi(name) => format!("mpi {name}"),
            Callee::Indirect(value) => format!("*{}", self.operand(value)),
        };
        let args: Vec<String> = call.args.iter().map(|arg| self.arg(arg)).collect();
        let to = call.result_place.as_ref().map_or(String::new(), |place| format!(" -> {}", self.place(place)));
        format!("{callee}({}){to}", args.join(", "))
    }

    fn function_name(&self, id: FuncId) -> String {
        match self.program.functions.get(id) {
            Some(function) => format!("{id}:{}", function.name),
            None => id.to_string(),
        }
    }

    fn arg(&self, arg: &Arg) -> String {
        match arg {
            Arg::Scalar(value) => self.operand(value),
            Arg::Object(place, bytes) => format!("object {} ({bytes})", self.place(place)),
        }
    }

    fn variable(&self, id: VarId) -> String {
        match self.program.variables.get(id) {
            Some(variable) => format!("{id}:{}", variable.name),
            None => id.to_string(),
        }
    }

    fn place(&self, place: &Place) -> String {
        let mut text = match &place.base {
            Base::Variable(id) => self.variable(*id),
            Base::Pointer(value) => format!("*({})", self.operand(value)),
        };
        for step in &place.steps {
            match step {
                Step::Field { offset, .. } => {
                    let _ = write!(text, ".{}", self.field(step).unwrap_or_else(|| format!("+{offset}")));
                }
                Step::Index { index, stride, length } => {
                    let length = length.map_or(String::new(), |length| format!(" of {length}"));
                    let _ = write!(text, "[{}{length} * {}]", self.operand(index), self.stride(stride));
                }
            }
        }
        if let Some((first, count)) = place.bits {
            let _ = write!(text, " bits {first}+{count}");
        }
        let volatile = if place.volatile { "volatile " } else { "" };
        format!("{volatile}{text}: {}", type_name(&self.program.types, place.ty))
    }

    fn field(&self, step: &Step) -> Option<String> {
        let Step::Field { structure, index, .. } = step else { return None };
        let field = self.program.types.structs.get(*structure)?.fields.as_ref()?.get(*index as usize)?;
        Some(field.name.to_string()).filter(|name| !name.is_empty())
    }

    fn stride(&self, stride: &Stride) -> String {
        match stride {
            Stride::Bytes(bytes) => bytes.to_string(),
            Stride::Value(value) => self.operand(value),
        }
    }

    fn operand(&self, operand: &Operand) -> String {
        match operand {
            Operand::Value(value) => value.to_string(),
            Operand::Const(value) => self.constant(value),
        }
    }

    fn constant(&self, value: &Const) -> String {
        match value {
            Const::Int(value, ty) => format!("{value}:{}", scalar_name(*ty)),
            Const::Float(value, ty) => format!("{value:?}:{}", scalar_name(*ty)),
            Const::Wide(bits, ty) => format!("{bits:#x}:{}", scalar_name(*ty)),
            Const::Str(id, offset) => format!("{}{}", id, offset_text(*offset)),
            Const::Address(id, offset) => format!("&{}{}", self.variable(*id), offset_text(*offset)),
            Const::Function(id) => format!("&{}", self.function_name(*id)),
            Const::Library(name) => format!("&library {name}"),
        }
    }
}
