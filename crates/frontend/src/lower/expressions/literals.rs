//! Literals: numbers, characters, strings.

use crate::lower::context::constants;
use crate::lower::context::interner::{Kind, Qualifiers};
use crate::lower::context::item::ExprResult;
use crate::lower::context::lowerer::Lowerer;
use chronos_ir::types::ScalarType;
use chronos_ir::wide::{self, Number};
use chronos_ir::{Base, Const, DataModel, Operand, Place, StrId};
use lang_c::ast;
use lang_c::span::{Node, Span};

impl<'a> Lowerer<'a> {
    pub(crate) fn literal(&mut self, node: &'a Node<ast::Constant>) -> ExprResult {
        let (constant, imaginary) = match &node.node {
            ast::Constant::Integer(integer) => (self.integer(integer), integer.suffix.imaginary),
            ast::Constant::Float(float) => (self.float(float), float.suffix.imaginary),
            ast::Constant::Character(text) => {
                let ty = character_type(text, self.program.model);
                let value = constants::wrap(character(text, self.plain_char()).into(), ty);
                (Const::Int(value, ty), false)
            }
        };
        let suffix = match &node.node {
            ast::Constant::Integer(integer) => Some(&integer.suffix.size),
            _ => None,
        };
        if imaginary {
            self.unsupported(node.span, "complex arithmetic");
        }
        let ty = match constant {
            Const::Int(_, ty) if suffix.is_some_and(|suffix| self.is_longer(*suffix, ty)) => {
                self.named_scalar(ty, Kind::Longer)
            }
            Const::Wide(_, ScalarType::F128) if self.program.model.long_double() != ScalarType::F128 => {
                self.named_scalar(ScalarType::F128, Kind::Quad)
            }
            Const::Int(_, ty) | Const::Float(_, ty) | Const::Wide(_, ty) => self.scalar_type(ty),
            _ => self.int(),
        };
        ExprResult::Value(Operand::Const(constant), ty)
    }

    /// Whether a suffix asks for the longer one of two types of the same size.
    fn is_longer(&self, suffix: ast::IntegerSize, ty: ScalarType) -> bool {
        let is_64_bit = self.program.model.is_64_bit();
        let asked = if is_64_bit { ast::IntegerSize::LongLong } else { ast::IntegerSize::Long };
        suffix == asked && [self.longer(false), self.longer(true)].contains(&ty)
    }

    fn integer(&self, integer: &ast::Integer) -> Const {
        let (radix, digits) = match integer.base {
            ast::IntegerBase::Decimal => (10, &*integer.number),
            ast::IntegerBase::Octal => (8, &*integer.number),
            ast::IntegerBase::Hexadecimal => (16, integer.number.trim_start_matches("0x").trim_start_matches("0X")),
            ast::IntegerBase::Binary => (2, integer.number.trim_start_matches("0b").trim_start_matches("0B")),
        };
        let digits = if digits.is_empty() { "0" } else { digits };
        // Beyond 64 bits no C type holds it; compilers warn.
        let value = u64::from_str_radix(digits, radix).unwrap_or(u64::MAX);
        let ty = integer_type(value, integer, self.program.model);
        Const::Int(value as i64, ty)
    }

    fn float(&self, float: &ast::Float) -> Const {
        if let Some(ty) = wide_format(&float.suffix.format, self.program.model) {
            let text = match float.base {
                ast::FloatBase::Decimal => float.number.to_string(),
                ast::FloatBase::Hexadecimal => {
                    format!("0x{}", float.number.trim_start_matches("0x").trim_start_matches("0X"))
                }
            };
            return crate::lower::context::constants::of_number(
                wide::parse(ty, &text).unwrap_or(Number::Float(0.0)),
                ty,
            );
        }
        let value = match float.base {
            ast::FloatBase::Decimal => float.number.parse().unwrap_or(0.0),
            ast::FloatBase::Hexadecimal => hexadecimal_float(&float.number),
        };
        match float.suffix.format {
            ast::FloatFormat::Float => Const::Float(f64::from(value as f32), ScalarType::F32),
            _ => Const::Float(value, ScalarType::F64),
        }
    }

    /// A string literal as the array that it is.
    pub(crate) fn string(&mut self, node: &'a Node<ast::StringLiteral>) -> ExprResult {
        let (bytes, unit) = string_bytes(&node.node);
        self.string_place(bytes, unit)
    }

    pub(crate) fn string_place(&mut self, mut bytes: Vec<u8>, unit: ScalarType) -> ExprResult {
        let width = unit.size(self.program.model);
        bytes.extend(std::iter::repeat_n(0, usize::try_from(width).unwrap_or(1)));
        let length = bytes.len() as u64 / width;
        let id = self.intern_string(bytes);
        let element = match unit {
            ScalarType::I8 => self.char_type(),
            ScalarType::I32 => self.scalar_type(wide_char(self.program.model)),
            unit => self.scalar_type(unit),
        };
        let ty = self.array_of(element, Some(length));
        let base = Base::Pointer(Operand::Const(Const::Str(id, 0)));
        ExprResult::Place(Place { base, steps: Vec::new(), ty, bits: None, volatile: false })
    }

    fn intern_string(&mut self, bytes: Vec<u8>) -> StrId {
        if let Some(&id) = self.strings.get(&bytes) {
            return id;
        }
        let id = self.program.strings.push(bytes.clone());
        self.strings.insert(bytes, id);
        id
    }

    /// `__func__`.
    pub(crate) fn function_name(&mut self, _: Span) -> ExprResult {
        let name = self.body.name.as_bytes().to_vec();
        let mut item = self.string_place(name, ScalarType::I8);
        if let ExprResult::Place(place) = &mut item {
            place.ty = self.qualify(place.ty, Qualifiers::CONST);
        }
        item
    }
}

/// The type of a literal with one of the suffixes of wide types.
fn wide_format(format: &ast::FloatFormat, model: DataModel) -> Option<ScalarType> {
    match format {
        ast::FloatFormat::LongDouble => Some(model.long_double()),
        ast::FloatFormat::TS18661Format(format) if format.width == 128 => Some(ScalarType::F128),
        ast::FloatFormat::TS18661Format(format) if *format == EXTENDED_DOUBLE => Some(model.long_double()),
        _ => None,
    }
}

/// `_Float64x`.
const EXTENDED_DOUBLE: ast::TS18661FloatType =
    ast::TS18661FloatType { format: ast::TS18661FloatFormat::BinaryExtended, width: 64 };

/// The first type of C's list for the literal that holds the value.
fn integer_type(value: u64, integer: &ast::Integer, model: DataModel) -> ScalarType {
    let decimal = integer.base == ast::IntegerBase::Decimal;
    let long = integer.suffix.size == ast::IntegerSize::LongLong
        || integer.suffix.size == ast::IntegerSize::Long && model.is_64_bit();
    let fits = |ty| match ty {
        ScalarType::I32 => i32::try_from(value).is_ok(),
        ScalarType::U32 => u32::try_from(value).is_ok(),
        ScalarType::I64 => i64::try_from(value).is_ok(),
        _ => true,
    };
    let allowed = |ty| match ty {
        ScalarType::I32 => !long && !integer.suffix.unsigned,
        ScalarType::U32 => !long && (integer.suffix.unsigned || !decimal),
        ScalarType::I64 => !integer.suffix.unsigned,
        _ => integer.suffix.unsigned || !decimal,
    };
    let candidates = [ScalarType::I32, ScalarType::U32, ScalarType::I64];
    candidates.into_iter().find(|&ty| allowed(ty) && fits(ty)).unwrap_or(ScalarType::U64)
}

/// `h.hhhp±d`, with or without `0x`.
fn hexadecimal_float(text: &str) -> f64 {
    let text = text.trim_start_matches("0x").trim_start_matches("0X");
    let (mantissa, exponent) = text.split_once(['p', 'P']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = whole.chars().chain(fraction.chars()).filter_map(|c| c.to_digit(16));
    let value = digits.fold(0.0, |value, digit| value * 16.0 + f64::from(digit));
    let exponent = exponent.parse::<i32>().unwrap_or(0);
    let shift = exponent.saturating_sub(i32::try_from(fraction.len()).unwrap_or(0).saturating_mul(4));
    value * 2f64.powi(shift)
}

/// `wchar_t`.
fn wide_char(model: DataModel) -> ScalarType {
    if model == DataModel::Aarch64 { ScalarType::U32 } else { ScalarType::I32 }
}

/// `char16_t` and `char32_t` are unsigned.
fn character_type(text: &str, model: DataModel) -> ScalarType {
    match text.as_bytes() {
        [b'u', b'\'', ..] => ScalarType::U16,
        [b'U', ..] => ScalarType::U32,
        [b'L', ..] => wide_char(model),
        _ => ScalarType::I32,
    }
}

/// The value of a character constant with its quotes: `'a'`, `L'\n'`, `'ab'`.
fn character(text: &str, plain: ScalarType) -> i64 {
    let wide = !text.starts_with('\'');
    let inner = text.trim_start_matches(['L', 'u', 'U', '8']);
    let inner = inner.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')).unwrap_or(inner);
    let units = units(inner, wide);
    if wide {
        return units.first().map_or(0, |&u| i64::from(u));
    }
    match units[..] {
        [one] if plain == ScalarType::U8 => i64::from(one as u8),
        [one] => i64::from(one as u8 as i8),
        _ => units.iter().fold(0i32, |value, &u| (value << 8) | i32::from(u as u8)).into(),
    }
}

/// The bytes of adjacent literals, without terminating zero, and the type of an element.
pub(crate) fn string_bytes(parts: &[String]) -> (Vec<u8>, ScalarType) {
    let unit = match parts.iter().find(|p| !p.starts_with('"') && !p.starts_with("u8")) {
        Some(part) if part.starts_with('u') => ScalarType::U16,
        Some(part) if part.starts_with('U') => ScalarType::U32,
        Some(_) => ScalarType::I32,
        None => ScalarType::I8,
    };
    let mut bytes = Vec::new();
    for part in parts {
        let inner = part.trim_start_matches(['L', 'u', 'U', '8']);
        let inner = inner.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(inner);
        for value in units(inner, unit != ScalarType::I8) {
            match unit {
                ScalarType::I8 => bytes.push(value as u8),
                ScalarType::U16 => bytes.extend((value as u16).to_le_bytes()),
                _ => bytes.extend(value.to_le_bytes()),
            }
        }
    }
    (bytes, unit)
}

/// Code units of the text between quotes, escapes resolved; bytes of UTF-8 unless wide.
fn units(text: &str, wide: bool) -> Vec<u32> {
    let mut units = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '\\' {
            push_char(c, wide, &mut units);
            continue;
        }
        match rest.next() {
            Some('n') => units.push(10),
            Some('t') => units.push(9),
            Some('r') => units.push(13),
            Some('a') => units.push(7),
            Some('b') => units.push(8),
            Some('f') => units.push(12),
            Some('v') => units.push(11),
            Some('e' | 'E') => units.push(27),
            Some('x') => units.push(digits(&mut rest, 16, usize::MAX, 0)),
            Some('u') => push_code(digits(&mut rest, 16, 4, 0), wide, &mut units),
            Some('U') => push_code(digits(&mut rest, 16, 8, 0), wide, &mut units),
            Some(c) if c.is_digit(8) => units.push(digits(&mut rest, 8, 2, c.to_digit(8).unwrap_or(0))),
            Some(c) => push_char(c, wide, &mut units),
            None => {}
        }
    }
    units
}

fn push_code(code: u32, wide: bool, units: &mut Vec<u32>) {
    push_char(char::from_u32(code).unwrap_or('?'), wide, units);
}

fn push_char(c: char, wide: bool, units: &mut Vec<u32>) {
    if wide {
        units.push(c.into());
    } else {
        units.extend(c.encode_utf8(&mut [0; 4]).bytes().map(u32::from));
    }
}

fn digits(rest: &mut std::iter::Peekable<std::str::Chars<'_>>, radix: u32, most: usize, start: u32) -> u32 {
    let mut value = start;
    for _ in 0..most {
        let Some(digit) = rest.peek().and_then(|c| c.to_digit(radix)) else { break };
        value = value.wrapping_mul(radix).wrapping_add(digit);
        rest.next();
    }
    value
}
