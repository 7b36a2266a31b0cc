//! Walks over the text and gives each directive to what rewrites its construct.

use super::clauses::Directive;
use super::statements::{after_space, after_statement, stands_alone};
use super::{Rewritten, constructs, directive_of, loops};
use crate::source_text::tokens::{after_line, token_end};
use std::fmt::Write;

pub(super) struct Rewriter<'a> {
    pub text: &'a str,
    pub out: String,
    /// Constructs so far: each has a number of its own in the names of its variables.
    numbers: u32,
    threadprivate: Vec<String>,
    /// Where line markers stand, with what they say of the line behind them: its number, and the rest of the marker.
    markers: Vec<(usize, u32, &'a str)>,
}

/// What stands in front of a statement, and what behind it.
pub(super) struct Frame {
    pub before: String,
    pub after: String,
}

/// The line markers of a preprocessed text.
fn markers(text: &str) -> Vec<(usize, u32, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(rest) = line.strip_prefix("# ") {
            let (number, file) = rest.trim_end().split_once(' ').unwrap_or((rest, ""));
            // Flags say that a file begins or ends here, which is not so where the marker is repeated.
            let file = file.rfind('"').map_or(file, |quote| &file[..=quote]);
            found.extend(number.parse().ok().map(|number| (at, number, file)));
        }
        at += line.len();
    }
    found
}

impl<'a> Rewriter<'a> {
    pub fn new(text: &'a str) -> Self {
        let out = String::with_capacity(text.len() + 256);
        Self { text, out, numbers: 0, threadprivate: Vec::new(), markers: markers(text) }
    }

    pub fn run(mut self) -> Rewritten {
        self.stretch(0, self.text.len());
        Rewritten { text: self.out, threadprivate: self.threadprivate }
    }

    /// A number that no construct had before.
    pub fn number(&mut self) -> u32 {
        self.numbers += 1;
        self.numbers
    }

    /// Copies a stretch with its directives rewritten.
    pub fn stretch(&mut self, from: usize, to: usize) {
        let bytes = self.text.as_bytes();
        let (mut at, mut copied) = (from, from);
        while at < to {
            if bytes[at] == b'#' {
                let end = after_line(bytes, at).min(to);
                if let Some(directive) = directive_of(&self.text[at..end]) {
                    let directive = Directive::read(directive);
                    self.out.push_str(&self.text[copied..at]);
                    at = self.construct(&directive, at, end, to);
                    copied = at;
                    continue;
                }
            }
            at = token_end(bytes, at).max(at + 1);
        }
        self.out.push_str(&self.text[copied.min(to)..to]);
    }

    /// Rewrites the construct whose directive stands at `at..line_end`; gives where it ends.
    fn construct(&mut self, directive: &Directive, at: usize, line_end: usize, to: usize) -> usize {
        let known = directive.is_modelled() && self.rewritten(directive, line_end, to);
        if !known {
            self.out.push_str(&self.text[at..line_end]);
            return line_end;
        }
        match stands_alone(directive) {
            true => line_end,
            false => after_statement(self.text, line_end).unwrap_or(line_end).min(to),
        }
    }

    /// Whether the construct could be rewritten; nothing is written where not.
    fn rewritten(&mut self, directive: &Directive, line_end: usize, to: usize) -> bool {
        if stands_alone(directive) {
            self.standalone(directive);
            return true;
        }
        let begin = after_space(self.text, line_end);
        let Some(end) = after_statement(self.text, line_end).filter(|&end| end <= to) else { return false };
        let frame = match &*directive.name {
            "for" | "for simd" | "parallel for" | "parallel for simd" => {
                return loops::construct(self, directive, line_end, end).is_some();
            }
            "sections" | "parallel sections" => return constructs::sections(self, directive, line_end, end).is_some(),
            // A section is written by its construct, what has no effect here stays as it is.
            "section" | "simd" | "taskgroup" => Frame { before: String::new(), after: String::new() },
            "ordered" => constructs::ordered(),
            "parallel" => constructs::parallel(self, directive),
            "single" => constructs::single(self, directive),
            "master" | "masked" => constructs::master(),
            "critical" => constructs::critical(),
            "atomic" => constructs::atomic(),
            "task" => constructs::task(self, directive),
            _ => return false,
        };
        self.framed(&frame, line_end, begin, end);
        true
    }

    /// Text that belongs to the line of the directive and stands behind the construct, which ends at `end`.
    pub fn behind(&mut self, text: &str, line_end: usize, end: usize) {
        let places = self.place(line_end).zip(self.place(end));
        let Some(((directive, file), (last, own_file))) = places else {
            self.out.push_str(text);
            return;
        };
        let _ = write!(self.out, "\n# {directive} {file}\n{text}\n# {last} {own_file}\n");
    }

    /// The line and the file of an offset, as a marker names them.
    fn place(&self, at: usize) -> Option<(u32, &'a str)> {
        let index = self.markers.partition_point(|marker| marker.0 <= at).checked_sub(1)?;
        let (begin, line, file) = self.markers[index];
        let ends = self.text[begin..at].bytes().filter(|&byte| byte == b'\n').count();
        // The marker's own line end comes first.
        Some((line + u32::try_from(ends).ok()?.checked_sub(1)?, file))
    }

    /// The statement between two texts.
    pub fn framed(&mut self, frame: &Frame, line_end: usize, begin: usize, end: usize) {
        self.out.push_str(&frame.before);
        self.out.push_str(&self.text[line_end..begin]);
        self.stretch(begin, end);
        self.behind(&frame.after, line_end, end);
    }

    fn standalone(&mut self, directive: &Directive) {
        match &*directive.name {
            "barrier" => self.out.push_str("__chronos_omp_barrier();"),
            "threadprivate" => {
                let list = directive.clauses.iter().flat_map(|(_, list)| list.split(','));
                self.threadprivate.extend(list.map(|name| name.trim().to_owned()));
            }
            "declare simd" => {}
            _ => self.out.push(';'),
        }
    }
}
