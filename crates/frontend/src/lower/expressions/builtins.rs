//! Functions that the compiler itself knows: `__builtin_*`.

use crate::lower::context::constants;
use crate::lower::context::item::ExprResult;
use crate::lower::context::lowerer::Lowerer;
use crate::lower::context::scopes::Entry;
use chronos_functions as functions;
use chronos_ir::types::{ScalarType, Type};
use chronos_ir::{Callee, Const, DataModel, Operand};
use lang_c::ast;
use lang_c::span::Node;
use lang_c::visit::Visit;

/// Whether compilers know the function without a declaration: gcc's and clang's list of library functions.
fn is_built_in(row: &functions::Function) -> bool {
    matches!(row.header, "math.h" | "string.h" | "strings.h" | "ctype.h" | "")
        || row.allocation.is_some()
        || row.name == "labs"
}

/// Results of library functions that are used without a declaration.
pub fn builtin_result_type(name: &str, model: DataModel) -> Option<ScalarType> {
    let row = functions::lookup(name).filter(|row| is_built_in(row))?;
    Some(match row.result {
        functions::Type::Double => ScalarType::F64,
        functions::Type::Float => ScalarType::F32,
        functions::Type::LongDouble => model.long_double(),
        functions::Type::Pointer => ScalarType::Pointer,
        functions::Type::Long | functions::Type::LongLong => ScalarType::I64,
        functions::Type::Size | functions::Type::UnsignedLong | functions::Type::UnsignedLongLong => ScalarType::U64,
        functions::Type::Unsigned => ScalarType::U32,
        _ => return None,
    })
}

/// The names in an expression, those whose sizes alone matter apart.
#[derive(Default)]
struct Names<'ast>(Vec<&'ast str>);

impl<'ast> Visit<'ast> for Names<'ast> {
    fn visit_identifier(&mut self, identifier: &'ast ast::Identifier, _: &'ast lang_c::span::Span) {
        self.0.push(&identifier.name);
    }

    fn visit_sizeofval(&mut self, _: &'ast ast::SizeOfVal, _: &'ast lang_c::span::Span) {}
}

impl<'a> Lowerer<'a> {
    /// A call that the compiler resolves itself; `None` where it is an ordinary one.
    pub(crate) fn builtin(&mut self, name: &'a str, node: &'a Node<ast::CallExpression>) -> Option<ExprResult> {
        let plain = name.strip_prefix("__builtin_")?;
        let arguments = &node.node.arguments;
        Some(match (plain, arguments.as_slice()) {
            ("expect" | "expect_with_probability" | "assume_aligned", [value, rest @ ..]) => {
                let item = self.settled(value);
                rest.iter().for_each(|r| self.discard(r));
                item
            }
            ("constant_p", [value]) => {
                let known = self.is_constant(value);
                if known || self.body.constant {
                    return Some(ExprResult::Value(constants::int(i64::from(known), ScalarType::I32), self.int()));
                }
                // What compilers know besides depends on how they optimise: the model says so.
                let (span, int) = (self.span(node.span), self.int());
                self.emit_call(Callee::Library(plain.into()), Vec::new(), int, span)
            }
            // What `__builtin_types_compatible_p` is made of its arguments.
            ("pointees_compatible_p", [a, b]) => {
                let (a, b) = (self.expression_type(a), self.expression_type(b));
                let compatible = match (self.ty(a), self.ty(b)) {
                    (Type::Pointer(a), Type::Pointer(b)) => self.compatible_unqualified(*a, *b),
                    _ => false,
                };
                ExprResult::Value(constants::int(i64::from(compatible), ScalarType::I32), self.int())
            }
            ("choose_expr", [condition, yes, no]) => {
                let choice = self.constant_integer(condition).unwrap_or(0) != 0;
                self.expression(if choice { yes } else { no })
            }
            ("huge_val" | "inf", []) => self.float_item(f64::INFINITY, ScalarType::F64),
            ("huge_valf" | "inff", []) => self.float_item(f64::INFINITY, ScalarType::F32),
            ("huge_vall" | "infl", []) => self.float_item(f64::INFINITY, self.program.model.long_double()),
            ("nan", [_]) => self.float_item(f64::NAN, ScalarType::F64),
            ("nanf", [_]) => self.float_item(f64::NAN, ScalarType::F32),
            ("va_start", [list, ..]) => {
                let span = self.span(node.span);
                self.va_start(list, span).unwrap_or(ExprResult::Void)
            }
            ("va_copy", [to, from]) => {
                let span = self.span(node.span);
                self.va_copy(to, from, span).unwrap_or(ExprResult::Void)
            }
            ("va_end", [_]) => ExprResult::Void,
            _ => match self.vector_builtin(plain, arguments, node) {
                Some(vector) => vector,
                None => self.library_builtin(name, plain, node),
            },
        })
    }

    /// What the compiler knows without optimisation: literals, and no variable, though it is `const`.
    fn is_constant(&mut self, node: &'a Node<ast::Expression>) -> bool {
        if matches!(node.node, ast::Expression::StringLiteral(_)) {
            return true;
        }
        let mut names = Names::default();
        names.visit_expression(&node.node, &node.span);
        if names.0.iter().any(|name| matches!(self.lookup(name), Some(Entry::Variable(_)))) {
            return false;
        }
        let constant = self.constant(|l| l.value(node).0);
        matches!(constant, Operand::Const(Const::Int(..) | Const::Float(..)))
    }

    fn float_item(&mut self, value: f64, ty: ScalarType) -> ExprResult {
        ExprResult::Value(Operand::Const(Const::Float(value, ty)), self.scalar_type(ty))
    }

    /// `__builtin_sqrt` is `sqrt`; the rest keep their names.
    fn library_builtin(&mut self, name: &'a str, plain: &'a str, node: &'a Node<ast::CallExpression>) -> ExprResult {
        let prototype = match self.lookup(plain) {
            Some(Entry::Function(ty)) => Some(self.ty(ty).clone()),
            _ => None,
        };
        let (result, params) = match prototype {
            Some(Type::Function { result, params, .. }) => (result, params),
            _ => (self.builtin_result(name, plain), Vec::new()),
        };
        let own_name = plain.starts_with("va_") || matches!(plain, "unreachable" | "trap" | "prefetch");
        let called = if own_name { name } else { plain };
        let args = node.node.arguments.iter().enumerate().map(|(position, argument)| {
            let span = self.span(argument.span);
            let item = self.settled(argument);
            self.argument(item, params.get(position).copied(), span)
        });
        let args = args.collect();
        let span = self.span(node.span);
        self.emit_call(Callee::Library(called.into()), args, result, span)
    }

    fn builtin_result(&mut self, name: &str, plain: &str) -> chronos_ir::types::TypeId {
        let none = ["va_start", "va_end", "va_copy", "unreachable", "trap", "prefetch", "abort", "exit"];
        if none.contains(&plain) {
            return self.void();
        }
        self.scalar_type(builtin_result_type(name, self.program.model).unwrap_or(ScalarType::I32))
    }
}
