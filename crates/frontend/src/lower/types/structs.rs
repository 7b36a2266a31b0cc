//! Structs, unions and enums: tags, members, attributes of layout, the compiler's own structs.

use super::specifiers::Words;
use crate::lower::context::layout;
use crate::lower::context::layout::{Member, Rules};
use crate::lower::context::lowerer::Lowerer;
use crate::lower::context::scopes::{Entry, Tag};
use crate::lower::context::syntax::{Enumeration, attribute, has_attribute};
use crate::parsing::packing;
use chronos_ir::types::{ScalarType, StructId, StructType, Type, TypeId};
use lang_c::ast;
use lang_c::span::Node;
use std::sync::Arc;

impl<'a> Lowerer<'a> {
    /// A complex number, as a struct of its parts: layout and copies are right, arithmetic is not supported.
    pub(crate) fn complex(&mut self, part: ScalarType) -> TypeId {
        let name: &'static str = match part {
            ScalarType::F32 => "_Complex float",
            ScalarType::F80 => "_Complex long double",
            ScalarType::F128 => "_Complex with quad precision",
            _ => "_Complex double",
        };
        if let Some(Tag::Struct(_, ty)) = self.scopes.tag(name) {
            return ty;
        }
        let ty = self.scalar_type(part);
        let members = vec![Member::plain("__real", ty), Member::plain("__imag", ty)];
        let (id, ty) = self.new_struct(Some(name), false);
        self.complete_struct(id, members);
        let outer = self.scopes.set_file_scope_only(true);
        self.scopes.insert_tag(name, Tag::Struct(id, ty));
        self.scopes.set_file_scope_only(outer);
        ty
    }

    /// An array of one struct, as on x86-64: passed by address.
    pub(crate) fn va_list(&mut self) -> TypeId {
        if let Some(Tag::Struct(_, ty)) = self.scopes.tag("__va_list_tag") {
            return self.array_of(ty, Some(1));
        }
        let word = self.size_scalar();
        let ty = self.scalar_type(word);
        let byte = self.scalar_type(ScalarType::I8);
        let pointer = self.pointer_to(byte);
        let field = Member::plain;
        let (id, tag) = self.new_struct(Some("__va_list_tag"), false);
        self.complete_struct(id, vec![field("offsets", ty), field("overflow", pointer), field("save", pointer)]);
        let outer = self.scopes.set_file_scope_only(true);
        self.scopes.insert_tag("__va_list_tag", Tag::Struct(id, tag));
        self.scopes.set_file_scope_only(outer);
        self.array_of(tag, Some(1))
    }

    pub(crate) fn new_struct(&mut self, name: Option<&str>, is_union: bool) -> (StructId, TypeId) {
        let name: Option<Arc<str>> = name.map(Into::into);
        let id = self.program.types.structs.push(StructType { name, is_union, fields: None, size: 0, align: 1 });
        (id, self.intern(Type::Struct(id)))
    }

    fn complete_struct(&mut self, id: StructId, members: Vec<Member>) {
        let rules = self.rules();
        self.lay_out(id, &members, rules);
        self.members.insert(id, members);
    }

    /// What the unit's flags ask of every struct.
    pub(crate) fn rules(&self) -> Rules {
        let dialect = self.unit.dialect;
        Rules { packed: dialect.packed, most: dialect.pack, ..Rules::default() }
    }

    pub(crate) fn lay_out(&mut self, id: StructId, members: &[Member], rules: Rules) {
        let rules = Rules { is_union: self.program.types.structs[id].is_union, ..rules };
        let laid_out = layout::lay_out(&self.program.types, members, rules, self.program.model);
        let entry = &mut self.program.types.structs[id];
        entry.fields = Some(laid_out.fields);
        entry.size = laid_out.size;
        entry.align = laid_out.align;
    }

    /// The meaning of a tag; a declaration that was put off is looked at now.
    fn lookup_tag(&mut self, name: &'a str, here: bool) -> Option<Tag<'a>> {
        let find = |l: &Self| if here { l.scopes.tag_here(name) } else { l.scopes.tag(name) };
        match find(self)? {
            Tag::Pending(declaration, shift) => {
                self.resolve_pending(declaration, shift);
                find(self)
            }
            tag => Some(tag),
        }
    }

    /// From now on the tag of a declaration that is being looked at stands for a type, incomplete as yet.
    pub(crate) fn forget_pending(&mut self, name: &'a str) {
        if let Some(Tag::Pending(declaration, _)) = self.scopes.tag_here(name) {
            let is_union = crate::lower::context::syntax::defines_union(&declaration.node);
            let (id, ty) = self.new_struct(Some(name), is_union);
            self.scopes.insert_tag(name, Tag::Struct(id, ty));
        }
    }

    /// Attributes behind the braces of a struct: `packed`, `aligned(n)`, what `#pragma pack` became.
    pub(crate) fn apply_attributes(&mut self, words: &mut Words<'a>, extensions: &'a [Node<ast::Extension>]) {
        if has_attribute(extensions, "packed")
            && let Some(enumeration) = words.enumeration.take()
        {
            words.other = Some(self.pack_enumeration(&enumeration));
        }
        let Some(Type::Struct(id)) = words.other.map(|ty| self.ty(ty).clone()) else { return };
        let before = words.rules;
        words.rules.packed |= has_attribute(extensions, "packed");
        words.rules.align = before.align.max(self.aligned(extensions));
        words.rules.most = self.packing(extensions).or(before.most);
        if words.rules == before {
            return;
        }
        if let Some(members) = self.members.remove(&id) {
            self.lay_out(id, &members, words.rules);
            self.members.insert(id, members);
        }
    }

    /// A packed enumeration has the smallest integer type that holds its values.
    fn pack_enumeration(&mut self, enumeration: &Enumeration<'a>) -> TypeId {
        let ty = self.new_enumeration(smallest_scalar(&enumeration.values));
        if let Some(name) = enumeration.name {
            self.scopes.insert_tag(name, Tag::Enum(ty));
        }
        ty
    }

    /// The tag and the values of an enumeration that was looked at.
    pub(crate) fn defined_values(&self, node: &'a Node<ast::EnumType>) -> Enumeration<'a> {
        let value = |node: &'a Node<ast::Enumerator>| match self.scopes.get(&node.node.identifier.node.name) {
            Some(Entry::Enumerator(value, _)) => Some(value),
            _ => None,
        };
        let name = node.node.identifier.as_ref().map(|name| name.node.name.as_str());
        Enumeration { name, values: node.node.enumerators.iter().filter_map(value).collect() }
    }

    /// What `#pragma pack` said where the struct ended.
    fn packing(&mut self, extensions: &'a [Node<ast::Extension>]) -> Option<u64> {
        let attribute = extensions.iter().find_map(|extension| attribute(extension, packing::ATTRIBUTE))?;
        u64::try_from(self.constant_integer(attribute.arguments.first()?)?).ok()
    }

    /// The alignment of `__attribute__((aligned(n)))`; 0 where there is none.
    pub(crate) fn aligned(&mut self, extensions: &'a [Node<ast::Extension>]) -> u64 {
        let mut align = 0;
        for extension in extensions {
            if let ast::Extension::Attribute(attribute) = &extension.node
                && attribute.name.node.trim_matches('_') == "aligned"
            {
                let given = attribute.arguments.first().and_then(|n| self.constant_integer(n));
                // Without a number it is the largest alignment of the machine.
                align = align.max(u64::try_from(given.unwrap_or(16)).unwrap_or(0));
            }
        }
        align
    }

    pub(crate) fn structure(&mut self, node: &'a Node<ast::StructType>) -> TypeId {
        let is_union = node.node.kind.node == ast::StructKind::Union;
        let name = node.node.identifier.as_ref().map(|n| n.node.name.as_str());
        let known = name.and_then(|name| match &node.node.declarations {
            Some(_) => self.lookup_tag(name, true),
            None => self.lookup_tag(name, false),
        });
        let (id, ty) = match known {
            Some(Tag::Struct(id, ty)) => (id, ty),
            _ => {
                let (id, ty) = self.new_struct(name, is_union);
                if let Some(name) = name {
                    self.scopes.insert_tag(name, Tag::Struct(id, ty));
                }
                (id, ty)
            }
        };
        if let Some(declarations) = &node.node.declarations
            && self.program.types.structs[id].fields.is_none()
        {
            let mut members = Vec::new();
            declarations.iter().for_each(|d| self.members(&d.node, &mut members));
            self.complete_struct(id, members);
        }
        ty
    }

    fn members(&mut self, declaration: &'a ast::StructDeclaration, members: &mut Vec<Member>) {
        let field = match declaration {
            ast::StructDeclaration::Field(field) => &field.node,
            ast::StructDeclaration::StaticAssert(assertion) => return self.static_assert(assertion),
        };
        let (base, least) = self.qualified(&field.specifiers);
        if field.declarators.is_empty() && matches!(self.ty(base), Type::Struct(_)) {
            members.push(Member { align: least, ..Member::plain("", base) });
        }
        for node in &field.declarators {
            let declarator = node.node.declarator.as_ref();
            let ty = declarator.map_or(base, |d| self.declarator(base, &d.node));
            let name = declarator.and_then(|d| crate::lower::context::syntax::name_of(&d.node)).map(Into::into);
            let width = node.node.bit_width.as_ref().and_then(|w| self.constant_integer(w));
            let align = declarator.map_or(0, |d| self.aligned(&d.node.extensions)).max(least);
            let packed = declarator.is_some_and(|d| has_attribute(&d.node.extensions, "packed"));
            members.push(Member { name, ty, width: width.map(|w| u64::try_from(w).unwrap_or(0)), align, packed });
        }
    }

    pub(crate) fn enumeration(&mut self, node: &'a Node<ast::EnumType>) -> TypeId {
        let name = node.node.identifier.as_ref().map(|n| n.node.name.as_str());
        if let (Some(name), true) = (name, node.node.enumerators.is_empty())
            && let Some(Tag::Enum(ty)) = self.lookup_tag(name, false)
        {
            return ty;
        }
        let mut values = Vec::new();
        let mut next = 0i64;
        let mut free = None;
        for enumerator in &node.node.enumerators {
            let written = enumerator.node.expression.as_ref().and_then(|e| self.constant_integer(e));
            let value = self.setting_of_enumerator(enumerator).or(written).unwrap_or(next);
            let scalar = if i32::try_from(value).is_ok() { ScalarType::I32 } else { wide_enumerator(value) };
            let name = enumerator.node.identifier.node.name.as_str();
            self.scopes.insert(name, Entry::Enumerator(value, scalar));
            free = free.filter(|_| enumerator.node.expression.is_none());
            free = self.enter_enumerator(name, value, scalar, enumerator.span, free);
            next = value.wrapping_add(1);
            values.push(value);
        }
        let scalar = if self.unit.dialect.short_enums { smallest_scalar(&values) } else { enum_scalar(&values) };
        let ty = self.new_enumeration(scalar);
        if let Some(name) = name {
            self.scopes.insert_tag(name, Tag::Enum(ty));
        }
        ty
    }
}

fn wide_enumerator(value: i64) -> ScalarType {
    if u32::try_from(value).is_ok() { ScalarType::U32 } else { ScalarType::I64 }
}

/// As GCC has it: unsigned where no enumerator is negative.
fn enum_scalar(values: &[i64]) -> ScalarType {
    let (low, high) = (values.iter().min().copied().unwrap_or(0), values.iter().max().copied().unwrap_or(0));
    match (low < 0, high > i64::from(u32::MAX) || high > i64::from(i32::MAX) && low < 0 || low < i64::from(i32::MIN)) {
        (false, false) => ScalarType::U32,
        (true, false) => ScalarType::I32,
        (false, true) => ScalarType::U64,
        (true, true) => ScalarType::I64,
    }
}

/// Unsigned where no value is negative, as with GCC.
fn smallest_scalar(values: &[i64]) -> ScalarType {
    let (low, high) = (values.iter().min().copied().unwrap_or(0), values.iter().max().copied().unwrap_or(0));
    let signed =
        [(ScalarType::I8, i8::MAX.into()), (ScalarType::I16, i16::MAX.into()), (ScalarType::I32, i32::MAX.into())];
    let unsigned =
        [(ScalarType::U8, u8::MAX.into()), (ScalarType::U16, u16::MAX.into()), (ScalarType::U32, u32::MAX.into())];
    let fits = |&&(_, most): &&(ScalarType, i64)| high <= most && (low >= 0 || low >= -most - 1);
    let (kinds, widest) = if low < 0 { (signed, ScalarType::I64) } else { (unsigned, ScalarType::U64) };
    kinds.iter().find(fits).map_or(widest, |&(scalar, _)| scalar)
}
