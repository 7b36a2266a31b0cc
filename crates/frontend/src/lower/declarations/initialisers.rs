//! Initialisers and compound literals.
//!
//! A list is first laid out as pairs of a part of the object and what goes there ([`crate::lower::declarations::lists`]); then a static
//! object takes the constants at their offsets, and a local one gets a write for each.

use super::lists::{Cursor, Parts, Source};
use crate::lower::context::constants::constant_offset;
use crate::lower::context::item::ExprResult;
use crate::lower::context::lowerer::Lowerer;
use chronos_base::span::Span;
use chronos_ir::types::{ScalarType, Type, TypeId};
use chronos_ir::{Const, OpKind, Operand, Place, VarId};
use lang_c::ast::{self, Expression, Initializer};
use lang_c::span::Node;

impl<'a> Lowerer<'a> {
    pub(crate) fn static_initializer(&mut self, id: VarId, node: &'a Node<Initializer>) {
        let parts = self.object_parts(id, &node.node);
        let mut init: Vec<(u64, Const)> = Vec::new();
        for (place, source) in parts {
            let value = match source {
                Source::Constant(constant) => Some(constant),
                Source::Expression(expression) => match self.scalar(place.ty) {
                    Some(scalar) => self.static_scalar(id, &place, expression, scalar),
                    None => self.static_aggregate(&place, expression, &mut init),
                },
            };
            if let (Some(value), Some(offset)) = (value, constant_offset(&place)) {
                store(&mut init, &place, u64::try_from(offset).unwrap_or(0), value);
            }
        }
        // A later initialiser of the same part overrides an earlier one.
        init.sort_by_key(|(offset, _)| *offset);
        init.reverse();
        init.dedup_by_key(|(offset, _)| *offset);
        init.reverse();
        init.retain(|(_, value)| !is_zero(value));
        self.program.variables[id].init = Some(init);
    }

    /// The constant, and what it is where parameters are free.
    fn static_scalar(
        &mut self,
        id: VarId,
        place: &Place,
        expression: &'a Node<Expression>,
        scalar: ScalarType,
    ) -> Option<Const> {
        let mark = self.free.mark();
        let value = self.static_value(expression, scalar);
        self.note_initial(mark, (id, place), expression);
        value
    }

    /// A struct initialised by a compound literal or another static: its own initial values.
    fn static_aggregate(
        &mut self,
        place: &Place,
        expression: &'a Node<Expression>,
        init: &mut Vec<(u64, Const)>,
    ) -> Option<Const> {
        let item = self.constant(|l| l.expression(expression));
        if let ExprResult::Place(Place { base: chronos_ir::Base::Variable(from), steps, .. }) = &item
            && steps.is_empty()
            && let Some(values) = self.program.variables[*from].init.clone()
        {
            let base = u64::try_from(constant_offset(place)?).ok()?;
            init.extend(values.into_iter().map(|(offset, value)| (base + offset, value)));
        } else {
            self.unsupported(expression.span, "this static initialiser");
        }
        None
    }

    pub(crate) fn local_initializer(&mut self, id: VarId, node: &'a Node<Initializer>) {
        let span = self.span(node.span);
        let ty = self.program.variables[id].ty;
        if let (Initializer::Expression(expression), true) = (&node.node, self.scalar(ty).is_some()) {
            let to = self.variable_place(id);
            let source = self.settled(expression);
            self.assign(to, source, span);
            return;
        }
        let parts = self.object_parts(id, &node.node);
        self.write_parts(id, parts, span);
    }

    fn write_parts(&mut self, id: VarId, parts: Vec<(Place, Source<'a>)>, span: Span) {
        let to = self.variable_place(id);
        let bytes = self.size(to.ty);
        let covered = parts.iter().map(|(place, _)| self.content(place.ty)).fold(0, u64::saturating_add);
        let has_bits = parts.iter().any(|(place, _)| place.bits.is_some());
        let zeroed = (covered < self.content(to.ty) || has_bits) && self.scalar(to.ty).is_none();
        if zeroed {
            self.emit_effect(OpKind::Zero { to, bytes }, span);
        }
        for (place, source) in parts {
            let (item, at) = match source {
                Source::Constant(constant) => {
                    let ty = place.ty;
                    (ExprResult::Value(Operand::Const(constant), ty), span)
                }
                Source::Expression(expression) => (self.settled(expression), self.span(expression.span)),
            };
            let known_zero = matches!(&item, ExprResult::Value(Operand::Const(constant), _) if is_zero(constant));
            if !(zeroed && known_zero) {
                self.assign(place, item, at);
            }
        }
    }

    /// Bytes of the scalars in a type, padding left out.
    fn content(&self, ty: TypeId) -> u64 {
        match self.ty(ty) {
            Type::Array { element, length } => self.content(*element).saturating_mul(length.unwrap_or(0)),
            Type::Struct(id) => {
                let structure = &self.program.types.structs[*id];
                let fields = structure.fields.as_deref().unwrap_or_default().iter().map(|field| self.content(field.ty));
                if structure.is_union { fields.max().unwrap_or(0) } else { fields.fold(0, u64::saturating_add) }
            }
            _ => self.size(ty),
        }
    }

    /// An object without a name: static at file scope, else a local that is written here.
    pub(crate) fn compound_literal(&mut self, node: &'a Node<ast::CompoundLiteral>) -> ExprResult {
        let ty = self.type_name(&node.node.type_name);
        let span = self.span(node.span);
        let id = self.new_local("(literal)", ty, span);
        let items = &node.node.initializer_list;
        let place = self.variable_place(id);
        let mut parts = Parts::default();
        let mut cursor = Cursor::new(items);
        match *self.ty(ty) {
            Type::Array { element, length } => {
                self.array_list(&place, element, length, &mut cursor, true, &mut parts);
                if length.is_none() {
                    self.program.variables[id].ty = self.array_of(element, Some(parts.length));
                }
            }
            Type::Struct(structure) => self.struct_list(&place, structure, &mut cursor, true, &mut parts),
            _ => {
                if let Some(first) = items.first() {
                    self.object(place, &first.node.initializer.node, &mut parts);
                }
            }
        }
        if self.body.constant || self.body.function.is_none() {
            self.static_literal(id, parts.into_parts());
        } else {
            self.write_parts(id, parts.into_parts(), span);
        }
        ExprResult::Place(self.variable_place(id))
    }

    fn static_literal(&mut self, id: VarId, parts: Vec<(Place, Source<'a>)>) {
        let mut init = Vec::new();
        for (place, source) in parts {
            let value = match (source, self.scalar(place.ty)) {
                (Source::Constant(constant), _) => Some(constant),
                (Source::Expression(expression), Some(scalar)) => self.static_scalar(id, &place, expression, scalar),
                (Source::Expression(expression), None) => self.static_aggregate(&place, expression, &mut init),
            };
            if let (Some(value), Some(offset)) = (value, constant_offset(&place)) {
                store(&mut init, &place, u64::try_from(offset).unwrap_or(0), value);
            }
        }
        let variable = &mut self.program.variables[id];
        variable.storage = chronos_ir::Storage::Static;
        variable.init = Some(init);
    }
}

fn is_zero(constant: &Const) -> bool {
    match constant {
        Const::Int(value, _) => *value == 0,
        Const::Float(value, _) => value.to_bits() == 0,
        _ => false,
    }
}

/// Enters a value at its offset. Bit-fields are entered byte by byte: their unit may reach over members beside them,
/// but none of their bytes belongs to a member that is no bit-field.
fn store(init: &mut Vec<(u64, Const)>, place: &Place, offset: u64, value: Const) {
    let (Some((first, width)), &Const::Int(value, _)) = (place.bits, &value) else {
        init.push((offset, value));
        return;
    };
    let mask = if width >= 64 { u128::MAX >> 64 } else { (1u128 << width) - 1 };
    let (mask, bits) = (mask << first, (value as u128 & mask) << first);
    for index in u64::from(first / 8)..u64::from(first + width).div_ceil(8) {
        let (mask, bits) = ((mask >> (8 * index)) as u8, (bits >> (8 * index)) as u8);
        store_bits(init, offset + index, mask, bits);
    }
}

/// Sets the bits of a byte that a mask selects.
fn store_bits(init: &mut Vec<(u64, Const)>, offset: u64, mask: u8, bits: u8) {
    match init.iter_mut().rev().find(|(at, _)| *at == offset) {
        Some((_, Const::Int(byte, ScalarType::U8))) => *byte = i64::from(*byte as u8 & !mask | bits),
        _ => init.push((offset, Const::Int(bits.into(), ScalarType::U8))),
    }
}
