//! Variable arguments: callers lay them out in memory, `va_arg` reads them from there.
//!
//! A call of a variadic function of the program stores its further arguments in slots of a word each, as if all of
//! them went over the stack, and their address in a static variable that belongs to the function. The function
//! takes it over as it begins and leaves a value that is not known behind, for calls through pointers: these do not
//! know whom they call. `va_list` is the structure of x86-64, of which only the member `overflow` is used.

use crate::lower::context::item::ExprResult;
use crate::lower::context::lowerer::Lowerer;
use chronos_base::span::Span;
use chronos_ir::types::{ScalarType, Type, TypeId};
use chronos_ir::{Arg, Base, Const, FuncId, OpKind, Operand, Place, Step, Storage, Stride, VarId, Variable};
use lang_c::ast;
use lang_c::span::Node;

impl<'a> Lowerer<'a> {
    /// Stores what a call passes behind the parameters, and where it stands.
    pub(crate) fn pass_variable_arguments(&mut self, callee: FuncId, args: &[Arg], span: Span) {
        if args.is_empty() || self.body.unevaluated {
            return;
        }
        let word = self.slot_size();
        let sizes: Vec<u64> = args.iter().map(|arg| self.slot_bytes(arg)).collect();
        let element = self.size_scalar();
        let element = self.scalar_type(element);
        let array = self.array_of(element, Some(sizes.iter().sum::<u64>() / word));
        let slots = self.new_local("(variable arguments)", array, span);
        let mut at = 0;
        for (arg, bytes) in args.iter().zip(sizes) {
            self.store_argument(slots, at, arg, span);
            at += i64::try_from(bytes).unwrap_or(0);
        }
        let passed = self.passed_arguments(callee, span);
        self.emit_effect(OpKind::Write(passed, Operand::Const(Const::Address(slots, 0))), span);
    }

    fn slot_size(&self) -> u64 {
        ScalarType::Pointer.size(self.program.model)
    }

    fn slot_bytes(&mut self, arg: &Arg) -> u64 {
        let bytes = match arg {
            Arg::Scalar(operand) => self.operand_type(operand).size(self.program.model),
            Arg::Object(_, bytes) => *bytes,
        };
        bytes.max(1).next_multiple_of(self.slot_size())
    }

    fn operand_type(&self, operand: &Operand) -> ScalarType {
        match operand {
            Operand::Value(value) => self.body.values[chronos_base::ids::Id::index(*value)],
            Operand::Const(Const::Int(_, ty) | Const::Float(_, ty) | Const::Wide(_, ty)) => *ty,
            Operand::Const(_) => ScalarType::Pointer,
        }
    }

    fn store_argument(&mut self, slots: VarId, at: i64, arg: &Arg, span: Span) {
        let slot = |ty| pointed(Operand::Const(Const::Address(slots, at)), ty);
        match arg {
            Arg::Scalar(operand) => {
                let ty = self.operand_type(operand);
                let to = slot(self.scalar_type(ty));
                self.emit_effect(OpKind::Write(to, operand.clone()), span);
            }
            Arg::Object(from, bytes) => {
                let (to, from) = (slot(from.ty), from.clone());
                self.emit_effect(OpKind::Copy { to, from, bytes: *bytes }, span);
            }
        }
    }

    /// The variable through which a function gets the address of its variable arguments.
    fn passed_arguments(&mut self, function: FuncId, span: Span) -> Place {
        if let Some(&id) = self.linkage.variable_arguments.get(&function) {
            return self.variable_place(id);
        }
        let ty = self.scalar_pointer();
        let id = self.program.variables.push(Variable {
            name: format!("(arguments of {})", self.program.functions[function].name).into(),
            ty,
            storage: Storage::Static,
            function: None,
            span,
            address_taken: false,
            init: Some(Vec::new()),
            undefined: false,
        });
        self.linkage.defined.insert(id);
        self.linkage.variable_arguments.insert(function, id);
        self.variable_place(id)
    }

    fn scalar_pointer(&mut self) -> TypeId {
        let byte = self.scalar_type(ScalarType::I8);
        self.pointer_to(byte)
    }

    /// At the begin of a variadic function.
    pub(crate) fn take_variable_arguments(&mut self, function: FuncId, span: Span) {
        let ty = self.scalar_pointer();
        let own = self.new_local("(variable arguments)", ty, span);
        let unknown = self.new_local("(arguments of a call through a pointer)", ty, span);
        let passed = self.passed_arguments(function, span);
        for (to, from) in [(self.variable_place(own), passed.clone()), (passed, self.variable_place(unknown))] {
            let value = self.emit(OpKind::Read(from), ScalarType::Pointer, span);
            self.emit_effect(OpKind::Write(to, value), span);
        }
        self.body.variable_arguments = Some(own);
    }

    /// `va_start`: `None` outside a variadic function.
    pub(crate) fn va_start(&mut self, list: &'a Node<ast::Expression>, span: Span) -> Option<ExprResult> {
        let own = self.body.variable_arguments?;
        let next = self.next_argument(list)?;
        let from = self.variable_place(own);
        let value = self.emit(OpKind::Read(from), ScalarType::Pointer, span);
        self.emit_effect(OpKind::Write(next, value), span);
        Some(ExprResult::Void)
    }

    /// `va_copy`.
    pub(crate) fn va_copy(
        &mut self,
        to: &'a Node<ast::Expression>,
        from: &'a Node<ast::Expression>,
        span: Span,
    ) -> Option<ExprResult> {
        let from = self.next_argument(from)?;
        let to = self.next_argument(to)?;
        let value = self.emit(OpKind::Read(from), ScalarType::Pointer, span);
        self.emit_effect(OpKind::Write(to, value), span);
        Some(ExprResult::Void)
    }

    pub(crate) fn va_arg(&mut self, node: &'a Node<ast::VaArgExpression>) -> ExprResult {
        let ty = self.type_name(&node.node.type_name);
        let span = self.span(node.span);
        let Some(next) = self.next_argument(&node.node.va_list) else {
            self.discard(&node.node.va_list);
            return match self.scalar(ty) {
                Some(scalar) => ExprResult::Value(self.emit(OpKind::Opaque("va_arg".into()), scalar, span), ty),
                None => ExprResult::Place(self.temporary(ty, span)),
            };
        };
        let bytes = self.size(ty).max(1).next_multiple_of(self.slot_size());
        let argument = self.emit(OpKind::Read(next.clone()), ScalarType::Pointer, span);
        let mut behind = pointed(argument.clone(), self.scalar_type(ScalarType::I8));
        let index = crate::lower::context::constants::int(bytes, ScalarType::I64);
        behind.steps.push(Step::Index { index, stride: Stride::Bytes(1), length: None });
        let behind = self.emit(OpKind::Address(behind), ScalarType::Pointer, span);
        self.emit_effect(OpKind::Write(next, behind), span);
        let place = pointed(argument, ty);
        if self.scalar(ty).is_none() {
            return ExprResult::Place(place);
        }
        let (operand, ty) = self.load(ExprResult::Place(place), span);
        ExprResult::Value(operand, ty)
    }

    /// The member of a `va_list` that points to the argument to be read next.
    fn next_argument(&mut self, list: &'a Node<ast::Expression>) -> Option<Place> {
        let item = self.settled(list);
        let target = self.target_type(&item)?;
        let Type::Struct(id) = *self.ty(target) else { return None };
        let mut path = Vec::new();
        if !self.find_member(id, "overflow", &mut path) {
            return None;
        }
        let span = self.span(list.span);
        let item = if self.is_array(&item) { item } else { self.loaded(item, span) };
        let place = self.element(item, crate::lower::context::constants::int(0, ScalarType::I64));
        Some(self.follow(place, &path))
    }

    fn is_array(&self, item: &ExprResult) -> bool {
        matches!(item, ExprResult::Place(place) if matches!(self.ty(place.ty), Type::Array { .. }))
    }

    fn loaded(&mut self, item: ExprResult, span: Span) -> ExprResult {
        let (operand, ty) = self.load(item, span);
        ExprResult::Value(operand, ty)
    }
}

fn pointed(pointer: Operand, ty: TypeId) -> Place {
    Place { base: Base::Pointer(pointer), steps: Vec::new(), ty, bits: None, volatile: false }
}
