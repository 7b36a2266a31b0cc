//! Reading numbers and the scanf family.

use super::Call;
use crate::execute::machine::Flow;
use chronos_ir::{DataModel, ScalarType, wide};
use chronos_values::{Pointer, Value};

/// The digits of an integer at the begin of a text, as strtol finds them.
struct Digits {
    negative: bool,
    /// Held at the largest number of 64 bits and one more.
    magnitude: i128,
    used: usize,
}

fn digits(text: &[u8], base: u32) -> Option<Digits> {
    let blank = text.iter().take_while(|b| is_space(**b)).count();
    let mut at = blank;
    let negative = text.get(at) == Some(&b'-');
    if matches!(text.get(at), Some(b'-' | b'+')) {
        at += 1;
    }
    // Without a digit behind it, the zero of `0x` is the number.
    let hex = matches!(text.get(at..at + 2), Some(b"0x" | b"0X"));
    let hex = hex && text.get(at + 2).is_some_and(u8::is_ascii_hexdigit);
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
    let found = text[at..].iter().map_while(|&b| (b as char).to_digit(base));
    let (mut magnitude, mut count) = (0i128, 0);
    for digit in found {
        magnitude = (magnitude * i128::from(base) + i128::from(digit)).min(1 << 64);
        count += 1;
    }
    (count > 0).then_some(Digits { negative, magnitude, used: at + count })
}

/// An integer of 64 bits at the begin of a text, as strtoll reads it: its value and the bytes used.
pub fn integer(text: &[u8], base: u32) -> Option<(i64, usize)> {
    signed(text, base, 64)
}

/// An integer of so many bits, as strtol reads it: the nearest that there is.
pub fn signed(text: &[u8], base: u32, bits: u32) -> Option<(i64, usize)> {
    let found = digits(text, base)?;
    let most = (1_i128 << (bits - 1)) - 1;
    let value = if found.negative { -found.magnitude } else { found.magnitude };
    Some((value.clamp(-most - 1, most) as i64, found.used))
}

/// The same as strtoul reads it, where a sign wraps.
pub fn unsigned(text: &[u8], base: u32, bits: u32) -> Option<(i64, usize)> {
    let found = digits(text, base)?;
    let most = (1_i128 << bits) - 1;
    let wrapped = if found.negative { (most + 1 - found.magnitude) & most } else { found.magnitude };
    Some((if found.magnitude > most { most } else { wrapped } as u64 as i64, found.used))
}

/// What `isspace` is in the locale "C".
fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 11
}

/// Whether the integer at the begin of a text does not fit, as strtol and strtoul report it.
pub fn overflows(text: &[u8], base: u32, unsigned: bool, bits: u32) -> bool {
    let Some(found) = digits(text, base) else { return false };
    let most = match (unsigned, found.negative) {
        (true, _) => (1_i128 << bits) - 1,
        (false, true) => 1_i128 << (bits - 1),
        (false, false) => (1_i128 << (bits - 1)) - 1,
    };
    found.magnitude > most
}

/// The number that a text is in a type, given what it is in double precision.
pub(crate) fn float_value(text: &[u8], ty: ScalarType, x: f64) -> Option<Value> {
    let text = String::from_utf8_lossy(text);
    if ty == ScalarType::F32
        && let Ok(x) = text.trim().parse::<f32>()
    {
        return Some(Value::Float(x.into()));
    }
    if !ty.is_wide() || text.is_empty() {
        return Some(Value::Float(x));
    }
    Value::of_number(wide::parse(ty, text.trim())?)
}

/// A floating number at the begin of a text, as strtod reads it.
pub fn float(text: &[u8]) -> Option<(f64, usize)> {
    let blank = text.iter().take_while(|b| is_space(**b)).count();
    let negative = text.get(blank) == Some(&b'-');
    let start = blank + usize::from(matches!(text.get(blank), Some(b'-' | b'+')));
    let rest = &text[start..];
    let (magnitude, used) = word_number(rest).or_else(|| hexadecimal(rest)).or_else(|| decimal(rest))?;
    Some((if negative { -magnitude } else { magnitude }, start + used))
}

/// `inf`, `infinity`, `nan` and `nan(...)`, in any case.
fn word_number(text: &[u8]) -> Option<(f64, usize)> {
    let begins = |word: &[u8]| text.get(..word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word));
    if begins(b"nan") {
        let inside = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let inner = text.get(4..).unwrap_or_default().iter().take_while(inside).count();
        let bracketed = text.get(3) == Some(&b'(') && text.get(4 + inner) == Some(&b')');
        return Some((f64::NAN, if bracketed { 5 + inner } else { 3 }));
    }
    match (begins(b"infinity"), begins(b"inf")) {
        (true, _) => Some((f64::INFINITY, 8)),
        (_, true) => Some((f64::INFINITY, 3)),
        _ => None,
    }
}

/// The bytes of digits with at most one point among them; 0 without a digit.
fn mantissa(text: &[u8], digit: fn(&u8) -> bool) -> usize {
    let whole = text.iter().take_while(|byte| digit(byte)).count();
    let point = text.get(whole) == Some(&b'.');
    let fraction = if point { text[whole + 1..].iter().take_while(|byte| digit(byte)).count() } else { 0 };
    if whole + fraction == 0 { 0 } else { whole + fraction + usize::from(point) }
}

/// The bytes of an exponent behind `letter`; 0 without a digit.
fn exponent(text: &[u8], letter: u8) -> usize {
    if text.first().map(u8::to_ascii_lowercase) != Some(letter) {
        return 0;
    }
    let sign = usize::from(matches!(text.get(1), Some(b'-' | b'+')));
    let digits = text[1 + sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 { 0 } else { 1 + sign + digits }
}

fn decimal(text: &[u8]) -> Option<(f64, usize)> {
    let length = mantissa(text, u8::is_ascii_digit);
    if length == 0 {
        return None;
    }
    let used = length + exponent(&text[length..], b'e');
    Some((std::str::from_utf8(&text[..used]).ok()?.parse().ok()?, used))
}

fn hexadecimal(text: &[u8]) -> Option<(f64, usize)> {
    let rest = matches!(text.get(..2), Some(b"0x" | b"0X")).then(|| &text[2..])?;
    let length = mantissa(rest, u8::is_ascii_hexdigit);
    if length == 0 {
        return None;
    }
    let used = 2 + length + exponent(&rest[length..], b'p');
    let text = std::str::from_utf8(&text[..used]).ok()?;
    let number = wide::convert(ScalarType::F128, ScalarType::F64, wide::parse(ScalarType::F128, text)?).ok()?;
    if let wide::Number::Float(x) = number { Some((x, used)) } else { None }
}

/// What a scan of a text did: conversions stored, bytes read, and whether the input ended first.
pub(crate) struct Scanned {
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

/// How many bytes each further argument of a format may be written; `None` where only the text says that.
pub(crate) fn targets(format: &[u8], model: DataModel) -> Vec<Option<u64>> {
    let (mut all, mut at) = (Vec::new(), 0);
    while let Some(&byte) = format.get(at) {
        at += 1;
        if byte != b'%' {
            continue;
        }
        let conversion = Conversion::read(format, &mut at);
        if !conversion.skip && conversion.kind != b'%' {
            all.push(conversion.room(model));
        }
    }
    all
}

/// A conversion as its format writes it.
pub(crate) struct Conversion {
    skip: bool,
    /// The greatest number of bytes that it reads.
    pub width: usize,
    modifiers: Vec<u8>,
    pub kind: u8,
    /// Of `%[`: the bytes, and whether they are those that end it.
    set: Option<(Vec<u8>, bool)>,
}

impl Conversion {
    /// The one whose `%` stands before `at`.
    pub(crate) fn read(format: &[u8], at: &mut usize) -> Self {
        let skip = format.get(*at) == Some(&b'*');
        *at += usize::from(skip);
        let digits = format[(*at).min(format.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
        let width = integer(&format[(*at).min(format.len())..][..digits], 10).map_or(usize::MAX, |(n, _)| n as usize);
        *at += digits;
        let rest = &format[(*at).min(format.len())..];
        // `m` asks for memory of the library's own.
        let modifiers: Vec<u8> = rest.iter().copied().take_while(|b| b"hlLqjztm".contains(b)).collect();
        *at += modifiers.len();
        let kind = format.get(*at).copied().unwrap_or(b'%');
        *at += 1;
        let set = (kind == b'[').then(|| bracket(format, at));
        Self { skip, width, modifiers, kind, set }
    }

    /// A byte that a `%[` takes; `None` of any other conversion, or where there is no such letter or digit.
    pub(crate) fn member(&self) -> Option<u8> {
        let (set, negated) = self.set.as_ref()?;
        (b"a0 -.,;:").iter().chain(set).copied().find(|byte| set.contains(byte) != *negated)
    }

    fn room(&self, model: DataModel) -> Option<u64> {
        let pointer = ScalarType::Pointer.size(model);
        match self.kind {
            _ if self.modifiers.contains(&b'm') => Some(pointer),
            b's' | b'[' | b'c' => None,
            b'p' => Some(pointer),
            b'f' | b'e' | b'g' | b'E' | b'G' | b'F' | b'a' | b'A' => {
                Some(float_type(&self.modifiers, model).size(model))
            }
            _ => Some(integer_type(&self.modifiers, model).size(model)),
        }
    }
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
    let Conversion { skip, width, modifiers, kind, set } = Conversion::read(format, at);
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
        b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => {
            let base = match kind {
                b'i' => 0,
                b'x' | b'X' => 16,
                b'o' => 8,
                _ => 10,
            };
            let Some((n, used)) = integer(rest, base) else { return Ok(false) };
            (Item::Scalar(integer_type(&modifiers, call.model()), Value::Int(n)), used)
        }
        b'f' | b'e' | b'g' | b'E' | b'G' | b'F' | b'a' | b'A' => {
            call.depends_on_locale();
            let Some((x, used)) = float(rest) else { return Ok(false) };
            let ty = float_type(&modifiers, call.model());
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
        b'n' => (Item::Scalar(integer_type(&modifiers, call.model()), Value::Int(done.used as i64)), 0),
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

fn integer_type(modifiers: &[u8], model: DataModel) -> ScalarType {
    match modifiers {
        [] => ScalarType::I32,
        [b'h'] => ScalarType::I16,
        [b'h', b'h'] => ScalarType::I8,
        [b'l' | b'z' | b't'] => model.long(),
        _ => ScalarType::I64,
    }
}

fn float_type(modifiers: &[u8], model: DataModel) -> ScalarType {
    match modifiers {
        [] => ScalarType::F32,
        [b'L'] => model.long_double(),
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
        Value::Int(n) => Value::Int(chronos_values::arith::wrap(n, ty)),
        Value::Float(x) => Value::Float(chronos_values::arith::round(x, ty)),
        other => other,
    };
    call.machine.store_at(to, ty, value, "memory")
}
