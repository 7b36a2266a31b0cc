//! Names that the user leaves free (`--symbolic`): what they are, and where their own value is
//! used after all, because C wants a constant.

use super::Lowerer;
use super::affine::{Affine, evaluate};
use super::constants::constant_offset;
use super::expressions::Item;
use crate::parameters::{argument_index, is_integer};
use crate::preprocessing::free_macros::marker_number;
use crate::{FreeName, codes};
use chronos_base::diag::Diagnostic;
use chronos_base::span::Span;
use chronos_ir::raw::RawProgram;
use chronos_ir::types::{ScalarType, TypeId};
use chronos_ir::{
    Base, Const, OpKind, Operand, Parameter, ParameterId, ParameterKind, Place, Storage, SymbolicInitial, VarId,
    Variable,
};
use lang_c::ast::{self, Expression};
use lang_c::span::Node;
use std::collections::{HashMap, HashSet};

/// Labels of a diagnostic that says where a default was used; more are only counted.
const SHOWN_PLACES: usize = 5;

/// What is known of the free names of all units.
pub struct Parameters<'a> {
    names: &'a [FreeName],
    /// By position of the name.
    pub found: Vec<Option<Found>>,
    /// Positions whose default was taken, in order: compared before and after a constant expression.
    taken: Vec<usize>,
    /// Where the default fixes what the program does.
    fixed: Vec<Vec<(Span, &'static str)>>,
    /// Scalars in static storage with what they hold at the start.
    pub initials: HashMap<(VarId, u64), (ScalarType, Affine)>,
    /// Types of arrays whose length was a default, and what the length is.
    pub lengths: HashMap<TypeId, (usize, Option<Affine>)>,
    /// Names of which something was reported.
    told: HashSet<usize>,
}

/// A free name that the program defines.
#[derive(Clone, Copy)]
pub struct Found {
    pub variable: VarId,
    pub is_constant: bool,
    default: i64,
    pub ty: ScalarType,
    /// Where it was met first.
    span: Span,
}

impl<'a> Parameters<'a> {
    pub fn new(names: &'a [FreeName]) -> Self {
        Self {
            names,
            found: vec![None; names.len()],
            taken: Vec::new(),
            fixed: vec![Vec::new(); names.len()],
            initials: HashMap::new(),
            lengths: HashMap::new(),
            told: HashSet::new(),
        }
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|free| free.name == name)
    }

    /// To compare with what is taken later.
    pub fn mark(&self) -> usize {
        self.taken.len()
    }

    /// Notes that the default of a parameter is taken.
    pub fn take(&mut self, position: usize) {
        self.taken.push(position);
    }

    /// The default of a parameter was taken since the mark.
    pub(crate) fn taken_since(&self, mark: usize) -> Option<usize> {
        self.taken.get(mark).copied()
    }

    /// The position of the name that a variable stands for at every use.
    pub(crate) fn constant_of(&self, variable: VarId) -> Option<usize> {
        let is = |found: &Option<Found>| found.is_some_and(|found| found.is_constant && found.variable == variable);
        self.found.iter().position(is)
    }

    /// Enters the parameters into the program and says where defaults were used.
    pub fn finish(self, program: &mut RawProgram, diagnostics: &mut Vec<Diagnostic>) {
        let mut ids = vec![None; self.names.len()];
        for (position, free) in self.names.iter().enumerate() {
            let parameter = match self.found[position] {
                Some(found) => Some(found.parameter(free, program)),
                None => argument_index(&free.name).filter(|_| takes_arguments(program)).map(|index| Parameter {
                    name: free.name.as_str().into(),
                    kind: ParameterKind::Argument { index },
                    span: None,
                }),
            };
            ids[position] = parameter.map(|parameter| program.parameters.push(parameter));
            diagnostics.extend(self.found[position].and_then(|found| self.default_used(position, found)));
        }
        let mut initials: Vec<_> = self.initials.into_iter().collect();
        initials.sort_by_key(|(place, _)| *place);
        let entered = initials.into_iter().filter_map(|(place, initial)| symbolic_initial(place, initial, &ids));
        program.symbolic_initials.extend(entered);
    }

    fn default_used(&self, position: usize, found: Found) -> Option<Diagnostic> {
        let free = &self.names[position];
        let directives = free.directives.iter().map(|&span| (span, "#if"));
        let mut places: Vec<_> = directives.chain(self.fixed[position].iter().copied()).collect();
        places.dedup();
        let more = places.len().saturating_sub(SHOWN_PLACES);
        let (first, _) = places.first()?;
        let more = if more > 0 { format!(", {more} more such places") } else { String::new() };
        let message = format!("`{}` has its own value {} where C wants a constant{more}", free.name, found.default);
        let help = format!(
            "results hold for values of {0} that choose the same code here; for others, predict with --set {0}=VALUE",
            free.name
        );
        let warning = Diagnostic::warning(&codes::DEFAULT_USED, message).label(*first, places[0].1).help(help);
        Some(
            places[1..]
                .iter()
                .take(SHOWN_PLACES - 1)
                .fold(warning, |warning, (span, text)| warning.label(*span, *text)),
        )
    }
}

fn symbolic_initial(
    (variable, offset): (VarId, u64),
    (ty, value): (ScalarType, Affine),
    ids: &[Option<ParameterId>],
) -> Option<SymbolicInitial> {
    let terms = value.terms.iter().map(|&(position, factor)| Some((ids[position]?, factor))).collect::<Option<_>>()?;
    Some(SymbolicInitial { variable, offset, ty, constant: value.constant, terms })
}

impl Found {
    fn parameter(&self, free: &FreeName, program: &mut RawProgram) -> Parameter {
        let (variable, default) = (self.variable, Some(self.default));
        let kind = match self.is_constant {
            true => ParameterKind::Macro { variable, default },
            false => ParameterKind::Variable { variable, default },
        };
        let defined = free.definition(self.default);
        if let Some(span) = defined {
            program.variables[variable].span = span;
        }
        let span = defined.or((!free.is_macro).then_some(self.span));
        Parameter { name: free.name.as_str().into(), kind, span }
    }
}

fn takes_arguments(program: &RawProgram) -> bool {
    program.main.is_some_and(|main| program.functions[main].params.len() >= 2)
}

impl<'a> Lowerer<'a> {
    /// `(body) + marker`: the use of a free macro.
    pub(super) fn free_macro(&mut self, node: &'a Node<ast::BinaryOperatorExpression>) -> Option<Item> {
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
                Item::Value(operand, ty)
            }
        })
    }

    /// The use of an enumerator, where it is left free.
    pub(super) fn free_enumerator(&mut self, name: &str, at: lang_c::span::Span) -> Option<Item> {
        let position = self.free.position(name)?;
        let found = self.free.found[position].filter(|found| found.is_constant)?;
        let span = self.span(at);
        Some(self.constant_use(position, found, span))
    }

    fn constant_use(&mut self, position: usize, found: Found, span: Span) -> Item {
        let ty = self.scalar_type(found.ty);
        if self.body.constant && !self.body.free {
            self.free.taken.push(position);
            return Item::Value(Operand::Const(Const::Int(found.default, found.ty)), ty);
        }
        let place = self.variable_place(found.variable);
        Item::Value(self.emit(OpKind::Read(place), found.ty, span), ty)
    }

    /// An enumerator was met, which counts on from `before` where that is free. Returns the parameter that the
    /// next one counts on from.
    pub(super) fn enter_enumerator(
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
    pub(super) fn enter_variable(&mut self, name: &str, id: VarId, ty: ScalarType, span: Span) {
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
        self.free.found[position] = Some(Found { is_constant: true, ..found(id, default, ty, span) });
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
    pub(super) fn note_fixed(&mut self, mark: usize, at: lang_c::span::Span, what: &'static str) {
        if let Some(position) = self.free.taken_since(mark) {
            self.fix(position, at, what);
        }
    }

    /// The default of a parameter was taken, and is part of the program.
    pub(super) fn fix(&mut self, position: usize, at: lang_c::span::Span, what: &'static str) {
        let span = self.span(at);
        self.free.fixed[position].push((span, what));
    }

    /// Whether what a place holds at the start depends on a parameter; notes that its default is taken.
    pub(super) fn starts_free(&mut self, place: &Place) -> bool {
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
    pub(super) fn note_initial(&mut self, mark: usize, to: (VarId, &Place), node: &'a Node<Expression>) {
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
    pub(super) fn affine_value(&mut self, node: &'a Node<Expression>, ty: ScalarType) -> Option<Affine> {
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

fn found(variable: VarId, default: i64, ty: ScalarType, span: Span) -> Found {
    Found { variable, is_constant: false, default, ty, span }
}

/// The scalar in static storage that a place reaches.
fn initial_key(place: &Place) -> Option<(VarId, u64)> {
    match place.base {
        Base::Variable(id) => Some((id, u64::try_from(constant_offset(place)?).ok()?)),
        Base::Pointer(_) => None,
    }
}
