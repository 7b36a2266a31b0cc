//! `chronos lsp`: counts and times of lines in an editor, by the language server protocol over standard input and output.
//!
//! A prediction is a process of its own (`chronos predict`), made when a file is opened or saved: whatever it runs into, the
//! server goes on. One runs at a time; what is saved meanwhile is predicted after it.

mod places;
mod prediction;
mod session;
mod wire;

use super::args::{Arguments, Command, FrontEndArgs, LspArgs};
use super::exit::Exit;
use super::output::Terminal;
use chronos_base::children;
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_base::span::SourceFiles;
use clap::Parser as _;
use prediction::Predicted;
use serde_json::Value;
use session::{Session, Step};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// What wakes the server.
enum Event {
    Message(Value),
    Predicted(Predicted),
    /// The editor has closed the pipe, or sends what is no message.
    Closed(Option<io::Error>),
}

pub fn run(options: &LspArgs, terminal: &Terminal) -> Exit {
    let names_program = match names_program(&options.words) {
        Ok(names_program) => names_program,
        Err(error) => {
            // Where nobody reads what is wrong, the exit code says it.
            let _ = error.print();
            return Exit::Usage;
        }
    };
    let (sender, receiver) = channel();
    let from_editor = sender.clone();
    // It waits for the editor until the process ends.
    thread::spawn(move || listen(&from_editor));
    let server = Server { options, names_program, sender, session: Session::default(), running: false, next: None };
    let ended = server.serve(&receiver);
    // A prediction that nobody waits for any more.
    children::end_all();
    ended.unwrap_or_else(|error| {
        let message = format!("the editor cannot be talked to: {}", system_cause(&error));
        let help = "`chronos lsp` is started by an editor; docs/ci.md shows how";
        terminal.report(&[Diagnostic::error(&super::codes::EDITOR, message).help(help)], &SourceFiles::default())
    })
}

/// Whether the words for `chronos predict` say what the program is; else it is the file that is open.
fn names_program(words: &[String]) -> Result<bool, clap::Error> {
    let command = ["chronos", "predict"].into_iter().map(str::to_owned).chain(words.iter().cloned());
    let names = |program: &FrontEndArgs| {
        !program.files.is_empty() || program.build.is_some() || program.compile_commands.is_some()
    };
    Ok(match Arguments::try_parse_from(command)?.command {
        Command::Predict(options) => names(&options.front_end),
        _ => false,
    })
}

fn listen(sender: &Sender<Event>) {
    let mut input = BufReader::new(io::stdin().lock());
    loop {
        let event = match wire::read(&mut input) {
            Ok(Some(message)) => Event::Message(message),
            Ok(None) => Event::Closed(None),
            Err(error) => Event::Closed(Some(error)),
        };
        let is_last = matches!(event, Event::Closed(_));
        if sender.send(event).is_err() || is_last {
            return;
        }
    }
}

struct Server<'a> {
    options: &'a LspArgs,
    names_program: bool,
    sender: Sender<Event>,
    session: Session,
    /// A prediction is being made.
    running: bool,
    /// The document to predict next.
    next: Option<PathBuf>,
}

impl Server<'_> {
    fn serve(mut self, receiver: &Receiver<Event>) -> io::Result<Exit> {
        while let Ok(event) = receiver.recv() {
            let steps = match event {
                Event::Message(message) => self.session.receive(&message),
                Event::Predicted(predicted) => {
                    self.running = false;
                    self.session.arrived(predicted)
                }
                Event::Closed(error) => return error.map_or(Ok(Exit::Done), Err),
            };
            for step in steps {
                match step {
                    Step::Send(message) => wire::write(&mut io::stdout().lock(), &message)?,
                    Step::Predict(document) => self.next = Some(document),
                    Step::Exit(announced) => return Ok(if announced { Exit::Done } else { Exit::Incomplete }),
                }
            }
            self.predict_next();
        }
        Ok(Exit::Done)
    }

    fn predict_next(&mut self) {
        if self.running {
            return;
        }
        let Some(document) = self.next.take() else { return };
        self.running = true;
        let folder = self.session.folder().map(Path::to_owned);
        let folder = folder.or_else(|| document.parent().map(Path::to_owned)).unwrap_or_default();
        let mut command = std::process::Command::new(std::env::current_exe().unwrap_or_default());
        command.args(["predict", "--format", "json", "--message-format", "json", "--timeline", "0"]);
        if !self.names_program {
            command.arg(&document);
        }
        command.args(&self.options.words).current_dir(&folder);
        let sender = self.sender.clone();
        thread::spawn(move || {
            // The server may have ended meanwhile.
            let _ = sender.send(Event::Predicted(predicted(&mut command, &folder, &document)));
        });
    }
}

fn predicted(command: &mut std::process::Command, folder: &Path, document: &Path) -> Predicted {
    match children::output(command) {
        Ok(output) => {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            prediction::of(&text(&output.stdout), &text(&output.stderr), folder, document)
        }
        Err(error) => {
            let summary = format!("the prediction cannot be started: {}", system_cause(&error));
            Predicted { summary, ..Predicted::default() }
        }
    }
}
