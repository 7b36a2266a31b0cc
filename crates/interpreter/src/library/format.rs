//! The printf family: formats where the arguments are known.

use super::Call;
use crate::code::formats::length;
use crate::execute::machine::Flow;
use chronos_ir::wide::{Digits, Number};
use chronos_ir::{DataModel, ScalarType};
use chronos_values::Value;
use chronos_values::arith::wrap;

/// Bytes of a text that is followed; C's own limit, `INT_MAX`, is what no formatted text of a real program comes near to.
const LONGEST_TEXT: usize = 1 << 24;

/// Digits behind the point that a double can have: all further ones are zeros.
const MOST_DECIMALS: usize = 1_074;

/// A conversion of a format.
#[derive(Clone, Debug, Default)]
pub struct Conversion {
    pub flags: String,
    pub width: Option<usize>,
    pub precision: Option<usize>,
    /// The times that `l` stands there, or the modifiers that mean as much.
    pub long: usize,
    pub half: usize,
    pub kind: u8,
}

/// The text that a format makes of arguments from `first` on; `Err` with the unknown value it depends on.
pub fn render(call: &mut Call, format: &[u8], first: usize) -> Flow<Result<Vec<u8>, Value>> {
    let mut out = Vec::new();
    let mut next = first;
    let mut at = 0;
    while at < format.len() {
        if format[at] != b'%' {
            out.push(format[at]);
            at += 1;
            continue;
        }
        at += 1;
        let conversion = match parse(call, format, &mut at, &mut next) {
            Ok(conversion) => conversion,
            Err(unknown) => return Ok(Err(unknown)),
        };
        if conversion.kind == b'%' {
            out.push(b'%');
            continue;
        }
        if conversion.longest() > LONGEST_TEXT - out.len() {
            return Ok(Err(call.undefined("the length of a formatted text of more than 16 MiB")));
        }
        match convert(call, &conversion, next, out.len())? {
            Ok(text) => pad(&mut out, &text, &conversion),
            Err(unknown) => return Ok(Err(unknown)),
        }
        next += 1;
    }
    Ok(Ok(out))
}

impl Conversion {
    /// Bytes that width and precision alone ask for.
    fn longest(&self) -> usize {
        let digits = self.precision.filter(|_| !matches!(self.kind, b's' | b'c' | b'p' | b'n'));
        self.width.unwrap_or(0).max(digits.unwrap_or(0))
    }
}

fn parse(call: &Call, format: &[u8], at: &mut usize, next: &mut usize) -> Result<Conversion, Value> {
    let mut conversion = Conversion::default();
    while let Some(&flag) = format.get(*at).filter(|b| b"-+ #0'".contains(b)) {
        conversion.flags.push(flag as char);
        *at += 1;
    }
    let width = number(call, format, at, next)?;
    conversion.width = width.map(|width| width.unsigned_abs() as usize);
    if width.is_some_and(|width| width < 0) {
        conversion.flags.push('-');
    }
    if format.get(*at) == Some(&b'.') {
        *at += 1;
        // A negative precision is none.
        conversion.precision = usize::try_from(number(call, format, at, next)?.unwrap_or(0)).ok();
    }
    while let Some(&modifier) = format.get(*at).filter(|b| b"hlLqjzt".contains(b)) {
        if modifier == b'h' {
            conversion.half += 1;
        } else {
            conversion.long += length(modifier);
        }
        *at += 1;
    }
    conversion.kind = format.get(*at).copied().unwrap_or(b'%');
    *at += 1;
    Ok(conversion)
}

/// A width or precision; an argument (`*`) may be negative.
fn number(call: &Call, format: &[u8], at: &mut usize, next: &mut usize) -> Result<Option<i64>, Value> {
    if format.get(*at) == Some(&b'*') {
        *at += 1;
        *next += 1;
        let value = call.arg(*next - 1);
        return value.as_int().map(Some).ok_or(value);
    }
    let mut n = None;
    while let Some(digit) = format.get(*at).filter(|b| b.is_ascii_digit()) {
        n = Some(n.unwrap_or(0i64).saturating_mul(10).saturating_add(i64::from(digit - b'0')));
        *at += 1;
    }
    Ok(n)
}

fn convert(call: &mut Call, conversion: &Conversion, index: usize, written: usize) -> Flow<Result<Vec<u8>, Value>> {
    let value = call.arg(index);
    let text = match (conversion.kind, value) {
        (b's', Value::Pointer(_)) if conversion.long > 0 => return Ok(Err(call.undefined("a printed wide string"))),
        (b's', Value::Pointer(_)) => match call.text(index)? {
            Some(mut text) => {
                text.truncate(conversion.precision.unwrap_or(usize::MAX));
                text
            }
            None => return Ok(Err(call.reason_at(index))),
        },
        // glibc writes no part of it.
        (b's', Value::Int(0)) if conversion.precision.is_some_and(|precision| precision < 6) => Vec::new(),
        (b's', Value::Int(0)) => b"(null)".to_vec(),
        (b'c', Value::Int(n)) => vec![n as u8],
        (b'n', Value::Pointer(to)) => {
            let ty = integer_type(conversion, true, call.model());
            call.machine.store_at(to, ty, Value::Int(wrap(written as i64, ty)), "memory")?;
            Vec::new()
        }
        (b'p', Value::Int(0)) => b"(nil)".to_vec(),
        (b'p', Value::Int(n)) => format!("0x{n:x}").into_bytes(),
        (b'd' | b'i' | b'u' | b'x' | b'X' | b'o', Value::Int(n)) => integer(conversion, n, call.model()).into_bytes(),
        // It is printed with its sign, which operations give by the processor and the compiler.
        (_, Value::Float(x)) if x.is_nan() => return Ok(Err(call.undefined("the sign of a printed NaN"))),
        (b'f' | b'F' | b'e' | b'E' | b'g' | b'G', Value::Float(x)) => float(conversion, x).into_bytes(),
        // x87 has its digits elsewhere.
        (b'a' | b'A', Value::Float(x)) if conversion.long < 2 => float(conversion, x).into_bytes(),
        (b'f' | b'F' | b'e' | b'E' | b'g' | b'G', Value::Wide(wide)) if conversion.long > 1 => {
            match Digits::new(call.model().long_double(), Number::Bits(wide.bits())) {
                Some(digits) => extended(conversion, &digits).into_bytes(),
                None => return Ok(Err(call.undefined("a printed value"))),
            }
        }
        (_, Value::Unknown(_)) => return Ok(Err(value)),
        _ => return Ok(Err(call.undefined("a printed value"))),
    };
    Ok(Ok(text))
}

fn integer_type(conversion: &Conversion, signed: bool, model: DataModel) -> ScalarType {
    match (conversion.half, conversion.long, signed) {
        (0, 0, true) => ScalarType::I32,
        (0, 0, false) => ScalarType::U32,
        (1, 0, true) => ScalarType::I16,
        (1, 0, false) => ScalarType::U16,
        (_, 0, true) => ScalarType::I8,
        (_, 0, false) => ScalarType::U8,
        (_, 1, true) => model.long(),
        (_, 1, false) => model.unsigned_long(),
        _ => ScalarType::I64,
    }
}

fn integer(conversion: &Conversion, n: i64, model: DataModel) -> String {
    let signed = matches!(conversion.kind, b'd' | b'i');
    let n = wrap(n, integer_type(conversion, signed, model));
    let digits = match conversion.kind {
        b'x' => format!("{:x}", n as u64),
        b'X' => format!("{:X}", n as u64),
        b'o' if conversion.flags.contains('#') && n != 0 => format!("0{:o}", n as u64),
        b'o' => format!("{:o}", n as u64),
        b'u' => (n as u64).to_string(),
        _ => n.unsigned_abs().to_string(),
    };
    let digits = match conversion.precision {
        Some(0) if n == 0 => String::new(),
        Some(precision) => format!("{}{digits}", zeros(precision.saturating_sub(digits.len()))),
        None => digits,
    };
    let prefix = match conversion.kind {
        b'x' if conversion.flags.contains('#') && n != 0 => "0x",
        b'X' if conversion.flags.contains('#') && n != 0 => "0X",
        _ => sign(conversion, signed && n < 0, signed),
    };
    format!("{prefix}{digits}")
}

fn sign(conversion: &Conversion, negative: bool, signed: bool) -> &'static str {
    match (negative, signed) {
        (true, _) => "-",
        (_, true) if conversion.flags.contains('+') => "+",
        (_, true) if conversion.flags.contains(' ') => " ",
        _ => "",
    }
}

fn float(conversion: &Conversion, x: f64) -> String {
    let precision = conversion.precision.unwrap_or(6);
    let magnitude = x.abs();
    let text = if x.is_finite() {
        match conversion.kind {
            b'f' | b'F' if precision == 0 && conversion.flags.contains('#') => format!("{magnitude:.0}."),
            b'f' | b'F' => fixed(magnitude, precision),
            b'e' | b'E' => exponent(magnitude, precision),
            b'a' | b'A' => hexadecimal(magnitude, conversion.precision, conversion.flags.contains('#')),
            _ => general(magnitude, precision.max(1), conversion.flags.contains('#')),
        }
    } else {
        "inf".to_owned()
    };
    let text = if conversion.kind.is_ascii_uppercase() { text.to_uppercase() } else { text };
    format!("{}{text}", sign(conversion, x.is_sign_negative(), true))
}

fn zeros(count: usize) -> String {
    "0".repeat(count)
}

/// What Rust formats, which takes no precision above 65,535, and zeros behind it.
fn fixed(x: f64, precision: usize) -> String {
    let digits = precision.min(MOST_DECIMALS);
    format!("{x:.digits$}{}", zeros(precision - digits))
}

fn exponent(x: f64, precision: usize) -> String {
    let digits = precision.min(MOST_DECIMALS);
    let text = format!("{x:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let value: i32 = exponent.parse().unwrap_or(0);
    let more = zeros(precision - digits);
    format!("{mantissa}{more}e{}{:02}", if value < 0 { '-' } else { '+' }, value.abs())
}

/// A number of `long double` that double precision does not hold.
fn extended(conversion: &Conversion, digits: &Digits) -> String {
    let precision = conversion.precision.unwrap_or(6);
    let scientific = |precision: usize| {
        let (mantissa, power) = digits.scientific(precision);
        (format!("{mantissa}e{}{:02}", if power < 0 { '-' } else { '+' }, power.abs()), power)
    };
    let text = match conversion.kind {
        b'f' | b'F' => digits.fixed(precision),
        b'e' | b'E' => scientific(precision).0,
        _ => {
            let precision = precision.max(1);
            let (text, power) = scientific(precision - 1);
            let fixed = (-4..precision as i32).contains(&power);
            let text = if fixed { digits.fixed((precision as i32 - 1 - power).max(0) as usize) } else { text };
            shortened(text, conversion.flags.contains('#'))
        }
    };
    let text = if conversion.kind.is_ascii_uppercase() { text.to_uppercase() } else { text };
    format!("{}{text}", sign(conversion, digits.negative, true))
}

/// As glibc writes `%a`: the digit before the point is 1 but for zero and numbers too small for that.
fn hexadecimal(x: f64, precision: Option<usize>, keep: bool) -> String {
    const DIGITS: usize = f64::MANTISSA_DIGITS as usize / 4;
    let (fraction, field) = (x.to_bits() & ((1 << 52) - 1), (x.to_bits() >> 52) as i32 & 0x7ff);
    let whole = u64::from(field != 0) << 52;
    let exponent = if x == 0.0 { 0 } else { field.max(1) - 1023 };
    let digits = precision.map_or(DIGITS, |precision| precision.min(DIGITS));
    let dropped = 4 * (DIGITS - digits);
    let (mantissa, unit) = (fraction | whole, 1u64 << dropped);
    let (kept, rest) = (mantissa / unit, mantissa % unit);
    let rounded = kept + u64::from(2 * rest > unit || 2 * rest == unit && kept % 2 == 1);
    let (lead, tail) = (rounded >> (4 * digits), rounded & ((1 << (4 * digits)) - 1));
    let mut tail = if digits == 0 { String::new() } else { format!("{tail:0digits$x}") };
    match precision {
        Some(precision) => tail.extend(std::iter::repeat_n('0', precision - digits)),
        None => tail.truncate(tail.trim_end_matches('0').len()),
    }
    let point = if tail.is_empty() && !keep { "" } else { "." };
    format!("0x{lead:x}{point}{tail}p{exponent:+}")
}

fn general(x: f64, precision: usize, keep: bool) -> String {
    let scientific = format!("{x:.*e}", (precision - 1).min(MOST_DECIMALS));
    let power: i64 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let text = if power < -4 || power >= precision as i64 {
        exponent(x, precision - 1)
    } else {
        fixed(x, (precision as i64 - 1 - power).max(0) as usize)
    };
    shortened(text, keep)
}

/// `%g` without zeros at the end of the fraction.
fn shortened(text: String, keep: bool) -> String {
    if keep || !text.contains('.') {
        return text;
    }
    let (mantissa, tail) = text.split_at(text.find('e').unwrap_or(text.len()));
    format!("{}{tail}", mantissa.trim_end_matches('0').trim_end_matches('.'))
}

fn pad(out: &mut Vec<u8>, text: &[u8], conversion: &Conversion) {
    let missing = conversion.width.unwrap_or(0).saturating_sub(text.len());
    let numeric = !matches!(conversion.kind, b's' | b'c' | b'p');
    // For integers a precision overrides the zeros.
    let limited_digits = conversion.precision.is_some() && b"diuoxX".contains(&conversion.kind);
    if conversion.flags.contains('-') {
        out.extend(text);
        out.resize(out.len() + missing, b' ');
    } else if conversion.flags.contains('0') && numeric && !limited_digits {
        let signs = text.iter().take_while(|b| b"+- ".contains(b)).count();
        let signs = signs + usize::from(matches!(&text[signs..], [b'0', b'x' | b'X', ..])) * 2;
        out.extend(&text[..signs]);
        out.resize(out.len() + missing, b'0');
        out.extend(&text[signs..]);
    } else {
        out.resize(out.len() + missing, b' ');
        out.extend(text);
    }
}
