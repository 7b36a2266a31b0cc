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

    /// Diagnostics to standard error; the exit code that they ask for.
    pub fn report(&self, all: &[Diagnostic], files: &SourceFiles) -> Exit {
        let shown: Vec<Diagnostic> =
            all.iter().filter(|d| !self.quiet || d.severity == Severity::Error).cloned().collect();
        let text = match self.messages {
            MessageFormat::Human => diagnostics::render(&shown, files, true),
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
