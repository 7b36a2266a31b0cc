//! Files that the program makes, renames or removes: what was given of them is no longer what a reader gets.

use super::super::Call;
use crate::execute::machine::Flow;
use crate::state::changed_files::FileChange;
use chronos_functions::files::{changed_file, moves_descriptors};
use chronos_values::{ObjectId, Value};

/// The files that the first arguments name are no longer what the user gave.
pub(super) fn change_files(call: &mut Call, names: usize) -> Flow<Value> {
    for index in 0..names {
        note_change(call, index, FileChange::Gone)?;
    }
    call.approximate("a change of the file system is taken to succeed".to_owned(), "");
    Ok(Value::Int(0))
}

/// Notes that a function that is not followed may have written a file.
pub fn note_changes(call: &mut Call, function: &str) -> Flow<()> {
    lose_streams(call, function);
    match changed_file(function) {
        Some(index) if call.arg(index).is_unknown() => Ok(()),
        Some(index) => note_change(call, index, FileChange::Gone),
        None => Ok(()),
    }
}

/// A function that is not followed may read from the streams that it is given.
pub(super) fn lose_streams(call: &mut Call, function: &str) {
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
