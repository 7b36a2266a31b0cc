//! stdlib.h, assert.h, unistd.h without files, and what chronos.h declares.

use super::errno::{EINVAL, ENOMEM};
use super::{Call, Model, scan};
use crate::codes;
use crate::execute::machine::Flow;
use crate::state::streams::ForeignLocale;
use chronos_functions::returns_again;
use chronos_ir::{BlockId, Callee, ScalarType};
use chronos_mpi_calls::AccessKind;
use chronos_slicing::doubts::{Certainty, Doubt, Subject};
use chronos_values::Origin;
use chronos_values::storage::Fill;
use chronos_values::{Pointer, Value};

models! {
    pub fn lookup(name: &str) -> Option<Model> {
        "malloc" | "valloc" => malloc,
        "calloc" => calloc,
        "realloc" => realloc,
        "free" | "cfree" => free,
        "alloca" | "__builtin_alloca" => alloca,
        "aligned_alloc" | "memalign" => |c| allocate(c, 1, false),
        "posix_memalign" => posix_memalign,
        "exit" => |c| Err(c.exit(c.arg(0))),
        "__assert_fail" | "__assert" => assert_fail,
        "atoi" | "atol" | "atoll" => atoi,
        "atof" => |c| strtod(c, false),
        "strtod" | "strtof" | "strtold" => |c| strtod(c, true),
        "strtol" | "strtoll" | "strtoimax" => |c| strtol(c, scan::signed),
        "strtoul" | "strtoull" | "strtoumax" => |c| strtol(c, scan::unsigned),
        "abs" | "labs" | "llabs" | "imaxabs" | "__builtin_abs" => abs,
        "div" => |c| divide(c, ScalarType::I32),
        "ldiv" | "lldiv" | "imaxdiv" => |c| divide(c, ScalarType::I64),
        "getenv" | "secure_getenv" => getenv,
        "setenv" | "putenv" | "unsetenv" => |_| Ok(Value::Int(0)),
        "qsort" => super::sorting::qsort,
        "bsearch" => super::sorting::bsearch,
        "getpid" | "gettid" | "pthread_self" | "thrd_current" => |c| Ok(c.random(super::process::OWN_ID)),
        "getppid" | "getuid" => |c| Ok(c.random("the id of a process or user")),
        "gethostname" => gethostname,
        "sysconf" | "get_nprocs" => |c| Ok(c.random("the system's configuration")),
        "sched_yield" => |_| Ok(Value::Int(0)),
        "setlocale" => setlocale,
        "system" => |c| {
            c.machine.shared.changed_files.disturbed.get_or_insert_with(|| "a command (`system`)".into());
            Ok(c.random("the result of a command"))
        },
        "__errno_location" => super::errno::location,
        "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp" => |_| Ok(Value::Int(0)),
        "longjmp" | "siglongjmp" | "_longjmp" | "__longjmp_chk" => longjmp,
        "PIC_proba" | "chronos_probability" | "chronos_iterations" => assumption,
        "__builtin_expect" => |c| Ok(c.arg(0)),
    }
}

/// Bytes that a process can address on 64-bit machines of today.
const ADDRESSABLE: u64 = 1 << 47;
/// Bytes that not every node has.
const LARGE: u64 = 1 << 36;

/// From this size on glibc maps pages for an allocation (mallopt(3), `M_MMAP_THRESHOLD`), which the kernel gives as zeros
/// (mmap(2), `MAP_ANONYMOUS`). The threshold grows to what was mapped and freed before.
const MAPPED: u64 = 128 << 10;

fn malloc(call: &mut Call) -> Flow<Value> {
    let bytes = call.integer(0).and_then(|bytes| u64::try_from(bytes).ok());
    let largest = call.machine.task.process.largest_freed;
    let zero = bytes.is_some_and(|bytes| bytes >= MAPPED && bytes > largest);
    allocate(call, 0, zero)
}

fn allocate(call: &mut Call, index: usize, zero: bool) -> Flow<Value> {
    let size = call.arg(index);
    if let Some(bytes) = size.as_int() {
        call.volume(u64::try_from(bytes).unwrap_or(0));
    }
    Ok(reserve(call, size, zero))
}

/// An allocation; one of unknown size has room for everything.
fn reserve(call: &mut Call, size: Value, zero: bool) -> Value {
    let fill = if zero { Fill::Zero } else { call.machine.shared.fresh() };
    let Some(bytes) = size.as_int() else {
        return call.machine.allocation(i64::MAX as u64, call.call, fill);
    };
    let most = if ScalarType::Pointer.size(call.machine.task.memory.model) == 4 { 1 << 31 } else { ADDRESSABLE };
    match u64::try_from(bytes) {
        Ok(bytes) if bytes < most => {
            if bytes >= LARGE {
                call.approximate(format!("an allocation of {bytes} bytes is taken to succeed"), "");
            }
            call.machine.allocation(bytes, call.call, fill)
        }
        _ => Value::NULL,
    }
}

fn calloc(call: &mut Call) -> Flow<Value> {
    let size = match (call.integer(0), call.integer(1)) {
        (Some(a), Some(b)) => Value::Int((a as u64).checked_mul(b as u64).map_or(-1, |bytes| bytes as i64)),
        _ => call.unknown(),
    };
    if let Value::Int(n) = size {
        call.volume(n.max(0) as u64);
    }
    Ok(reserve(call, size, true))
}

fn realloc(call: &mut Call) -> Flow<Value> {
    let size = call.arg(1);
    if let Value::Pointer(old) = call.arg(0) {
        can_be_freed(call, old)?;
    }
    if let (Value::Pointer(old), Some(0)) = (call.arg(0), size.as_int()) {
        release(call, old);
        return Ok(Value::NULL);
    }
    let new = reserve(call, size, false);
    if let (Value::Pointer(old), Value::Pointer(to)) = (call.arg(0), new) {
        let memory = &call.machine.task.memory;
        let bytes = memory.object(old.object).size.min(memory.object(to.object).size);
        let from = Pointer { object: old.object, offset: 0 };
        call.machine.task.memory.copy(to, from, bytes);
        call.volume(bytes.min(1 << 40));
        release(call, old);
    }
    Ok(new)
}

fn release(call: &mut Call, pointer: Pointer) {
    call.machine.tell_access(Pointer { offset: 0, ..pointer }, u64::MAX, AccessKind::Free);
    let task = &mut *call.machine.task;
    task.process.largest_freed = task.process.largest_freed.max(task.memory.object(pointer.object).size);
    call.machine.task.free(pointer.object);
}

fn free(call: &mut Call) -> Flow<Value> {
    if let Value::Pointer(pointer) = call.arg(0)
        && can_be_freed(call, pointer)?
    {
        release(call, pointer);
    }
    Ok(Value::Int(0))
}

/// Whether an allocation begins at the pointer. An error where a real run ends, which allocators do where they are given
/// anything else; nothing is said of what may not happen.
fn can_be_freed(call: &mut Call, pointer: Pointer) -> Flow<bool> {
    let task = &call.machine.task;
    let object = task.memory.object(pointer.object);
    let offset = pointer.offset;
    let (message, help) = match object.origin {
        _ if !object.live => ("memory is freed twice".to_owned(), "free each allocation once"),
        Origin::Allocation(_) if offset == 0 => return Ok(true),
        Origin::Allocation(_) => {
            (format!("memory is freed at byte {offset} of an allocation"), "free the pointer that the allocator gave")
        }
        Origin::Variable(id) => {
            let name = &call.machine.code.program.variables[id].name;
            (format!("the variable `{name}` is freed"), "free what `malloc` and its like have given, and nothing else")
        }
        Origin::String(_) => ("a string literal is freed".to_owned(), "free what `malloc` and its like have given"),
        Origin::Environment => return Ok(false),
    };
    if task.logs.uncertain_since().is_some() {
        return Ok(false);
    }
    Err(call.machine.error(&codes::BAD_CALL, message, help))
}

fn alloca(call: &mut Call) -> Flow<Value> {
    let value = allocate(call, 0, false)?;
    if let (Value::Pointer(pointer), Some(frame)) = (value, call.machine.task.frames.last_mut()) {
        frame.allocations.push(pointer.object);
    }
    Ok(value)
}

fn posix_memalign(call: &mut Call) -> Flow<Value> {
    let word = ScalarType::Pointer.size(call.machine.task.memory.model) as i64;
    let fits = |alignment: i64| alignment > 0 && alignment & (alignment - 1) == 0 && alignment % word == 0;
    if !call.integer(1).is_none_or(fits) {
        return Ok(Value::Int(EINVAL));
    }
    let value = allocate(call, 2, false)?;
    if matches!(value, Value::Int(0)) {
        return Ok(Value::Int(ENOMEM));
    }
    if let Some(to) = call.pointer(0)? {
        call.machine.store_at(to, ScalarType::Pointer, value, "memory")?;
    }
    Ok(Value::Int(0))
}

/// The library is followed in the locale "C", in which programs begin.
fn setlocale(call: &mut Call) -> Flow<Value> {
    let name = match call.arg(1) {
        Value::Int(0) => return Ok(current_locale(call)),
        _ => call.text(1)?,
    };
    call.machine.task.epoch += 1;
    let foreign = match name.as_deref() {
        Some(b"") => Some(ForeignLocale::Environment),
        Some(b"C" | b"POSIX") if call.integer(0) == Some(LC_ALL) => None,
        // The other categories stay what they are.
        Some(b"C" | b"POSIX") => return Ok(call.environment_text("C")),
        Some(_) => Some(ForeignLocale::Named(call.undefined("a locale other than \"C\""))),
        None => Some(ForeignLocale::Named(call.reason_at(1))),
    };
    call.machine.task.streams.foreign_locale = foreign;
    Ok(current_locale(call))
}

/// `LC_ALL` of glibc.
const LC_ALL: i64 = 6;

/// The name of the locale.
fn current_locale(call: &mut Call) -> Value {
    match call.machine.task.streams.foreign_locale {
        Some(ForeignLocale::Named(unknown)) => unknown,
        _ => {
            call.depends_on_locale();
            call.environment_text("C")
        }
    }
}

fn assert_fail(call: &mut Call) -> Flow<Value> {
    let text = call.text(0)?.map(|text| String::from_utf8_lossy(&text).into_owned()).unwrap_or_default();
    let message = format!("the assertion `{text}` fails");
    Err(call.machine.error(&codes::BAD_CALL, message, "check the program's arguments and the values given with --set"))
}

fn atoi(call: &mut Call) -> Flow<Value> {
    let Some(text) = call.text(0)? else { return Ok(call.reason_at(0)) };
    Ok(Value::Int(scan::integer(&text, 10).map_or(0, |(n, _)| n)))
}

fn end_pointer(call: &mut Call, used: usize) -> Flow<()> {
    if let (Value::Pointer(to), Some(from)) = (call.arg(1), call.pointer(0)?) {
        let end = Pointer { object: from.object, offset: from.offset + used as i64 };
        call.machine.store_at(to, ScalarType::Pointer, Value::Pointer(end), "memory")?;
    }
    Ok(())
}

/// Reads an integer of so many bits to a base: its value and the bytes used.
type Reader = fn(&[u8], u32, u32) -> Option<(i64, usize)>;

fn strtol(call: &mut Call, read: Reader) -> Flow<Value> {
    let (Some(text), Some(base)) = (call.text(0)?, call.integer(2)) else { return Ok(call.reason_at(0)) };
    let bits = call.dst.map_or(8, |(_, ty)| ty.size(call.machine.task.memory.model)) as u32 * 8;
    let (n, used) = read(&text, base as u32, bits).unwrap_or((0, 0));
    end_pointer(call, used)?;
    Ok(Value::Int(n))
}

fn strtod(call: &mut Call, with_end: bool) -> Flow<Value> {
    call.depends_on_locale();
    let Some(text) = call.text(0)? else { return Ok(call.reason_at(0)) };
    let (x, used) = scan::float(&text).unwrap_or((0.0, 0));
    if with_end {
        end_pointer(call, used)?;
    }
    let ty = call.dst.map_or(ScalarType::F64, |(_, ty)| ty);
    Ok(scan::float_value(&text[..used], ty, x).unwrap_or_else(|| call.unknown()))
}

fn abs(call: &mut Call) -> Flow<Value> {
    Ok(call.integer(0).map_or_else(|| call.unknown(), |n| Value::Int(n.wrapping_abs())))
}

/// Quotient and remainder, in the struct that is returned.
fn divide(call: &mut Call, ty: ScalarType) -> Flow<Value> {
    let machine = &mut *call.machine;
    let place = call.call.result_place.map(|place| &machine.function().places[place as usize]);
    let base = machine.base();
    let to = place.map(|place| machine.address_value(place, base));
    let (quotient, remainder) = match (call.integer(0), call.integer(1)) {
        (_, Some(0)) => {
            let help = "check the program's arguments and the values given with --set";
            return Err(call.machine.error(&codes::DIVISION_BY_ZERO, "the divisor is zero", help));
        }
        (Some(a), Some(b)) => (Value::Int(a.wrapping_div(b)), Value::Int(a.wrapping_rem(b))),
        _ => (call.unknown(), call.unknown()),
    };
    if let Some(Value::Pointer(to)) = to {
        let second = Pointer { object: to.object, offset: to.offset + ty.size(call.machine.task.memory.model) as i64 };
        call.machine.store_at(to, ty, quotient, "memory")?;
        call.machine.store_at(second, ty, remainder, "memory")?;
    }
    Ok(quotient)
}

fn getenv(call: &mut Call) -> Flow<Value> {
    let Some(name) = call.text(0)? else { return Ok(call.reason_at(0)) };
    let name = String::from_utf8_lossy(&name).into_owned();
    let found = call.machine.shared.options.environment.get(&name).cloned();
    if found.is_none() {
        call.approximate(format!("the environment variable `{name}` is taken to be unset"), "");
    }
    Ok(found.map_or(Value::NULL, |text| call.environment_text(&text)))
}

fn gethostname(call: &mut Call) -> Flow<Value> {
    call.approximate("the name of the node is taken to be `node`".to_owned(), "");
    if let Some(to) = call.pointer(0)? {
        call.put_text(to, b"node")?;
    }
    Ok(Value::Int(0))
}

/// What stands behind a `setjmp` is executed again: how often is unknown of all that its functions do.
fn longjmp(call: &mut Call) -> Flow<Value> {
    let program = call.machine.code.program.clone();
    for (id, function) in program.functions.iter() {
        let (first, end) = function.blocks;
        let again = |block| {
            let called = program.call(block).map(|call| &call.callee);
            matches!(called, Some(Callee::Library(name)) if returns_again(name))
        };
        if (first.0..end.0).map(BlockId).any(again) {
            let text = format!("`longjmp` may go back into `{}`, which is not followed", function.name);
            let (span, certainty) = (call.call.span, Certainty::Unknown);
            let help = Some("count it in a run: `chronos trace`, and its folder as --trace".into());
            call.machine.shared.doubts.add(Doubt { span, certainty, text: text.into(), help }, Subject::Function(id));
        }
    }
    let help = "restructure the program without longjmp, or use --trace of a real run";
    Err(call.machine.error(&codes::UNSUPPORTED, "`longjmp` is not followed", help))
}

fn assumption(call: &mut Call) -> Flow<Value> {
    let value = call.arg(0);
    call.machine.take_annotation(call.call.block, value)
}
