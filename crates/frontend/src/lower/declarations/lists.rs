//! Lists of initialisers laid out over an object: designators, brace elision, strings.

use crate::lower::context::constants;
use crate::lower::context::lowerer::Lowerer;
use crate::lower::expressions::literals::string_bytes;
use chronos_ir::types::{ScalarType, StructId, Type, TypeId};
use chronos_ir::{Const, Place, Step, Stride, VarId};
use lang_c::ast::{Designator, Expression, Initializer, InitializerListItem};
use lang_c::span::Node;
use std::collections::BTreeSet;

/// Most elements that a range designator or a string is spread over.
const MAX_ELEMENTS: u64 = 1 << 20;

/// What goes into a part of an object.
pub enum Source<'a> {
    Expression(&'a Node<Expression>),
    Constant(Const),
}

/// The parts of an initialiser, in order.
#[derive(Default)]
pub struct Parts<'a> {
    /// Nothing where a later initialiser has overridden it.
    parts: Vec<Option<(Place, Source<'a>)>>,
    /// Where each part begins, and its position: lists may have very many.
    starts: BTreeSet<(u64, usize)>,
    /// Elements of the outermost array, where its length comes from the initialiser.
    pub length: u64,
}

impl<'a> Parts<'a> {
    /// All parts that count.
    pub(crate) fn into_parts(self) -> Vec<(Place, Source<'a>)> {
        self.parts.into_iter().flatten().collect()
    }

    /// Takes a part, `bytes` of it. What is initialised again loses all that it was given before (ISO C, 6.7.9), which can
    /// only be where a designator led back.
    fn push(&mut self, place: Place, source: Source<'a>, bytes: u64) {
        self.give_up(&place, bytes);
        if let Some(at) = start(&place) {
            self.starts.insert((at, self.parts.len()));
        }
        self.parts.push(Some((place, source)));
    }

    /// Gives up what parts within a place were given.
    fn give_up(&mut self, place: &Place, bytes: u64) {
        let Some(at) = start(place) else { return };
        let inside = (at, 0)..(at.saturating_add(bytes), 0);
        let bits = |part: &Option<(Place, Source<'a>)>| part.as_ref().and_then(|(other, _)| other.bits);
        // Bit-fields share their unit with others.
        let same = |other: usize| place.bits.is_none() || bits(&self.parts[other]) == place.bits;
        let lost: Vec<_> = self.starts.range(inside).copied().filter(|&(_, other)| same(other)).collect();
        for one in lost {
            self.starts.remove(&one);
            self.parts[one.1] = None;
        }
    }
}

/// Bytes from the begin of the object, where they are known.
fn start(place: &Place) -> Option<u64> {
    constants::constant_offset(place).and_then(|at| u64::try_from(at).ok())
}

/// A position in a list of initialisers.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    items: &'a [Node<InitializerListItem>],
    next: usize,
    /// Designators of the item that were followed on the way here.
    followed: usize,
    /// The item's designation leads into the part whose list this is now.
    inside: bool,
}

impl<'a> Cursor<'a> {
    pub fn new(items: &'a [Node<InitializerListItem>]) -> Self {
        Self { items, next: 0, followed: 0, inside: false }
    }

    fn peek(&self) -> Option<&'a InitializerListItem> {
        self.items.get(self.next).map(|item| &item.node)
    }

    /// What of the item's designation is still to be followed.
    fn designator(&self) -> Option<&'a Node<Designator>> {
        self.peek()?.designation.get(self.followed)
    }

    fn advance(&mut self) {
        *self = Self { items: self.items, next: self.next + 1, followed: 0, inside: false };
    }

    fn finish(&mut self) {
        self.next = self.items.len();
    }

    /// Goes into the part that the designator names; it counts as followed where it names it directly.
    fn enter(&mut self, directly: bool) {
        self.followed += usize::from(directly);
        self.inside = true;
    }

    /// The same position in a list that ends behind this item.
    fn alone(&self) -> Self {
        Self { items: &self.items[..=self.next], ..*self }
    }
}

impl<'a> Lowerer<'a> {
    /// Lays an initialiser out over a variable, whose array length it may complete.
    pub(crate) fn object_parts(&mut self, id: VarId, initializer: &'a Initializer) -> Vec<(Place, Source<'a>)> {
        let place = self.variable_place(id);
        let ty = place.ty;
        let mut parts = Parts::default();
        self.object(place, initializer, &mut parts);
        if let Type::Array { element, length: None } = *self.ty(ty)
            && !self.body.vla_bytes.contains_key(&ty)
        {
            self.program.variables[id].ty = self.array_of(element, Some(parts.length));
        }
        parts.into_parts()
    }

    pub(crate) fn object(&mut self, place: Place, initializer: &'a Initializer, parts: &mut Parts<'a>) {
        match initializer {
            Initializer::Expression(expression) => self.expression_parts(place, expression, parts),
            Initializer::List(items) => {
                if let Some(literal) = braced_string(items)
                    && self.is_character_array(place.ty)
                {
                    return self.expression_parts(place, literal, parts);
                }
                let mut cursor = Cursor::new(items);
                match *self.ty(place.ty) {
                    Type::Array { element, length } => {
                        self.array_list(&place, element, length, &mut cursor, true, parts);
                    }
                    Type::Struct(id) => self.struct_list(&place, id, &mut cursor, true, parts),
                    // `{0}` for a scalar.
                    _ => {
                        if let Some(first) = items.first() {
                            self.object(place, &first.node.initializer.node, parts);
                        }
                    }
                }
            }
        }
    }

    fn is_character_array(&self, ty: TypeId) -> bool {
        match *self.ty(ty) {
            Type::Array { element, .. } => self.scalar(element).is_some_and(ScalarType::is_integer),
            _ => false,
        }
    }

    fn expression_parts(&mut self, place: Place, expression: &'a Node<Expression>, parts: &mut Parts<'a>) {
        if let (Expression::StringLiteral(literal), Type::Array { element, length }) =
            (&expression.node, self.ty(place.ty).clone())
        {
            return self.string_parts(&place, &literal.node, element, length, parts);
        }
        if let (Expression::CompoundLiteral(literal), Type::Array { .. }) = (&expression.node, self.ty(place.ty)) {
            let mut cursor = Cursor::new(&literal.node.initializer_list);
            if let Type::Array { element, length } = *self.ty(place.ty) {
                return self.array_list(&place, element, length, &mut cursor, true, parts);
            }
        }
        let bytes = self.size(place.ty);
        parts.push(place, Source::Expression(expression), bytes);
    }

    fn string_parts(
        &mut self,
        place: &Place,
        literal: &[String],
        element: TypeId,
        length: Option<u64>,
        parts: &mut Parts<'a>,
    ) {
        let (bytes, unit) = string_bytes(literal);
        let width = usize::try_from(unit.size(self.program.model)).unwrap_or(1);
        let scalar = self.scalar(element).unwrap_or(unit);
        let given = bytes.len() as u64 / width as u64 + 1;
        parts.length = parts.length.max(given);
        let values = bytes.chunks(width).map(|chunk| {
            let value = chunk.iter().rev().fold(0i128, |value, &byte| value << 8 | i128::from(byte));
            constants::wrap(value, scalar)
        });
        let room = length.unwrap_or(given).min(MAX_ELEMENTS);
        for (index, value) in (0..room).zip(values.chain(std::iter::once(0))) {
            let part = self.element_at(place, index, element, length);
            let bytes = self.size(part.ty);
            parts.push(part, Source::Constant(Const::Int(value, scalar)), bytes);
        }
    }

    fn element_at(&self, place: &Place, index: u64, element: TypeId, length: Option<u64>) -> Place {
        let mut place = place.clone();
        let index = constants::int(index, ScalarType::I64);
        place.steps.push(Step::Index { index, stride: Stride::Bytes(self.size(element)), length });
        place.ty = element;
        place
    }

    /// Elements from the list, until it or the array ends. Only inside its own braces (`braced`), or where a
    /// designation led into it, an array takes designators.
    pub(crate) fn array_list(
        &mut self,
        place: &Place,
        element: TypeId,
        length: Option<u64>,
        cursor: &mut Cursor<'a>,
        braced: bool,
        parts: &mut Parts<'a>,
    ) {
        let (mut index, mut reached) = (0u64, 0u64);
        while cursor.peek().is_some() {
            if let Some(designator) = cursor.designator() {
                if !braced && !cursor.inside {
                    break;
                }
                let Some((low, high)) = self.range(designator) else {
                    cursor.advance();
                    continue;
                };
                cursor.enter(true);
                for at in low..high.min(low.saturating_add(MAX_ELEMENTS)) {
                    let part = self.element_at(place, at, element, length);
                    self.next_part(part, &mut cursor.alone(), parts);
                }
                index = high;
            } else if length.is_some_and(|length| index >= length) {
                // Superfluous initialisers are dropped, as compilers do.
                if braced {
                    cursor.finish();
                }
                break;
            }
            let part = self.element_at(place, index, element, length);
            self.next_part(part, cursor, parts);
            index = index.saturating_add(1);
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

    pub(crate) fn struct_list(
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
        while cursor.peek().is_some() {
            if let Some(designator) = cursor.designator() {
                if !braced && !cursor.inside {
                    return;
                }
                let Some((named, directly)) = self.designated_member(id, designator) else {
                    cursor.advance();
                    continue;
                };
                cursor.enter(directly);
                field = named;
            } else if field >= fields || (is_union && field > 0) {
                if braced {
                    cursor.finish();
                }
                return;
            }
            let part = self.follow(place.clone(), &[(id, u32::try_from(field).unwrap_or(0))]);
            self.next_part(part, cursor, parts);
            field += 1;
        }
    }

    /// The field that a designator names, or that of the anonymous member that holds it (not directly).
    fn designated_member(&mut self, id: StructId, designator: &'a Node<Designator>) -> Option<(usize, bool)> {
        let mut path = Vec::new();
        match &designator.node {
            Designator::Member(name) if self.find_member(id, &name.node.name, &mut path) => {
                let (_, first) = path.first()?;
                Some((*first as usize, path.len() == 1))
            }
            _ => {
                self.invalid(designator.span, "the designator names no member of the struct");
                None
            }
        }
    }

    /// The next item of a list for a part: an aggregate without braces of its own takes several, and so does one
    /// that a designation leads into.
    fn next_part(&mut self, part: Place, cursor: &mut Cursor<'a>, parts: &mut Parts<'a>) {
        let Some(item) = cursor.peek() else { return };
        let initializer = &item.initializer.node;
        let whole = match initializer {
            Initializer::List(_) => true,
            Initializer::Expression(expression) => self.fills(part.ty, expression),
        };
        let designator = cursor.designator();
        if whole && designator.is_none() {
            cursor.advance();
            let length = parts.length;
            parts.give_up(&part, self.size(part.ty));
            self.object(part, initializer, parts);
            parts.length = length;
            return;
        }
        let start = cursor.next;
        match *self.ty(part.ty) {
            Type::Array { element, length } => self.array_list(&part, element, length, cursor, false, parts),
            Type::Struct(id) => self.struct_list(&part, id, cursor, false, parts),
            _ => {
                if let Some(designator) = designator {
                    self.invalid(designator.span, "a designator names a part of what has none");
                }
                cursor.advance();
            }
        }
        // An aggregate without parts takes nothing; the list must go on even so.
        if cursor.next == start && (self.size(part.ty) > 0 || cursor.inside) {
            cursor.advance();
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

fn braced_string(items: &[Node<InitializerListItem>]) -> Option<&Node<Expression>> {
    let [only] = items else { return None };
    match &only.node.initializer.node {
        Initializer::Expression(expression) if matches!(expression.node, Expression::StringLiteral(_)) => {
            Some(expression)
        }
        _ => None,
    }
}
