//! Reading numbers and the scanf family.

use super::Call;
use crate::count::interp::machine::Flow;
use crate::count::value::{Pointer, Value};
use crate::program::ScalarType;

/// An integer at the begin of a text, as strtol reads it: its value and the bytes used.
pub fn integer(text: &[u8], base: u32) -> Option<(i64, usize)> {
    let blank = text.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let mut at = blank;
    let negative = text.get(at) == Some(&b'-');
    if matches!(text.get(at), Some(b'-' | b'+')) {
        at += 1;
    }
    let hex = matches!(text.get(at..at + 2), Some(b"0x" | b"0X"));
    let base = match base {
        0 | 16 if hex => 16,
        0 if text.get(at) == Some(&b'0') => 8,
        0 => 10,
        base @ 2..=36 => base,
        _ => return None,
    };
    if base == 16 && hex {
        at += 2;
    }
    let digits = text[at..].iter().map_while(|&b| (b as char).to_digit(base));
    let (mut n, mut count) = (0i128, 0);
    for digit in digits {
        n = (n * i128::from(base) + i128::from(digit)).min(i128::from(u64::MAX));
        count += 1;
    }
    if count == 0 {
        return None;
    }
    let signed = if negative { -n } else { n };
    let value = i64::try_from(signed).unwrap_or(if negative { i64::MIN } else { signed as u64 as i64 });
    Some((value, at + count))
}

/// Whether the integer at the begin of a text does not fit, as strtol and strtoul report it.
pub fn overflows(text: &[u8], base: u32, unsigned: bool, bits: u32) -> bool {
    let Some((_, used)) = integer(text, base) else { return false };
    let text: Vec<u8> = text[..used].iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let negative = text.first() == Some(&b'-');
    let digits: Vec<u8> = text.into_iter().filter(|byte| !matches!(byte, b'-' | b'+')).collect();
    let hex = matches!(digits.get(..2), Some(b"0x" | b"0X"));
    let (digits, base) = match base {
        0 | 16 if hex => (&digits[2..], 16),
        0 if digits.first() == Some(&b'0') => (&digits[..], 8),
        0 => (&digits[..], 10),
        _ => (&digits[..], base),
    };
    let mut magnitude = 0_u128;
    for digit in digits.iter().filter_map(|&byte| char::from(byte).to_digit(base)) {
        magnitude = magnitude.saturating_mul(u128::from(base)).saturating_add(u128::from(digit));
    }
    let most = match (unsigned, negative) {
        (true, _) => (1_u128 << bits) - 1,
        (false, true) => 1_u128 << (bits - 1),
        (false, false) => (1_u128 << (bits - 1)) - 1,
    };
    magnitude > most
}

/// The number that a text is in a type, given what it is in double precision.
pub fn float_value(text: &[u8], ty: ScalarType, x: f64) -> Option<Value> {
    if !ty.is_wide() || text.is_empty() {
        return Some(Value::Float(x));
    }
    let text = String::from_utf8_lossy(text);
    Value::of_number(crate::wide::parse(ty, text.trim())?)
}

/// A floating number at the begin of a text, as strtod reads it.
pub fn float(text: &[u8]) -> Option<(f64, usize)> {
    let blank = text.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let rest = &text[blank..];
    let longest = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b)).count();
    (1..=longest).rev().find_map(|length| {
        let part = std::str::from_utf8(&rest[..length]).ok()?;
        Some((part.parse().ok()?, blank + length))
    })
}

/// What a scan of a text did: conversions stored, bytes read, and whether the input ended first.
pub struct Scanned {
    pub stored: i64,
    pub used: usize,
    pub ended: bool,
}

/// Reads by a format; arguments from `first` on are where the values go.
pub fn scan(call: &mut Call, text: &[u8], format: &[u8], first: usize) -> Flow<Scanned> {
    let mut done = Scanned { stored: 0, used: 0, ended: false };
    let mut next = first;
    let mut at = 0;
    while at < format.len() {
        let byte = format[at];
        at += 1;
        if byte.is_ascii_whitespace() {
            done.used += blanks(&text[done.used..]);
        } else if byte != b'%' {
            if text.get(done.used) != Some(&byte) {
                done.ended = done.used >= text.len();
                return Ok(done);
            }
            done.used += 1;
        } else if !directive(call, text, format, &mut at, &mut next, &mut done)? {
            return Ok(done);
        }
    }
    Ok(done)
}

fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|b| b.is_ascii_whitespace()).count()
}

/// One conversion; false where the scan ends.
fn directive(
    call: &mut Call,
    text: &[u8],
    format: &[u8],
    at: &mut usize,
    next: &mut usize,
    done: &mut Scanned,
) -> Flow<bool> {
    let skip = format.get(*at) == Some(&b'*');
    *at += usize::from(skip);
    let mut width = usize::MAX;
    let digits = format[*at..].iter().take_while(|b| b.is_ascii_digit()).count();
    if let Some((n, _)) = integer(&format[*at..*at + digits], 10) {
        width = n as usize;
    }
    *at += digits;
    let modifiers: Vec<u8> = format[*at..].iter().copied().take_while(|b| b"hlLqjzt".contains(b)).collect();
    *at += modifiers.len();
    let kind = format.get(*at).copied().unwrap_or(b'%');
    *at += 1;
    let set = if kind == b'[' { Some(bracket(format, at)) } else { None };
    if !matches!(kind, b'c' | b'[' | b'n') {
        done.used += blanks(&text[done.used..]);
    }
    if kind != b'n' && done.used >= text.len() {
        done.ended = true;
        return Ok(false);
    }
    let rest = &text[done.used..];
    let rest = &rest[..rest.len().min(width)];
    let (value, used) = match kind {
        b'd' | b'i' | b'u' | b'x' | b'o' => {
            let base = match kind {
                b'i' => 0,
                b'x' => 16,
                b'o' => 8,
                _ => 10,
            };
            let Some((n, used)) = integer(rest, base) else { return Ok(false) };
            (Item::Scalar(integer_type(&modifiers), Value::Int(n)), used)
        }
        b'f' | b'e' | b'g' | b'E' | b'G' | b'F' | b'a' => {
            let Some((x, used)) = float(rest) else { return Ok(false) };
            let ty = float_type(&modifiers);
            let value = float_value(&rest[..used], ty, x).unwrap_or_else(|| call.unknown());
            (Item::Scalar(ty, value), used)
        }
        b's' => word(rest, |b| !b.is_ascii_whitespace(), true),
        b'[' => {
            let (set, negated) = set.unwrap_or_default();
            let (item, used) = word(rest, |b| set.contains(&b) != negated, true);
            if used == 0 {
                return Ok(false);
            }
            (item, used)
        }
        b'c' => {
            let count = if width == usize::MAX { 1 } else { width }.min(rest.len());
            (Item::Bytes(rest[..count].to_vec()), count)
        }
        b'n' => (Item::Scalar(ScalarType::I32, Value::Int(done.used as i64)), 0),
        _ => {
            let matches = rest.first() == Some(&b'%');
            done.used += usize::from(matches);
            return Ok(matches);
        }
    };
    done.used += used;
    if !skip {
        store(call, *next, value)?;
        *next += 1;
        done.stored += i64::from(kind != b'n');
    }
    Ok(true)
}

enum Item {
    Scalar(ScalarType, Value),
    Bytes(Vec<u8>),
}

fn word(rest: &[u8], holds: impl Fn(u8) -> bool, zero: bool) -> (Item, usize) {
    let used = rest.iter().take_while(|&&b| holds(b)).count();
    let mut bytes = rest[..used].to_vec();
    if zero {
        bytes.push(0);
    }
    (Item::Bytes(bytes), used)
}

fn bracket(format: &[u8], at: &mut usize) -> (Vec<u8>, bool) {
    let negated = format.get(*at) == Some(&b'^');
    *at += usize::from(negated);
    let mut set = Vec::new();
    let start = *at;
    while let Some(&byte) = format.get(*at) {
        *at += 1;
        if byte == b']' && *at > start + 1 {
            break;
        }
        match (byte, set.last().copied(), format.get(*at)) {
            (b'-', Some(low), Some(&high)) if high != b']' => {
                set.extend(low..=high);
                *at += 1;
            }
            _ => set.push(byte),
        }
    }
    (set, negated)
}

fn integer_type(modifiers: &[u8]) -> ScalarType {
    match modifiers {
        [] => ScalarType::I32,
        [b'h'] => ScalarType::I16,
        [b'h', b'h'] => ScalarType::I8,
        _ => ScalarType::I64,
    }
}

fn float_type(modifiers: &[u8]) -> ScalarType {
    match modifiers {
        [] => ScalarType::F32,
        [b'L'] => ScalarType::F80,
        _ => ScalarType::F64,
    }
}

fn store(call: &mut Call, index: usize, item: Item) -> Flow<()> {
    let Some(to) = call.pointer(index)? else { return Ok(()) };
    match item {
        Item::Scalar(ty, value) => store_number(call, to, ty, value),
        Item::Bytes(bytes) => call.put_bytes(to, &bytes),
    }
}

fn store_number(call: &mut Call, to: Pointer, ty: ScalarType, value: Value) -> Flow<()> {
    let value = match value {
        Value::Int(n) => Value::Int(crate::count::interp::arith::wrap(n, ty)),
        Value::Float(x) => Value::Float(crate::count::interp::arith::round(x, ty)),
        other => other,
    };
    call.machine.store_at(to, ty, value, "memory")
}
