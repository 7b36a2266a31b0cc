//! Streams of files: opening, closing, positions, and what the program has lost track of.

use super::super::Call;
use super::changes::note_change;
use crate::codes;
use crate::execute::machine::Flow;
use crate::library::placeholders::{self, Wanted};
use crate::state::changed_files::FileChange;
use crate::state::files_at_hand;
use crate::state::streams::OpenStream;
use crate::state::templates::{InputTemplates, Reading, STANDARD_INPUT};
use chronos_base::diag::Diagnostic;
use chronos_values::Origin;
use chronos_values::storage::Fill;
use chronos_values::{ObjectId, Pointer, ReasonKind, Value};
use std::sync::Arc;

/// What helps where nobody knows how the input looks.
const MADE: &str = "; `chronos check --make-input FOLDER` writes one with placeholders";

pub(super) fn fopen(call: &mut Call) -> Flow<Value> {
    let (Some(name), Some(mode)) = (call.text(0)?, call.text(1)?) else { return Ok(call.reason_at(0)) };
    let must_exist = mode.first() == Some(&b'r');
    let updates = mode.contains(&b'+');
    let mode = OpenMode { reads: must_exist || updates, writes: !must_exist || updates, must_exist };
    let opened = open_file(call, &String::from_utf8_lossy(&name), mode)?;
    Ok(opened.map_or_else(|unknown| unknown, |object| Value::Pointer(Pointer { object, offset: 0 })))
}

/// How a file is opened.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenMode {
    pub reads: bool,
    pub writes: bool,
    /// It is not made where there is none.
    pub must_exist: bool,
}

/// Opens the file whose name is argument 0; `Err` with the unknown value where nobody knows whether there is one.
pub(super) fn open_file(call: &mut Call, name: &str, mode: OpenMode) -> Flow<Result<ObjectId, Value>> {
    let OpenMode { reads, writes, must_exist } = mode;
    let change = call.machine.shared.changed_files.of(name);
    let given = files_at_hand::given_or_at_hand(call.machine.shared, call.machine.task.id, name, call.call.span);
    let content = given.filter(|_| change.is_none() && !writes);
    let is_there = content.is_some() || change == Some(FileChange::Written);
    let template = templates(call).filter(|_| !is_there && !writes);
    let begun = template.as_ref().map(|templates| templates.begun(name));
    let (content, is_there) = (content.or(begun), is_there || template.is_some());
    if writes {
        note_change(call, 0, FileChange::Written)?;
    }
    if !is_there && must_exist {
        return Ok(Err(may_exist(call, name)));
    }
    if !must_exist && lies_in_a_folder(name) {
        let text = format!("the folder of the file `{name}` is taken to exist, so that it can be written");
        call.approximate(text, "");
    }
    let object = call.machine.task.memory.allocate(216, Origin::Allocation(call.call.block), Fill::Zero);
    if content.is_some()
        && template.is_none()
        && let Some(by) = call.machine.shared.changed_files.disturbed.clone()
    {
        let text = format!("the file `{name}` is taken to be as it was given, although {by} may have changed it");
        call.approximate(text, "");
    }
    let text = if change.is_some() { ", which the program changes" } else { "" };
    let path: Option<Arc<str>> = Some(name.into());
    let template = template.and(path.clone());
    let name = format!("the file `{name}`{text}").into();
    let stream = OpenStream { name, path, content, template, at: 0, reads, writes, ended: false };
    call.machine.task.streams.files.push((object, stream));
    call.machine.task.epoch += 1;
    Ok(Ok(object))
}

/// Whether a name leads into a folder that a run may not have: the one that it starts in is there, and so are those of devices.
fn lies_in_a_folder(name: &str) -> bool {
    let name = name.strip_prefix("./").unwrap_or(name);
    name.contains('/') && !name.starts_with("/dev/") && !name.starts_with("/tmp/")
}

/// What is in a file that was given, or lies where the program starts, and that the program does not change.
pub(super) fn content_given(call: &mut Call, name: &str) -> Option<Arc<[u8]>> {
    let shared = &mut *call.machine.shared;
    let given = files_at_hand::given_or_at_hand(shared, call.machine.task.id, name, call.call.span);
    given.filter(|_| call.machine.shared.changed_files.of(name).is_none())
}

/// Whether there is a file, and it may be used.
pub(super) fn access(call: &mut Call) -> Flow<Value> {
    let Some(name) = call.text(0)? else { return Ok(call.reason_at(0)) };
    let name = String::from_utf8_lossy(&name).into_owned();
    let is_given = content_given(call, &name).is_some();
    match call.machine.shared.changed_files.of(&name) {
        Some(FileChange::Written) => Ok(Value::Int(0)),
        Some(FileChange::Gone) => Ok(call.undefined("whether a file is there that the program removed or renamed")),
        None if is_given => Ok(Value::Int(0)),
        None => match templates(call) {
            Some(templates) => {
                templates.begun(&name);
                Ok(Value::Int(0))
            }
            None => Ok(may_exist(call, &name)),
        },
    }
}

/// The unknown value that depends on whether a file is there that was not given.
fn may_exist(call: &mut Call, name: &str) -> Value {
    let file = format!("the file `{name}`");
    not_given(call, &file, &format!("give it with --input-file {name}{MADE}"));
    unknown_for(call, ReasonKind::Existence(file.into()))
}

/// The stream of argument 2 leads to another file from now on.
pub(super) fn freopen(call: &mut Call) -> Flow<Value> {
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
                    template: None,
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

pub(super) fn unknown_for(call: &mut Call, kind: ReasonKind) -> Value {
    Value::Unknown(call.machine.shared.reason(kind, Some(call.call.span), None))
}

pub(super) fn fclose(call: &mut Call) -> Flow<Value> {
    if let Some(pointer) = call.pointer(0)? {
        call.machine.task.streams.files.retain(|(object, _)| *object != pointer.object);
        call.machine.task.epoch += 1;
    }
    Ok(Value::Int(0))
}

pub(super) fn not_given(call: &mut Call, name: &str, help: &str) {
    let diagnostic =
        Diagnostic::warning(&codes::UNKNOWN_INPUT, format!("the program reads {name}, which was not given"))
            .label(call.call.span, "read here")
            .help(help.to_owned());
    call.machine.shared.reports.add(call.machine.task.id, diagnostic);
}

/// A stream, its content and the position in it.
pub(super) type Opened = (ObjectId, Arc<[u8]>, usize);

/// The stream of an argument, or standard input, with what is left in it; `Err` with the unknown value
/// that reading gives.
pub(super) fn open(call: &mut Call, index: Option<usize>) -> Flow<Result<Opened, Value>> {
    let value = match index {
        Some(index) => call.pointer(index)?.map_or_else(|| call.arg(index), Value::Pointer),
        None => {
            let task = &mut *call.machine.task;
            task.streams.standard(&mut task.memory, 0)
        }
    };
    opened(call, value)
}

/// The stream that a value leads to.
pub(super) fn opened(call: &mut Call, stream: Value) -> Flow<Result<Opened, Value>> {
    let Value::Pointer(pointer) = stream else { return Ok(Err(content_of(call, stream))) };
    let given = call.machine.shared.options.inputs.stdin.clone();
    let templates = templates(call);
    call.machine.task.epoch += 1;
    let Some(stream) = call.machine.task.streams.get(pointer.object) else {
        return Ok(Err(call.undefined("a closed stream")));
    };
    if stream.content.is_none() && &*stream.name == "standard input" {
        stream.content = given;
        if let (None, Some(templates)) = (&stream.content, templates) {
            (stream.content, stream.template) = (Some(templates.begun(STANDARD_INPUT)), Some(STANDARD_INPUT.into()));
        }
    }
    let is_changed = |path: &Arc<str>| call.machine.shared.changed_files.of(path).is_some();
    if stream.content.is_some() && stream.path.as_ref().is_some_and(is_changed) {
        stream.lose("the program");
    }
    match (stream.content.clone(), stream.name.clone()) {
        (Some(content), _) => Ok(Ok((pointer.object, content, stream.at))),
        (None, name) => {
            if &*name == "standard input" {
                not_given(call, &name, &format!("give it with --stdin FILE{MADE}"));
            }
            Ok(Err(unknown_for(call, ReasonKind::Input(name))))
        }
    }
}

fn templates(call: &Call) -> Option<InputTemplates> {
    call.machine.shared.options.inputs.templates.clone()
}

/// As `open`; where text is made for input that was not given, there is some.
pub(super) fn open_for(call: &mut Call, index: Option<usize>, wanted: Wanted<'_>) -> Flow<Result<Opened, Value>> {
    let opened = open(call, index)?;
    let Ok((object, _, at)) = opened else { return Ok(opened) };
    let templates = templates(call);
    let skips_blanks = matches!(wanted, Wanted::Format(_));
    let reading = Reading { place: call.call.span, skips_blanks, is_checked: call.call.dst.is_some() };
    let stream = call.machine.task.streams.get(object);
    let (Some(templates), Some(stream)) = (templates, stream) else { return Ok(opened) };
    let Some(name) = stream.template.clone() else { return Ok(opened) };
    let content = templates.extended(&name, at, reading, |before| placeholders::of(wanted, before));
    stream.content = Some(content.clone());
    Ok(Ok((object, content, at)))
}

/// What a stream that is not known brings: of a file that may not exist, input that was not given.
pub(super) fn content_of(call: &mut Call, stream: Value) -> Value {
    let kind = stream.reason().map(|reason| call.machine.shared.reasons.get(reason).kind.clone());
    match kind {
        Some(ReasonKind::Existence(name)) => unknown_for(call, ReasonKind::Input(name)),
        _ => stream,
    }
}

pub(super) fn advance(call: &mut Call, object: ObjectId, by: usize, ended: bool) {
    call.volume(by as u64);
    if by > 0 {
        call.machine.credit_reading();
    }
    if let Some(stream) = call.machine.task.streams.get(object) {
        stream.at += by;
        stream.ended |= ended;
    }
}

pub(super) fn feof(call: &mut Call) -> Flow<Value> {
    let Some(pointer) = call.pointer(0)? else {
        let stream = call.arg(0);
        return Ok(content_of(call, stream));
    };
    let templates = templates(call);
    match call.machine.task.streams.get(pointer.object) {
        Some(OpenStream { template: Some(name), ended, .. }) => {
            templates.inspect(|templates| templates.asked_for_end(name));
            Ok(Value::Int(i64::from(*ended)))
        }
        Some(stream) if stream.content.is_some() => Ok(Value::Int(i64::from(stream.ended))),
        Some(stream) if stream.writes && !stream.reads => Ok(Value::Int(0)),
        Some(stream) => {
            let name = stream.name.clone();
            Ok(unknown_for(call, ReasonKind::Input(name)))
        }
        None => Ok(Value::Int(1)),
    }
}

pub(super) fn rewind(call: &mut Call) -> Flow<Value> {
    if let Ok((object, ..)) = open(call, Some(0))? {
        go_to(call, object, 0);
    }
    Ok(Value::Int(0))
}

pub(super) fn go_to(call: &mut Call, object: ObjectId, at: usize) {
    if let Some(stream) = call.machine.task.streams.get(object) {
        (stream.at, stream.ended) = (at, false);
    }
}

/// Whether anything is read from the stream of argument 0: what is only written is not followed.
pub(super) fn is_only_written(call: &mut Call) -> Flow<bool> {
    let Some(pointer) = call.pointer(0)? else { return Ok(false) };
    Ok(call.machine.task.streams.get(pointer.object).is_some_and(|stream| stream.writes && !stream.reads))
}

pub(super) fn ftell(call: &mut Call) -> Flow<Value> {
    if is_only_written(call)? {
        return Ok(call.undefined("a position in a file that is written"));
    }
    match open(call, Some(0))? {
        Ok((_, _, at)) => Ok(Value::Int(at as i64)),
        Err(unknown) => Ok(unknown),
    }
}

/// A position behind the end is one, too; before the begin there is none.
pub(super) fn fseek(call: &mut Call) -> Flow<Value> {
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
pub(super) fn ungetc(call: &mut Call) -> Flow<Value> {
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

/// The descriptors of the standard streams are fixed.
pub(super) fn fileno(call: &mut Call) -> Flow<Value> {
    let Some(pointer) = call.pointer(0)? else { return Ok(call.arg(0)) };
    let standard = call.machine.task.streams.standard;
    match standard.iter().position(|object| *object == Some(pointer.object)) {
        Some(number) => Ok(Value::Int(number as i64)),
        None => Ok(call.undefined("the number of a file descriptor")),
    }
}

/// Nobody knows any more where an open file stands.
pub(super) fn lose_opened(call: &mut Call, object: ObjectId, by: &str) {
    if let Some(stream) = call.machine.task.streams.get(object) {
        stream.lose(by);
    }
}

/// How far a stream is read is not known.
pub(super) fn lose_stream(call: &mut Call, stream: Option<usize>) -> Flow<()> {
    if let Ok((object, ..)) = open(call, stream)?
        && let Some(stream) = call.machine.task.streams.get(object)
    {
        stream.lose("a scan with an unknown format");
    }
    Ok(())
}
