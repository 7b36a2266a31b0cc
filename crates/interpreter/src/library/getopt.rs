//! getopt and `getopt_long`. As GNU does it, arguments that are no options are moved behind those that are.

use super::{Call, Model};
use crate::execute::machine::Flow;
use chronos_ir::ScalarType;
use chronos_values::{Pointer, Value};

models! {
    pub fn lookup(name: &str) -> Option<Model> {
        "getopt" => |c| next_option(c, false),
        "getopt_long" | "getopt_long_only" => |c| next_option(c, true),
    }
}

fn next_option(call: &mut Call, long: bool) -> Flow<Value> {
    let (Some(argc), Some(argv), Some(options)) = (call.integer(0), call.pointer(1)?, call.text(2)?) else {
        return Ok(call.unknown());
    };
    call.machine.task.epoch += 1;
    let declared = call.get_external("optind").and_then(Value::as_int);
    let mut index = declared.unwrap_or(call.machine.task.streams.option_index);
    if index == 0 || call.machine.task.streams.operands == (0, 0) {
        index = index.max(1);
        call.machine.task.streams.option_position = 0;
        call.machine.task.streams.operands = (index, index);
    }
    call.set_external("optarg", Value::NULL);
    if call.machine.task.streams.option_position == 0
        && let Some(end) = find_option(call, argv, argc, &mut index, &options)?
    {
        return Ok(end);
    }
    let Some((pointer, text)) = argument(call, argv, index)? else { return Ok(call.unknown()) };
    if long && text.starts_with(b"--") {
        return long_option(call, argv, argc, index, pointer, &text);
    }
    let options = options.strip_prefix(b"+").or_else(|| options.strip_prefix(b"-")).unwrap_or(&options);
    short_option(call, argv, argc, index, pointer, &text, options)
}

/// Moves `index` to the next option; gives the result of the call where there is none.
fn find_option(call: &mut Call, argv: Pointer, argc: i64, index: &mut i64, options: &[u8]) -> Flow<Option<Value>> {
    let (mut first, mut last) = call.machine.task.streams.operands;
    last = last.min(*index);
    first = first.min(last);
    let permutes = options.first() != Some(&b'+');
    if permutes {
        if first != last && last != *index {
            exchange(call, argv, first, last, *index)?;
            first += *index - last;
        } else if last != *index {
            first = *index;
        }
        while *index < argc {
            let Some((_, text)) = argument(call, argv, *index)? else { return Ok(Some(call.unknown())) };
            if text.first() == Some(&b'-') && text.len() > 1 {
                break;
            }
            *index += 1;
        }
        last = *index;
    }
    if *index < argc {
        let Some((_, text)) = argument(call, argv, *index)? else { return Ok(Some(call.unknown())) };
        if text == b"--" {
            *index += 1;
            if first != last && last != *index {
                exchange(call, argv, first, last, *index)?;
                first += *index - last;
            } else if first == last {
                first = *index;
            }
            last = argc;
            *index = argc;
        } else if text.first() != Some(&b'-') || text.len() < 2 {
            move_to(call, *index);
            return Ok(Some(Value::Int(-1)));
        }
    }
    call.machine.task.streams.operands = (first, last);
    if *index >= argc {
        move_to(call, if first == last { *index } else { first });
        return Ok(Some(Value::Int(-1)));
    }
    Ok(None)
}

/// Moves the arguments `first .. middle` behind `middle .. end`.
fn exchange(call: &mut Call, argv: Pointer, first: i64, middle: i64, end: i64) -> Flow<()> {
    let word = ScalarType::Pointer.size(call.machine.task.memory.model) as i64;
    let at = |index: i64| Pointer { object: argv.object, offset: argv.offset + index * word };
    let order: Vec<i64> = (middle..end).chain(first..middle).collect();
    let mut values = Vec::with_capacity(order.len());
    for index in order {
        values.push(call.machine.load_at(at(index), ScalarType::Pointer, "argv")?);
    }
    for (index, value) in (first..end).zip(values) {
        call.machine.store_at(at(index), ScalarType::Pointer, value, "argv")?;
    }
    Ok(())
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
        move_to(call, index);
        call.machine.task.streams.option_position = position + 1;
    }
}

/// An entry of `struct option { const char *name; int has_arg; int *flag; int val; }`.
struct Long {
    entry: i64,
    name: Vec<u8>,
    takes: Value,
    flag: Value,
    value: Value,
}

fn long_options(call: &mut Call, table: Pointer) -> Flow<Vec<Long>> {
    let word = ScalarType::Pointer.size(call.machine.task.memory.model) as i64;
    let mut all = Vec::new();
    for entry in 0.. {
        let at = |offset| Pointer { object: table.object, offset: table.offset + entry * 4 * word + offset };
        let Value::Pointer(known) = call.machine.load_at(at(0), ScalarType::Pointer, "options")? else { break };
        let Some(name) = call.text_at(known)? else { break };
        all.push(Long {
            entry,
            name,
            takes: call.machine.load_at(at(word), ScalarType::I32, "options")?,
            flag: call.machine.load_at(at(2 * word), ScalarType::Pointer, "options")?,
            value: call.machine.load_at(at(3 * word), ScalarType::I32, "options")?,
        });
    }
    Ok(all)
}

/// The option that a name means: the one of that name, or the only one that begins with it.
fn meant(all: Vec<Long>, name: &[u8]) -> Option<Long> {
    let mut near: Vec<Long> = all.into_iter().filter(|option| option.name.starts_with(name)).collect();
    let exact = near.iter().position(|option| option.name == name);
    match (exact, near.len()) {
        (Some(at), _) => Some(near.swap_remove(at)),
        (None, 1) => near.pop(),
        _ => None,
    }
}

fn long_option(call: &mut Call, argv: Pointer, argc: i64, index: i64, pointer: Pointer, text: &[u8]) -> Flow<Value> {
    let Some(table) = call.pointer(3)? else { return Ok(call.unknown()) };
    let equals = text.iter().position(|&b| b == b'=');
    let all = long_options(call, table)?;
    let Some(option) = meant(all, &text[2..equals.unwrap_or(text.len())]) else {
        move_to(call, index + 1);
        call.set_external("optopt", Value::Int(0));
        return Ok(Value::Int(i64::from(b'?')));
    };
    let mut used = 1;
    match (equals, option.takes) {
        (Some(equals), Value::Int(1 | 2)) => {
            let at = Pointer { object: pointer.object, offset: pointer.offset + equals as i64 + 1 };
            call.set_external("optarg", Value::Pointer(at));
        }
        (None, Value::Int(1)) if index + 1 < argc => {
            let value = argument(call, argv, index + 1)?.map_or(Value::NULL, |(at, _)| Value::Pointer(at));
            call.set_external("optarg", value);
            used = 2;
        }
        (Some(_), Value::Int(_)) | (None, Value::Int(1)) => {
            move_to(call, index + 1);
            call.set_external("optopt", option.value);
            return Ok(Value::Int(i64::from(b'?')));
        }
        _ => {}
    }
    move_to(call, index + used);
    if let Value::Pointer(to) = call.arg(4) {
        call.machine.store_at(to, ScalarType::I32, Value::Int(option.entry), "memory")?;
    }
    if let Value::Pointer(to) = option.flag {
        call.machine.store_at(to, ScalarType::I32, option.value, "memory")?;
        return Ok(Value::Int(0));
    }
    Ok(option.value)
}
