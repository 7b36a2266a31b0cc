//! `--trace-out`: timelines and schedules for other tools.

use super::args::{TraceKind, TraceOut};
use super::exit::Exit;
use super::output::Terminal;
use chronos_activity::schedule::Schedule;
use chronos_base::diag::Diagnostic;
use chronos_base::span::SourceFiles;
use chronos_tool_formats::{Timeline, chrome, goal, paraver};
use std::path::Path;

/// What was replayed in the forms that other tools take, made where one is to be written.
pub struct Activities<'a> {
    pub schedule: &'a dyn Fn() -> Result<Schedule, Diagnostic>,
    /// As a time-independent trace.
    pub trace: &'a dyn Fn() -> Result<String, Diagnostic>,
}

/// Writes all that were asked for; how that ended.
pub fn write(all: &[TraceOut], timeline: &Timeline<'_>, activities: &Activities<'_>, terminal: &Terminal) -> Exit {
    all.iter().map(|out| write_one(out, timeline, activities, terminal)).max().unwrap_or(Exit::Done)
}

/// The trace, and beside it the list of files that SimGrid asks for.
fn write_trace(trace: &str, path: &Path, terminal: &Terminal) -> Exit {
    let mut list = path.as_os_str().to_owned();
    list.push(".list");
    let names = format!("{}\n", path.display());
    terminal.write(trace, Some(path)).max(terminal.write(&names, Some(Path::new(&list))))
}

fn write_one(out: &TraceOut, timeline: &Timeline<'_>, activities: &Activities<'_>, terminal: &Terminal) -> Exit {
    match out.kind {
        TraceKind::Chrome => terminal.write(&chrome::render(timeline), Some(&out.path)),
        TraceKind::Goal => match (activities.schedule)() {
            Ok(schedule) => terminal.write(&goal::render(&schedule), Some(&out.path)),
            Err(error) => terminal.report(&[error], &SourceFiles::default()).max(Exit::Incomplete),
        },
        TraceKind::Ti => match (activities.trace)() {
            Ok(trace) => write_trace(&trace, &out.path, terminal),
            Err(error) => terminal.report(&[error], &SourceFiles::default()).max(Exit::Incomplete),
        },
        TraceKind::Paraver => {
            let trace = paraver::render(timeline);
            let beside = |extension: &str| out.path.with_extension(extension);
            let texts = [(&trace.prv, beside("prv")), (&trace.pcf, beside("pcf")), (&trace.row, beside("row"))];
            texts.iter().map(|(text, path)| terminal.write(text, Some(path))).max().unwrap_or(Exit::Done)
        }
    }
}

/// Whether all of them can be written, as far as that can be told before there is something to write.
pub fn writable(all: &[TraceOut], terminal: &Terminal) -> Result<(), Diagnostic> {
    all.iter().try_for_each(|out| terminal.writable(Some(Path::new(&out.path))))
}
