//! What the server answers: a state and messages, without input and output.

use super::places::{address_of, path_of};
use super::prediction::Predicted;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Codes of errors of the protocol.
const NO_JSON: i64 = -32700;
const OUT_OF_ORDER: i64 = -32600;
const UNKNOWN_METHOD: i64 = -32601;

/// What follows from a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// To the editor.
    Send(Value),
    /// A prediction is wanted, for this document.
    Predict(PathBuf),
    /// The editor has said farewell; whether it announced that.
    Exit(bool),
}

/// An editor and what it has open.
#[derive(Debug, Default)]
pub struct Session {
    folder: Option<PathBuf>,
    documents: BTreeMap<PathBuf, String>,
    predicted: Predicted,
    /// Files with messages in the editor.
    marked: BTreeSet<PathBuf>,
    can_refresh: bool,
    refreshed: u64,
    is_shut_down: bool,
}

impl Session {
    /// Where predictions are made.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// A message of the editor.
    pub fn receive(&mut self, message: &Value) -> Vec<Step> {
        let (id, params) = (message.get("id"), &message["params"]);
        match (message["method"].as_str(), id) {
            (Some("exit"), None) => vec![Step::Exit(self.is_shut_down)],
            (Some(method), None) => self.notified(method, params),
            (Some(_), Some(id)) if self.is_shut_down => vec![failed(id, OUT_OF_ORDER, "after shutdown")],
            (Some(method), Some(id)) => vec![self.asked(method, params, id)],
            (None, _) if message.is_null() => vec![failed(&Value::Null, NO_JSON, "no JSON")],
            // An answer of the editor.
            (None, _) => Vec::new(),
        }
    }

    fn asked(&mut self, method: &str, params: &Value, id: &Value) -> Step {
        let result = match method {
            "initialize" => self.initialized(params),
            "shutdown" => {
                self.is_shut_down = true;
                Value::Null
            }
            "textDocument/inlayHint" => self.hints(params),
            _ => return failed(id, UNKNOWN_METHOD, method),
        };
        Step::Send(json!({"jsonrpc": "2.0", "id": id, "result": result}))
    }

    fn initialized(&mut self, params: &Value) -> Value {
        let folder = params["workspaceFolders"][0]["uri"].as_str().or(params["rootUri"].as_str());
        self.folder = folder.and_then(path_of);
        self.can_refresh = params["capabilities"]["workspace"]["inlayHint"]["refreshSupport"] == true;
        // Texts come whole with each change (1), and are told when they are saved.
        let sync = json!({"openClose": true, "change": 1, "save": true});
        json!({
            "capabilities": {"textDocumentSync": sync, "inlayHintProvider": true},
            "serverInfo": {"name": "chronos", "version": env!("CARGO_PKG_VERSION")},
        })
    }

    fn notified(&mut self, method: &str, params: &Value) -> Vec<Step> {
        let Some(path) = params["textDocument"]["uri"].as_str().and_then(path_of) else { return Vec::new() };
        let keep = |documents: &mut BTreeMap<_, _>, text: &Value| {
            documents.insert(path.clone(), text.as_str().unwrap_or_default().to_owned());
        };
        match method {
            "textDocument/didOpen" => {
                keep(&mut self.documents, &params["textDocument"]["text"]);
                // What is open beside it may be of the same program.
                let is_known = self.predicted.hints.contains_key(&path);
                if is_known { Vec::new() } else { vec![Step::Predict(path)] }
            }
            "textDocument/didChange" => {
                let changes = params["contentChanges"].as_array().and_then(|changes| changes.last());
                changes.iter().for_each(|change| keep(&mut self.documents, &change["text"]));
                Vec::new()
            }
            "textDocument/didSave" => vec![Step::Predict(path)],
            "textDocument/didClose" => {
                self.documents.remove(&path);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// A prediction is there.
    pub fn arrived(&mut self, predicted: Predicted) -> Vec<Step> {
        let files: BTreeSet<PathBuf> = predicted.diagnostics.keys().cloned().collect();
        let mut steps: Vec<Step> = self.marked.union(&files).map(|file| published(file, &predicted)).collect();
        let log = json!({"type": 3, "message": format!("chronos: {}", predicted.summary)});
        steps.push(Step::Send(json!({"jsonrpc": "2.0", "method": "window/logMessage", "params": log})));
        self.marked = files;
        // Lines of a program that has an error now are as they were before.
        let hints = std::mem::take(&mut self.predicted.hints);
        self.predicted = predicted;
        if self.predicted.hints.is_empty() {
            self.predicted.hints = hints;
        }
        if self.can_refresh {
            self.refreshed += 1;
            let id = format!("refresh-{}", self.refreshed);
            steps.push(Step::Send(json!({"jsonrpc": "2.0", "id": id, "method": "workspace/inlayHint/refresh"})));
        }
        steps
    }

    /// Hints behind the lines that are still as they were predicted.
    fn hints(&self, params: &Value) -> Value {
        let line = |end: &str, by_default: u64| params["range"][end]["line"].as_u64().unwrap_or(by_default);
        let (from, to) = (line("start", 0), line("end", u64::MAX - 1));
        let path = params["textDocument"]["uri"].as_str().and_then(path_of);
        let found = path.and_then(|path| Some((self.predicted.hints.get(&path)?, self.documents.get(&path)?)));
        let Some((hints, text)) = found else { return json!([]) };
        let shown = text.lines().enumerate().filter(|(line, _)| (from..=to).contains(&(*line as u64)));
        let shown =
            shown.filter_map(|(line, text)| Some((line, text, hints.get(&line).filter(|hint| hint.source == text)?)));
        shown
            .map(|(line, text, hint)| {
                // The protocol counts in units of UTF-16.
                let end = json!({"line": line, "character": text.encode_utf16().count()});
                json!({"position": end, "label": hint.label, "tooltip": hint.more, "paddingLeft": true})
            })
            .collect()
    }
}

fn published(file: &Path, predicted: &Predicted) -> Step {
    let diagnostics = predicted.diagnostics.get(file).cloned().unwrap_or_default();
    let params = json!({"uri": address_of(file), "diagnostics": diagnostics});
    Step::Send(json!({"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params}))
}

fn failed(id: &Value, code: i64, message: &str) -> Step {
    Step::Send(json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}))
}

#[cfg(test)]
mod tests {
    use super::super::prediction::Hint;
    use super::*;

    fn hint(source: &str) -> Hint {
        Hint { label: "4×".to_owned(), more: String::new(), source: source.to_owned() }
    }

    #[test]
    fn hints_stand_behind_lines_that_are_as_predicted() {
        let mut session = Session::default();
        let document = |text: &str| json!({"textDocument": {"uri": "file:///p/a.c", "text": text}});
        let open = json!({"method": "textDocument/didOpen", "params": document("int ä;\nint y;\n")});
        assert_eq!(session.receive(&open), [Step::Predict(PathBuf::from("/p/a.c"))]);
        let lines = [(0, hint("int ä;")), (1, hint("int x;"))].into();
        let hints = [(PathBuf::from("/p/a.c"), lines)].into();
        session.arrived(Predicted { hints, ..Predicted::default() });
        let ask = json!({"id": 7, "method": "textDocument/inlayHint", "params": document("")});
        let [Step::Send(answer)] = &session.receive(&ask)[..] else { panic!("one answer") };
        assert_eq!(answer["result"].as_array().map(Vec::len), Some(1));
        assert_eq!(answer["result"][0]["position"], json!({"line": 0, "character": 6}));
    }

    #[test]
    fn messages_that_are_gone_are_taken_back() {
        let mut session = Session::default();
        let file = PathBuf::from("/p/a.c");
        let diagnostics = [(file, vec![json!({"message": "m"})])].into();
        let published = |steps: Vec<Step>| {
            let Some(Step::Send(first)) = steps.into_iter().next() else { panic!("a message") };
            first["params"]["diagnostics"].as_array().map(Vec::len)
        };
        assert_eq!(published(session.arrived(Predicted { diagnostics, ..Predicted::default() })), Some(1));
        assert_eq!(published(session.arrived(Predicted::default())), Some(0));
    }

    #[test]
    fn what_is_out_of_order_has_an_error() {
        let mut session = Session::default();
        let code = |steps: Vec<Step>| match &steps[..] {
            [Step::Send(answer)] => answer["error"]["code"].as_i64(),
            _ => None,
        };
        assert_eq!(code(session.receive(&json!({"id": 1, "method": "nothing"}))), Some(UNKNOWN_METHOD));
        assert_eq!(code(session.receive(&Value::Null)), Some(NO_JSON));
        assert_eq!(session.receive(&json!({"method": "exit"})), [Step::Exit(false)]);
        session.receive(&json!({"id": 2, "method": "shutdown"}));
        assert_eq!(code(session.receive(&json!({"id": 3, "method": "initialize"}))), Some(OUT_OF_ORDER));
        assert_eq!(session.receive(&json!({"method": "exit"})), [Step::Exit(true)]);
    }
}
