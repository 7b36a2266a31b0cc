//! `errno`: what library functions leave there, as glibc does. It is followed only in programs that ask for it.
//!
//! What is known to fail sets it, what is known to succeed leaves it alone; of all else it is unknown what stands there.

use super::{Call, scan};
use crate::code::instructions::CallCode;
use crate::code::instructions::Home;
use crate::execute::machine::{Flow, Machine};
use chronos_base::ids::Id;
use chronos_functions::{self as functions, may_set_errno};
use chronos_ir::ScalarType;
use chronos_values::{Pointer, ReasonKind, Value};

pub(crate) const ENOMEM: i64 = 12;
pub(crate) const EINVAL: i64 = 22;
const EDOM: i64 = 33;
const ERANGE: i64 = 34;

/// What a call did to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    Alone,
    Set(i64),
    Unknown,
}

/// `&errno`.
pub fn location(call: &mut Call) -> Flow<Value> {
    let code = call.machine.code;
    let home = code.program.errno.map(|errno| &code.homes[errno.index()]);
    Ok(match home {
        Some(Home::Object(object)) => Value::Pointer(Pointer { object: *object, offset: 0 }),
        _ => call.undefined("errno"),
    })
}

/// After a call of a library function with this result.
pub fn settle(machine: &mut Machine<'_>, call: &CallCode, name: u32, args: &[Value], result: Value) {
    let code = machine.code;
    let Some(name) = code.library.get(name as usize).filter(|name| may_set_errno(name)) else { return };
    let modelled = super::lookup(name).is_some();
    let left = left(&mut Call { machine: &mut *machine, args, call, dst: None }, name, modelled, result);
    let value = match left {
        Left::Alone => return,
        Left::Set(number) => Value::Int(number),
        Left::Unknown => {
            let kind = ReasonKind::UnknownFunction(format!("errno behind `{name}`").into());
            Value::Unknown(machine.shared.reason(kind, Some(call.span), None))
        }
    };
    if let Some(errno) = code.program.errno {
        machine.set_variable(errno, value);
    }
}

fn left(call: &mut Call, name: &str, modelled: bool, result: Value) -> Left {
    if !modelled {
        return Left::Unknown;
    }
    let plain = name.trim_start_matches("__builtin_").trim_start_matches("__isoc23_");
    match plain {
        "strtol" | "strtoll" | "strtoul" | "strtoull" | "strtoimax" | "strtoumax" => of_integer(call, plain),
        "strtod" | "strtof" | "strtold" => of_float(call, result),
        _ if functions::allocates(plain) || plain == "strdup" => match result {
            Value::Int(0) if plain != "realloc" || call.integer(1) != Some(0) => Left::Set(ENOMEM),
            Value::Unknown(_) => Left::Unknown,
            _ => Left::Alone,
        },
        "fopen" | "scanf" | "fscanf" | "fgets" | "fgetc" | "getc" | "fread" | "getline" | "open" | "read" | "pread"
        | "lseek"
            if result.is_unknown() =>
        {
            Left::Unknown
        }
        _ => of_mathematics(call, plain, result),
    }
}

fn of_integer(call: &mut Call, name: &str) -> Left {
    let (Ok(Some(text)), Some(base)) = (call.text(0), call.integer(2)) else { return Left::Unknown };
    if base != 0 && !(2..=36).contains(&base) {
        return Left::Set(EINVAL);
    }
    let wide = ScalarType::Pointer.size(call.machine.task.memory.model) == 8 || !matches!(name, "strtol" | "strtoul");
    let unsigned = name.contains('u');
    if scan::overflows(&text, base as u32, unsigned, if wide { 64 } else { 32 }) {
        Left::Set(ERANGE)
    } else {
        Left::Alone
    }
}

fn of_float(call: &mut Call, result: Value) -> Left {
    let (Ok(Some(text)), Value::Float(x)) = (call.text(0), result) else { return Left::Unknown };
    let spelled = text.iter().any(|byte| matches!(byte.to_ascii_lowercase(), b'i' | b'n'));
    let digits = text.iter().take_while(|byte| !matches!(byte, b'e' | b'E')).any(|byte| (b'1'..=b'9').contains(byte));
    let small = x.abs() < f64::MIN_POSITIVE && digits;
    if x.is_infinite() && !spelled || small { Left::Set(ERANGE) } else { Left::Alone }
}

/// Domain errors give not-a-number of numbers, poles and overflow infinity of finite ones, underflow zero.
fn of_mathematics(call: &mut Call, name: &str, result: Value) -> Left {
    if !functions::is_mathematical(name) {
        return Left::Alone;
    }
    let base = functions::base(name);
    let arguments: Option<Vec<f64>> = (0..call.args.len()).map(|index| call.float(index)).collect();
    let (Some(arguments), Value::Float(x)) = (arguments, result) else {
        return if result.is_unknown() { Left::Unknown } else { Left::Alone };
    };
    let finite = arguments.iter().all(|argument| argument.is_finite());
    let underflows = base.starts_with("exp") || matches!(base, "pow" | "ldexp" | "scalbn");
    match x {
        _ if x.is_nan() && !arguments.iter().any(|argument| argument.is_nan()) => Left::Set(EDOM),
        _ if x.is_infinite() && finite => Left::Set(ERANGE),
        _ if x == 0.0 && finite && underflows && arguments[0] != 0.0 => Left::Set(ERANGE),
        _ => Left::Alone,
    }
}
