//! Writing: standard output, standard error. Whole files are written by [`chronos_base::atomic_file`].

use super::args::{Arguments, Colour, MessageFormat};
use super::exit::Exit;

use anstream::{AutoStream, ColorChoice};
use chronos_base::atomic_file;
use chronos_base::diag::{Diagnostic, Severity};
use chronos_base::span::SourceFiles;
use chronos_pipeline::{DiagnosticSet, Refused, not_written};
use chronos_report::diagnostics;
use chronos_report::fold::fold;
use std::collections::BTreeMap;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// The terminal, as the flags want it.
#[derive(Clone, Copy)]
pub struct Terminal {
    colour: ColorChoice,
    quiet: bool,
    verbose: bool,
    width: Option<usize>,
    messages: MessageFormat,
}

impl Terminal {
    pub fn new(arguments: &Arguments) -> Self {
        let colour = match arguments.color {
            Colour::Auto => ColorChoice::Auto,
            Colour::Always => ColorChoice::Always,
            Colour::Never => ColorChoice::Never,
        };
        let width = arguments.width.map(usize::from);
        let (quiet, verbose, messages) = (arguments.quiet, arguments.verbose, arguments.message_format);
        Self { colour, quiet, verbose, width, messages }
    }

    /// To standard output. A reader that has gone away (`| head`) is no error.
    pub fn print(&self, text: &str) -> Exit {
        let mut out = AutoStream::new(std::io::stdout().lock(), self.colour);
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                self.report(&[not_written(Path::new("standard output"), &error)], &SourceFiles::default())
            }
            _ => Exit::Done,
        }
    }

    /// Prose to standard output, in the width of the terminal.
    pub fn page(&self, text: &str) -> Exit {
        self.print(&fold(text, self.width()))
    }

    /// To the file, replaced whole, or to standard output.
    pub fn write(&self, text: &str, file: Option<&Path>) -> Exit {
        match file {
            None => self.print(text),
            Some(path) if atomic_file::is_standard_output(path) => self.print(text),
            Some(path) => match atomic_file::replace(path, text) {
                Ok(()) => Exit::Done,
                Err(error) => self.report(&[not_written(path, &error)], &SourceFiles::default()),
            },
        }
    }

    /// Writes a file that is no text; `-` is the standard output.
    pub fn write_bytes(&self, bytes: &[u8], path: &Path) -> Exit {
        let written = match atomic_file::is_standard_output(path) {
            true => std::io::stdout().lock().write_all(bytes),
            false => atomic_file::replace(path, bytes),
        };
        match written {
            Ok(()) => Exit::Done,
            Err(error) => self.report(&[not_written(path, &error)], &SourceFiles::default()),
        }
    }

    /// Diagnostics to standard error; the exit code that they ask for.
    pub fn report(&self, all: &[Diagnostic], files: &SourceFiles) -> Exit {
        let shown: Vec<Diagnostic> =
            all.iter().filter(|d| !self.quiet || d.severity == Severity::Error).cloned().collect();
        let text = match self.messages {
            MessageFormat::Human if self.verbose => diagnostics::render(&shown, files, true),
            MessageFormat::Human => diagnostics::render(&abridged(shown, files), files, true),
            MessageFormat::Short => shown.iter().map(|d| diagnostics::short(d, files)).collect(),
            MessageFormat::Json => shown.iter().map(|d| diagnostics::json_line(d, files)).collect(),
        };
        let mut err = AutoStream::new(std::io::stderr().lock(), self.colour);
        let _ = err.write_all(text.as_bytes());
        if all.iter().any(Diagnostic::is_error) { Exit::Usage } else { Exit::Done }
    }

    /// Why nothing was begun.
    pub fn refuse(&self, refused: &Refused) -> Exit {
        self.report(&refused.diagnostics, &refused.files).max(Exit::Usage)
    }

    /// Diagnostics of several programs.
    pub fn report_all(&self, diagnostics: &DiagnosticSet) {
        for (diagnostics, files) in diagnostics.by_files() {
            self.report(&diagnostics, files);
        }
    }

    /// What only those who ask for it want to know.
    pub fn tell(&self, text: impl FnOnce() -> String) {
        if self.verbose {
            let mut err = AutoStream::new(std::io::stderr().lock(), self.colour);
            let _ = err.write_all((text() + "\n").as_bytes());
        }
    }

    /// Whether the file can be written, as far as that can be told before there is something to write.
    #[expect(clippy::unused_self, reason = "whatever is written is asked of the terminal")]
    pub fn writable(&self, file: Option<&Path>) -> Result<(), Diagnostic> {
        let Some(path) = file else { return Ok(()) };
        atomic_file::probe(path).map_err(|error| not_written(path, &error))
    }

    /// Columns that were asked for, or of the terminal that standard output goes to; `None` where it goes elsewhere.
    pub fn width(&self) -> Option<usize> {
        self.width.or_else(Self::columns)
    }

    fn columns() -> Option<usize> {
        terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0))
    }

    /// Whether progress may be drawn.
    pub fn shows_progress(&self) -> bool {
        use std::io::IsTerminal as _;
        !self.quiet && std::io::stderr().is_terminal()
    }
}

/// Of more warnings of one kind than this, the first ones are shown in full: what follows from one cause can be hundreds.
const MANY: usize = 8;
/// So many are shown in full where there are many.
const IN_FULL: usize = 4;

/// Errors, and the first diagnostics of each other kind in full; places alone of the others.
fn abridged(all: Vec<Diagnostic>, files: &SourceFiles) -> Vec<Diagnostic> {
    let mut numbers: BTreeMap<(&str, Severity), usize> = BTreeMap::new();
    all.iter().for_each(|one| *numbers.entry((one.code.id, one.severity)).or_default() += 1);
    let mut seen: BTreeMap<(&str, Severity), usize> = BTreeMap::new();
    let mut shown: Vec<Diagnostic> = Vec::new();
    let mut others: BTreeMap<(&str, Severity), (usize, Vec<String>)> = BTreeMap::new();
    for one in all {
        let kind = (one.code.id, one.severity);
        let number = seen.entry(kind).or_default();
        *number += 1;
        if one.is_error() || numbers[&kind] <= MANY || *number <= IN_FULL {
            shown.push(one);
            continue;
        }
        let (at, places) = others.entry(kind).or_insert_with(|| {
            shown.push(Diagnostic::new(one.severity, one.code, ""));
            (shown.len() - 1, Vec::new())
        });
        places.extend(one.labels.first().map(|label| files.locate(label.span)));
        let places = if places.is_empty() { String::new() } else { format!(": {}", places.join(", ")) };
        shown[*at].message = format!("{} more like these{places}", *number - IN_FULL);
        shown[*at].help = Some("-v shows all of them in full, --message-format short in a line each".to_owned());
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_base::diag::Code;

    static CODE: Code = Code { id: "C0000", title: "", explanation: "" };

    #[test]
    fn of_many_warnings_of_a_kind_the_first_are_shown_in_full() {
        let check = |number: usize, make: fn(&'static Code, String) -> Diagnostic, expected: &[&str]| {
            let all = (0..number).map(|index| make(&CODE, index.to_string())).collect();
            let shown: Vec<String> =
                abridged(all, &SourceFiles::default()).into_iter().map(|one| one.message).collect();
            assert_eq!(shown, expected);
        };
        check(3, Diagnostic::warning, &["0", "1", "2"]);
        check(11, Diagnostic::warning, &["0", "1", "2", "3", "7 more like these"]);
        check(9, Diagnostic::error, &["0", "1", "2", "3", "4", "5", "6", "7", "8"]);
    }
}
