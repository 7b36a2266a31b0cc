//! The executable as a compilation database, which the front end reads.

use crate::executables::Executable;
use crate::steps;
use serde::Serialize;
use std::path::Path;

#[derive(Serialize)]
struct Entry<'a> {
    directory: &'a Path,
    file: &'a Path,
    arguments: Vec<&'a str>,
}

/// The text of its `compile_commands.json`.
pub fn text(executable: &Executable) -> String {
    let entries: Vec<Entry<'_>> = executable
        .units
        .iter()
        .map(|unit| Entry {
            directory: &unit.call.directory,
            file: &unit.source,
            arguments: std::iter::once(unit.call.program.as_str()).chain(steps::flags(&unit.call.arguments)).collect(),
        })
        .collect();
    serde_json::to_string_pretty(&entries).unwrap_or_default()
}
