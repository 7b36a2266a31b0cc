//! Calls: who is called, argument conversions, struct arguments and results.

use crate::lower::codes;
use crate::lower::context::constants::promoted;
use crate::lower::context::item::ExprResult;
use crate::lower::context::linkage::{Definition, placeholder};
use crate::lower::context::lowerer::Lowerer;
use crate::lower::context::scopes::Entry;
use crate::lower::context::syntax::contains_call;
use chronos_base::span::Span;
use chronos_ir::raw::{RawCall, RawItem};
use chronos_ir::types::{ScalarType, Type, TypeId};
use chronos_ir::{Arg, Call, Callee, Const, FuncId, Operand, Unsequenced};
use lang_c::ast::{self, Expression};
use lang_c::span::Node;

/// What is known of the function called.
struct Target {
    callee: Callee,
    result: TypeId,
    params: Vec<TypeId>,
    variadic: bool,
}

impl<'a> Lowerer<'a> {
    pub(crate) fn call(&mut self, node: &'a Node<ast::CallExpression>) -> ExprResult {
        if let Some(name) = called_name(&node.node.callee.node)
            && let Some(item) = self.builtin(name, node).or_else(|| self.atomic(name, node))
        {
            return item;
        }
        if called_name(&node.node.callee.node).is_some_and(|name| self.openmp_mark(name, node)) {
            return ExprResult::Void;
        }
        let Some(target) = self.target(&node.node.callee) else {
            self.invalid(node.span, "what is called is no function");
            node.node.arguments.iter().for_each(|a| self.discard(a));
            return self.opaque("call of what is no function", ScalarType::I32, node.span);
        };
        let args = self.arguments(&target, node);
        let span = self.span(node.span);
        if let Some(name) = called_name(&node.node.callee.node) {
            self.note_parallel_region(name, span);
        }
        if let (Callee::Function(id), true) = (&target.callee, target.variadic && !target.params.is_empty()) {
            self.pass_variable_arguments(*id, args.get(target.params.len()..).unwrap_or_default(), span);
        }
        self.emit_call(target.callee, args, target.result, span)
    }

    pub(crate) fn emit_call(&mut self, callee: Callee, args: Vec<Arg>, result: TypeId, span: Span) -> ExprResult {
        let (dst, result_place, item) = match self.scalar(result) {
            Some(scalar) => {
                let value = self.new_value(scalar);
                (Some(value), None, ExprResult::Value(Operand::Value(value), result))
            }
            None if matches!(self.ty(result), Type::Struct(_)) => {
                let place = self.temporary(result, span);
                (None, Some(place.clone()), ExprResult::Place(place))
            }
            None => (None, None, ExprResult::Void),
        };
        let call = Call { callee, args, result_place };
        self.body.region.push(RawItem::Call(RawCall { dst, call, span }));
        item
    }

    fn target(&mut self, callee: &'a Node<Expression>) -> Option<Target> {
        if let Expression::Identifier(name) = &callee.node
            && self.lookup(&name.node.name).is_none()
        {
            self.declare_implicitly(name);
        }
        let item = self.settled(callee);
        let ty = self.function_type_of(&item)?;
        let Type::Function { result, params, variadic } = self.ty(ty).clone() else { return None };
        let callee = match item {
            ExprResult::Function(Const::Function(id), _) => Callee::Function(id),
            ExprResult::Function(Const::Library(name), _) => undefined(&name),
            other => {
                let span = self.span(callee.span);
                match self.load(other, span).0 {
                    Operand::Const(Const::Function(id)) => Callee::Function(id),
                    Operand::Const(Const::Library(name)) => undefined(&name),
                    operand => Callee::Indirect(operand),
                }
            }
        };
        Some(Target { callee, result, params, variadic })
    }

    fn function_type_of(&self, item: &ExprResult) -> Option<TypeId> {
        let ty = self.target_type(item)?;
        matches!(self.ty(ty), Type::Function { .. }).then_some(ty)
    }

    /// C89: a function that is called without a declaration returns int.
    fn declare_implicitly(&mut self, name: &'a Node<ast::Identifier>) {
        let result = crate::lower::expressions::builtins::builtin_result_type(&name.node.name, self.program.model)
            .unwrap_or(ScalarType::I32);
        let result = self.scalar_type(result);
        let ty = self.intern(Type::Function { result, params: Vec::new(), variadic: true });
        self.scopes.insert_at_file_scope(&name.node.name, Entry::Function(ty));
        if !name.node.name.starts_with("__builtin_") {
            let message = format!("function `{}` is called without a declaration", name.node.name);
            self.warning(&codes::UNDECLARED, name.span, message, "include the header that declares it");
        }
    }

    fn arguments(&mut self, target: &Target, node: &'a Node<ast::CallExpression>) -> Vec<Arg> {
        let given = &node.node.arguments;
        if !target.variadic && given.len() != target.params.len() && !matches!(target.callee, Callee::Function(_)) {
            self.report_arguments(given.len(), target.params.len(), node.span);
        }
        let args = given.iter().enumerate().map(|(position, argument)| {
            let span = self.span(argument.span);
            let item = self.settled(argument);
            self.argument(item, target.params.get(position).copied(), span)
        });
        let args = args.collect();
        if given.len() > 1 && given.iter().any(contains_call) {
            self.note_unsequenced(node.span, given.iter());
        }
        args
    }

    fn report_arguments(&mut self, given: usize, wanted: usize, span: lang_c::span::Span) {
        let at = self.span(span);
        let message = format!("a function with {wanted} parameters is called with {given} arguments");
        self.diagnostics.push(
            chronos_base::diag::Diagnostic::note(&codes::ARGUMENT_COUNT, message)
                .label(at, "")
                .help("correct the call"),
        );
    }

    pub(crate) fn argument(&mut self, item: ExprResult, param: Option<TypeId>, span: Span) -> Arg {
        if let ExprResult::Place(place) = &item
            && matches!(self.ty(place.ty), Type::Struct(_))
        {
            let bytes = self.size(place.ty);
            return Arg::Object(place.clone(), bytes);
        }
        let (operand, ty) = self.load(item, span);
        let from = self.scalar(ty).unwrap_or(ScalarType::I32);
        let to = param.and_then(|ty| self.scalar(ty)).unwrap_or_else(|| default_promoted(from));
        Arg::Scalar(self.convert(operand, from, to, span))
    }

    /// The function of this name: defined in the program, or of a library.
    pub(crate) fn function_constant(&mut self, name: &'a str) -> Const {
        self.note_errno(name);
        self.note_generator(name);
        match self.defined(name) {
            Some(id) => Const::Function(id),
            None if self.linkage.weak.contains(name) && !in_common_libraries(name) => {
                Const::Int(0, ScalarType::Pointer)
            }
            None => Const::Library(name.into()),
        }
    }

    fn defined(&mut self, name: &'a str) -> Option<FuncId> {
        if let Some(&id) = self.index.functions.get(name).or_else(|| self.linkage.functions.get(name)) {
            return Some(id);
        }
        if let Some(&id) = self.system_functions.get(name) {
            return Some(id);
        }
        let (node, shift) = *self.index.system.get(name)?;
        if self.body.unevaluated {
            return None;
        }
        let span = self.in_piece(shift, |l| l.span(node.node.declarator.span).to(l.span(node.span)));
        let id = self.program.functions.push(placeholder(name, span, true, self.unit.file));
        self.system_functions.insert(name, id);
        self.queue.push(Definition { id, shift, node });
        Some(id)
    }
}

/// Names that every MPI program's libraries define, so that a weak declaration of them is no question.
pub(crate) fn in_common_libraries(name: &str) -> bool {
    let is_linked = |row: &chronos_functions::Function| !matches!(row.header, "omp.h" | "cblas.h");
    let prefixed = ["MPI_", "PMPI_", "pthread_"].iter().any(|prefix| name.starts_with(prefix));
    prefixed || chronos_functions::lookup(name).is_some_and(is_linked)
}

pub(crate) fn default_promoted(ty: ScalarType) -> ScalarType {
    if ty == ScalarType::F32 { ScalarType::F64 } else { promoted(ty) }
}

fn called_name(callee: &Expression) -> Option<&str> {
    match callee {
        Expression::Identifier(name) => Some(&name.node.name),
        _ => None,
    }
}

/// Who a function is that the program does not define. The profiling names are the calls themselves.
fn undefined(name: &str) -> Callee {
    let plain = name.strip_prefix('P').filter(|n| n.starts_with("MPI_")).unwrap_or(name);
    // Where a thread of OpenMP stops, others run, as at a call of MPI.
    let stops = plain.starts_with("MPI_") || chronos_ir::openmp::stops(plain);
    if stops { Callee::Mpi(plain.into()) } else { Callee::Library(name.into()) }
}

impl<'a> Lowerer<'a> {
    /// Notes operands of which one calls a function.
    pub(crate) fn note_unsequenced(
        &mut self,
        at: lang_c::span::Span,
        parts: impl Iterator<Item = &'a Node<Expression>>,
    ) {
        let varies =
            |part: &&Node<Expression>| !matches!(part.node, Expression::Constant(_) | Expression::StringLiteral(_));
        let parts: Vec<_> = parts.filter(varies).map(|part| self.span(part.span)).collect();
        let Some(function) = self.body.function.filter(|_| parts.len() > 1 && !self.body.unevaluated) else { return };
        let span = self.span(at);
        self.program.unsequenced.push(Unsequenced { function, span, parts });
    }
}
