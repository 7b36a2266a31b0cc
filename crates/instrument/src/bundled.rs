//! The MPI that is bundled: C text that makes P processes of a program. It is compiled beside the sources, with the
//! same compiler, so that a machine without any MPI can trace parallel programs.

use super::run;
use chronos_base::children;
use chronos_base::diag::Diagnostic;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The subfolder that it is written to; its `mpi.h` is there too.
pub const FOLDER: &str = "chronos-mpi";

/// In the environment of a program: how many tasks it is to become.
pub const TASKS: &str = "CHRONOS_MPI_TASKS";
/// How many of them, the last ones, others start.
pub const SPAWNED: &str = "CHRONOS_MPI_SPAWNED";
/// How many of them compute at the same time.
pub const TURNS: &str = "CHRONOS_MPI_TURNS";

macro_rules! embedded {
    ($($name:literal)*) => { [$(($name, include_str!(concat!("../runtime/mpi/", $name)))),*] };
}

const FILES: [(&str, &str); 38] = embedded! {
    "collectives.c" "collectives.h" "communicators.c" "constructors.c" "direct.h" "environment.c" "epochs.c" "errors.c" "exchanges.c"
    "extents.c" "file_data.c" "files.c" "files.h" "graphs.c" "groups.c" "info.c" "internal.h" "launch.c" "messages.c"
    "messages.h" "objects.c" "others.c" "point.c" "probes.c" "reducing.c" "reductions.c" "remote.c" "requests.c"
    "sockets.c" "sockets.h" "spawning.c" "topologies.c" "topologies.h" "transport.h" "turns.c" "types.c" "windows.c" "windows.h"
};

/// Names (with the folder) and texts.
pub fn files() -> impl Iterator<Item = (String, String)> {
    let header = ("mpi.h", include_str!("../runtime/mpi.h"));
    FILES.into_iter().chain([header]).map(|(name, text)| (format!("{FOLDER}/{name}"), text.to_owned()))
}

/// Compiles what [`files`] wrote below `folder`; the objects.
///
/// # Errors
/// What the compiler said, or why it could not be run.
pub fn compile(folder: &Path, compiler: &str) -> Result<Vec<PathBuf>, Box<Diagnostic>> {
    let place = folder.join(FOLDER);
    let sources: Vec<&str> = FILES.iter().map(|(name, _)| *name).filter(|name| name.ends_with(".c")).collect();
    let at_once = std::thread::available_parallelism().map_or(1, usize::from);
    let running: Vec<_> = sources
        .chunks(sources.len().div_ceil(at_once))
        .map(|chunk| {
            let mut command: Command = run::started(compiler)?;
            // Behind the user's flags, so that a language standard or a sanitiser of theirs is not meant for it.
            command.args(["-std=gnu11", "-O1", "-w", "-c", "-fno-sanitize=all", "-I."]).args(chunk);
            command.current_dir(&place).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
            children::start(&mut command).map_err(|error| run::no_compiler(compiler, &error))
        })
        .collect::<Result<_, _>>()?;
    for child in running {
        let output = child.output().map_err(|error| run::no_compiler(compiler, &error))?;
        if !output.status.success() {
            return Err(run::refused(compiler, "the bundled MPI", &String::from_utf8_lossy(&output.stderr)));
        }
    }
    Ok(sources.iter().map(|name| place.join(name).with_extension("o")).collect())
}
