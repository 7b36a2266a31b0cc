//! What a wrapper takes down, a line of JSON per call: it outlives the wrapper's process, and several may write at once.

use crate::names::Tool;
use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The file in the folder of a capture.
const FILE: &str = "calls.jsonl";

/// A compiler or archiver that ran and was successful.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Where it ran.
    pub directory: PathBuf,
    /// What ran: a name, or the path of a program.
    pub program: String,
    /// Its words, without the program; contents of response files in place of their names.
    pub arguments: Vec<String>,
    /// The bundled MPI stood in for one that is not installed.
    #[serde(default)]
    pub bundled_mpi: bool,
}

impl Call {
    /// Whether an MPI compiler was called.
    pub fn is_of_mpi(&self) -> bool {
        self.bundled_mpi || matches!(Tool::of_path(&self.program), Some(Tool::MpiC | Tool::MpiCxx))
    }
}

/// Adds a call to those of the capture in `folder`.
///
/// # Errors
/// The file cannot be written.
pub fn append(folder: &Path, call: &Call) -> io::Result<()> {
    let mut line = serde_json::to_string(call)?;
    line.push('\n');
    // One write at the end of the file: the system keeps those of other processes apart.
    OpenOptions::new().create(true).append(true).open(folder.join(FILE))?.write_all(line.as_bytes())
}

/// All calls, in the order in which they ended.
///
/// # Errors
/// The file cannot be read. No file is no call.
pub fn read(folder: &Path) -> io::Result<Vec<Call>> {
    let text = match std::fs::read_to_string(folder.join(FILE)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    text.lines().map(|line| serde_json::from_str(line).map_err(Into::into)).collect()
}
