//! `chronos lsp` with a scripted editor: what it sends, and what comes back.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

struct Editor {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    folder: tempfile::TempDir,
}

impl Editor {
    /// An editor whose folder has this `a.c`.
    fn new(text: &str, words: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a.c"), text).expect("written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_chronos"));
        command.arg("lsp").args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let (to, from) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        let mut editor = Self { child, to, from: BufReader::new(from), folder };
        let root = editor.address(".");
        let capabilities = json!({"workspace": {"inlayHint": {"refreshSupport": true}}});
        let answer = editor.ask("initialize", json!({"rootUri": root, "capabilities": capabilities}));
        assert_eq!(answer["capabilities"]["inlayHintProvider"], true);
        editor.tell("initialized", json!({}));
        editor
    }

    fn address(&self, name: &str) -> String {
        let folder = self.folder.path().canonicalize().expect("it is there");
        format!("file://{}", folder.join(name).components().as_path().display())
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("sent");
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
        self.until(|message| message["id"] == 1)["result"].clone()
    }

    fn message(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).expect("read") > 0, "the server has ended");
            match line.trim().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().expect("a number"),
                None if line.trim().is_empty() => break,
                None => {}
            }
        }
        let mut bytes = vec![0; length];
        self.from.read_exact(&mut bytes).expect("a message");
        serde_json::from_slice(&bytes).expect("JSON")
    }

    fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.message();
            if is_it(&message) {
                return message;
            }
        }
    }

    /// Opens or changes the file, saves it, and waits for the prediction.
    fn save(&mut self, text: &str, method: &str) -> Vec<Value> {
        std::fs::write(self.folder.path().join("a.c"), text).expect("written");
        let uri = self.address("a.c");
        self.tell(
            method,
            json!({"textDocument": {"uri": uri, "languageId": "c", "version": 1, "text": text}, "contentChanges": [{"text": text}]}),
        );
        if method != "textDocument/didOpen" {
            self.tell("textDocument/didSave", json!({"textDocument": {"uri": uri}}));
        }
        let mut all = Vec::new();
        while all.last().is_none_or(|last: &Value| last["method"] != "workspace/inlayHint/refresh") {
            let message = self.message();
            all.push(message);
        }
        all
    }

    /// Line from 1, and hint.
    fn hints(&mut self) -> Vec<(u64, String)> {
        let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 1000, "character": 0}});
        let uri = self.address("a.c");
        let hints = self.ask("textDocument/inlayHint", json!({"textDocument": {"uri": uri}, "range": range}));
        let hint = |hint: &Value| {
            let label = hint["label"].as_str().unwrap_or_default();
            (hint["position"]["line"].as_u64().unwrap_or(0) + 1, label.split(',').next().unwrap_or_default().to_owned())
        };
        hints.as_array().expect("a list").iter().map(hint).collect()
    }

    fn leave(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        self.tell("exit", Value::Null);
        assert_eq!(self.child.wait().expect("it ends").code(), Some(0));
    }
}

const PROGRAM: &str = "#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    double x = 0;
    for (int i = 0; i < 50; i++)
        x += i;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return x < 0;
}
";
const MACHINE: [&str; 5] = ["--", "-n", "2", "--machine", "epyc-zen5-gcc12-O2"];

/// The hint of a line, whose counts are those of both tasks.
fn hint_of(hints: &[(u64, String)], line: u64) -> &str {
    hints.iter().find(|(of, _)| *of == line).map_or("none", |(_, label)| label)
}

#[test]
fn lines_of_an_open_file_have_counts_and_times() {
    let mut editor = Editor::new(PROGRAM, &MACHINE);
    let messages = editor.save(PROGRAM, "textDocument/didOpen");
    let logged = messages.iter().find(|message| message["method"] == "window/logMessage").expect("a summary");
    assert!(
        logged["params"]["message"].as_str().is_some_and(|text| text.contains("2 tasks on epyc-zen5-gcc12-O2: ")),
        "{logged}"
    );
    let hints = editor.hints();
    assert_eq!((hint_of(&hints, 7), hint_of(&hints, 8)), ("100×", "2×"), "{hints:?}");
    // What is saved is predicted again.
    let longer = PROGRAM.replace("50", "70");
    editor.save(&longer, "textDocument/didChange");
    let hints = editor.hints();
    assert_eq!(hint_of(&hints, 7), "140×", "{hints:?}");
    editor.leave();
}

#[test]
fn lines_that_were_changed_and_not_saved_have_no_hints() {
    let mut editor = Editor::new(PROGRAM, &MACHINE);
    editor.save(PROGRAM, "textDocument/didOpen");
    let uri = editor.address("a.c");
    let changed = PROGRAM.replace("x += i;", "x += 2 * i;");
    editor.tell("textDocument/didChange", json!({"textDocument": {"uri": uri}, "contentChanges": [{"text": changed}]}));
    let hints = editor.hints();
    assert_eq!((hint_of(&hints, 7), hint_of(&hints, 8)), ("none", "2×"), "{hints:?}");
    editor.leave();
}

#[test]
fn what_is_wrong_is_marked_until_it_is_right() {
    let mut editor = Editor::new(PROGRAM, &MACHINE);
    let marks = |messages: &[Value]| -> Vec<(u64, String)> {
        let published = messages.iter().filter(|message| message["method"] == "textDocument/publishDiagnostics");
        let all =
            published.flat_map(|message| message["params"]["diagnostics"].as_array().cloned().unwrap_or_default());
        let errors = all.filter(|one| one["severity"] == 1);
        errors
            .map(|one| {
                (
                    one["range"]["start"]["line"].as_u64().unwrap_or(0) + 1,
                    one["code"].as_str().unwrap_or_default().to_owned(),
                )
            })
            .collect()
    };
    let wrong = PROGRAM.replace("MPI_Barrier(MPI_COMM_WORLD)", "MPI_Barrier(");
    let found = marks(&editor.save(&wrong, "textDocument/didOpen"));
    assert!(matches!(&found[..], [(8, _), ..]), "{found:?}");
    assert_eq!(marks(&editor.save(PROGRAM, "textDocument/didChange")), []);
    assert!(!editor.hints().is_empty());
    editor.leave();
}

#[test]
fn what_is_no_editor_is_told() {
    let told = |words: &[&str], input: &str| {
        let mut command = assert_cmd::Command::new(Path::new(env!("CARGO_BIN_EXE_chronos")));
        let output = command.arg("lsp").args(words).write_stdin(input).output().expect("it runs");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = told(&[], "hello\n\n");
    assert!(code == Some(2) && said.contains("error[C0970]"), "{said}");
    let (code, said) = told(&["--", "--no-such-option"], "");
    assert!(code == Some(2) && said.contains("--no-such-option"), "{said}");
    assert_eq!(told(&[], "").0, Some(0));
}
