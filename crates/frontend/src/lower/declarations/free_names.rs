//! Names that the user leaves free (`--symbolic`): what they are, and where their own value is
//! used after all, because C wants a constant.

use crate::codes;
use crate::lower::context::affine::{Affine, evaluate};
use crate::lower::context::constants::constant_offset;
use crate::lower::context::free_names::FoundName;
use crate::lower::context::item::ExprResult;
use crate::lower::context::lowerer::Lowerer;
use crate::parameters::is_integer;
use crate::preprocessing::free_macros::marker_number;
use chronos_base::diag::Diagnostic;
use chronos_base::span::Span;
use chronos_ir::types::ScalarType;
use chronos_ir::{Base, Const, OpKind, Operand, Place, Storage, VarId, Variable};
use lang_c::ast::{self, Expression};
use lang_c::span::Node;

impl<'a> Lowerer<'a> {
    /// `(body) + marker`: the use of a free macro.
    pub(crate) fn free_macro(&mut self, node: &'a Node<ast::BinaryOperatorExpression>) -> Option<ExprResult> {
        let Expression::Identifier(name) = &node.node.rhs.node else { return None };
        let position = marker_number(&name.node.name).filter(|&number| number < self.settings.symbolic.len())?;
        let body = &node.node.lhs;
        let mark = self.free.mark();
        let default = self.constant(|l| l.value(body).0);
        // What the body is made of is of no matter: it is free as a whole.
        self.free.taken.truncate(mark);
        let span = self.span(node.span);
        match default {
            Operand::Const(Const::Int(value, ty)) if is_integer(ty) => self.register(position, value, ty, span),
            Operand::Const(Const::Float(..)) => self.refuse(position, span, "is a floating-point number"),
            _ => self.refuse(position, span, "is no integer constant expression"),
        }
        Some(match self.free.found[position] {
            Some(found) => self.constant_use(position, found, span),
            None => {
                let (operand, ty) = self.value(body);
                ExprResult::Value(operand, ty)
            }
        })
    }

    /// The use of an enumerator, where it is left free.
    pub(crate) fn free_enumerator(&mut self, name: &str, at: lang_c::span::Span) -> Option<ExprResult> {
        let position = self.free.position(name)?;
        let found = self.free.found[position].filter(|found| found.is_constant)?;
        let span = self.span(at);
        Some(self.constant_use(position, found, span))
    }

    fn constant_use(&mut self, position: usize, found: FoundName, span: Span) -> ExprResult {
        let ty = self.scalar_type(found.ty);
        if self.body.constant && !self.body.free {
            self.free.taken.push(position);
            return ExprResult::Value(Operand::Const(Const::Int(found.default, found.ty)), ty);
        }
        let place = self.variable_place(found.variable);
        ExprResult::Value(self.emit(OpKind::Read(place), found.ty, span), ty)
    }

    /// An enumerator was met, which counts on from `before` where that is free. Returns the parameter that the
    /// next one counts on from.
    pub(crate) fn enter_enumerator(
        &mut self,
        name: &str,
        value: i64,
        ty: ScalarType,
        at: lang_c::span::Span,
        before: Option<usize>,
    ) -> Option<usize> {
        let span = self.span(at);
        let position = self
            .free
            .position(name)
            .filter(|&position| !self.settings.symbolic[position].is_macro && !(self.unit.is_system)(span.file));
        match (position, before) {
            (Some(position), _) => self.register(position, value, ty, span),
            (None, Some(before)) => self.fix(before, at, "enumerator"),
            (None, None) => {}
        }
        position.or(before)
    }

    /// A file-scope scalar with an initialiser was met.
    pub(crate) fn enter_variable(&mut self, name: &str, id: VarId, ty: ScalarType, span: Span) {
        let Some(position) = self.free.position(name) else { return };
        if self.settings.symbolic[position].is_macro {
            return;
        }
        let init = self.program.variables[id].init.as_deref().unwrap_or_default();
        match init.first() {
            _ if !is_integer(ty) => return self.refuse(position, span, "is no integer"),
            Some((_, Const::Int(value, _))) => self.free.found[position] = Some(found(id, *value, ty, span)),
            None => self.free.found[position] = Some(found(id, 0, ty, span)),
            Some(_) => return self.refuse(position, span, "is no integer"),
        }
        self.free.initials.insert((id, 0), (ty, Affine::symbol(position)));
    }

    /// The variable that stands for a name of a constant.
    fn register(&mut self, position: usize, default: i64, ty: ScalarType, span: Span) {
        let name = &self.settings.symbolic[position].name;
        if let Some(known) = self.free.found[position] {
            if known.default != default && self.free.told.insert(position) {
                let message = format!("`{name}` is {} in one place and {default} in another", known.default);
                self.diagnostics.push(
                    Diagnostic::warning(&codes::DEFAULT_USED, message)
                        .label(span, format!("{default} here"))
                        .label(known.span, format!("{} here", known.default))
                        .help("both are taken to be one parameter; rename one of the definitions if they differ"),
                );
            }
            return;
        }
        let scalar = self.scalar_type(ty);
        let id = self.program.variables.push(Variable {
            name: name.as_str().into(),
            ty: scalar,
            storage: Storage::Static,
            function: None,
            span,
            address_taken: false,
            init: Some(if default == 0 { Vec::new() } else { vec![(0, Const::Int(default, ty))] }),
            undefined: false,
        });
        self.free.found[position] = Some(FoundName { is_constant: true, ..found(id, default, ty, span) });
    }

    fn refuse(&mut self, position: usize, span: Span, why: &str) {
        if !self.free.told.insert(position) {
            return;
        }
        let free = &self.settings.symbolic[position];
        let place = free.definitions.first().map_or(span, |(_, span)| *span);
        let message = format!("`{}` {why} and cannot be left free", free.name);
        let help = format!("leave an integer free; give other values with --set {}=VALUE", free.name);
        self.diagnostics.push(Diagnostic::error(&codes::BAD_SYMBOLIC, message).label(place, "defined here").help(help));
    }

    /// Notes that a constant expression that was evaluated since `mark` used a default, which fixes the program.
    pub(crate) fn note_fixed(&mut self, mark: usize, at: lang_c::span::Span, what: &'static str) {
        if let Some(position) = self.free.taken_since(mark) {
            self.fix(position, at, what);
        }
    }

    /// The default of a parameter was taken, and is part of the program.
    pub(crate) fn fix(&mut self, position: usize, at: lang_c::span::Span, what: &'static str) {
        let span = self.span(at);
        self.free.fixed[position].push((span, what));
    }

    /// Whether what a place holds at the start depends on a parameter; notes that its default is taken.
    pub(crate) fn starts_free(&mut self, place: &Place) -> bool {
        let Some(key) = initial_key(place).filter(|_| !self.free.initials.is_empty()) else { return false };
        let Some(position) = self.free.initials.get(&key).and_then(|(_, value)| value.terms.first()).map(|term| term.0)
        else {
            return false;
        };
        if !self.body.free {
            self.free.taken.push(position);
        }
        true
    }

    /// Keeps what a static initialiser says where it depends on parameters. `mark` was taken before its value.
    pub(crate) fn note_initial(&mut self, mark: usize, to: (VarId, &Place), node: &'a Node<Expression>) {
        if self.free.taken_since(mark).is_none() {
            return;
        }
        let scalar = self.scalar(to.1.ty).filter(|&ty| is_integer(ty) && to.1.bits.is_none());
        let offset = constant_offset(to.1).and_then(|offset| u64::try_from(offset).ok());
        match (scalar, offset) {
            (Some(ty), Some(offset)) => match self.affine_value(node, ty) {
                Some(value) => drop(self.free.initials.insert((to.0, offset), (ty, value))),
                None => self.note_fixed(mark, node.span, "initial value"),
            },
            _ => self.note_fixed(mark, node.span, "initial value"),
        }
    }

    /// A constant expression as a sum of parameters.
    pub(crate) fn affine_value(&mut self, node: &'a Node<Expression>, ty: ScalarType) -> Option<Affine> {
        let span = self.span(node.span);
        let before = self.diagnostics.len();
        let outer = std::mem::replace(&mut self.body.free, true);
        let (region, operand) = self.constant(|l| {
            l.region(|l| {
                let (operand, from) = l.value(node);
                let from = l.scalar(from).unwrap_or(ScalarType::I32);
                l.convert(operand, from, ty, span)
            })
        });
        self.body.free = outer;
        self.diagnostics.truncate(before);
        let read = |place: &Place| {
            let key = initial_key(place)?;
            let constant = self.free.constant_of(key.0).map(Affine::symbol);
            constant.or_else(|| self.free.initials.get(&key).map(|(_, value)| value.clone()))
        };
        evaluate(&region, &operand, ty, &read)
    }
}

fn found(variable: VarId, default: i64, ty: ScalarType, span: Span) -> FoundName {
    FoundName { variable, is_constant: false, default, ty, span }
}

/// The scalar in static storage that a place reaches.
fn initial_key(place: &Place) -> Option<(VarId, u64)> {
    match place.base {
        Base::Variable(id) => Some((id, u64::try_from(constant_offset(place)?).ok()?)),
        Base::Pointer(_) => None,
    }
}
