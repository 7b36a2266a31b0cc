//! stdio.h: input from what the user gave, output that goes nowhere and costs time.

mod changes;
mod descriptors;
mod input;
mod metadata;
mod streams;

use super::{Call, Model, format, scan};
use crate::code::formats;
use crate::execute::machine::Flow;
use changes::change_files;
pub use changes::note_changes;
use chronos_ir::ScalarType;
use chronos_values::{Pointer, ReasonKind, Value};
use descriptors::{close, lseek, open_descriptor, pread, read, write};
use input::{fgets, fread, get_byte, getline, scan_stream, sscanf};
use metadata::{fstat, mmap, stat};
use streams::{access, fclose, feof, fileno, fopen, freopen, fseek, ftell, rewind, ungetc};

models! {
    pub fn lookup(name: &str) -> Option<Model> {
        "printf" => |c| print(c, 0),
        "fprintf" | "dprintf" => |c| print(c, 1),
        "vprintf" => |c| expanded(c, 0, |c| print(c, 0)),
        "vfprintf" | "vdprintf" => |c| expanded(c, 1, |c| print(c, 1)),
        "vsprintf" => |c| expanded(c, 1, |c| sprint(c, false)),
        "vsnprintf" => |c| expanded(c, 2, |c| sprint(c, true)),
        "vscanf" => |c| expanded_scan(c, 0, |c| scan_stream(c, None, 0)),
        "vfscanf" => |c| expanded_scan(c, 1, |c| scan_stream(c, Some(0), 1)),
        "vsscanf" => |c| expanded_scan(c, 1, sscanf),
        "sprintf" => |c| sprint(c, false),
        "snprintf" => |c| sprint(c, true),
        "puts" => |c| put_string(c, true),
        "fputs" => |c| put_string(c, false),
        "putchar" | "fputc" | "putc" => put_byte,
        "perror" => |_| Ok(Value::Int(0)),
        "fflush" | "setbuf" | "setvbuf" | "setlinebuf" => |_| Ok(Value::Int(0)),
        "fileno" => fileno,
        "ftell" => ftell,
        "fseek" => fseek,
        "ungetc" => ungetc,
        "remove" | "unlink" | "mkdir" => |c| change_files(c, 1),
        "rename" => |c| change_files(c, 2),
        "access" => access,
        "fopen" => fopen,
        "freopen" => freopen,
        "fclose" => fclose,
        "feof" => feof,
        "ferror" => |_| Ok(Value::Int(0)),
        "rewind" => rewind,
        "fgets" => fgets,
        "fgetc" | "getc" => |c| get_byte(c, Some(0)),
        "getchar" => |c| get_byte(c, None),
        "getline" => getline,
        "scanf" | "__isoc99_scanf" | "__isoc23_scanf" => |c| scan_stream(c, None, 0),
        "fscanf" | "__isoc99_fscanf" | "__isoc23_fscanf" => |c| scan_stream(c, Some(0), 1),
        "sscanf" | "__isoc99_sscanf" | "__isoc23_sscanf" => sscanf,
        "fread" => fread,
        "fwrite" => fwrite,
        "open" | "open64" => open_descriptor,
        "close" => close,
        "read" => read,
        "pread" | "pread64" => pread,
        "write" | "pwrite" | "pwrite64" => write,
        "lseek" | "lseek64" => lseek,
        "stat" | "stat64" | "lstat" | "lstat64" => stat,
        "fstat" | "fstat64" => fstat,
        "mmap" | "mmap64" => mmap,
        "munmap" => |_| Ok(Value::Int(0)),
    }
}

/// What is printed is formatted only where that is cheap; its length is what costs.
fn print(call: &mut Call, at: usize) -> Flow<Value> {
    let Some(format) = call.text(at)? else { return Ok(call.reason_at(at)) };
    match format::render(call, &format, at + 1)? {
        Ok(text) => {
            call.volume(text.len() as u64);
            Ok(Value::Int(text.len() as i64))
        }
        Err(unknown) => {
            call.volume(format.len() as u64);
            Ok(unknown)
        }
    }
}

fn list_unknown(call: &mut Call) -> Value {
    call.machine.unknown(ReasonKind::Unsupported("a list of variable arguments".into()))
}

/// The call with the arguments of its `va_list` in the place of it; the format is argument `at`.
fn expanded(call: &mut Call, at: usize, then: fn(&mut Call) -> Flow<Value>) -> Flow<Value> {
    let types = call.text(at)?.map_or(Vec::new(), |format| formats::argument_types(&format, call.model()));
    with_list(call, at, types, then)
}

/// The same for what reads: pointers alone.
fn expanded_scan(call: &mut Call, at: usize, then: fn(&mut Call) -> Flow<Value>) -> Flow<Value> {
    let Some(format) = call.text(at)? else {
        // Whatever the list leads to may be written.
        call.forget(at + 1);
        return Ok(list_unknown(call));
    };
    let types = vec![ScalarType::Pointer; scan::targets(&format, call.model()).len()];
    with_list(call, at, types, then)
}

fn with_list(call: &mut Call, at: usize, types: Vec<ScalarType>, then: fn(&mut Call) -> Flow<Value>) -> Flow<Value> {
    let mut args = call.args[..=at.min(call.args.len().saturating_sub(1))].to_vec();
    if !types.is_empty() {
        let unknown = list_unknown(call);
        let mut list = variable_arguments(call, at + 1);
        args.extend(types.into_iter().map(|ty| list.next(call, ty).unwrap_or(unknown)));
    }
    then(&mut Call { machine: &mut *call.machine, args: &args, call: call.call, dst: call.dst })
}

/// Where the arguments of a `va_list` stand: its second word points to the next one.
struct VariableArguments {
    at: Option<Pointer>,
    word: u64,
}

fn variable_arguments(call: &mut Call, list: usize) -> VariableArguments {
    let word = ScalarType::Pointer.size(call.model());
    let at = match call.arg(list) {
        Value::Pointer(list) => {
            read_at(call, Pointer { offset: list.offset + word as i64, ..list }, ScalarType::Pointer)
        }
        _ => None,
    };
    VariableArguments { at: at.and_then(|value| if let Value::Pointer(at) = value { Some(at) } else { None }), word }
}

impl VariableArguments {
    fn next(&mut self, call: &mut Call, ty: ScalarType) -> Option<Value> {
        let at = self.at?;
        let bytes = ty.size(call.machine.code.program.model).next_multiple_of(self.word);
        self.at = Some(Pointer { offset: at.offset + bytes as i64, ..at });
        read_at(call, at, ty)
    }
}

fn read_at(call: &mut Call, at: Pointer, ty: ScalarType) -> Option<Value> {
    let bytes = ty.size(call.machine.code.program.model);
    call.machine.task.memory.check(at, bytes).ok()?;
    call.machine.task.memory.read(at, ty)
}

fn sprint(call: &mut Call, limited: bool) -> Flow<Value> {
    let at = if limited { 2 } else { 1 };
    let (to, limit) = (call.arg(0), if limited { call.integer(1) } else { Some(i64::MAX) });
    let Some(format) = call.text(at)? else { return Ok(call.reason_at(at)) };
    let rendered = format::render(call, &format, at + 1)?;
    match (rendered, limit, to) {
        (Ok(text), Some(limit), Value::Pointer(to)) => {
            call.volume(text.len() as u64);
            let room = text.len().min((limit.max(1) - 1) as usize);
            if limit > 0 {
                call.put_text(to, &text[..room])?;
            }
            Ok(Value::Int(text.len() as i64))
        }
        (Ok(text), ..) => Ok(Value::Int(text.len() as i64)),
        (Err(unknown), _, Value::Pointer(to)) => {
            call.volume(format.len() as u64);
            call.blur(to, unknown);
            Ok(unknown)
        }
        (Err(unknown), ..) => Ok(unknown),
    }
}

/// What is written without an error: `puts` of glibc gives the bytes with the end of the line, `fputs` gives 1.
fn put_string(call: &mut Call, is_line: bool) -> Flow<Value> {
    let Some(text) = call.text(0)? else {
        return Ok(if is_line { call.reason_at(0) } else { Value::Int(1) });
    };
    call.volume(text.len() as u64);
    Ok(Value::Int(if is_line { text.len() as i64 + 1 } else { 1 }))
}

fn put_byte(call: &mut Call) -> Flow<Value> {
    call.volume(1);
    Ok(call.integer(0).map_or_else(|| call.arg(0), |byte| Value::Int(i64::from(byte as u8))))
}

fn fwrite(call: &mut Call) -> Flow<Value> {
    if let (Some(size), Some(count)) = (call.integer(1), call.integer(2)) {
        call.volume((size.max(0) as u64).saturating_mul(count.max(0) as u64));
        if size == 0 {
            return Ok(Value::Int(0));
        }
    }
    Ok(call.arg(2))
}
