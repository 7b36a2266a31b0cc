//! Which argument of the program a failing access wanted, what it would have been used as, and a command to try.

use crate::code::instructions::{
    CallArg, CallCode, CallTarget, CompiledPlace, Home, Instr, PlaceBase, Src, StepStride,
};
use crate::codes;
use crate::execute::machine::{LibraryCall, Machine, Stop};
use chronos_base::diag::{Diagnostic, Severity};
use chronos_base::ids::Id;
use chronos_base::span::Span;
use chronos_ir::ScalarType;
use chronos_values::{Pointer, ReasonKind, Value};

/// Instructions that are looked back through for what a pointer is a copy of.
const LOOKED_BACK: usize = 64;

/// How the reason of a value begins that is read from an argument.
pub(crate) const ARGUMENT: &str = "argument ";

/// Characters of a usage text that are quoted.
const QUOTED: usize = 100;

/// What functions of the library take a text for, and an example of it.
fn used_as(function: &str) -> Option<(&'static str, &'static str)> {
    Some(match function {
        "atoi" | "atol" | "atoll" | "strtol" | "strtoll" | "strtoul" | "strtoull" => ("an integer", "1000"),
        "atof" | "strtod" | "strtof" | "strtold" => ("a number", "0.5"),
        "fopen" | "open" | "freopen" | "MPI_File_open" | "stat" | "access" => ("the name of a file", "FILE"),
        _ => return None,
    })
}

/// The first line of the program's usage text.
fn usage(strings: impl Iterator<Item = impl AsRef<[u8]>>) -> Option<String> {
    strings.into_iter().find_map(|bytes| {
        let text = String::from_utf8_lossy(bytes.as_ref()).into_owned();
        let at = text.to_ascii_lowercase().find("usage")?;
        let line = text[at..].lines().next()?.trim_end_matches('\0').trim().to_owned();
        // The word alone is no usage text.
        (line.len() > "usage: ".len()).then(|| line.chars().take(QUOTED).collect())
    })
}

impl Machine<'_> {
    /// The value of an argument behind the last one, at this offset of the list of arguments.
    pub(crate) fn argument_not_given(&mut self, offset: i64) -> Value {
        let index = offset / ScalarType::Pointer.size(self.task.memory.model) as i64;
        let diagnostic = self.missing(index, None);
        self.shared.reports.add(self.task.id, Diagnostic { severity: Severity::Warning, ..diagnostic });
        self.unknown(ReasonKind::Input(format!("{ARGUMENT}{index} of the program").into()))
    }

    /// A null pointer was handed to a function of the library.
    pub(crate) fn null_argument(&self, src: Option<Src>, function: &str) -> Stop {
        match src.and_then(|src| self.argument_index(src)) {
            Some(index) => self.missing_argument(index, Some(function)),
            None => self.null(),
        }
    }

    /// The program accesses memory through a place whose base is null.
    pub(crate) fn null_place(&self, place: &CompiledPlace) -> Stop {
        let PlaceBase::Src(src) = place.base else { return self.null() };
        match self.argument_index(src) {
            Some(index) => self.missing_argument(index, None),
            None => self.null(),
        }
    }

    fn missing_argument(&self, index: i64, function: Option<&str>) -> Stop {
        self.missing(index, function).into()
    }

    fn missing(&self, index: i64, function: Option<&str>) -> Diagnostic {
        let used = function.and_then(used_as);
        let by = match (function, used) {
            (Some(function), Some((what, _))) => format!("`{function}` reads it as {what}"),
            (Some(function), None) => format!("`{function}` reads it"),
            _ => "it is read here".to_owned(),
        };
        let message = format!("argument {index} of the program is missing: {by}");
        let mut help = format!("give the program's arguments after `--`, for instance `{}`", self.example(index, used));
        help.push_str(&self.usage_text());
        let diagnostic = Diagnostic::error(&codes::MISSING_ARGUMENT, message).help(help);
        match self.span() {
            Some(span) => diagnostic.label(span, "here"),
            None => diagnostic,
        }
    }

    /// What helps besides, if the program has a usage text.
    pub(crate) fn usage_text(&self) -> String {
        let usage = usage(self.code.program.strings.values());
        usage.map_or(String::new(), |usage| format!("; its usage text: {usage}"))
    }

    /// A program that aborts may have been given too few arguments.
    pub(crate) fn tell_abort(&mut self, span: Span) {
        let usage = self.usage_text();
        if usage.is_empty() {
            return;
        }
        let message = "the program, which has a usage text, ends itself with MPI_Abort";
        let help = format!("if it should not, give the program's arguments after `--`{usage}");
        let diagnostic = Diagnostic::warning(&codes::EXIT_STATUS, message).label(span, "ends here").help(help);
        self.shared.reports.add(self.task.id, diagnostic);
    }

    /// A command's end with the arguments up to this one.
    fn example(&self, index: i64, used: Option<(&'static str, &'static str)>) -> String {
        let mut words = self.shared.options.arguments.clone();
        let example = used.map_or("ARGUMENT", |(_, example)| example);
        words.resize(words.len().max(usize::try_from(index).unwrap_or(0)), example.to_owned());
        format!("-- {}", words.join(" "))
    }

    /// Which argument of the program a value was read as that is null now.
    fn argument_index(&self, src: Src) -> Option<i64> {
        let Src::Reg(register) = src else { return None };
        self.argument_read(self.task.frames.len().checked_sub(1)?, register)
    }

    /// The same of a register of a frame; what a parameter holds was read by a caller.
    fn argument_read(&self, depth: usize, mut register: u32) -> Option<i64> {
        let list = self.task.process.argument_list()?;
        let frame = self.task.frames.get(depth)?;
        let function = &self.code.functions[frame.function.index()];
        let before = function.instrs[..(frame.pc as usize).min(function.instrs.len())].iter().rev();
        for instr in before.take(LOOKED_BACK) {
            match *instr {
                Instr::Move(dst, Src::Reg(from)) | Instr::SetLocal(dst, Src::Reg(from)) if dst == register => {
                    register = from;
                }
                Instr::Load(dst, place) if dst == register => {
                    let target = self.known_target(&function.places[place as usize], frame.base)?;
                    let word = ScalarType::Pointer.size(self.task.memory.model) as i64;
                    return (target.object == list).then_some(target.offset / word);
                }
                _ => {}
            }
        }
        let parameter =
            function.params.iter().position(|(home, _)| matches!(home, Home::Register(own) if *own == register))?;
        let depth = depth.checked_sub(1)?;
        match self.call_of(depth)?.args.get(parameter)? {
            CallArg::Scalar(Src::Reg(given)) => self.argument_read(depth, *given),
            _ => None,
        }
    }

    /// The call that a frame is in.
    fn call_of(&self, depth: usize) -> Option<&CallCode> {
        let frame = self.task.frames.get(depth)?;
        let function = &self.code.functions[frame.function.index()];
        match function.instrs.get((frame.pc as usize).checked_sub(1)?)? {
            Instr::Call(index) => function.calls.get(*index as usize),
            _ => None,
        }
    }

    /// Where a place lies, if that is known.
    fn known_target(&self, place: &CompiledPlace, base: u32) -> Option<Pointer> {
        let mut target = match place.base {
            PlaceBase::Object(object) => Pointer { object, offset: 0 },
            PlaceBase::Src(src) => self.get(src, base).as_pointer()?,
        };
        target.offset = target.offset.wrapping_add(place.offset);
        for step in &place.steps {
            let stride = match step.stride {
                StepStride::Bytes(bytes) => bytes,
                StepStride::Src(src) => self.get(src, base).as_int()?,
            };
            target.offset = target.offset.wrapping_add(self.get(step.index, base).as_int()?.wrapping_mul(stride));
        }
        Some(target)
    }
}

impl LibraryCall<'_, '_> {
    /// An argument is a null pointer where there must be an object.
    pub(crate) fn null(&self, index: usize) -> Stop {
        let src = match self.call.args.get(index) {
            Some(CallArg::Scalar(src)) => Some(*src),
            _ => None,
        };
        let name = match self.call.target {
            CallTarget::Library(library) => self.machine.code.library.get(library as usize).map(|name| &**name),
            _ => None,
        };
        self.machine.null_argument(src, name.unwrap_or("the library"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usage_text_is_found() {
        let strings: [&[u8]; 3] = [b"usage\0", b"error\0", b"  Usage: %s N\n  more\0"];
        assert_eq!(usage(strings.iter()), Some("Usage: %s N".to_owned()));
    }
}
