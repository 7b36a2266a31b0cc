//! getopt and getopt_long, with the permutation of GNU left out: options come first.

use super::{Call, Model};
use crate::count::interp::machine::Flow;
use crate::count::value::{Pointer, Value};
use crate::program::ScalarType;

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "getopt" => |c| next_option(c, false),
        "getopt_long" | "getopt_long_only" => |c| next_option(c, true),
        _ => return None,
    })
}

fn next_option(call: &mut Call, long: bool) -> Flow<Value> {
    let (Some(argc), Some(argv), Some(options)) = (call.integer(0), call.pointer(1)?, call.text(2)?) else {
        return Ok(call.unknown());
    };
    call.machine.task.epoch += 1;
    let index = call.get_external("optind").and_then(Value::as_int).unwrap_or(call.machine.task.streams.option_index);
    let index = index.max(1);
    if index >= argc {
        return Ok(Value::Int(-1));
    }
    let Some((pointer, text)) = argument(call, argv, index)? else { return Ok(call.unknown()) };
    if text.first() != Some(&b'-') || text.len() < 2 {
        return Ok(Value::Int(-1));
    }
    if text == b"--" {
        move_to(call, index + 1);
        return Ok(Value::Int(-1));
    }
    if long && text.starts_with(b"--") {
        return long_option(call, argv, index, pointer, &text);
    }
    short_option(call, argv, argc, index, pointer, &text, &options)
}

fn argument(call: &mut Call, argv: Pointer, index: i64) -> Flow<Option<(Pointer, Vec<u8>)>> {
    let word = ScalarType::Pointer.size(call.machine.task.memory.model) as i64;
    let at = Pointer { object: argv.object, offset: argv.offset + index * word };
    match call.machine.load_at(at, ScalarType::Pointer, "argv")? {
        Value::Pointer(pointer) => Ok(call.text_at(pointer)?.map(|text| (pointer, text))),
        _ => Ok(None),
    }
}

fn move_to(call: &mut Call, index: i64) {
    call.machine.task.streams.option_index = index;
    call.machine.task.streams.option_position = 0;
    call.set_external("optind", Value::Int(index));
}

fn short_option(
    call: &mut Call,
    argv: Pointer,
    argc: i64,
    index: i64,
    pointer: Pointer,
    text: &[u8],
    options: &[u8],
) -> Flow<Value> {
    let position = call.machine.task.streams.option_position.max(1);
    let letter = text.get(position).copied().unwrap_or(b'?');
    let last = position + 1 >= text.len();
    let spec = options.iter().position(|&b| b == letter && b != b':');
    let Some(spec) = spec else {
        advance(call, index, position, last);
        call.set_external("optopt", Value::Int(i64::from(letter)));
        return Ok(Value::Int(i64::from(b'?')));
    };
    let optional = options.get(spec + 1..spec + 3) == Some(b"::");
    if options.get(spec + 1) != Some(&b':') {
        advance(call, index, position, last);
        return Ok(Value::Int(i64::from(letter)));
    }
    if !last {
        let at = Pointer { object: pointer.object, offset: pointer.offset + position as i64 + 1 };
        call.set_external("optarg", Value::Pointer(at));
        move_to(call, index + 1);
    } else if optional {
        call.set_external("optarg", Value::NULL);
        move_to(call, index + 1);
    } else if index + 1 >= argc {
        move_to(call, index + 1);
        call.set_external("optopt", Value::Int(i64::from(letter)));
        return Ok(Value::Int(i64::from(if options.first() == Some(&b':') { b':' } else { b'?' })));
    } else {
        let value = argument(call, argv, index + 1)?.map_or(Value::NULL, |(at, _)| Value::Pointer(at));
        call.set_external("optarg", value);
        move_to(call, index + 2);
    }
    Ok(Value::Int(i64::from(letter)))
}

fn advance(call: &mut Call, index: i64, position: usize, last: bool) {
    if last {
        move_to(call, index + 1);
    } else {
        call.machine.task.streams.option_position = position + 1;
    }
}

/// `struct option { const char *name; int has_arg; int *flag; int val; }`
fn long_option(call: &mut Call, argv: Pointer, index: i64, pointer: Pointer, text: &[u8]) -> Flow<Value> {
    let Some(table) = call.pointer(3)? else { return Ok(call.unknown()) };
    let word = ScalarType::Pointer.size(call.machine.task.memory.model) as i64;
    let equals = text.iter().position(|&b| b == b'=');
    let name = &text[2..equals.unwrap_or(text.len())];
    for entry in 0.. {
        let at = |offset| Pointer { object: table.object, offset: table.offset + entry * 4 * word + offset };
        let Value::Pointer(known) = call.machine.load_at(at(0), ScalarType::Pointer, "options")? else { break };
        if call.text_at(known)?.as_deref() != Some(name) {
            continue;
        }
        let takes = call.machine.load_at(at(word), ScalarType::I32, "options")?;
        let flag = call.machine.load_at(at(2 * word), ScalarType::Pointer, "options")?;
        let value = call.machine.load_at(at(3 * word), ScalarType::I32, "options")?;
        let mut used = 1;
        if let Some(equals) = equals {
            let at = Pointer { object: pointer.object, offset: pointer.offset + equals as i64 + 1 };
            call.set_external("optarg", Value::Pointer(at));
        } else if takes == Value::Int(1) {
            let value = argument(call, argv, index + 1)?.map_or(Value::NULL, |(at, _)| Value::Pointer(at));
            call.set_external("optarg", value);
            used = 2;
        }
        move_to(call, index + used);
        if let Value::Pointer(to) = call.arg(4) {
            call.machine.store_at(to, ScalarType::I32, Value::Int(entry), "memory")?;
        }
        if let Value::Pointer(to) = flag {
            call.machine.store_at(to, ScalarType::I32, value, "memory")?;
            return Ok(Value::Int(0));
        }
        return Ok(value);
    }
    move_to(call, index + 1);
    Ok(Value::Int(i64::from(b'?')))
}
