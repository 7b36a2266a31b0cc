//! stdio.h: input from what the user gave, output that goes nowhere and costs time.

use super::{Call, Model, format, scan};
use crate::codes;
use crate::execute::machine::Flow;
use crate::state::changed_files::FileChange;
use crate::state::streams::OpenStream;
use chronos_base::diag::Diagnostic;
use chronos_ir::ScalarType;
use chronos_values::Origin;
use chronos_values::storage::Fill;
use chronos_values::{ObjectId, Pointer, ReasonKind, Value};
use std::sync::Arc;

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
    let types = call.text(at)?.map_or(Vec::new(), |format| format::argument_types(&format, call.model()));
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

/// The files that the first arguments name are no longer what the user gave.
fn change_files(call: &mut Call, names: usize) -> Flow<Value> {
    for index in 0..names {
        note_change(call, index, FileChange::Gone)?;
    }
    call.approximate("a change of the file system is taken to succeed".to_owned(), "");
    Ok(Value::Int(0))
}

/// Which argument of a function without a model names a file that it may write.
fn changed_by(function: &str) -> Option<usize> {
    match function {
        "open" | "open64" | "creat" | "creat64" | "truncate" | "truncate64" => Some(0),
        "openat" | "openat64" | "link" | "symlink" => Some(1),
        _ => None,
    }
}

/// Notes that a function that is not followed may have written a file.
pub fn note_changes(call: &mut Call, function: &str) -> Flow<()> {
    lose_streams(call, function);
    match changed_by(function) {
        Some(index) if call.arg(index).is_unknown() => Ok(()),
        Some(index) => note_change(call, index, FileChange::Gone),
        None => Ok(()),
    }
}

/// Functions on descriptors: behind them nobody knows where a stream reads on.
fn moves_descriptors(function: &str) -> bool {
    matches!(
        function,
        "read"
            | "pread"
            | "readv"
            | "lseek"
            | "lseek64"
            | "dup"
            | "dup2"
            | "dup3"
            | "close"
            | "fdopen"
            | "ftruncate"
            | "ftruncate64"
            | "mmap"
    )
}

/// A function that is not followed may read from the streams that it is given.
fn lose_streams(call: &mut Call, function: &str) {
    let given: Vec<ObjectId> =
        call.args.iter().filter_map(|arg| if let Value::Pointer(to) = arg { Some(to.object) } else { None }).collect();
    let all = moves_descriptors(function);
    if all {
        call.machine.shared.changed_files.disturbed.get_or_insert_with(|| format!("`{function}`").into());
    }
    let by = format!("`{function}`");
    let task = &mut *call.machine.task;
    if all {
        // What was not read yet is a stream too.
        task.streams.standard(&mut task.memory, 0);
    }
    let lost = task.streams.files.iter_mut().filter(|(object, stream)| stream.reads && (all || given.contains(object)));
    let mut count = 0;
    lost.for_each(|(_, stream)| {
        stream.lose(&by);
        count += 1;
    });
    task.epoch += count;
}

/// The descriptors of the standard streams are fixed.
fn fileno(call: &mut Call) -> Flow<Value> {
    let Some(pointer) = call.pointer(0)? else { return Ok(call.arg(0)) };
    let standard = call.machine.task.streams.standard;
    match standard.iter().position(|object| *object == Some(pointer.object)) {
        Some(number) => Ok(Value::Int(number as i64)),
        None => Ok(call.undefined("the number of a file descriptor")),
    }
}

/// Notes what becomes of the file that an argument names: what is read from it later is unknown.
pub(crate) fn note_change(call: &mut Call, index: usize, change: FileChange) -> Flow<()> {
    if let Value::Pointer(_) = call.arg(index)
        && let Some(name) = call.text(index)?
    {
        let name = String::from_utf8_lossy(&name).into_owned();
        call.machine.shared.changed_files.note(&name, change);
        call.machine.task.epoch += 1;
    }
    Ok(())
}

fn fopen(call: &mut Call) -> Flow<Value> {
    let (Some(name), Some(mode)) = (call.text(0)?, call.text(1)?) else { return Ok(call.reason_at(0)) };
    let name = String::from_utf8_lossy(&name).into_owned();
    let writes = mode.first() != Some(&b'r') || mode.contains(&b'+');
    let change = call.machine.shared.changed_files.of(&name);
    let given = call.machine.shared.options.inputs.file(&name);
    let content = given.filter(|_| change.is_none() && !writes);
    let is_there = content.is_some() || change == Some(FileChange::Written);
    if writes {
        note_change(call, 0, FileChange::Written)?;
    }
    if !is_there && mode.first() == Some(&b'r') {
        let file = format!("the file `{name}`");
        not_given(call, &file, &format!("give it with --input-file {name}"));
        return Ok(unknown_for(call, ReasonKind::Existence(file.into())));
    }
    let object = call.machine.task.memory.allocate(216, Origin::Allocation(call.call.block), Fill::Zero);
    let reads = mode.first() == Some(&b'r') || mode.contains(&b'+');
    if content.is_some()
        && let Some(by) = call.machine.shared.changed_files.disturbed.clone()
    {
        let text = format!("the file `{name}` is taken to be as it was given, although {by} may have changed it");
        call.approximate(text, "");
    }
    let text = if change.is_some() { ", which the program changes" } else { "" };
    let path = Some(name.as_str().into());
    let name = format!("the file `{name}`{text}").into();
    let stream = OpenStream { name, path, content, at: 0, reads, writes, ended: false };
    call.machine.task.streams.files.push((object, stream));
    call.machine.task.epoch += 1;
    Ok(Value::Pointer(Pointer { object, offset: 0 }))
}

/// The stream of argument 2 leads to another file from now on.
fn freopen(call: &mut Call) -> Flow<Value> {
    let stream = call.arg(2);
    let opened = match call.arg(0) {
        Value::Pointer(_) => fopen(call)?,
        _ => call.undefined("a stream in another mode"),
    };
    let Value::Pointer(to) = stream else { return Ok(stream) };
    let files = &mut call.machine.task.streams.files;
    let found = match opened {
        Value::Pointer(opened) => {
            files.iter().position(|(object, _)| *object == opened.object).map(|at| files.remove(at))
        }
        _ => None,
    };
    if let Some((_, replaced)) = files.iter_mut().find(|(object, _)| *object == to.object) {
        match found {
            Some((_, new)) => *replaced = new,
            None => {
                *replaced = OpenStream {
                    name: "a file".into(),
                    path: None,
                    content: None,
                    at: 0,
                    reads: true,
                    writes: true,
                    ended: false,
                }
            }
        }
    }
    Ok(if opened.is_unknown() { opened } else { stream })
}

fn unknown_for(call: &mut Call, kind: ReasonKind) -> Value {
    Value::Unknown(call.machine.shared.reason(kind, Some(call.call.span), None))
}

fn fclose(call: &mut Call) -> Flow<Value> {
    if let Some(pointer) = call.pointer(0)? {
        call.machine.task.streams.files.retain(|(object, _)| *object != pointer.object);
        call.machine.task.epoch += 1;
    }
    Ok(Value::Int(0))
}

fn not_given(call: &mut Call, name: &str, help: &str) {
    let diagnostic =
        Diagnostic::warning(&codes::UNKNOWN_INPUT, format!("the program reads {name}, which was not given"))
            .label(call.call.span, "read here")
            .help(help.to_owned());
    call.machine.shared.reports.add(call.machine.task.id, diagnostic);
}

/// A stream, its content and the position in it.
type Opened = (ObjectId, Arc<[u8]>, usize);

/// The stream of an argument, or standard input, with what is left in it; `Err` with the unknown value
/// that reading gives.
fn open(call: &mut Call, index: Option<usize>) -> Flow<Result<Opened, Value>> {
    let value = match index {
        Some(index) => call.pointer(index)?.map_or_else(|| call.arg(index), Value::Pointer),
        None => {
            let task = &mut *call.machine.task;
            task.streams.standard(&mut task.memory, 0)
        }
    };
    let Value::Pointer(pointer) = value else { return Ok(Err(content_of(call, value))) };
    let given = call.machine.shared.options.inputs.stdin.clone();
    call.machine.task.epoch += 1;
    let Some(stream) = call.machine.task.streams.get(pointer.object) else {
        return Ok(Err(call.undefined("a closed stream")));
    };
    if stream.content.is_none() && &*stream.name == "standard input" {
        stream.content = given;
    }
    let is_changed = |path: &Arc<str>| call.machine.shared.changed_files.of(path).is_some();
    if stream.content.is_some() && stream.path.as_ref().is_some_and(is_changed) {
        stream.lose("the program");
    }
    match (stream.content.clone(), stream.name.clone()) {
        (Some(content), _) => Ok(Ok((pointer.object, content, stream.at))),
        (None, name) => {
            if &*name == "standard input" {
                not_given(call, &name, "give it with --stdin FILE");
            }
            Ok(Err(unknown_for(call, ReasonKind::Input(name))))
        }
    }
}

/// What a stream that is not known brings: of a file that may not exist, input that was not given.
fn content_of(call: &mut Call, stream: Value) -> Value {
    let kind = stream.reason().map(|reason| call.machine.shared.reasons.get(reason).kind.clone());
    match kind {
        Some(ReasonKind::Existence(name)) => unknown_for(call, ReasonKind::Input(name)),
        _ => stream,
    }
}

fn advance(call: &mut Call, object: ObjectId, by: usize, ended: bool) {
    call.volume(by as u64);
    if let Some(stream) = call.machine.task.streams.get(object) {
        stream.at += by;
        stream.ended |= ended;
    }
}

fn feof(call: &mut Call) -> Flow<Value> {
    let Some(pointer) = call.pointer(0)? else {
        let stream = call.arg(0);
        return Ok(content_of(call, stream));
    };
    match call.machine.task.streams.get(pointer.object) {
        Some(stream) if stream.content.is_some() => Ok(Value::Int(i64::from(stream.ended))),
        Some(stream) if stream.writes && !stream.reads => Ok(Value::Int(0)),
        Some(stream) => {
            let name = stream.name.clone();
            Ok(unknown_for(call, ReasonKind::Input(name)))
        }
        None => Ok(Value::Int(1)),
    }
}

fn rewind(call: &mut Call) -> Flow<Value> {
    if let Ok((object, ..)) = open(call, Some(0))? {
        go_to(call, object, 0);
    }
    Ok(Value::Int(0))
}

fn go_to(call: &mut Call, object: ObjectId, at: usize) {
    if let Some(stream) = call.machine.task.streams.get(object) {
        (stream.at, stream.ended) = (at, false);
    }
}

/// Whether anything is read from the stream of argument 0: what is only written is not followed.
fn is_only_written(call: &mut Call) -> Flow<bool> {
    let Some(pointer) = call.pointer(0)? else { return Ok(false) };
    Ok(call.machine.task.streams.get(pointer.object).is_some_and(|stream| stream.writes && !stream.reads))
}

fn ftell(call: &mut Call) -> Flow<Value> {
    if is_only_written(call)? {
        return Ok(call.undefined("a position in a file that is written"));
    }
    match open(call, Some(0))? {
        Ok((_, _, at)) => Ok(Value::Int(at as i64)),
        Err(unknown) => Ok(unknown),
    }
}

/// A position behind the end is one, too; before the begin there is none.
fn fseek(call: &mut Call) -> Flow<Value> {
    const ORIGINS: [i64; 3] = [0, 1, 2];
    if is_only_written(call)? {
        return Ok(Value::Int(0));
    }
    let (offset, origin) = (call.integer(1), call.integer(2));
    let (object, content, at) = match open(call, Some(0))? {
        Ok(opened) => opened,
        Err(unknown) => return Ok(unknown),
    };
    let (Some(offset), Some(origin)) = (offset, origin.filter(|origin| ORIGINS.contains(origin))) else {
        if let Some(stream) = call.machine.task.streams.get(object) {
            stream.lose("`fseek`");
        }
        return Ok(call.unknown());
    };
    let base = [0, at, content.len()][origin as usize];
    match usize::try_from((base as i64).saturating_add(offset)) {
        Ok(to) => {
            go_to(call, object, to);
            Ok(Value::Int(0))
        }
        Err(_) => Ok(Value::Int(-1)),
    }
}

/// The byte that was read last can be given back; any other one is not followed.
fn ungetc(call: &mut Call) -> Flow<Value> {
    let byte = call.integer(0);
    let (object, content, at) = match open(call, Some(1))? {
        Ok(opened) => opened,
        Err(unknown) => return Ok(unknown),
    };
    let last = at.checked_sub(1).and_then(|before| content.get(before));
    match (byte, last) {
        (Some(-1), _) => Ok(Value::Int(-1)),
        (Some(byte), Some(&last)) if byte as u8 == last => {
            go_to(call, object, at - 1);
            Ok(Value::Int(i64::from(last)))
        }
        _ => {
            if let Some(stream) = call.machine.task.streams.get(object) {
                stream.lose("`ungetc`");
            }
            Ok(call.arg(0))
        }
    }
}

fn fgets(call: &mut Call) -> Flow<Value> {
    let Some(to) = call.pointer(0)? else { return Ok(call.unknown()) };
    match (open(call, Some(2))?, call.integer(1)) {
        (Ok((object, content, at)), Some(room)) => {
            let rest = &content[at.min(content.len())..];
            let line = rest.iter().position(|&b| b == b'\n').map_or(rest.len(), |i| i + 1);
            let count = line.min((room.max(1) - 1) as usize);
            advance(call, object, count, count == rest.len() && line == count && rest.last() != Some(&b'\n'));
            if count == 0 {
                advance(call, object, 0, true);
                return Ok(Value::NULL);
            }
            call.put_text(to, &rest[..count])?;
            Ok(Value::Pointer(to))
        }
        (Ok(_), None) => Ok(call.unknown()),
        (Err(unknown), _) => {
            call.blur(to, unknown);
            Ok(unknown)
        }
    }
}

fn get_byte(call: &mut Call, index: Option<usize>) -> Flow<Value> {
    match open(call, index)? {
        Ok((object, content, at)) => {
            let byte = content.get(at).copied();
            advance(call, object, usize::from(byte.is_some()), byte.is_none());
            Ok(Value::Int(byte.map_or(-1, i64::from)))
        }
        Err(unknown) => Ok(unknown),
    }
}

fn getline(call: &mut Call) -> Flow<Value> {
    use chronos_ir::ScalarType;
    let (Some(line), Some(size)) = (call.pointer(0)?, call.pointer(1)?) else { return Ok(call.unknown()) };
    match open(call, Some(2))? {
        Ok((object, content, at)) => {
            let rest = &content[at.min(content.len())..];
            let count = rest.iter().position(|&b| b == b'\n').map_or(rest.len(), |i| i + 1);
            advance(call, object, count, count == 0);
            if count == 0 {
                return Ok(Value::Int(-1));
            }
            let text = call.new_text(&rest[..count]);
            call.machine.store_at(line, ScalarType::Pointer, text, "memory")?;
            let word = call.model().unsigned_long();
            call.machine.store_at(size, word, Value::Int(count as i64 + 1), "memory")?;
            Ok(Value::Int(count as i64))
        }
        Err(unknown) => {
            call.machine.store_at(line, ScalarType::Pointer, unknown, "memory")?;
            let word = call.model().unsigned_long();
            call.machine.store_at(size, word, unknown, "memory")?;
            Ok(unknown)
        }
    }
}

fn scan_stream(call: &mut Call, stream: Option<usize>, at: usize) -> Flow<Value> {
    let Some(format) = call.text(at)? else {
        let unknown = call.reason_at(at);
        lose_stream(call, stream)?;
        forget_targets(call, at + 1, &[], unknown);
        return Ok(unknown);
    };
    match open(call, stream)? {
        Ok((object, content, position)) => {
            let rest = content[position.min(content.len())..].to_vec();
            let done = scan::scan(call, &rest, &format, at + 1)?;
            advance(call, object, done.used, done.ended);
            Ok(Value::Int(if done.stored == 0 && done.ended { -1 } else { done.stored }))
        }
        Err(unknown) => {
            forget_targets(call, at + 1, &scan::targets(&format, call.model()), unknown);
            Ok(unknown)
        }
    }
}

/// How far a stream is read is not known.
fn lose_stream(call: &mut Call, stream: Option<usize>) -> Flow<()> {
    if let Ok((object, ..)) = open(call, stream)?
        && let Some(stream) = call.machine.task.streams.get(object)
    {
        stream.lose("a scan with an unknown format");
    }
    Ok(())
}

/// Values read from unknown input: as many bytes at each pointer as its conversion may write, and all behind it where that
/// is not known.
fn forget_targets(call: &mut Call, first: usize, targets: &[Option<u64>], unknown: Value) {
    for index in first..call.args.len() {
        let bytes = targets.get(index - first).copied().flatten().unwrap_or(u64::MAX);
        if let Value::Pointer(pointer) = call.arg(index) {
            let size = call.machine.task.memory.object(pointer.object).size;
            let left = size.saturating_sub(pointer.offset.max(0) as u64);
            call.machine.fill(pointer, left.min(bytes), Fill::Value(unknown));
        }
    }
}

fn sscanf(call: &mut Call) -> Flow<Value> {
    let (Some(text), Some(format)) = (call.text(0)?, call.text(1)?) else {
        let unknown = if call.text(0)?.is_none() { call.reason_at(0) } else { call.reason_at(1) };
        let targets = call.text(1)?.map_or(Vec::new(), |format| scan::targets(&format, call.model()));
        forget_targets(call, 2, &targets, unknown);
        return Ok(unknown);
    };
    call.volume(text.len() as u64);
    let done = scan::scan(call, &text, &format, 2)?;
    Ok(Value::Int(if done.stored == 0 && done.ended { -1 } else { done.stored }))
}

fn fread(call: &mut Call) -> Flow<Value> {
    let Some(to) = call.pointer(0)? else { return Ok(call.unknown()) };
    match (open(call, Some(3))?, call.integer(1), call.integer(2)) {
        (Ok((object, content, at)), Some(size), Some(count)) if size > 0 && count >= 0 => {
            let rest = &content[at.min(content.len())..];
            let items = (rest.len() / size as usize).min(count as usize);
            let bytes = items * size as usize;
            call.put_bytes(to, &rest[..bytes])?;
            advance(call, object, bytes, items < count as usize);
            Ok(Value::Int(items as i64))
        }
        (Ok(_), ..) => Ok(Value::Int(0)),
        (Err(unknown), ..) => {
            call.blur(to, unknown);
            Ok(unknown)
        }
    }
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
