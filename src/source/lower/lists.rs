//! Initialiser lists: which item goes where, with designators and brace elision.

use super::Lowerer;
use super::initialisers::{Cursor, MAX_ELEMENTS, Parts};
use crate::program::Place;
use crate::program::types::{StructId, Type, TypeId};
use lang_c::ast::{Designator, Expression, Initializer};
use lang_c::span::Node;

impl<'a> Lowerer<'a> {
    /// Elements from the list, until it or the array ends. Only inside its own braces (`braced`) an array takes
    /// designators.
    pub(super) fn array_list(
        &mut self,
        place: &Place,
        element: TypeId,
        length: Option<u64>,
        cursor: &mut Cursor<'a>,
        braced: bool,
        parts: &mut Parts<'a>,
    ) {
        let (mut index, mut reached) = (0u64, 0u64);
        while let Some(item) = cursor.peek() {
            let Some((designator, rest)) = item.designation.split_first() else {
                if length.is_some_and(|length| index >= length) {
                    // Superfluous initialisers are dropped, as compilers do.
                    if braced {
                        cursor.next = cursor.items.len();
                    }
                    break;
                }
                let part = self.element_at(place, index, element, length);
                self.next_part(part, cursor, parts);
                index += 1;
                reached = reached.max(index);
                continue;
            };
            if !braced {
                break;
            }
            let Some((low, high)) = self.range(designator) else {
                cursor.next += 1;
                continue;
            };
            for at in low..=high.min(low.saturating_add(MAX_ELEMENTS)) {
                let part = self.element_at(place, at, element, length);
                self.designated(part, rest, &item.initializer.node, parts);
            }
            cursor.next += 1;
            index = high.saturating_add(1);
            reached = reached.max(index);
        }
        parts.length = reached;
    }

    fn range(&mut self, designator: &'a Node<Designator>) -> Option<(u64, u64)> {
        let (low, high) = match &designator.node {
            Designator::Index(index) => (index, index),
            Designator::Range(range) => (&range.node.from, &range.node.to),
            Designator::Member(_) => {
                self.invalid(designator.span, "a member designator stands in the initialiser of an array");
                return None;
            }
        };
        let low = u64::try_from(self.constant_integer(low)?).ok()?;
        Some((low, u64::try_from(self.constant_integer(high)?).ok()?.max(low)))
    }

    pub(super) fn struct_list(
        &mut self,
        place: &Place,
        id: StructId,
        cursor: &mut Cursor<'a>,
        braced: bool,
        parts: &mut Parts<'a>,
    ) {
        let fields = self.program.types.structs[id].fields.as_ref().map_or(0, Vec::len);
        let is_union = self.program.types.structs[id].is_union;
        let mut field = 0usize;
        while let Some(item) = cursor.peek() {
            if let Some((designator, rest)) = item.designation.split_first() {
                if !braced {
                    return;
                }
                cursor.next += 1;
                if let Some((part, at)) = self.designated_member(place, id, designator) {
                    self.designated(part, rest, &item.initializer.node, parts);
                    field = at + 1;
                }
                continue;
            }
            if field >= fields || (is_union && field > 0) {
                if braced {
                    cursor.next = cursor.items.len();
                }
                return;
            }
            let part = self.follow(place.clone(), &[(id, u32::try_from(field).unwrap_or(0))]);
            self.next_part(part, cursor, parts);
            field += 1;
        }
    }

    fn designated_member(
        &mut self,
        place: &Place,
        id: StructId,
        designator: &'a Node<Designator>,
    ) -> Option<(Place, usize)> {
        let mut path = Vec::new();
        match &designator.node {
            Designator::Member(name) if self.find_member(id, &name.node.name, &mut path) => {
                let first = path.first().map_or(0, |(_, index)| *index as usize);
                Some((self.follow(place.clone(), &path), first))
            }
            _ => {
                self.invalid(designator.span, "the designator names no member of the struct");
                None
            }
        }
    }

    /// Goes along the rest of a designation and initialises what it names.
    fn designated(
        &mut self,
        place: Place,
        rest: &'a [Node<Designator>],
        initializer: &'a Initializer,
        parts: &mut Parts<'a>,
    ) {
        let Some((designator, rest)) = rest.split_first() else {
            return self.object(place, initializer, parts);
        };
        match *self.ty(place.ty) {
            Type::Struct(id) => {
                if let Some((part, _)) = self.designated_member(&place, id, designator) {
                    self.designated(part, rest, initializer, parts);
                }
            }
            Type::Array { element, length } => {
                let Some((low, high)) = self.range(designator) else { return };
                for at in low..=high.min(low.saturating_add(MAX_ELEMENTS)) {
                    let part = self.element_at(&place, at, element, length);
                    self.designated(part, rest, initializer, parts);
                }
            }
            _ => self.invalid(designator.span, "a designator names a part of what has none"),
        }
    }

    /// The next item of a list for a part: an aggregate without braces of its own takes several.
    fn next_part(&mut self, part: Place, cursor: &mut Cursor<'a>, parts: &mut Parts<'a>) {
        let Some(item) = cursor.peek() else { return };
        let initializer = &item.initializer.node;
        let whole = match initializer {
            Initializer::List(_) => true,
            Initializer::Expression(expression) => self.fills(part.ty, expression),
        };
        if whole {
            cursor.next += 1;
            let length = parts.length;
            self.object(part, initializer, parts);
            parts.length = length;
            return;
        }
        let start = cursor.next;
        match *self.ty(part.ty) {
            Type::Array { element, length } => self.array_list(&part, element, length, cursor, false, parts),
            Type::Struct(id) => self.struct_list(&part, id, cursor, false, parts),
            _ => cursor.next += 1,
        }
        // An aggregate without parts takes nothing; the list must go on even so.
        if cursor.next == start && self.size(part.ty) > 0 {
            cursor.next += 1;
        }
    }

    /// Whether an expression initialises the whole of a part.
    fn fills(&mut self, ty: TypeId, expression: &'a Node<Expression>) -> bool {
        match (self.ty(ty).clone(), &expression.node) {
            (Type::Array { .. }, Expression::StringLiteral(_)) => self.is_character_array(ty),
            (Type::Array { .. }, _) => false,
            (Type::Struct(_), Expression::Constant(_) | Expression::StringLiteral(_)) => false,
            (Type::Struct(_), _) => {
                let given = self.expression_type(expression);
                self.same_type(given, ty)
            }
            _ => true,
        }
    }
}
