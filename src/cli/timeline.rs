//! `--trace-out`: timelines and schedules for other tools.

use super::exit::Exit;
use super::output::Terminal;
use chronos_activity::schedule::Schedule;
use chronos_base::diag::Diagnostic;
use chronos_base::span::SourceFiles;
use chronos_tool_formats::{Timeline, chrome, goal, paraver};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// `KIND=FILE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceOut {
    pub kind: TraceKind,
    pub path: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceKind {
    Chrome,
    Paraver,
    Goal,
    Ti,
}

impl FromStr for TraceOut {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let expected =
            || "expected chrome=FILE, paraver=FILE, goal=FILE or ti=FILE, for instance chrome=run.json".to_owned();
        let (kind, path) = text.split_once('=').filter(|(_, path)| !path.is_empty()).ok_or_else(expected)?;
        let kind = match kind {
            "chrome" => TraceKind::Chrome,
            "paraver" => TraceKind::Paraver,
            "goal" => TraceKind::Goal,
            "ti" => TraceKind::Ti,
            _ => return Err(expected()),
        };
        Ok(Self { kind, path: path.into() })
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_and_a_file_are_wanted() {
        let parse = |text: &str| text.parse::<TraceOut>().map(|out| (out.kind, out.path));
        assert_eq!(parse("chrome=a.json"), Ok((TraceKind::Chrome, "a.json".into())));
        assert_eq!(parse("paraver=dir/a"), Ok((TraceKind::Paraver, "dir/a".into())));
        for wrong in ["chrome", "chrome=", "otf2=a"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
