//! Places: variables, members, elements, what pointers point to.

use crate::lower::codes;
use crate::lower::context::constants;
use crate::lower::context::item::ExprResult;
use crate::lower::context::lowerer::Lowerer;
use chronos_ir::types::{Field, ScalarType, StructId, Type, TypeId};
use chronos_ir::{Base, Const, Operand, Place, Step, Stride, VarId};
use lang_c::ast;
use lang_c::span::{Node, Span};

impl<'a> Lowerer<'a> {
    pub(crate) fn variable_place(&self, id: VarId) -> Place {
        let ty = self.program.variables[id].ty;
        Place { base: Base::Variable(id), steps: Vec::new(), ty, bits: None, volatile: self.is_volatile(ty) }
    }

    /// The object that a pointer of type `pointer` points to.
    pub(crate) fn pointee(&mut self, operand: Operand, pointer: TypeId) -> Place {
        let ty = match *self.ty(pointer) {
            Type::Pointer(target) => target,
            _ => self.void(),
        };
        Place { base: Base::Pointer(operand), steps: Vec::new(), ty, bits: None, volatile: self.is_volatile(ty) }
    }

    /// Whether the item is a pointer or decays to one.
    pub(crate) fn is_pointer(&self, item: &ExprResult) -> bool {
        match item {
            ExprResult::Pointer(..) | ExprResult::Function(..) => true,
            ExprResult::Value(_, ty) => matches!(self.ty(*ty), Type::Pointer(_)),
            ExprResult::Place(place) => {
                matches!(self.ty(place.ty), Type::Pointer(_) | Type::Array { .. } | Type::Function { .. })
            }
            ExprResult::Void => false,
        }
    }

    /// `item[index]`, of an array or a pointer that was loaded; index of type I64.
    pub(crate) fn element(&mut self, item: ExprResult, index: Operand) -> Place {
        let zero = matches!(index, Operand::Const(Const::Int(0, _)));
        match item {
            ExprResult::Place(place) => match *self.ty(place.ty) {
                Type::Array { element, length } => self.step(place, index, element, length),
                _ => place,
            },
            ExprResult::Pointer(place, _) if zero => place,
            ExprResult::Pointer(place, _) => {
                let ty = place.ty;
                self.step(place, index, ty, None)
            }
            ExprResult::Value(operand, pointer) => {
                let place = self.pointee(operand, pointer);
                let ty = place.ty;
                if zero { place } else { self.step(place, index, ty, None) }
            }
            ExprResult::Function(function, ty) => {
                let pointer = self.pointer_to(ty);
                self.pointee(Operand::Const(function), pointer)
            }
            ExprResult::Void => {
                let int = self.int();
                self.pointee(Operand::Const(constants::zero(Some(ScalarType::Pointer))), int)
            }
        }
    }

    /// An element of what the place is; qualifiers of an array are those of its elements (ISO C, 6.7.3).
    fn step(&mut self, mut place: Place, index: Operand, element: TypeId, length: Option<u64>) -> Place {
        let element = self.qualify(element, self.own_qualifiers(place.ty));
        let stride = match self.size_value(element) {
            Operand::Const(_) => Stride::Bytes(self.size(element)),
            bytes @ Operand::Value(_) => Stride::Value(bytes),
        };
        place.steps.push(Step::Index { index, stride, length });
        place.ty = element;
        place.volatile |= self.is_volatile(element);
        place
    }

    /// The type of the elements behind a pointer or array.
    pub(crate) fn target_type(&self, item: &ExprResult) -> Option<TypeId> {
        let ty = match item {
            ExprResult::Pointer(place, _) => return Some(place.ty),
            ExprResult::Function(_, ty) => return Some(*ty),
            ExprResult::Value(_, ty) => *ty,
            ExprResult::Place(place) => place.ty,
            ExprResult::Void => return None,
        };
        match *self.ty(ty) {
            Type::Pointer(target) => Some(target),
            Type::Array { element, .. } => Some(element),
            Type::Function { .. } => Some(ty),
            _ => None,
        }
    }

    /// `item.name`, where the item is a struct.
    pub(crate) fn member(&mut self, place: Place, name: &'a Node<ast::Identifier>) -> Place {
        let Type::Struct(id) = *self.ty(place.ty) else {
            self.invalid(name.span, &format!("`.{}` is applied to what is no struct or union", name.node.name));
            return place;
        };
        let mut path = Vec::new();
        if self.find_member(id, &name.node.name, &mut path) {
            return self.follow(place, &path);
        }
        if self.program.types.structs[id].fields.is_none() {
            let message = format!("member `{}` of an incomplete type", name.node.name);
            self.error(&codes::INCOMPLETE_TYPE, name.span, message, "include the header that defines the struct");
        } else {
            self.invalid(name.span, &format!("the struct has no member `{}`", name.node.name));
        }
        let int = self.int();
        Place { ty: int, ..place }
    }

    pub(crate) fn follow(&mut self, mut place: Place, path: &[(StructId, u32)]) -> Place {
        for &(structure, index) in path {
            let fields = self.program.types.structs[structure].fields.as_deref().unwrap_or_default();
            let Field { offset, bits, ty, .. } = fields[index as usize];
            place.steps.push(Step::Field { structure, index, offset });
            // Members have the qualifiers of their structs (ISO C, 6.5.2.3).
            place.ty = self.qualify(ty, self.qualifiers(place.ty));
            place.bits = bits;
            place.volatile |= self.is_volatile(place.ty);
        }
        place
    }

    /// The way to a member, through anonymous structs and unions.
    pub(crate) fn find_member(&self, id: StructId, name: &str, path: &mut Vec<(StructId, u32)>) -> bool {
        let fields = self.program.types.structs[id].fields.as_deref().unwrap_or_default();
        for (index, field) in (0u32..).zip(fields) {
            path.push((id, index));
            if &*field.name == name {
                return true;
            }
            if let (true, Type::Struct(inner)) = (field.name.is_empty(), self.ty(field.ty))
                && self.find_member(*inner, name, path)
            {
                return true;
            }
            path.pop();
        }
        false
    }

    /// The item as something with a place; reported where it has none.
    pub(crate) fn place(&mut self, item: ExprResult, span: Span) -> Place {
        match item {
            ExprResult::Place(place) => place,
            other => {
                self.invalid(span, "the expression has no place in memory");
                let at = self.span(span);
                let (_, ty) = self.load(other, at);
                self.temporary(ty, at)
            }
        }
    }
}
