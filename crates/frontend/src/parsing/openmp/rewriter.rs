//! Walks over the text and gives each directive to what rewrites its construct.

use super::clauses::{Directive, UserReduction};
use super::statements::{after_space, after_statement};
use super::{Rewritten, constructs, devices, directive_of, loops, tasks};
use crate::source_text::tokens::{after_line, token_end};
use std::fmt::Write;

pub(super) struct Rewriter<'a> {
    pub text: &'a str,
    pub out: String,
    /// Constructs so far: each has a number of its own in the names of its variables.
    numbers: u32,
    threadprivate: Vec<String>,
    reductions: Vec<UserReduction>,
    /// Regions of devices that are open.
    pub in_target: u32,
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
        let (threadprivate, reductions) = (Vec::new(), Vec::new());
        Self { text, out, numbers: 0, threadprivate, reductions, in_target: 0, markers: markers(text) }
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

    /// The reduction of the program's own that has a name.
    pub fn user_reduction(&self, name: &str) -> Option<&UserReduction> {
        self.reductions.iter().find(|reduction| reduction.name == name)
    }

    /// Whether all operators of reductions are known.
    fn knows_reductions(&self, directive: &Directive) -> bool {
        let known = |operator: &str| {
            let own = matches!(operator, "+" | "-" | "*" | "&" | "|" | "^" | "&&" | "||" | "min" | "max");
            own || self.user_reduction(operator).is_some_and(|user| user.is_only)
        };
        directive.name == "declare" || directive.reductions().is_some_and(|all| all.iter().all(|(op, _)| known(op)))
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
        let written = self.out.len();
        let known =
            directive.is_modelled() && self.knows_reductions(directive) && self.rewritten(directive, line_end, to);
        if !known {
            self.out.truncate(written);
            self.out.push_str(&self.text[at..line_end]);
            return line_end;
        }
        match directive.stands_alone() {
            true => line_end,
            false => after_statement(self.text, line_end).unwrap_or(line_end).min(to),
        }
    }

    /// Whether the construct could be rewritten; what was written of one that could not is taken back by the caller.
    fn rewritten(&mut self, directive: &Directive, line_end: usize, to: usize) -> bool {
        if directive.stands_alone() {
            return self.standalone(directive);
        }
        let begin = after_space(self.text, line_end);
        let Some(end) = after_statement(self.text, line_end).filter(|&end| end <= to) else { return false };
        if let Some((outer, inner)) = directive.parts() {
            return self.composite((directive, &outer, &inner), line_end, end, to);
        }
        match &*directive.name {
            "sections" | "parallel sections" => {
                return constructs::sections(self, directive, line_end, end).is_some();
            }
            name if name.starts_with("parallel for") || name.starts_with("for") || name.starts_with("distribute") => {
                return loops::construct(self, directive, line_end, end).is_some();
            }
            _ => {}
        }
        let Some(frame) = self.frame((directive, directive), begin, end) else { return false };
        self.framed(&frame, line_end, begin, end);
        true
    }

    /// What stands around the statement of a construct; `whole` is the directive that `directive` is a part of.
    fn frame(&mut self, (directive, whole): (&Directive, &Directive), begin: usize, end: usize) -> Option<Frame> {
        let frame = match &*directive.name {
            // A section is written by its construct, what has no effect here stays as it is.
            "section" | "simd" | "unroll" | "taskgroup" | "target data" => {
                Frame { before: String::new(), after: String::new() }
            }
            "ordered" => constructs::ordered(),
            "parallel" => constructs::parallel(self, directive, begin),
            "single" => constructs::single(self, directive, begin),
            "scope" => constructs::scope(self, directive, begin),
            "master" | "masked" => constructs::master(),
            "critical" => constructs::critical(),
            "atomic" => constructs::atomic(directive),
            "task" => tasks::task(self, directive, begin, end),
            "taskloop" | "taskloop simd" => tasks::taskloop(self, directive, begin, end)?,
            "target" => devices::target(self, directive, whole, begin, end),
            "teams" => devices::teams(self, directive, begin),
            _ => return None,
        };
        Some(frame)
    }

    /// One directive for several constructs: the inner ones stand in the outer one.
    fn composite(
        &mut self,
        (whole, outer, inner): (&Directive, &Directive, &Directive),
        line_end: usize,
        end: usize,
        to: usize,
    ) -> bool {
        let begin = after_space(self.text, line_end);
        let Some(frame) = self.frame((outer, whole), begin, end) else { return false };
        self.out.push_str(&frame.before);
        let on_device = u32::from(outer.name == "target");
        self.in_target += on_device;
        let done = self.rewritten(inner, line_end, to);
        self.in_target -= on_device;
        self.behind(&frame.after, line_end, end);
        done
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
    fn framed(&mut self, frame: &Frame, line_end: usize, begin: usize, end: usize) {
        let on_device = u32::from(frame.before.contains("__chronos_omp_target("));
        self.out.push_str(&frame.before);
        self.out.push_str(&self.text[line_end..begin]);
        self.in_target += on_device;
        self.stretch(begin, end);
        self.in_target -= on_device;
        self.behind(&frame.after, line_end, end);
    }

    /// A directive that is a statement itself; whether it is understood.
    fn standalone(&mut self, directive: &Directive) -> bool {
        match &*directive.name {
            "barrier" => self.out.push_str("__chronos_omp_barrier();"),
            "flush" => self.out.push_str("__chronos_omp_flush();"),
            "threadprivate" => {
                let list = directive.clauses.iter().flat_map(|(_, list)| list.split(','));
                self.threadprivate.extend(list.map(|name| name.trim().to_owned()));
            }
            "declare" => {
                let Some(mut reduction) = UserReduction::read(directive) else { return false };
                // Which of several of a name is meant, types decide.
                let same = self.reductions.iter_mut().filter(|other| other.name == reduction.name);
                for other in same {
                    (other.is_only, reduction.is_only) = (false, false);
                }
                self.reductions.push(reduction);
            }
            name if name.contains("declare") || name == "requires" => {}
            _ => self.out.push(';'),
        }
        true
    }
}
